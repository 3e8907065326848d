//! The schema as MySQL has it: databases are its schemas, and temporary tables stand in a schema of their session.

pub mod ddl;
pub mod definition_text;
pub mod engine;
pub mod information;
pub mod names;
pub mod notes;
pub(crate) mod nullable;
pub mod print;
mod print_words;
pub(crate) mod rebuild;
pub mod view_text;

use hobgoblin_sql_mysql_types::Collation;
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::catalog::{Catalog, Notes, Schema};

use self::notes::DatabaseNotes;

pub(crate) use self::names::{SYSTEM, TEMPORARY, is_temporary, temporary_schema};

/// Whether a schema has temporary tables of this session.
pub(crate) fn is_temporary_of(schema: &str, session: u32) -> bool {
    schema.strip_prefix(TEMPORARY).is_some_and(|rest| rest.starts_with(&format!("{session}-")))
}

/// Takes a schema with all that is in it out of a catalogue.
pub(crate) fn drop_schema(catalog: &mut Catalog, name: &str) {
    let inside = |oid: &u32| catalog.relation(*oid).is_some_and(|found| found.schema() == name);
    let gone: Vec<u32> = catalog.relations.keys().copied().filter(inside).collect();
    catalog.schemas.remove(name);
    gone.iter().for_each(|oid| _ = catalog.relations.remove(oid));
}

/// The database that is there for users; addresses of a server name it.
const FIRST: &str = "hob";

/// The catalogue of a server that begins, whose databases have this collation.
pub fn new(dialect: &'static dyn Dialect, collation: Collation) -> Catalog {
    let mut catalog = Catalog::new(dialect);
    for name in SYSTEM.into_iter().chain([FIRST]) {
        let mut schema = Schema::new(catalog.new_oid(), name);
        schema.notes = Notes::new(DatabaseNotes { collation, ..DatabaseNotes::default() });
        catalog.schemas.insert(name.to_owned(), schema);
    }
    catalog
}
