//! Days and times: their parts, distances between them, their texts.

mod interval;
mod now;
mod parts;
mod shift;
mod to_char;
mod weeks;
mod written;

pub use shift::interval_function;

use crate::entry::Entry;

pub(crate) static FUNCTIONS: &[&[Entry]] =
    &[now::FUNCTIONS, parts::FUNCTIONS, shift::FUNCTIONS, to_char::FUNCTIONS, written::FUNCTIONS];
