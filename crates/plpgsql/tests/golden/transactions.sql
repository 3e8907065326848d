-- procedure ()
begin
  commit; rollback;
  commit and chain; commit and no chain;
  rollback and chain; rollback and no chain;
  return;
end
