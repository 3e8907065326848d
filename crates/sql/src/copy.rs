//! COPY: text, CSV and binary data in and out.

use crate::types::TypeId;

/// A COPY FROM STDIN that waits for data.
#[derive(Debug)]
pub struct CopyIn {
    /// Whether the data is binary.
    pub binary: bool,
    /// The types of the columns.
    pub columns: Vec<TypeId>,
}

/// The data of a COPY TO STDOUT, a row each.
#[derive(Debug)]
pub struct CopyOut {
    /// Whether the data is binary.
    pub binary: bool,
    /// How many columns there are.
    pub columns: usize,
    /// The data messages.
    pub data: Vec<Vec<u8>>,
}
