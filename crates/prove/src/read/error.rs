//! What can be wrong with a file, and what to do about it.
//!
//! A [`ReadError`] prints nothing but its message. Where it is comes as bytes of the file, for whoever draws the line and
//! underlines it; [`ReadError::line_column`] is for those who only name the place.

use crate::program::{Place, Type};

/// Why a file cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ReadError {
    /// The file's name, as it was given.
    pub file: String,
    /// Which part of the file is wrong.
    pub place: Place,
    /// What is wrong.
    pub problem: Problem,
}

impl ReadError {
    /// What to do about it.
    pub fn help(&self) -> String {
        self.problem.help()
    }

    /// A name for this kind of error that stays.
    pub fn code(&self) -> &'static str {
        self.problem.code()
    }

    /// Line and column of its beginning in the file, counted from 1, columns in characters.
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        line_column(text, self.place.start as usize)
    }
}

/// Line and column of a byte, counted from 1, columns in characters.
pub fn line_column(text: &str, byte: usize) -> (usize, usize) {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = &text[..byte];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Problem {
    /// The SQL parser, or that of PL/pgSQL, wants something else.
    #[error("{message}")]
    Syntax { message: String },
    /// A comment that says something to us, in another form than we read.
    #[error("expected {expected}")]
    Form { expected: &'static str },
    /// A transaction without an end.
    #[error("transaction {name} has no `-- end`")]
    MissingEnd { name: String },
    /// A comment that belongs to a transaction, where there is none.
    #[error("{what} belongs to no transaction")]
    Stray { what: &'static str },
    /// A name that was given already.
    #[error("there are two {what} called {name}")]
    Duplicate { what: &'static str, name: String },
    /// A second primary key.
    #[error("table {table} has two primary keys")]
    TwoKeys { table: String },
    /// A name that was not given to anything.
    #[error("there is no {what} {name}")]
    Unknown { what: Named, name: String },
    /// A name of a variable that is also one of a column.
    #[error("{name} is both a variable and a column")]
    Ambiguous { name: String },
    /// A name of columns in two tables.
    #[error("{name} is a column of several tables here")]
    SeveralColumns { name: String },
    /// A column of the query around a subquery.
    #[error("{name} belongs to the query around this one")]
    Correlated { name: String },
    /// A type we have no values of.
    #[error("type {name} is not one we know")]
    UnknownType { name: String },
    /// A value of another type than is wanted.
    #[error("expected {}, found {}", words(*.expected), words(*.found))]
    WrongType { expected: Type, found: Type },
    /// Two values that do not go together.
    #[error("{operator} does not take {} and {}", words(*.left), words(*.right))]
    Unlike { operator: String, left: Type, right: Type },
    /// A variable whose type does not show before it is used.
    #[error("the type of {name} is not known here")]
    Untyped { name: String },
    /// Another number of targets than of values.
    #[error("{} into {}", counted(*.values, "value goes", "values go"), counted(*.targets, "variable", "variables"))]
    Targets { values: usize, targets: usize },
    /// Another number of values than of columns.
    #[error("{} into {}", counted(*.values, "value goes", "values go"), counted(*.columns, "column", "columns"))]
    Values { values: usize, columns: usize },
    /// A subquery that is a value and has not one column.
    #[error("a subquery here has {found} columns, not one")]
    Outputs { found: usize },
    /// Another number of arguments than a function takes.
    #[error("{function} takes {wanted}, not {found} arguments")]
    Arguments { function: String, wanted: &'static str, found: usize },
    /// An aggregate where there are no rows to speak of together.
    #[error("an aggregate stands here, where there are no rows for it")]
    Aggregate,
    /// A column of single rows beside an aggregate.
    #[error("column {name} stands beside an aggregate, which is of all rows")]
    Ungrouped { name: String },
    /// Something PostgreSQL knows and the analysis does not.
    #[error("{what} is not supported")]
    Unsupported { what: String, help: &'static str },
    /// A number that is too large for 64 bits.
    #[error("{number} is too large")]
    Number { number: String },
    /// Something that is larger than we read.
    #[error("{what}")]
    TooLarge { what: &'static str },
}

/// What a name should be the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Named {
    Table,
    Column,
    ColumnOrVariable,
    Variable,
    Function,
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Named::Table => "table",
            Named::Column => "column",
            Named::ColumnOrVariable => "column or variable",
            Named::Variable => "variable",
            Named::Function => "function",
        })
    }
}

/// A number of things.
fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A type in words.
fn words(ty: Type) -> &'static str {
    match ty {
        Type::Int => "a whole number",
        Type::Decimal => "a number with a fraction",
        Type::Bool => "a truth value",
        Type::Text => "a text",
        Type::IntArray => "an array",
    }
}

/// The types that a column or variable may have, for whoever wrote another.
pub(super) const TYPES: &str = "int, bigint, smallint, serial, date, time, timestamp, interval, \
     numeric, decimal, real, double precision, boolean, text, varchar, char, uuid, int[]";

/// The functions that an expression may call.
pub(super) const FUNCTIONS: &str = "coalesce, nullif, least, greatest, abs, mod, count, sum, min, \
     max, now, random, nextval, choose";

impl Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Syntax { .. } => "hob::prove::syntax",
            Problem::Form { .. } => "hob::prove::form",
            Problem::MissingEnd { .. } => "hob::prove::missing_end",
            Problem::Stray { .. } => "hob::prove::stray",
            Problem::Duplicate { .. } => "hob::prove::duplicate",
            Problem::TwoKeys { .. } => "hob::prove::two_keys",
            Problem::Unknown { .. } => "hob::prove::unknown_name",
            Problem::Ambiguous { .. } => "hob::prove::ambiguous",
            Problem::SeveralColumns { .. } => "hob::prove::several_columns",
            Problem::Correlated { .. } => "hob::prove::correlated",
            Problem::UnknownType { .. } => "hob::prove::unknown_type",
            Problem::WrongType { .. } => "hob::prove::wrong_type",
            Problem::Unlike { .. } => "hob::prove::unlike",
            Problem::Untyped { .. } => "hob::prove::untyped",
            Problem::Targets { .. } => "hob::prove::targets",
            Problem::Values { .. } => "hob::prove::values",
            Problem::Outputs { .. } => "hob::prove::outputs",
            Problem::Arguments { .. } => "hob::prove::arguments",
            Problem::Aggregate => "hob::prove::aggregate",
            Problem::Ungrouped { .. } => "hob::prove::ungrouped",
            Problem::Unsupported { .. } => "hob::prove::unsupported",
            Problem::Number { .. } => "hob::prove::number",
            Problem::TooLarge { .. } => "hob::prove::too_large",
        }
    }

    fn help(&self) -> String {
        match self {
            Problem::Syntax { .. } => "write it as PostgreSQL reads it".to_owned(),
            Problem::Form { .. } => {
                "write it so, or begin the comment with another word".to_owned()
            }
            Problem::MissingEnd { .. } => {
                "put `-- end` on a line of its own behind its last statement".to_owned()
            }
            Problem::Stray { .. } => {
                "put it into a transaction, or right before the one it speaks of".to_owned()
            }
            Problem::Duplicate { .. } => "give one of them another name".to_owned(),
            Problem::TwoKeys { .. } => "make one of them UNIQUE".to_owned(),
            Problem::Unknown { what: Named::Function, .. } => format!("we know {FUNCTIONS}"),
            Problem::Unknown { what: Named::Table, .. } => {
                "define it by CREATE TABLE in this file, before it is used".to_owned()
            }
            Problem::Unknown { what: Named::Column, .. } => {
                "look at the table's CREATE TABLE".to_owned()
            }
            Problem::Unknown { .. } => {
                "a variable is a parameter, or is declared, or was target of INTO, := or a loop \
                 before"
                    .to_owned()
            }
            Problem::Ambiguous { .. } => {
                "rename the variable, or write the column with its table".to_owned()
            }
            Problem::SeveralColumns { .. } => "write it with its table".to_owned(),
            Problem::Correlated { .. } => {
                "read the value into a variable first, or join the tables".to_owned()
            }
            Problem::UnknownType { .. } => format!("we know {TYPES}"),
            Problem::WrongType { expected: Type::Int, found: Type::Decimal } => {
                "make it numeric: we do not round fractions to whole numbers".to_owned()
            }
            Problem::WrongType { .. } => {
                "write a value of that type; whole numbers and fractions go together".to_owned()
            }
            Problem::Unlike { .. } => {
                "texts and truth values are compared by = and <> only; fractions do not become \
                 whole numbers"
                    .to_owned()
            }
            Problem::Untyped { .. } => "put a value that is not NULL into it before".to_owned(),
            Problem::Targets { .. } => "name one variable for each value".to_owned(),
            Problem::Values { .. } => "write one value for each column".to_owned(),
            Problem::Outputs { .. } => "select the one value that is wanted".to_owned(),
            Problem::Arguments { .. } => "look at the function's arguments".to_owned(),
            Problem::Aggregate => {
                "write it in the list of a SELECT, or as (SELECT … FROM …)".to_owned()
            }
            Problem::Ungrouped { .. } => {
                "read it by a statement of its own; GROUP BY is not supported".to_owned()
            }
            Problem::Unsupported { help, .. } => (*help).to_owned(),
            Problem::Number { .. } => "numbers have 64 bits here".to_owned(),
            Problem::TooLarge { .. } => "divide it into smaller ones".to_owned(),
        }
    }
}

/// A [`ReadError`] of which the file is not yet known.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) place: Place,
    pub(super) problem: Problem,
}

impl Fault {
    pub(super) fn new(place: Place, problem: Problem) -> Fault {
        Fault { place, problem }
    }

    pub(super) fn unsupported(place: Place, what: impl Into<String>, help: &'static str) -> Fault {
        Fault::new(place, Problem::Unsupported { what: what.into(), help })
    }

    /// An expression that PostgreSQL reads and we do not.
    pub(super) fn inexpressible(place: Place, what: &str) -> Fault {
        Fault::unsupported(place, what, "say it by arithmetic, comparisons, AND, OR, NOT and CASE")
    }

    pub(super) fn unknown(place: Place, what: Named, name: &str) -> Fault {
        Fault::new(place, Problem::Unknown { what, name: name.to_owned() })
    }
}

/// What reading a part of a file gives.
pub(super) type Result<T> = std::result::Result<T, Fault>;
