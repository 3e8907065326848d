//! The built-in types: what `pg_type` shows of them, and their names in SQL.

mod entry;
mod find;
mod names;
mod quote;
mod table;

pub use entry::Builtin;
pub use find::{
    all, array_of, array_type, by_catalog_name, by_oid, category, category_of, element_of,
    element_type, extension_of, is_extension, is_preferred, is_pseudo, of_extension,
};
pub use hobgoblin_sql_schema::names::base_type;
pub use names::{by_name, format_type, parse_type_name, split_identifiers};
pub use quote::quote_ident;
