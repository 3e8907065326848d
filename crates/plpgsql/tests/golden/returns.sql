-- (next int, query text) returns setof int
begin
  return next 1;
  return next (select n from t limit 1);
  return query select n from t;
  return query with x as (select 1 as n) select n from x;
  return query execute 'select 1';
  return query execute query || ' where n = $1 and id = $2' using next, (1 + 2);
  return;
end
