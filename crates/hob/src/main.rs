//! The `hob` command.
fn main() {}
