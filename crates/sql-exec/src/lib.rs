//! Executing bound statements over the store.
//!
//! A query pushes tuples: each source calls what comes after it once per row, so a limit can stop
//! everything and a row's cells are read only when something needs them. What a statement has read it
//! keeps: each key is read once per statement.

mod aggregate;
mod assign;
mod constraint;
mod dml;
mod domain;
mod eval;
mod exclude;
mod from;
mod merge;
mod migrate;
mod query;
mod rows;
mod sort;
pub mod storage;
pub mod stored;
mod stream;
mod system;
mod tuple;
mod unique;
mod window;
mod write;

use std::rc::Rc;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use hobgoblin_core::Text;
use hobgoblin_sql_schema::Dialect;

use hobgoblin_sql_bind::dml::Dml;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_value::{Datum, Oid};

pub use constraint::Pending;
pub use rows::Rows;
pub use storage::{BaseRow, TablePlan};
pub use tuple::{Source, Tuple};

/// How a row is kept in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    /// One key for the presence of a row and one for each of its cells.
    Cell,
    /// One key for each row.
    Row,
}

impl Granularity {
    /// Its name in flags and logs.
    pub fn name(self) -> &'static str {
        match self {
            Granularity::Cell => "cell",
            Granularity::Row => "row",
        }
    }

    /// The one of a name.
    pub fn of(name: &str) -> Option<Granularity> {
        [Granularity::Cell, Granularity::Row].into_iter().find(|known| known.name() == name)
    }
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// On.
    Go,
    /// No further.
    Stop,
}

/// The rows of a range, in order.
pub type Scanned = Rc<Vec<Rc<BaseRow>>>;

/// One row of a result.
pub type Row = Vec<Datum>;

/// The execution of one statement.
pub struct Exec<'a> {
    /// The session.
    pub session: &'a mut dyn Rows,
    /// The statement's parameters.
    pub params: &'a [Datum],
    /// The tuples of the enclosing queries, outermost first.
    outer: Vec<Tuple>,
    /// The rows of WITH items.
    ctes: HashMap<usize, Rc<Vec<Rc<[Datum]>>>>,
    /// Rows read so far, by key; `None` is absent.
    rows: HashMap<Text, Option<Rc<BaseRow>>>,
    /// Ranges scanned so far.
    scans: HashMap<(Text, Text), Scanned>,
    /// The rows of tables as they were before the statement, where it reads what it also writes.
    frozen: HashMap<Oid, Scanned>,
    /// The keys of rows the statement has changed.
    written: HashSet<Text>,
    /// Those of them that ON CONFLICT DO UPDATE has changed.
    upserted: HashSet<Text>,
    /// Who wrote what the transaction has read, once that was asked, and how many events of it are known.
    sources: HashMap<Text, u32>,
    sourced: usize,
    /// Rows of sources that depend on nothing else.
    kept: HashMap<usize, Rc<Vec<Source>>>,
    /// Hash tables over such sources.
    built: HashMap<usize, Rc<from::Built>>,
    /// What queries inside expressions gave that give the same every time.
    once: HashMap<usize, Rc<Vec<Row>>>,
    /// The rows of such queries by their values, for IN.
    members: HashMap<usize, Rc<eval::Members>>,
    /// The tables that the statement names once.
    pub alone: Arc<[Oid]>,
    /// How the rows of a source come that is about to be read.
    stream: Option<stream::Stream>,
    /// How many of the enclosing queries may run more than once.
    again: usize,
    /// Checks to make when the statement's rows are all written.
    pending: Vec<constraint::Pending>,
    /// A WITH item of which so many rows are enough.
    enough: Option<(usize, u64)>,
    /// How often cancellation was looked for.
    steps: u32,
}

impl<'a> Exec<'a> {
    /// The language of the statement.
    fn dialect(&self) -> &'static dyn Dialect {
        self.session.catalog().dialect
    }

    /// Begins a statement.
    pub fn new(session: &'a mut dyn Rows, params: &'a [Datum]) -> Exec<'a> {
        Exec {
            session,
            params,
            outer: Vec::new(),
            ctes: HashMap::new(),
            rows: HashMap::new(),
            scans: HashMap::new(),
            frozen: HashMap::new(),
            written: HashSet::new(),
            upserted: HashSet::new(),
            sources: HashMap::new(),
            sourced: 0,
            kept: HashMap::new(),
            built: HashMap::new(),
            once: HashMap::new(),
            members: HashMap::new(),
            alone: Arc::new([]),
            stream: None,
            again: 0,
            pending: Vec::new(),
            enough: None,
            steps: 0,
        }
    }

    /// Looks now and then whether the client wants the statement cancelled.
    fn tick(&mut self) -> Result<()> {
        self.steps = self.steps.wrapping_add(1);
        match self.steps.is_multiple_of(256) {
            true => self.session.check_interrupts(),
            false => Ok(()),
        }
    }

    /// Runs a statement that changes rows: how many, and what it returns.
    pub fn run_dml(&mut self, dml: &Dml) -> Result<(u64, Vec<Row>)> {
        self.freeze(&dml.frozen)?;
        self.run_with(&dml.with)?;
        let done = self.dml(dml)?;
        self.run_last(&dml.with)?;
        self.finish()?;
        Ok(done)
    }

    /// Keeps the rows of tables as they are, for what is read after something was written.
    fn freeze(&mut self, tables: &[Arc<Table>]) -> Result<()> {
        for table in tables {
            if !self.frozen.contains_key(&table.oid) {
                let rows = self.fetch_all(table)?;
                for row in rows.iter() {
                    self.cells(row)?;
                }
                self.frozen.insert(table.oid, rows);
            }
        }
        Ok(())
    }

    /// Checks what had to wait for the end of the statement.
    pub fn finish(&mut self) -> Result<()> {
        self.check_pending()
    }

    /// Forgets what was read, because it was written since.
    fn forget(&mut self) {
        self.rows.clear();
        self.scans.clear();
        self.kept.clear();
        self.built.clear();
    }
}
