-- (a int) returns void
declare r record; x int; n bigint; s text;
begin
  execute 'select 1';
  execute 'select ' || quote_ident('x') into x;
  execute format('select %s', 'a') into strict r using a, a + 1;
  execute 'select $1' using (a, 2), 'b' into x;
  get diagnostics n = row_count;
  get current diagnostics n := row_count, s = pg_context;
exception when others then
  get stacked diagnostics s = message_text, s = pg_exception_detail, s := pg_exception_hint,
    s = pg_exception_context, s = returned_sqlstate, s = column_name, s = constraint_name,
    s = pg_datatype_name, s = table_name, s = schema_name, s = pg_context;
end
