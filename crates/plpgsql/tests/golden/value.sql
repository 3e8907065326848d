-- (a int) returns int
begin
  if a = 1 then return a; end if;
  if a = 2 then return a + 1; end if;
  return max(n) from t where n < a;
end
