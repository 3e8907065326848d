//! Calls: which function, operator or aggregate one means, by PostgreSQL's rules.
//!
//! The functions themselves are rows of tables that other crates have; [`Functions`] is made of them.

pub mod args;
mod conversion;
mod entry;
mod missing;
mod polymorphic;
mod resolve;
pub mod table;

pub use entry::{Entry, Window};
pub use missing::NAMES as MISSING;
pub use resolve::{Functions, common_type};
