//! `pg_catalog` and `information_schema`: tables whose rows are made from the live catalogue.
//!
//! All system relations of PostgreSQL 15 are here with their oids and columns (`data/relations.tsv`).
//! Those that say something about user objects have a function that makes their rows; those that never
//! change (`pg_am`, `pg_opclass` …) are read from files; the others are empty, as they are in a new
//! database.

mod class;
mod context;
mod data;
mod depend;
mod dictionaries;
mod domains;
mod extensions;
mod fixed;
pub mod functions;
mod information;
pub(crate) mod oids;
mod owners;
pub(crate) mod procedures;
mod rows;
mod sessions;
mod standard;
mod tables;
mod types;
mod value;
mod views;

pub use context::{
    ActivityRow, LockRow, Locked, PreparedRow, RowsFn, SessionRows, SettingRow, VirtualCx,
};
pub(crate) use data::{collation, default_opclass, opclass_named};
pub(crate) use dictionaries::{dictionary_by_name, dictionary_name};
pub(crate) use extensions::{extension_comment, versions};
pub use oids::{
    DATABASE, PG_CLASS, PG_CONSTRAINT, PG_DATABASE, PG_EXTENSION, PG_NAMESPACE, PG_TYPE,
};
pub use rows::rows;
pub use tables::{all, by_oid, by_row_type, table, table_in};

#[cfg(test)]
mod tests;
