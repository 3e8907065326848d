-- (a int) returns void
declare r record; x int; y int; strict_one t; into_x int;
begin
  select 1;
  select n into x from t;
  select n from t into strict x where id = 1;
  select into x, y n, id from t;
  select n, id from t where id = 1 into r;
  insert into t values (1, 2, 'x;y');
  insert into t select 1, 2, 'c' returning n, id into x, y;
  insert into t(n) values ((select 1)) returning * into strict strict_one;
  update t set n = n + 1 where id = a returning n /* into */ into r.n;
  delete from t using pg_class where n = 1 returning t.* -- ; into
    into r;
  with w as (insert into t values (1, 2, '3') returning id) select id into x from w;
  merge into t using pg_class c on false when matched then do nothing;
  create temp table u as select 1 as n;
  create function pg_temp.one() returns int language sql begin atomic select case when true then 1 end; select 2; end;
  create or replace procedure pg_temp.two() language sql begin atomic insert into t values (1, 2, 'x'); end;
  create rule double as on insert to t do also (update t set n = 1; delete from t where n = 2);
  comment on table t is 'a;b';
  perform n from t where id = a;
  perform f(x), (select 2);
  perform;
  call p(1, x);
  do $q$ begin null; end; $q$;
  lock table t in share mode;
  explain select 1;
  import foreign schema s from server z into public;
  null;
end
