//! Executing bound statements over the store.
//!
//! An [`Exec`] runs one statement. A query pushes tuples: each source calls what comes after it
//! once for each of its rows,
//!
//! ```text
//!     t --row--> u --row--> WHERE --tuple--> select list --row--> client
//! ```
//!
//! so that a limit can stop everything, and the cells of a row are read only when something needs
//! them. That matters here more than in other databases: every read is an event of the history, and
//! a read that the statement does not need would be a dependency it does not have. For the same
//! reason a statement keeps what it has read, and reads each key once.

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
