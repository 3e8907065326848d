-- (a int) returns void
<<b>>
declare
  u refcursor; c cursor for select n from t; d scroll cursor (k int, l int) for select k + l;
  x int; y int; r record;
begin
  open c; open d(1, 2); open d(l := 1 + (2), k := 3); open b.c;
  open u for select * from t where n in (1, 2);
  open u no scroll for select 1; open u scroll for execute 'select $1' using a;
  open u for execute 'select ' || 1;
  fetch c into x; fetch from c into r; fetch in c into x;
  fetch next from c into x; fetch prior from d into x; fetch first in d into x; fetch last from d into x;
  fetch absolute a + 1 from d into x; fetch relative -1 from d into x;
  fetch forward from d into x; fetch backward from d into x, y;
  move c; move next from c; move 3 from d; move all in d; move forward 2 from d;
  move backward all from d; move forward all from d; move relative -2 from d; move abs(-3) from d;
  move last in d;
  close c; close b.d;
end
