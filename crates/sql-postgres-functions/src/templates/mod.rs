//! `to_char`, `to_date`, `to_timestamp` and `to_number`: values by templates such as `YYYY-MM-DD` or `999D99`
//! (manual, 9.8).

mod number;
mod read;
mod time;

use super::Function;

pub(super) static FUNCTIONS: &[&[Function]] =
    &[number::FUNCTIONS, time::FUNCTIONS, read::FUNCTIONS];
