//! Protocols that people reason about, each with a variant that has a bug.

pub mod causal;
mod named;
pub mod optimistic;
pub mod snapshot;
pub mod two_phase;

pub use named::{MODELS, Model, ModelInfo};

/// The most transactions, and the most resources, of each of these models.
pub const MOST: usize = 4;

/// The bits of a set, ascending.
fn members(set: u8) -> impl Iterator<Item = usize> {
    (0..u8::BITS as usize).filter(move |at| set & (1 << at) != 0)
}
