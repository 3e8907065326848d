//! Statements that change the schema.
//!
//! [`apply`] changes a [`Catalog`] and says, as a list of [`DataStep`]s, what must be done to rows and counters. It knows no
//! rows and no store. When it gives an error the catalogue may be half changed, so the caller applies it to a copy.
//!
//! A table is read as a definition (`definition.rs`), which is what ALTER TABLE changes, and made of that (`build.rs`).

mod alter;
mod build;
mod change;
mod column;
mod context;
mod create_table;
mod database;
mod default;
pub(super) mod definition;
mod drop;
pub(super) mod foreign;
mod key;
mod mentions;
mod view;

use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Catalog;

use self::change::Ddl;
pub use self::context::{DataStep, DdlBinder, DdlContext, DdlOutcome, QueryColumn};
use crate::syntax::Special;

/// Whether [`apply`] is who to ask about a statement.
pub fn is_ddl(statement: &Special) -> bool {
    matches!(
        statement,
        Special::CreateTable(_)
            | Special::AlterTable(_)
            | Special::CreateIndex(_)
            | Special::DropIndex(_)
            | Special::DropTables(_)
            | Special::DropViews(_)
            | Special::RenameTables(_)
            | Special::Truncate(_)
            | Special::CreateView(_)
            | Special::CreateDatabase(_)
            | Special::AlterDatabase(..)
            | Special::DropDatabase { .. }
    )
}

/// Applies a statement that changes the schema.
pub fn apply(
    catalog: &mut Catalog,
    statement: &Special,
    cx: &DdlContext<'_>,
) -> Result<DdlOutcome> {
    let mut ddl = Ddl { catalog, cx, out: DdlOutcome::default() };
    match statement {
        Special::CreateTable(create) => ddl.create_table(create)?,
        Special::AlterTable(alter) => ddl.alter_table(alter)?,
        Special::CreateIndex(create) => ddl.create_index(create)?,
        Special::DropIndex(drop) => ddl.drop_index(drop)?,
        Special::DropTables(drop) => ddl.drop_tables(drop)?,
        Special::DropViews(drop) => ddl.drop_views(drop)?,
        Special::RenameTables(pairs) => ddl.rename_tables(pairs)?,
        Special::Truncate(name) => ddl.truncate(name)?,
        Special::CreateView(create) => ddl.create_view(create)?,
        Special::CreateDatabase(create) => ddl.create_database(create)?,
        Special::AlterDatabase(name, options) => ddl.alter_database(name.as_ref(), options)?,
        Special::DropDatabase { if_exists, name } => ddl.drop_database(name, *if_exists)?,
        _ => {}
    }
    ddl.catalog.version += 1;
    Ok(ddl.out)
}
