-- () returns void
#option dump
#print_strict_params on
#variable_conflict use_column
  # print_strict_params off #variable_conflict error #variable_conflict use_variable
/* a /* nested; */ comment */
begin null /* ; */ ; -- and ' this
end /* no semicolon */
