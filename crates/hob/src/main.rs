//! `hob`: the command line, with the SQL it speaks.

use std::process::ExitCode;

use hobgoblin_cli::Dialects;

fn main() -> ExitCode {
    let dialects = Dialects::new(&hobgoblin_sql::POSTGRES);
    #[cfg(feature = "mysql")]
    let dialects = dialects.with_mysql(&hobgoblin_sql::MYSQL);
    hobgoblin_cli::main(dialects)
}
