-- (a int, type text) returns void
declare
  r record; x int; y int; u refcursor;
  c cursor for select 1; d cursor (k int, "L" text) for select k;
begin
  loop exit; end loop;
  <<again>> while a < 10 loop continue again when a = 5; a := a + 1; end loop again;
  for i in 1..10 loop null; end loop;
  for i in reverse a*2 .. (select 1) by 3 loop null; end loop;
  for i in array_length(array[1, 2], 1)-1..2.5 loop null; end loop;
  for r in select * from t loop null; end loop;
  for x, y in select n, id from t order by (1) for update loop null; end loop;
  for r in values (1), (2) loop null; end loop;
  for r in values (1) loop null; end loop;
  for r in (select 1) union select 2 loop null; end loop;
  for r in with w as (insert into t values (1) returning *) select * from w loop null; end loop;
  for r in execute 'select ' || a loop null; end loop;
  for x in execute format('select %s from t where id = $1', 'n') using a, (a, 2) loop null; end loop;
  for r in c loop null; end loop;
  for r in d(1, 'x') loop null; end loop;
  for r in d("L" := 'a' || (1), k := 2) loop null; end loop;
  foreach x in array array[1, 2] loop exit when x = 1; end loop;
  <<rows>>
  foreach x slice 0 in array (select array_agg(n) from t) loop
    loop exit rows when x > 1; continue rows; end loop;
  end loop rows;
  foreach x, y in array array[(1, 2)] loop null; end loop;
  for type in select 'a' loop null; end loop;
end
