-- Indexes that are made and dropped CONCURRENTLY.

create table indexed (a int, b int);
create index indexed_a on indexed (a);
create index indexed_b on indexed (b);
begin;
drop index concurrently indexed_a;
rollback;
begin;
create index concurrently on indexed (a, b);
rollback;
drop index concurrently indexed_a, indexed_b;
drop index concurrently indexed_a cascade;
drop index concurrently nothing;
drop index concurrently if exists nothing;
drop index concurrently if exists indexed_a;
drop index concurrently public.indexed_b restrict;
drop index concurrently indexed;
drop index concurrently;
select indexname from pg_indexes where tablename = 'indexed';
drop table indexed;
