//! Executing bound statements over the store.
//!
//! A query pushes tuples: each source calls what comes after it once per row, so a limit can stop
//! everything and a row's cells are read only when something needs them. What a statement has read it
//! keeps: each key is read once per statement.

mod aggregate;
mod assign;
mod base_row;
mod constraint;
mod described;
mod dml;
mod domain;
mod eval;
mod exclude;
mod exec;
mod from;
mod granularity;
mod insert;
mod kept;
mod merge;
mod migrate;
mod outrun;
mod pending;
mod query;
mod rows;
mod several;
mod sort;
mod step;
mod step_lock;
pub mod storage;
pub mod stored;
mod stream;
mod system;
mod table_plan;
mod tuple;
mod unique;
mod weight;
mod window;
mod write;

pub use base_row::BaseRow;
pub use described::described;
pub use exec::{Exec, Flow, Numbers, Scanned};
pub use granularity::Granularity;
pub use kept::Row;
pub use pending::Pending;
pub use rows::Rows;
pub use table_plan::{IndexPlan, TablePlan};
pub use tuple::{Source, Tuple};
