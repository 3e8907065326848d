//! What a definition says that no row depends on: it is kept to describe the schema as it was declared.

use hobgoblin_sql_mysql_types::Collation;
use hobgoblin_sql_schema::catalog::{Column, Index, Schema, Table, View};

use crate::syntax::{KeyKind, ReferentialAction, ViewAlgorithm};

/// Of a database.
#[derive(Clone, Debug)]
pub struct DatabaseNotes {
    /// The collation of tables that say none.
    pub collation: Collation,
    /// COMMENT.
    pub comment: String,
}

impl DatabaseNotes {
    /// Those of a database; a collation of its own where none were made.
    pub fn of(schema: &Schema) -> DatabaseNotes {
        schema.notes.get::<DatabaseNotes>().cloned().unwrap_or_default()
    }
}

impl Default for DatabaseNotes {
    fn default() -> DatabaseNotes {
        DatabaseNotes { collation: Collation::DEFAULT, comment: String::new() }
    }
}

/// Of a table.
#[derive(Clone, Debug)]
pub struct TableNotes {
    /// The engine that was asked for, as it calls itself.
    pub engine: &'static str,
    /// The collation of columns that say none.
    pub collation: Collation,
    /// Other options by name, in capitals, with their values as they are shown.
    pub options: Vec<(String, String)>,
    /// COMMENT.
    pub comment: String,
    /// When it was made, in microseconds since 2000.
    pub created: i64,
    /// Foreign keys whose parents are not there.
    pub dangling: Vec<Dangling>,
}

impl TableNotes {
    /// Those of a table.
    pub fn of(table: &Table) -> TableNotes {
        table.notes.get::<TableNotes>().cloned().unwrap_or_default()
    }

    /// An option by name.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Default for TableNotes {
    fn default() -> TableNotes {
        TableNotes {
            engine: "InnoDB",
            collation: Collation::DEFAULT,
            options: Vec::new(),
            comment: String::new(),
            created: 0,
            dangling: Vec::new(),
        }
    }
}

/// A foreign key to a table that is not there; it becomes one as soon as the table is made.
#[derive(Clone, Debug)]
pub struct Dangling {
    /// Its name.
    pub name: String,
    /// The columns that refer, by name.
    pub columns: Vec<String>,
    /// The database and the name of the table.
    pub table: (String, String),
    /// The columns it is to have.
    pub referenced: Vec<String>,
    /// ON DELETE.
    pub on_delete: ReferentialAction,
    /// ON UPDATE.
    pub on_update: ReferentialAction,
}

/// The default of a column as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownDefault {
    /// There is none, not even NULL.
    Nothing,
    /// NULL.
    Null,
    /// A constant.
    Constant {
        /// Its text.
        text: String,
        /// Whether it stands in quotes.
        quoted: bool,
    },
    /// An expression, as it is printed.
    Expression(String),
}

/// Of a column.
#[derive(Clone, Debug)]
pub struct ColumnNotes {
    /// Its default.
    pub default: ShownDefault,
    /// ON UPDATE, as it is printed.
    pub on_update: Option<String>,
    /// What it is generated from, as it is printed, and whether it is STORED.
    pub generated: Option<(String, bool)>,
    /// The condition of a CHECK that was written with it, as it is printed.
    pub check: Option<String>,
    /// COMMENT.
    pub comment: String,
}

impl ColumnNotes {
    /// Those of a column.
    pub fn of(column: &Column) -> ColumnNotes {
        column.notes.get::<ColumnNotes>().cloned().unwrap_or_else(|| ColumnNotes {
            default: if column.not_null { ShownDefault::Nothing } else { ShownDefault::Null },
            on_update: None,
            generated: None,
            check: None,
            comment: String::new(),
        })
    }
}

/// Of an index.
#[derive(Clone, Debug)]
pub struct IndexNotes {
    /// What it is for.
    pub kind: KeyKind,
    /// Its columns by number less one, each with how many characters or bytes of it are in the key, and whether it descends.
    pub parts: Vec<(usize, Option<u32>, bool)>,
    /// USING.
    pub using: Option<String>,
    /// COMMENT.
    pub comment: String,
    /// IGNORED: no plan uses it.
    pub ignored: bool,
    /// Whether it was made for a foreign key, and goes as soon as another one serves.
    pub generated: bool,
}

impl IndexNotes {
    /// Those of an index.
    pub fn of(index: &Index) -> IndexNotes {
        index.notes.get::<IndexNotes>().cloned().unwrap_or_else(|| IndexNotes {
            kind: match (index.primary, index.unique) {
                (true, _) => KeyKind::Primary,
                (false, true) => KeyKind::Unique,
                (false, false) => KeyKind::Plain,
            },
            parts: index.key_columns().into_iter().flatten().map(|at| (at, None, false)).collect(),
            using: None,
            comment: String::new(),
            ignored: false,
            generated: false,
        })
    }
}

/// Of a view.
#[derive(Clone, Debug)]
pub struct ViewNotes {
    /// ALGORITHM.
    pub algorithm: ViewAlgorithm,
    /// `collation_connection` where it was made.
    pub collation: Collation,
    /// Whether each column may be NULL.
    pub nullable: Vec<bool>,
    /// The default of each column: that of the column it is of a table.
    pub defaults: Vec<ShownDefault>,
}

impl ViewNotes {
    /// Those of a view.
    pub fn of(view: &View) -> Option<&ViewNotes> {
        view.notes.get()
    }
}
