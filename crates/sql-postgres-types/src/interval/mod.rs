//! `interval` as text, and the fields and precision that its modifier declares.

mod parse;
mod print;
mod typmod;

pub use parse::read_interval;
pub use print::print_interval;
pub use typmod::{Fields, digits_of, fields_of, typmod_of, with_typmod};
