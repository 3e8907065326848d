-- (p int[]) returns void
declare
  a int; r record; rows t[]; open int; exception int; return text; type t; elsif int[];
begin
  a := 1;
  a = a + 1;
  p[a] := count(*) from t where id > 1;
  p[1:2] = array[3, 4];
  p[(select max(n) from t where id in (1, 2))][2] := 5;
  r.n := 1;
  r.n.m[3].o := 2;
  rows[1].n := a;
  rows[2].end := (1);
  a := case when a = 1 then 2 else 3 end;
  open := 1; exception = 2; return := 'a'; type.n := 3; elsif[1] := 4;
  $1 := '{1}';
end
