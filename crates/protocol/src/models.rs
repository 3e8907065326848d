//! Protocols that people reason about, each with a variant that has a bug.

pub mod causal;
mod named;
pub mod optimistic;
pub mod snapshot;
pub mod two_phase;

pub use named::{MODELS, Model, ModelInfo};

use crate::error::SizeError;
use crate::observed::Observed;
use crate::renaming::Renaming;

/// The most transactions, and the most resources, of each of these models.
pub const MOST: usize = 4;

/// Whether a model of so many transactions and resources can be had.
fn check_size(transactions: usize, resources: usize) -> Result<(), SizeError> {
    SizeError::check("transactions", transactions, MOST)?;
    SizeError::check("resources", resources, MOST)
}

/// Notes that a transaction has read every resource and then written one. `saw` are those who wrote what it read, and the
/// value it writes is its own number; numbers are from 1.
fn observe(observed: &mut Observed, t: usize, saw: &[u8], writes: u8) {
    saw.iter().enumerate().for_each(|(r, &writer)| observed.read(t, r, writer.into()));
    observed.write(t, usize::from(writes) - 1, t as i64 + 1);
}

/// By resource who wrote what was read, with other names of both.
fn renamed_writers(saw: &[u8; MOST], renaming: &Renaming) -> [u8; MOST] {
    let mut renamed = [0; MOST];
    for (&writer, &r) in saw.iter().zip(&renaming.resources) {
        renamed[r] = renaming.transaction(writer);
    }
    renamed
}

/// The bits of a set, ascending.
fn members(set: u8) -> impl Iterator<Item = usize> {
    (0..u8::BITS as usize).filter(move |at| set & (1 << at) != 0)
}
