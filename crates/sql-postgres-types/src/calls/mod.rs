//! Calls: which function, operator or aggregate one means, by PostgreSQL's rules.
//!
//! The functions themselves are rows of tables that other crates have; [`Functions`] is made of them.

pub mod args;
mod common;
mod conversion;
mod entry;
mod missing;
mod polymorphic;
mod resolve;
pub mod table;

pub use common::common_type;
pub use entry::{Entry, Window};
pub use missing::NAMES as MISSING;
pub use resolve::Functions;
