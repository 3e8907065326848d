//! The mock store as the database of a replay, and connections to it.
//!
//! Values go back and forth as PostgreSQL prints them, each with the name of its type: what a query returned can be put into
//! the next one as `CAST('…' AS date)` whatever it is.

use hobgoblin_core::{Level, SessionId};
use hobgoblin_front::{Config, Profile, SessionRequest, Store};
use hobgoblin_sql_postgres::Postgres;
use hobgoblin_sql_postgres::session::{ColumnDescription, Database, Outcome, Session, Startup};
use hobgoblin_sql_postgres_types::error::SqlError;
use hobgoblin_sql_postgres_types::{Datum, TypeId, builtin, text};

use crate::program::Type;
use crate::scenario::Literal;

/// A value as the database has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// As it is printed; absent is NULL.
    pub(super) text: Option<String>,
    /// The name of its type.
    pub(super) ty: String,
}

impl Held {
    pub(super) fn null(ty: Type) -> Held {
        Held { text: None, ty: name_of(ty).to_owned() }
    }

    pub(super) fn bool(value: bool) -> Held {
        Held { text: Some(if value { "t" } else { "f" }.to_owned()), ty: "boolean".to_owned() }
    }

    pub(super) fn int(value: i64) -> Held {
        let ty = if i32::try_from(value).is_ok() { "integer" } else { "bigint" };
        Held { text: Some(value.to_string()), ty: ty.to_owned() }
    }

    pub(super) fn is_true(&self) -> bool {
        self.text.as_deref() == Some("t")
    }

    /// As SQL, which may stand wherever a name may.
    pub(super) fn sql(&self) -> String {
        match &self.text {
            None => format!("CAST(NULL AS {})", self.ty),
            Some(text) => format!("CAST({} AS {})", quoted(text), self.ty),
        }
    }
}

/// The type of a value that nothing else is known of.
fn name_of(ty: Type) -> &'static str {
    match ty {
        Type::Int => "integer",
        Type::Decimal => "numeric",
        Type::Bool => "boolean",
        Type::Text => "text",
        Type::IntArray => "integer[]",
    }
}

fn quoted(text: &str) -> String {
    // With a backslash, the string is one with escapes, whatever the settings say.
    match text.contains('\\') {
        false => format!("'{}'", text.replace('\'', "''")),
        true => format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''")),
    }
}

/// A database without tables.
pub(super) struct MockDatabase {
    store: Store,
    database: Database,
}

impl MockDatabase {
    pub(super) fn open(
        postgres: &'static Postgres,
        profile: Profile,
        level: Level,
    ) -> Result<MockDatabase, String> {
        // Nothing that is committed may be missed by chance, and nobody asks for the history.
        let config = Config::at(level).profile(profile).window(None).history(false).log(false);
        let store = Store::new(config).map_err(|error| error.to_string())?;
        let database = Database::new(store.clone(), None, postgres);
        Ok(MockDatabase { store, database })
    }

    /// All that is committed is seen by everybody from now on.
    pub(super) fn fence(&self) -> Result<(), String> {
        self.store.fence().map_err(|error| error.to_string())
    }

    /// Connects under a name, which is given once.
    pub(super) fn connect(&self, name: &str) -> Result<Connection, SqlError> {
        let settings = vec![("hob.session".to_owned(), name.to_owned())];
        let session = self.database.connect(Startup { settings, ..Startup::default() })?;
        let id = self.store.with_machine(|machine| machine.session_named(name));
        let id = id.expect("a session was just connected under this name");
        Ok(Connection { session, id })
    }

    /// Sets the level of a connection's transactions, and whom they see.
    pub(super) fn confine(
        &self,
        connection: &Connection,
        level: Level,
        sees: &[SessionId],
    ) -> Result<(), String> {
        let level = SessionRequest::SetLevel(Some(level)).into();
        self.store.request(connection.id, level).map_err(|error| error.to_string())?;
        self.store.with_machine(|machine| machine.sees_only(connection.id, Some(sees)));
        Ok(())
    }
}

/// What a statement gave.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) rows: Vec<Vec<Held>>,
    /// How many rows were given or changed.
    pub(super) affected: u64,
}

/// A session of a database.
pub(super) struct Connection {
    session: Session,
    pub(super) id: SessionId,
}

