-- ("Ünï" int, größe int) returns void
declare a text; b int; "loop" int; c bit(3);
begin
  a := 'it''s; then' || E'\'; loop' || $$; end $$ || $x$ $$;$y$ $x$ || U&'\0041;' || n'x;';
  c := b'101'; b := 1-- minus; not this
    -2; b := 1--
+1;
  b := @-5; b := 1.5e-3 + .5 + 2. + 1e2; b := "loop" + größe * "Ünï";
  if b<>1 and b!=2 and b>=3 or b<=-4 and b=-5 then b=-6; end if;
  a := $1::text||'a'
       'b' /* ; */ || 'c';
  b := (array[1,2,3])[1]; b := 7 % 3;
  select b operator(pg_catalog.+) 1 into b;
  if a ~ '^;then$' then null; end if;
end
