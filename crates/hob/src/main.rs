//! `hob`: the command line, with the SQL it speaks.

use std::process::ExitCode;

fn main() -> ExitCode {
    hobgoblin_cli::main(&hobgoblin_sql::POSTGRES)
}
