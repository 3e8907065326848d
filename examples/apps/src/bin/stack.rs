//! One iteration of [`hobgoblin_apps::stack::APP`] against the store at `HOB_HTTP_URL`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hobgoblin_apps::http::main(&hobgoblin_apps::stack::APP)
}
