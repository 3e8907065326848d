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

/// After so many steps it is asked whether to go on: one of them may call a function that takes a millisecond.
const OFTEN: u32 = 16;

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// More rows are wanted.
    Go,
    /// No further.
    Stop,
}

/// The numbers that a statement gave to an identity column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// The first that was made.
    pub made: Option<u64>,
    /// The last that was given.
    pub given: Option<u64>,
}

/// The rows of a range, in order.
pub type Scanned = Rc<Vec<Rc<BaseRow>>>;

/// The execution of one statement.
pub struct Exec<'a> {
    /// The session.
    pub session: &'a mut dyn Rows,
    /// The statement's parameters.
    pub params: &'a [Datum],
    /// The tuples of the enclosing queries, outermost first.
    pub(super) outer: Vec<Tuple>,
    /// The rows of WITH items.
    pub(super) ctes: HashMap<usize, Rc<Vec<Rc<[Datum]>>>>,
    /// Rows read so far, by key; `None` is absent.
    pub(super) rows: HashMap<Text, Option<Rc<BaseRow>>>,
    /// Ranges scanned so far.
    pub(super) scans: HashMap<(Text, Text), Scanned>,
    /// The rows of tables as they were before the statement, where it reads what it also writes.
    pub(super) frozen: HashMap<Oid, Scanned>,
    /// The keys of rows the statement has changed.
    pub(super) written: HashSet<Text>,
    /// Those of them that ON CONFLICT DO UPDATE has changed.
    pub(super) upserted: HashSet<Text>,
    /// Who wrote what the transaction has read, once that was asked, and how many events of it are known.
    pub(super) sources: HashMap<Text, u32>,
    pub(super) sourced: usize,
    /// Rows of sources that depend on nothing else.
    pub(super) kept: HashMap<usize, Rc<Vec<Source>>>,
    /// Hash tables over such sources.
    pub(super) built: HashMap<usize, Rc<Built>>,
    /// What queries inside expressions gave that give the same every time.
    pub(super) once: HashMap<usize, Rc<Vec<Row>>>,
    /// The rows of such queries by their values, for IN.
    pub(super) members: HashMap<usize, Rc<Members>>,
    /// The tables that the statement names once.
    pub alone: Arc<[Oid]>,
    /// How the rows of a source come that is about to be read.
    pub(super) stream: Option<Stream>,
    /// How changes and locking reads find their rows.
    pub(super) scanning: Scanning,
    /// How sources are locked that are scanned to be locked, by their numbers.
    pub(super) step_locks: HashMap<usize, StepLock>,
    /// Whether the statement changes rows.
    pub(super) changes: bool,
    /// Whether the row that is about to be looked at is released again if it is not meant.
    pub(super) releases: bool,
    /// How a row is locked that is in the way of one to insert, where it is.
    pub(super) twin_lock: Lock,
    /// How many of the enclosing queries may run more than once.
    pub(super) again: usize,
    /// How values go to columns now.
    pub storing: Storing,
    /// The numbers that an identity column got.
    pub numbers: Numbers,
    /// Numbers of an identity column that were taken and not given yet.
    pub(super) reserved: VecDeque<i64>,
    /// How many rows the statement lists that it inserts, if it does.
    pub(super) listed: Option<u64>,
    /// How often such were taken.
    pub(super) reservations: u32,
    /// How many rows an UPDATE was meant for, changed or not.
    pub matched: u64,
    /// How many rows scans came to.
    pub(super) examined: u64,
    /// How many rows an INSERT had, written or not.
    pub records: u64,
    /// Whether rows that a limit cuts off are counted all the same.
    pub counts_all: bool,
    /// How many rows the outermost query would have without a limit, where that is counted.
    pub counted: u64,
    /// Checks to make when the statement's rows are all written.
    pub(super) pending: Vec<Pending>,
    /// A WITH item of which so many rows are enough.
    pub(super) enough: Option<(usize, u64)>,
    /// How often cancellation was looked for.
    pub(super) steps: u32,
}

impl<'a> Exec<'a> {
    /// The language of the statement.
    pub(super) fn dialect(&self) -> &'static dyn Dialect {
        self.session.catalog().dialect
    }

    /// Begins a statement.
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
