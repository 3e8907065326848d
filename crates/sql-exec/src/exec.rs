//! The execution of one statement: what it has read and written so far.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use hobgoblin_core::Text;
use hobgoblin_front::{Lock, Scanning};
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::dialect::Storing;

use hobgoblin_sql_bind::bound::dml::Dml;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_value::{Datum, Oid};

use super::base_row::BaseRow;
use super::kept::{Built, Members, Row, Stream};
use super::pending::Pending;
use super::rows::Rows;
use super::step_lock::StepLock;
use super::tuple::{Source, Tuple};

/// [`Exec::tick`] asks once in so many steps whether the statement is cancelled. One step may call
/// a function that takes a millisecond.
const OFTEN: u32 = 16;

/// Whether more tuples are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The next tuple is wanted.
    Go,
    /// No more tuples are wanted, and every loop ends.
    Stop,
}

/// The numbers that a statement put into an identity column, which clients are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// The first number that was made.
    pub made: Option<u64>,
    /// The last number, made or given by the statement itself.
    pub given: Option<u64>,
}

/// The rows of a range of keys, in the order of the keys.
pub type Scanned = Rc<Vec<Rc<BaseRow>>>;

/// The execution of one statement. What it has read it keeps, so that each key is read once in a
/// statement, whichever parts ask for it.
pub struct Exec<'a> {
    /// The session that the statement runs in, and the store behind it.
    pub session: &'a mut dyn Rows,
    /// The values of the statement's parameters.
    pub params: &'a [Datum],
    /// The tuples of the enclosing queries, outermost first.
    pub(super) outer: Vec<Tuple>,
    /// The rows of the items of WITH, by their numbers, once they have run.
    pub(super) ctes: HashMap<usize, Rc<Vec<Rc<[Datum]>>>>,
    /// The rows that were read, by key; `None` for a key without a row.
    pub(super) rows: HashMap<Text, Option<Rc<BaseRow>>>,
    /// The ranges that were scanned, by their bounds.
    pub(super) scans: HashMap<(Text, Text), Scanned>,
    /// The rows of tables as they were before the statement, if one part of it changes them and
    /// another reads them.
    pub(super) frozen: HashMap<Oid, Scanned>,
    /// The keys of the rows that the statement has changed, in tables of `frozen`.
    pub(super) written: HashSet<Text>,
    /// The keys of the rows that ON CONFLICT DO UPDATE has changed, which it may not do twice.
    pub(super) upserted: HashSet<Text>,
    /// For what the transaction has read, who wrote it; and up to which event this is known. Filled
    /// when `xmin` is first asked for.
    pub(super) sources: HashMap<Text, u32>,
    pub(super) sourced: usize,
    /// The rows of sources that depend on nothing else, by the numbers of the sources.
    pub(super) kept: HashMap<usize, Rc<Vec<Source>>>,
    /// The hash tables over such rows, by the numbers of the sources.
    pub(super) built: HashMap<usize, Rc<Built>>,
    /// The rows of queries inside expressions that give the same each time, by the numbers of the
    /// queries.
    pub(super) once: HashMap<usize, Rc<Vec<Row>>>,
    /// The rows of such queries in a form to look values up, for IN.
    pub(super) members: HashMap<usize, Rc<Members>>,
    /// The tables that the statement names only once.
    pub alone: Arc<[Oid]>,
    /// How the rows of the source come that is about to be read, if not all at once.
    pub(super) stream: Option<Stream>,
    /// How changes and locking reads find their rows: in the snapshot, or locking as they go.
    pub(super) scanning: Scanning,
    /// How each source that is locked during its scan is locked, by the numbers of the sources.
    pub(super) step_locks: HashMap<usize, StepLock>,
    /// Whether the statement is one that changes rows.
    pub(super) changes: bool,
    /// Whether the lock on the row at hand is released again if the row fails a condition.
    pub(super) releases: bool,
    /// How the row is locked that has the key of a row to insert, where such rows are locked.
    pub(super) twin_lock: Lock,
    /// How many of the queries around the one at hand may run more than once.
    pub(super) again: usize,
    /// How values are made to fit their columns at the moment.
    pub storing: Storing,
    /// The numbers that went into an identity column.
    pub numbers: Numbers,
    /// Numbers of a sequence that were taken for an identity column and are not used yet.
    pub(super) reserved: VecDeque<i64>,
    /// How many rows the INSERT lists; `None` if they come from a query.
    pub(super) listed: Option<u64>,
    /// How often numbers were taken ahead.
    pub(super) reservations: u32,
    /// How many rows the conditions of an UPDATE found, whether or not they changed.
    pub matched: u64,
    /// How many rows scans have come to.
    pub(super) examined: u64,
    /// How many rows an INSERT was given, whether or not it wrote them.
    pub records: u64,
    /// Whether rows that a limit cuts off are to be counted (SQL_CALC_FOUND_ROWS).
    pub counts_all: bool,
    /// How many rows the outermost query would have without its limit, if that is counted.
    pub counted: u64,
    /// The checks to make when the statement has written all its rows.
    pub(super) pending: Vec<Pending>,
    /// An item of WITH by its number, and how many of its rows are enough, while it runs.
    pub(super) enough: Option<(usize, u64)>,
    /// How many steps were made, of which one in [`OFTEN`] asks whether the statement is cancelled.
    pub(super) steps: u32,
}

impl<'a> Exec<'a> {
    /// The dialect of the catalogue, and so of the statement.
    pub(super) fn dialect(&self) -> &'static dyn Dialect {
        self.session.catalog().dialect
    }

    /// Begins the execution of a statement with these parameters.
    pub fn new(session: &'a mut dyn Rows, params: &'a [Datum]) -> Exec<'a> {
        Exec {
            scanning: session.scanning(),
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
            step_locks: HashMap::new(),
            changes: false,
            releases: false,
            twin_lock: Lock::Share,
            again: 0,
            storing: Storing { row: 1, alone: true, ignore: false },
            numbers: Numbers::default(),
            reserved: VecDeque::new(),
            listed: None,
            reservations: 0,
            matched: 0,
            examined: 0,
            records: 0,
            counts_all: false,
            counted: 0,
            pending: Vec::new(),
            enough: None,
            steps: 0,
        }
    }

    /// Looks now and then whether the client wants the statement cancelled.
    pub(super) fn tick(&mut self) -> Result<()> {
        self.steps = self.steps.wrapping_add(1);
        match self.steps.is_multiple_of(OFTEN) {
            true => self.session.check_interrupts(),
            false => Ok(()),
        }
    }

    /// Runs a statement that changes rows: how many, and what it returns.
    pub fn run_dml(&mut self, dml: &Dml) -> Result<(u64, Vec<Row>)> {
        self.changes = true;
        self.freeze(&dml.frozen)?;
        self.run_with(&dml.with)?;
        let done = self.dml(dml)?;
        self.run_last(&dml.with)?;
        self.finish()?;
        Ok(done)
    }

    /// Keeps the rows of tables as they are, for what is read after something was written.
    pub(super) fn freeze(&mut self, tables: &[Arc<Table>]) -> Result<()> {
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
    pub(super) fn forget(&mut self) {
        self.rows.clear();
        self.scans.clear();
        self.kept.clear();
        self.built.clear();
    }
}
