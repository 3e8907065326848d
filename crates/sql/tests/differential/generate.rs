//! Statements from a seed.
pub(crate) fn session(_seed: u64, _count: usize) -> Vec<String> { Vec::new() }
