-- (a int) returns void
begin
  if a = 1 then null; end if;
  if a in (select n from t) then
    a := 2;
  elsif (case when a > 1 then true end) then
    if a > 3 then else null; end if;
  elseif not a <> 5 then
  else
  end if;
  case a when 1, 2 then null; when 3 then a := 4; end case;
  case when a > 1 then null; else end case;
  case (case a when 1 then 2 end) when 2 then null; else a := 5; end case;
end
