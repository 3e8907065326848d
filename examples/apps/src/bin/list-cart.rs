//! One iteration of [`hobgoblin_apps::list_cart::APP`] against the store at `HOB_HTTP_URL`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hobgoblin_apps::http::main(&hobgoblin_apps::list_cart::APP)
}
