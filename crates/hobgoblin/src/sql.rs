//! SQL in process: the store as a PostgreSQL database, without a server.
//!
//! ```
//! use hobgoblin::sql::{Database, Error};
//! use hobgoblin::test::{self, Config};
//! use hobgoblin::{Level, Store, Value};
//!
//! fn on_call(store: &Store) -> Result<(), Error> {
//!     let database = Database::new(store);
//!     let mut setup = database.session()?;
//!     setup.execute("CREATE TABLE doctors (name text PRIMARY KEY, on_call bool)")?;
//!     setup.execute("INSERT INTO doctors VALUES ('alice', true), ('bob', true)")?;
//!     store.fence()?;
//!     for name in ["alice", "bob"] {
//!         let mut session = database.session()?;
//!         session.transaction(|session| {
//!             let rows = session.query("SELECT count(*) FROM doctors WHERE on_call", &[])?;
//!             if rows[0][0] == Value::from(2) {
//!                 let leave = "UPDATE doctors SET on_call = false WHERE name = $1";
//!                 session.query(leave, &[name.into()])?;
//!             }
//!             Ok::<_, Error>(())
//!         })?;
//!     }
//!     store.fence()?;
//!     let left = setup.query("SELECT count(*) FROM doctors WHERE on_call", &[])?;
//!     assert!(left[0][0] != Value::from(0), "nobody is on call");
//!     Ok(())
//! }
//!
//! let weak = Config::at(Level::SI).persist(false);
//! let failure = test::run(weak, on_call).expect_err("write skew");
//! assert!(failure.what.contains("nobody is on call"), "{failure}");
//! ```
//!
//! Below serializability the profile `spec`, which is the default, shows everything a level allows, at every read;
//! `Profile::Postgres` reads and locks as PostgreSQL does. What SQL is spoken stands in
//! [sql.md](https://github.com/hobgoblin-db/hobgoblin/blob/main/docs/sql.md).
//!
//! Interleaved tasks use [`Session::query_async`]: whose turn it is may change before every statement. A statement that
//! meets a lock of another such task cannot wait for it on the same thread, and fails as a deadlock; give each
//! session a thread where that matters.

use std::fmt;

use hobgoblin_core::Value;
use hobgoblin_core::json::{Json, number};
use hobgoblin_front::{Store, next_turn};
use hobgoblin_sql::error::{Code, SqlError};
use hobgoblin_sql::session::{self, Outcome, Startup, TransactionStatus};
use hobgoblin_sql::types::{Datum, TypeEnv, TypeId, text};

/// A database over a store. Clones are handles to the same one.
#[derive(Clone)]
pub struct Database {
    inner: session::Database,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("store", self.inner.store()).finish()
    }
}

impl Database {
    /// The store as a database, without tables. Make one for a store, and sessions of it.
    pub fn new(store: &Store) -> Database {
        Database { inner: hobgoblin_sql::open(store.clone(), None) }
    }

    /// Connects a session.
    pub fn session(&self) -> Result<Session, Error> {
        Ok(Session { inner: self.inner.connect(Startup::default())?, retryable: false })
    }
}

/// A connection. Dropped, it rolls back what is open.
pub struct Session {
    inner: session::Session,
    /// Whether the open transaction failed in a way that running it again may mend.
    retryable: bool,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("pid", &self.inner.pid()).finish_non_exhaustive()
    }
}

impl Session {
    /// Runs statements, with semicolons between them, and gives the rows of the last.
    pub fn execute(&mut self, sql: &str) -> Result<Vec<Vec<Value>>, Error> {
        let mut last = Vec::new();
        let ran = self.inner.statements(sql).and_then(|statements| {
            for statement in statements {
                if let (Some(columns), Outcome::Rows { rows, .. }) =
                    self.inner.simple(&statement)?
                {
                    let types: Vec<TypeId> = columns.iter().map(|column| column.ty).collect();
                    last = values(&rows, &types, &self.inner.types());
                }
            }
            Ok(())
        });
        self.end(ran)?;
        Ok(last)
    }

    /// Runs one statement with parameters, `$1` and so on, and gives its rows. Numbers, truth values, strings and
    /// JSON come as such, everything else as PostgreSQL prints it.
    pub fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Vec<Value>>, Error> {
        let mut rows = Vec::new();
        let ran = self.run(sql, parameters).map(|found| rows = found);
        self.end(ran)?;
        Ok(rows)
    }

    /// As [`query`](Self::query), for tasks of [`Store::interleave`]: another one may go on before it.
    pub async fn query_async(
        &mut self,
        sql: &str,
        parameters: &[Value],
    ) -> Result<Vec<Vec<Value>>, Error> {
        next_turn().await;
        self.query(sql, parameters)
    }

