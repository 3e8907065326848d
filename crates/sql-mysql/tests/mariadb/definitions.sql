create table t1 (a int, zz int not null auto_increment primary key, b varchar(10) charset latin1, c varchar(10) collate utf8mb4_bin default 'x''y', d text, e timestamp, f timestamp null, g timestamp not null default current_timestamp on update current_timestamp comment 'it''s \n a "q" \\ back', h decimal(10,2) unsigned zerofill default 1.5, i enum('a','b''c') not null default 'a', j set('x','y') charset latin1, k bit(3) default b'101', l json, m int as (a+1) virtual, n int generated always as (a*2+h) stored, o bool default true, p datetime(3) default now(3), q binary(3) default 'ab', r varbinary(5), s year default 2000, u float(7,2), v double default 1e10, w int check (w > 0 and w < 10), x blob not null default 'a', y int invisible, unique u1 (b, c(3)), key k1 (c desc, d(10)), key (b), constraint cc check (a<>b or b like 'x%'), fulltext ft (d), key hh (a) using hash comment 'idx', key bb (a) using btree, key ig (a) ignored, unique (a,b), unique(a)) engine=innodb comment='tbl' row_format=dynamic  max_rows=5 avg_row_length=7 checksum=1 stats_persistent=1 pack_keys=1 delay_key_write=1 min_rows=3
create table p (id int primary key, a int, b int, key(a,b)) charset latin1
create table c1 (x int, y int, z int references p(id), foreign key (x) references p(id) on delete cascade on update set null, constraint fk2 foreign key ifk (x,y) references p(a,b) on delete no action on update restrict, constraint fk3 foreign key (y) references p(id)) collate=latin1_bin
create table t2 (a char(5) default concat('a','b'), b varchar(36) default uuid(), c int default (1+2*3), d int default (a is null), e datetime default (now() + interval 1 day), f int default -5, g decimal(5,1) default '3.14', h date default '2020-1-2', i time default 123, j varchar(10) default 12, k varchar(3) default null, l double default 1.50, m bit default 1, n json default '{}', o json check (json_valid(o)), p int default '7', q char(3) default 0x41, r blob default 0x4142, s varchar(5) charset utf8mb3 default _latin1 'abc', t datetime default 20200101, u int default 1.6)
create table t3 (a int, b int, c varchar(20), check (a + b * 2 > (a - b) - 3 and c in ('x','y') or not a between 1 and 5 xor b is not null), check (case when a=1 then 'x' else 'y' end = c), check (upper(c) like '%a\\%' and length(c) < 10 and c regexp 'a' and coalesce(a,b) <=> 3), check (cast(a as signed) > 0 and convert(c using utf8mb3) = 'a' and a mod 2 = 1 and a div 3 = 1 and -a < 5 and !a and a & b | 3 ^ 4 << 2), check (date_add(c, interval 3 month) > '2020-01-01' and c collate utf8mb4_bin = 'x' and substring(c, 1, 2) = 'a' and trim(c)='x' and trim(leading 'a' from c) = 'b' and if(a,b,3) > 1 and ifnull(a,1) = 1 and isnull(a) and json_extract(c,'$.a') = 1 and extract(year from c) = 1 and left(c,1)='a' and position('a' in c) = 1 and char(65) = 'x' and a is true and b is not false), d int as (a % 3), e varchar(10) as (concat(c, 'x', 1.5, null)), f date as (cast(c as date)) stored, g int as (year(c)), h int as (c is null), i int as ((a)), j int as (a in (1,2,3)), k int as (a not in (1,b)), l int as (a not like 'x'), m int as (greatest(a,b)), n int as (a and b), o int as (not a), p int as (a || b), q varchar(5) as ("a"), r varchar(5) as (N'x'), s varchar(4) as (x'41'), t int as (true), v int as (t3.a), w decimal(10,2) as (a / b), x int as (- (a+b)), y int as (~a), z int as (a <> b), aa int as (a != b), ab int as (a - (b - 1)), ac int as (a - b - 1), ad int as (a * (b + 1)), ae int as ((a * b) + 1), af int as (interval(a,1,2)), ag int as (not (a = 1)), ah int as (a rlike 'b'))
create table t4 (a int comment 'x', b text charset utf8mb3, c char(3) charset binary, d varchar(3) binary, e varchar(4) character set latin1 binary, f text(10), g text(1000), h blob(70000), i nvarchar(10), j national char(3), k long, l long varbinary, m serial, n double precision, o real, p numeric, q dec(5), r fixed(4,2), s int(5) zerofill, t tinyint(1) unsigned, u float(30), v float(5), w timestamp(6) default current_timestamp(6) on update current_timestamp(6), x datetime on update now(), y char, z binary, aa varchar(0), ab int1, ac middleint, ae char(3) default '', af varchar(10) not null, ag date default null, ah decimal(5,2) default -1.555) engine=MyISAM default charset latin1
create table t5 (a int) engine=nosuch
create table t5 (a int) engine=memory
create table t6 (a timestamp, b timestamp not null, c timestamp default '2020-01-01 00:00:00', d timestamp null on update current_timestamp)
drop table if exists t7
create table t7 (a int, a int)
drop table if exists t7
create table t7 (a int primary key, b int primary key)
drop table if exists t7
create table t7 (a int, key k (b))
drop table if exists t7
create table t7 (a int, key k (a), key k (a))
drop table if exists t7
create table t7 (a int auto_increment)
drop table if exists t7
create table t7 (a int auto_increment primary key, b int auto_increment unique)
drop table if exists t7
create table t7 (a varchar(10) auto_increment primary key)
drop table if exists t7
create table t7 (a int default 'x')
drop table if exists t7
create table t7 (a int not null default null)
drop table if exists t7
create table t7 (a enum('a','b') default 'c')
drop table if exists t7
create table t7 (a enum('a','b') default 2)
drop table if exists t7
create table t7 (a int null primary key)
drop table if exists t7
create table t7 (a int null, primary key (a))
drop table if exists t7
create table t7 (a text, key (a))
drop table if exists t7
create table t7 (a text, unique (a))
drop table if exists t7
create table t7 (a int, key (a(3)))
drop table if exists t7
create table t7 (a varchar(10), key (a(30)))
drop table if exists t7
create table t7 (a varchar(10), key (a(0)))
drop table if exists t7
create table t7 (a varchar(10), key (a(10)))
drop table if exists t7
create table t7 (a varchar(70000))
drop table if exists t7
create table t7 (a varchar(20000))
drop table if exists t7
create table t7 (a varchar(10000), b varchar(10000))
drop table if exists t7
create table t7 (a varchar(1000) primary key)
drop table if exists t7
create table t7 (a varchar(1000), key (a))
drop table if exists t7
create table t7 ()
drop table if exists t7
create table t7 (a int, foreign key (a) references nn (b))
drop table if exists t7
create table t7 (a int, foreign key (a) references p (b))
drop table if exists t7
create table t7 (a varchar(3), foreign key (a) references p (id))
drop table if exists t7
create table t7 (a int not null, foreign key (a) references p (id) on delete set null)
drop table if exists t7
create table t7 (a int, constraint x foreign key (a) references p (id), constraint x foreign key (a) references p (id))
drop table if exists t7
create table t7 (a int, constraint x check (a > 1), constraint x check (a > 2))
drop table if exists t7
create table t7 (a int) charset nosuch
drop table if exists t7
create table t7 (a int) collate nosuch
drop table if exists t7
create table t7 (a varchar(3) charset latin1 collate utf8mb4_bin)
drop table if exists t7
create table t7 (a int on update current_timestamp)
drop table if exists t7
create table t7 (a datetime default current_timestamp(3))
drop table if exists t7
create table t7 (a datetime(6) default current_timestamp)
drop table if exists t7
create table t7 (`a ` int)
drop table if exists t7
create table `` (a int)
create table nodb.t7 (a int)
create table information_schema.t7 (a int)
create table t1 (a int)
create table if not exists t1 (a int)
create table l1 like t1
create table l2 like c1
create table l3 like nn
alter table t5 add b int first, add c varchar(3) after b, add key (c), comment 'x'
alter table t5 change a aa bigint not null default 5, drop key c
alter table t5 drop column nn
alter table t5 drop key nn
alter table t5 drop primary key
alter table t5 add primary key (b)
alter table t5 add primary key (c)
alter table t5 rename column b to bb, rename index `PRIMARY` to x
alter table t5 rename column b to bb
alter table t5 alter column c set default 'z', alter aa drop default
alter table t5 modify c varchar(30) charset latin1 after aa
alter table t5 convert to character set utf8mb3
alter table t5 engine=innodb, add constraint chk check (aa > 0), add unique uq (c, aa)
alter table t5 drop constraint chk, drop constraint uq
alter table t5 drop constraint chk
alter table t5 rename to t55
alter table t55 add foreign key (aa) references p (id)
alter table t55 add column f int, add foreign key (f) references p (id)
alter table t55 drop column f
alter table t55 drop foreign key t55_ibfk_1, drop column f
alter table t55 drop foreign key nn
alter table c1 drop key fk2
alter table p drop column id
alter table p drop key a
drop table p
truncate p
rename table t55 to t56, t56 to p
rename table t55 to t56, t56 to t57
create index ix on t57 (c(2))
create index ix on t57 (c)
create or replace index ix on t57 (aa)
drop index ix on t57
drop index ix on t57
drop index if exists ix on t57
alter table t57 drop column bb, drop column aa, drop column c
alter table nn add a int
alter table if exists nn add a int
drop table nn
drop table if exists nn
drop table nn, t57
create database definitions
create database if not exists definitions
drop database nodb
drop database if exists nodb
create table q1 (a int key, b int unique, c int unique key comment 'c', unique (b), key (b,c))
create table q2 (a int, b int, `PRIMARY` int, index(`PRIMARY`), index (a), index (A, b))
create table q3 (Abc int, key (aBC), unique uu (ABC))
create table q4 (a int, b int as (a) , c int as (b+1) stored, key (b))
alter table q4 rename column a to z
alter table q4 drop column z
create table q5 (a int, b varchar(20) not null default 'x' comment 'y' collate utf8mb4_bin, c datetime not null default '0000-00-00 00:00:00', d date not null default '0000-00-00', e time not null default '00:00:00', f timestamp not null default '1970-01-01 00:00:01')
create table q6 (a bigint unsigned not null default 0, b smallint(3) unsigned zerofill not null default 7, c mediumint not null default '5', d tinyint default -1, e float default 1.5, f double(10,3) default 2, g decimal(20,10) default 0, h decimal(3,3) default 0.5, i float(5,1) default 1.25)
create table q7 (a varchar(255) not null, b varchar(191) not null, c longtext not null, d mediumtext, e tinytext, f longblob, g mediumblob, h tinyblob, primary key (a, b), key (c(100)), unique (d(10)))
create table q8 (a char(0), b binary(0), c set('a','b','c') default 'a,c', d set('a','b') not null, e enum('x') character set utf8mb3 default 'x', f enum('ä','ö') default 'ä')
create table q9 (a int) row_format=compressed key_block_size=8
create table q10 (a int) auto_increment=100
create table q11 (a int auto_increment, b int, key (a)) auto_increment=5 comment='it''s'
create table q12 (a int, b int, c int, primary key (c, a), unique k1 (b desc), unique k2 (a), key k3 (c)) stats_auto_recalc=0 stats_sample_pages=10
