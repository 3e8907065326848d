-- () returns void
declare begin
  <<inner>> declare x int; begin
    null;
  exception
    when division_by_zero or sqlstate '22P02' then
      x := 1;
    when unique_violation then
    when others then
      begin end;
      raise;
  end inner;
  << "Label" >>
  begin
    exit "Label";
  end "Label";
end;