    /// Runs a transaction and commits it, again when it could not be serialized or met a deadlock, a hundred times at
    /// most. An error of the body's own rolls it back, and comes back.
    pub fn transaction<T, E: From<Error>>(
        &mut self,
        mut body: impl FnMut(&mut Session) -> Result<T, E>,
    ) -> Result<T, E> {
        for last in (0..TRIES).map(|tried| tried + 1 == TRIES) {
            self.execute("BEGIN")?;
            self.retryable = false;
            let output = body(self);
            // Whoever swallowed the error that failed the transaction has it run again all the same.
            let failed = self.inner.status() == TransactionStatus::Failed;
            let again = self.retryable && !last;
            match output {
                Ok(output) if !failed => match self.execute("COMMIT") {
                    Ok(_) => return Ok(output),
                    Err(error) if error.is_retryable() && !last => continue,
                    Err(error) => return Err(error.into()),
                },
                output => {
                    self.execute("ROLLBACK")?;
                    match output {
                        _ if again => continue,
                        Err(error) => return Err(error),
                        Ok(_) => return Err(Error::swallowed().into()),
                    }
                }
            }
        }
        unreachable!("the last try returns")
    }

    fn run(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Vec<Value>>, SqlError> {
        let prepared = self.inner.prepare("", sql, &[])?;
        if prepared.params.len() != parameters.len() {
            let (wanted, given) = (prepared.params.len(), parameters.len());
            let message = format!("the statement has {wanted} parameters, and {given} are given");
            return Err(SqlError::new(Code("08P01"), message));
        }
        let types = self.inner.types();
        let datum = |(value, &ty): (&Value, &TypeId)| match value {
            Value::Null => Ok(Datum::Null),
            Value::Text(given) => text::parse(given, ty, -1, &types),
            other => text::parse(&other.to_string(), ty, -1, &types),
        };
        let parameters = parameters.iter().zip(&prepared.params).map(datum);
        let parameters = parameters.collect::<Result<Vec<Datum>, SqlError>>()?;
        self.inner.bind("", "", parameters, [])?;
        match self.inner.execute("", 0)? {
            Outcome::Rows { rows, .. } => {
                let columns = prepared.columns.iter().flatten();
                let types: Vec<TypeId> = columns.map(|column| column.ty).collect();
                Ok(values(&rows, &types, &self.inner.types()))
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Ends a cycle of the protocol.
    fn end(&mut self, ran: Result<(), SqlError>) -> Result<(), Error> {
        let ended = match ran {
            Ok(()) => self.inner.sync(),
            Err(error) => {
                self.inner.fail();
                self.inner.sync().and(Err(error))
            }
        };
        ended.map_err(|error| {
            let error = Error::from(error);
            self.retryable |= error.is_retryable();
            error
        })
    }
}

/// How often a transaction is run.
const TRIES: u32 = 100;

/// Rows as values, by the types of their columns.
fn values(rows: &[Vec<Datum>], types: &[TypeId], env: &TypeEnv<'_>) -> Vec<Vec<Value>> {
    let value = |(datum, &ty): (&Datum, &TypeId)| {
        let shown = || {
            let mut shown = String::new();
            text::print_into(&mut shown, datum, ty, -1, env);
            shown
        };
        match datum {
            Datum::Null => Value::Null,
            Datum::Bool(truth) => Value::Bool(*truth),
            Datum::Int(_) | Datum::Float(_) | Datum::Numeric(_) => {
                let shown = shown();
                number::parse(&shown).unwrap_or_else(|| shown.into())
            }
            Datum::Jsonb(_) => shown().parse::<Json>().map_or_else(|_| shown().into(), Value::from),
            _ => shown().into(),
        }
    };
    rows.iter().map(|row| row.iter().zip(types).map(value).collect()).collect()
}

/// What PostgreSQL would say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The SQLSTATE: `40001` where a transaction could not be serialized.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// More about it.
    pub detail: Option<String>,
    /// What to do.
    pub hint: Option<String>,
}

impl Error {
    /// Whether running the transaction again may do: it could not be serialized, or met a deadlock.
    pub fn is_retryable(&self) -> bool {
        matches!(&*self.code, "40001" | "40P01")
    }

    fn swallowed() -> Error {
        Error {
            code: "25P02".to_owned(),
            message: "a statement of the transaction failed, so it is rolled back".to_owned(),
            detail: None,
            hint: None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)?;
        if let Some(detail) = &self.detail {
            write!(f, ": {detail}")?;
        }
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl std::error::Error for Error {}

impl From<SqlError> for Error {
    fn from(error: SqlError) -> Error {
        Error {
            code: error.state().0.to_owned(),
            message: error.message(),
            detail: error.more.detail.clone(),
            hint: error.more.hint.clone(),
        }
    }
}

/// What the store itself refuses.
impl From<hobgoblin_front::Error> for Error {
    fn from(error: hobgoblin_front::Error) -> Error {
        let (code, message) = ("XX000".to_owned(), error.to_string());
        Error { code, message, detail: None, hint: None }
    }
}