impl Connection {
    /// Runs one statement.
    pub(super) fn run(&mut self, sql: &str) -> Result<Answered, SqlError> {
        let mut last = Answered { rows: Vec::new(), affected: 0 };
        let ran = self.session.statements(sql).and_then(|statements| {
            for statement in statements {
                let (columns, outcome) = self.session.simple(&statement)?;
                let (rows, done) = match outcome {
                    Outcome::Rows { rows, complete } => (rows, complete),
                    Outcome::Done(done) => (Vec::new(), Some(done)),
                    _ => (Vec::new(), None),
                };
                let columns = columns.unwrap_or_default();
                let env = self.session.types();
                let held = |(datum, column): (_, &ColumnDescription)| {
                    let ty = builtin::format_type(column.ty, column.typmod, env.names);
                    let mut shown = String::new();
                    text::print_into(&mut shown, datum, column.ty, -1, &env);
                    let is_null = matches!(datum, Datum::Null);
                    Held { text: (!is_null).then_some(shown), ty: known(column.ty, ty) }
                };
                let rows: Vec<Vec<Held>> =
                    rows.iter().map(|row| row.iter().zip(&columns).map(held).collect()).collect();
                let affected = done.and_then(|done| done.affected).unwrap_or(rows.len() as u64);
                last = Answered { rows, affected };
            }
            Ok(())
        });
        match ran {
            Ok(()) => self.session.sync().map(|()| last),
            Err(error) => {
                self.session.fail();
                self.session.sync().and(Err(error))
            }
        }
    }

    /// The one value of an expression.
    pub(super) fn value(&mut self, expression: &str) -> Result<Held, SqlError> {
        let answered = self.run(&format!("SELECT {expression}"))?;
        let value = answered.rows.into_iter().next().and_then(|row| row.into_iter().next());
        Ok(value.unwrap_or(Held { text: None, ty: "text".to_owned() }))
    }

    /// The type that an expression or a query's columns have, if there is such a thing.
    pub(super) fn types_of(&mut self, sql: &str) -> Option<Vec<String>> {
        let prepared = self.session.prepare("", sql, &[]);
        let columns = prepared.ok().and_then(|prepared| prepared.columns.clone());
        if columns.is_none() {
            self.session.fail();
        }
        let ended = self.session.sync();
        let env = self.session.types();
        let name = |column: &ColumnDescription| {
            known(column.ty, builtin::format_type(column.ty, column.typmod, env.names))
        };
        let columns = columns.filter(|_| ended.is_ok())?;
        Some(columns.iter().map(name).collect())
    }

    /// What somebody else has chosen, as a value of a type, if one is known.
    pub(super) fn literal(
        &mut self,
        literal: &Literal,
        ty: Option<&str>,
    ) -> Result<Held, SqlError> {
        let plain = match literal {
            Literal::Null => Held { text: None, ty: "text".to_owned() },
            Literal::Int(value) => Held::int(*value),
            Literal::Bool(value) => Held::bool(*value),
            Literal::Text(text) => Held { text: Some(text.clone()), ty: "text".to_owned() },
            Literal::Decimal(numerator, denominator) => {
                self.value(&format!("CAST({numerator} AS numeric) / {denominator}"))?
            }
            Literal::IntArray(all) => {
                let fits = all.iter().all(|&value| i32::try_from(value).is_ok());
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                let ty = if fits { "integer[]" } else { "bigint[]" };
                Held { text: Some(format!("{{{}}}", all.join(","))), ty: ty.to_owned() }
            }
        };
        let Some(ty) = ty.filter(|ty| **ty != *plain.ty) else { return Ok(plain) };
        let kind = ty.split('(').next().unwrap_or(ty).trim_end();
        let sql = match (literal, kind) {
            (Literal::Int(days), "date") => format!("(DATE '2000-01-01' + ({days}))"),
            (Literal::Int(seconds), _) if kind.starts_with("time") => {
                format!("(TIMESTAMP '2000-01-01' + ({seconds}) * INTERVAL '1 second')")
            }
            (Literal::Int(seconds), "interval") => format!("(({seconds}) * INTERVAL '1 second')"),
            (Literal::Text(text), "uuid") => format!("md5({})", quoted(text)),
            _ => plain.sql(),
        };
        self.value(&format!("CAST({sql} AS {ty})"))
    }
}

/// A name by which SQL knows a type again.
fn known(ty: TypeId, name: String) -> String {
    if ty == TypeId::UNKNOWN { "text".to_owned() } else { name }
}
