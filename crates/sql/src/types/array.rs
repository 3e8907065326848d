//! To be filled in.

/// A value.
#[derive(Clone, Debug)]
pub struct Array;
