-- (first int, second text) returns void
<<outer>>
declare
  a int;
  b constant numeric(10, 2) := 1.5;
  c text collate "C" not null default 'x;y';
  d pg_catalog.text collate pg_catalog."C" = $q$ ; $q$;
  e t%rowtype;
  f t.n%type;
  g public.t.name%TYPE not null := '';
  h alias for $1;
  i alias for second;
  "J ""j""" timestamp(3) with time zone;
  k int[][3] default array[[1, 2], [3, 4]];
  declare
  l cursor for select * from t where id = a;
  m no scroll cursor (low int, high numeric(3)) is select n from t where n between low and high;
  n scroll cursor (only t.id%type) for values (1), (2);
  type int; open record; exception refcursor; query text; "end" int;
begin
end outer
