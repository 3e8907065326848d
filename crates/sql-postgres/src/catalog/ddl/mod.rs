//! Statements that change the schema.
//!
//! [`apply`] changes a [`Catalog`](super::Catalog) and says, as a list of [`DataStep`]s, what must be done to rows: an
//! index to build, a constraint to check, a column to fill. It knows no rows and no store. When it gives
//! an error the catalogue may be half changed, so the caller applies it to a copy.

mod alter;
mod alter_column;
mod apply;
mod change;
mod column;
mod comment;
mod constraint;
mod context;
mod depend;
mod domain;
mod drop;
mod exclude;
mod extension;
mod extra;
mod index;
mod materialized;
mod outcome;
mod read_alter;
mod reader;
mod rename;
mod roles;
mod schema;
mod sequence;
mod table;
mod types;
mod view;

pub(crate) use extra::parse_extra;
pub use extra::{Extra, apply_extra, is_extra};
pub use sequence::restart_sequences;

pub use apply::{apply, drop_on_commit, drop_temporary, is_ddl};
use change::{Ddl, no_column, no_schema, number, parse_expr};
pub use context::{DdlBinder, DdlContext, Usage};
pub use outcome::{DataStep, DdlOutcome};

#[cfg(test)]
pub(crate) mod tests;
