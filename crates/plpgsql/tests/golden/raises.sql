-- (a int) returns void
begin
  raise notice 'plain';
  raise debug 'a % b %% c %', a, coalesce(a, 1);
  raise log e'\u0025 it\'s %', 'x', 2; raise info 'x' -- goes on
    ' and y %', (1, 2);
  raise warning $f$%$f$, a using hint = 'h' || a, detail := 'd';
  raise exception 'x' using errcode = 'unique_violation', column = 'a', constraint = 'b', datatype = 'c', table = 't', schema = 's';
  raise division_by_zero;
  raise notice division_by_zero using message = 'm';
  raise sqlstate '22012';
  raise exception sqlstate 'P0001' using message = 'a, b';
  raise using errcode = 'P0001', message = 'm';
  raise exception using message = 'm';
  assert a > 1;
  assert a in (1, 2), 'a is ' || a;
exception when others then
  raise;
end
