//! A session of a database in this process.

use hashbrown::HashMap;
use hobgoblin_sql::error::SqlError;
use hobgoblin_sql::session::{ColumnDescription, Database, Outcome, Session, Startup};
use hobgoblin_sql::types::{Datum, PgType, TypeId, text};

use crate::client::{Client, Rows};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::value::{Row, Value};

/// A client without a protocol. Statements are prepared when they are first met.
pub struct Local {
    session: Session,
    known: HashMap<String, Known>,
}

/// A statement that is prepared.
struct Known {
    name: String,
    params: Vec<TypeId>,
    columns: Vec<ColumnDescription>,
}

impl Local {
    /// A new session of a database in this process.
    pub fn new(database: &Database) -> Result<Local, Error> {
        let session =
            database.connect(Startup::default()).map_err(|error| told(&error, "connect"))?;
        Ok(Local { session, known: HashMap::new() })
    }

    fn try_query(&mut self, sql: &str, params: &[Value]) -> Result<Rows, SqlError> {
        if !self.known.contains_key(sql) {
            let name = format!("s{}", self.known.len());
            let prepared = self.session.prepare(&name, sql, &[])?;
            let columns = prepared.columns.clone().unwrap_or_default();
            self.known
                .insert(sql.to_owned(), Known { name, params: prepared.params.clone(), columns });
        }
        let known = &self.known[sql];
        let env = self.session.types();
        let mut given = Vec::with_capacity(params.len());
        for (at, value) in params.iter().enumerate() {
            let ty = known.params.get(at).copied().unwrap_or(TypeId::TEXT);
            given.push(match value {
                Value::Null => Datum::Null,
                Value::Int(value) if matches!(ty, TypeId::INT2 | TypeId::INT4 | TypeId::INT8) => {
                    Datum::Int(*value)
                }
                Value::Int(value) => text::parse(&value.to_string(), ty, -1, &env)?,
                Value::Money(value) => text::parse(&value.to_string(), ty, -1, &env)?,
                Value::Text(value) => text::parse(value, ty, -1, &env)?,
            });
        }
        self.session.bind("", &known.name, given, [])?;
        let outcome = self.session.execute("", 0)?;
        self.session.sync()?;
        let (rows, done) = match outcome {
            Outcome::Rows { rows, complete } => (rows, complete),
            Outcome::Done(done) => (Vec::new(), Some(done)),
            _ => (Vec::new(), None),
        };
        let env = self.session.types();
        let cell = |(datum, column): (Datum, &ColumnDescription)| match datum {
            Datum::Null => Value::Null,
            Datum::Int(value) => Value::Int(value),
            other => Value::Text(text::print(&other, column.ty, column.typmod, &env)),
        };
        let row = |row: Vec<Datum>| Row(row.into_iter().zip(&known.columns).map(cell).collect());
        Ok(Rows {
            rows: rows.into_iter().map(row).collect(),
            affected: done.and_then(|done| done.affected).unwrap_or(0),
        })
    }
}

/// An error as the benchmarks sort it.
fn told(error: &SqlError, sql: &str) -> Error {
    Error::of(error.state().0, error.to_string(), sql)
}

impl Client for Local {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn query(&mut self, sql: &str, params: &[Value]) -> Result<Rows, Error> {
        self.try_query(sql, params).map_err(|error| {
            self.session.fail();
            match self.session.sync() {
                Ok(()) => told(&error, sql),
                Err(later) => told(&later, sql),
            }
        })
    }

    fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.session.run(sql).map(drop).map_err(|error| told(&error, sql))
    }
}
