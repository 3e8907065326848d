//! JSON documents, which are texts: functions read them, change them and write them anew, with a blank after every comma and colon.
//!
//! What a function made is known to be a document by its type, and is put into another as it is; any other text becomes a string.

mod access;
mod change;
mod document;
mod laid_out;
mod make;
mod path;
mod search;

use crate::entry::Entry;

pub(crate) static FUNCTIONS: &[&[Entry]] = &[
    access::FUNCTIONS,
    change::FUNCTIONS,
    laid_out::FUNCTIONS,
    make::FUNCTIONS,
    search::FUNCTIONS,
];

pub(crate) use document::{quoted, unquoted};
pub(crate) use make::part_of;
