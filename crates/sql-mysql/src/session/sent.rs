//! Results on their way to a client, whose texts are in the character set that it asks for.

use hobgoblin_sql_mysql_types::{Collation, MyType};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

use super::outcome::{ColumnDescription, Done, SessionStatus, TakeResults};

/// How many characters of an expression's text are its name.
const LONGEST_NAME: usize = 255;

/// A column as a client is told of it that gets its texts in the character set of a collation.
pub(super) fn told(column: &ColumnDescription, collation: Option<Collation>) -> ColumnDescription {
    let ty = MyType::of(column.ty);
    let ty = match collation {
        Some(collation) if ty.has_letters() => MyType { collation, ..ty },
        _ => ty,
    };
    // The name of an expression is its text, of which no more is told.
    let name = match column.name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) if column.original_name.is_empty() => column.name[..end].to_owned(),
        _ => column.name.clone(),
    };
    ColumnDescription { ty: ty.id(), name, ..column.clone() }
}

/// Tells of texts in the collation that the client is told; what they are sent as, whoever prints them asks the settings.
pub(super) struct Sent<'t> {
    to: &'t mut dyn TakeResults,
    collation: Option<Collation>,
    more: bool,
    columns: Vec<ColumnDescription>,
}

impl<'t> Sent<'t> {
    /// `more` says whether other results follow.
    pub(super) fn new(
        to: &'t mut dyn TakeResults,
        collation: Option<Collation>,
        more: bool,
    ) -> Sent<'t> {
        Sent { to, collation, more, columns: Vec::new() }
    }
}

impl TakeResults for Sent<'_> {
    fn columns(&mut self, columns: &[ColumnDescription], session: &SessionStatus) -> Result<()> {
        self.columns = columns.iter().map(|column| told(column, self.collation)).collect();
        self.to.columns(&self.columns, &SessionStatus { more: self.more, ..*session })
    }

    fn row(&mut self, _: &[ColumnDescription], row: &[Datum], env: &TypeEnv<'_>) -> Result<()> {
        self.to.row(&self.columns, row, env)
    }

    fn end(&mut self, done: &Done) -> Result<()> {
        self.to.end(done)
    }
}
