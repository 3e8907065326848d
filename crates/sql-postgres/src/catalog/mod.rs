//! The schema as PostgreSQL has it: its own tables, names and types, and the statements that change it.
//!
//! What a catalogue is made of stands in [`hobgoblin_sql_schema::catalog`].

pub mod ddl;
pub mod definition;
pub mod deparse;
pub(crate) mod mentions;
pub mod names;
pub mod pg;
mod roles;
mod schemas;
mod types;
mod viewdef;

pub use crate::types::builtin::quote_ident;
pub use hobgoblin_sql_schema::catalog::*;
pub use names::{fold, folded, split_name};
pub(crate) use roles::{PREDEFINED, is_predefined_role};
pub use schemas::new;
pub(crate) use schemas::{PG_CATALOG, PUBLIC, is_temporary, schema_oid};
pub use types::{TypeRef, data_type, resolve_type};
