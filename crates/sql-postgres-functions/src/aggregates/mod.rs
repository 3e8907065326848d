//! Aggregates.
//!
//! Each begins a group with an [`Accumulator`](super::Accumulator). Those of ordered sets (`mode`,
//! `percentile_cont`, `percentile_disc`) take the direct argument with every row, before the value of
//! WITHIN GROUP, and order the values themselves.

mod collect;
mod ordered;
mod simple;
mod statistics;

pub(super) use collect::AGGREGATES as COLLECT;
pub(super) use ordered::AGGREGATES as ORDERED;
pub(super) use simple::AGGREGATES as SIMPLE;
pub(super) use simple::{maximum, minimum};
pub(super) use statistics::AGGREGATES as STATISTICS;

/// Whether an aggregate is called with WITHIN GROUP.
pub fn is_ordered_set(name: &str) -> bool {
    ORDERED.iter().any(|aggregate| aggregate.name == name)
}
