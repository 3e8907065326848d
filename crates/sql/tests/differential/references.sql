-- References between columns of different types.

-- Days and times.
create table day (k date primary key);
insert into day values ('2020-01-01'), ('2020-06-01');
create table stamp (t timestamp references day);
create table stamptz (t timestamptz references day on delete cascade on update cascade);
insert into stamp values ('2020-01-01');
insert into stamp values ('2020-01-01 00:00:01');
insert into stamp values ('2020-01-02');
insert into stamp values ('infinity');
insert into stamptz values ('2020-06-01');
insert into stamptz values ('2020-06-01 12:00');
delete from day where k = '2020-01-01';
update day set k = '2020-01-02' where k = '2020-01-01';
update day set k = '2020-07-01' where k = '2020-06-01';
select t = '2020-07-01' from stamptz;
delete from day where k = '2020-07-01';
select count(*) from stamptz;
delete from stamp;
delete from day where k = '2020-01-01';
drop table stamp, stamptz, day;

create table moment (k timestamp primary key);
insert into moment values ('2020-01-01'), ('2020-01-02 03:04');
create table on_day (d date references moment on update set null);
create index on on_day (d);
insert into on_day values ('2020-01-01');
insert into on_day values ('2020-01-02');
delete from moment where k = '2020-01-02 03:04';
delete from moment;
update moment set k = '2021-01-01 12:00';
select d from on_day;
drop table on_day, moment;

-- Numbers.
create table exact (k numeric primary key);
insert into exact values (1.0), (2.50), (3);
create table whole (k int references exact on update cascade);
insert into whole values (1), (3);
insert into whole values (2);
delete from exact where k = 2.5;
delete from exact where k = 1;
update exact set k = 4.00 where k = 3;
select k from whole order by k;
update exact set k = 4.50 where k = 4;
select k from whole order by k;
drop table whole;
create table big (k bigint);
insert into big values (1), (7);
alter table big add foreign key (k) references exact;
delete from big where k = 7;
alter table big add foreign key (k) references exact;
drop table big, exact;

create table inexact (k float8 primary key);
insert into inexact values (1), (0.5), (9007199254740992);
create table counted (k bigint references inexact);
insert into counted values (1), (9007199254740993);
insert into counted values (2);
delete from inexact where k = 0.5;
delete from inexact where k = 1;
create table measured (k numeric(6, 2) references inexact);
insert into measured values (1.00);
insert into measured values (0.50);
insert into inexact values (0.25);
insert into measured values (0.25);
delete from inexact where k = 0.25;
create table single (k real references inexact);
insert into single values (1), (0.25);
insert into single values (0.1);
drop table counted, measured, single, inexact;

create table small (k real primary key);
insert into small values (1), (0.1);
create table double (k float8 references small);
insert into double values (1);
insert into double values (0.1);
delete from small where k = 1;
drop table double, small;

create table refused (k int primary key);
create table fraction (k numeric references refused);
create table fraction (k float8 references refused);
create table fraction (k smallint references refused);
insert into refused values (1);
insert into fraction values (1);
delete from refused;
drop table fraction, refused;

-- Texts.
create table word (k text primary key);
insert into word values ('a'), ('bb');
create table short (k varchar(2) references word);
create table padded (k char(3) references word);
insert into short values ('bb');
insert into padded values ('a');
insert into padded values ('c');
delete from word where k = 'a';
delete from word where k = 'bb';
drop table short, padded, word;

-- Several columns, and one that may not be changed before the end.
create table pair (a date, b numeric, primary key (a, b));
insert into pair values ('2020-01-01', 1.50), ('2020-01-01', 2.0);
create table pairs (b int, a timestamp, foreign key (a, b) references pair deferrable initially deferred);
insert into pairs values (2, '2020-01-01');
begin;
insert into pairs values (3, '2020-01-01');
insert into pair values ('2020-01-01', 3.0);
commit;
begin;
insert into pairs values (4, '2020-01-01');
commit;
delete from pair where b = 2;
drop table pairs, pair;
