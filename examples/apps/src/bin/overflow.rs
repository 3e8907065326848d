//! One iteration of [`hobgoblin_apps::courseware::OVERFLOW`] against the store at `HOB_HTTP_URL`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hobgoblin_apps::http::main(&hobgoblin_apps::courseware::OVERFLOW)
}
