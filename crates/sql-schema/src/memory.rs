//! How much memory statements may use.
//!
//! No value is longer than PostgreSQL lets one be, which is a gigabyte. Statements of all sessions share a
//! budget, whatever they spend it on: values, tables that recursion works with, rows to sort. What is spent
//! is what the process has more than before the first of them became large, so it is measured and not
//! added up; a large value counts before it is made, for others may be about to make one, too. A
//! statement that finds the budget spent ends with `out of memory`, and the others go on.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hobgoblin_sql_value::Datum;

use crate::error::{Result, SqlError};
use crate::problem::Problem;

/// The most that PostgreSQL allocates at once. A text has four bytes of that for its length.
const MAX_ALLOC: usize = 0x3fff_ffff;

/// The most bytes that a value may have.
pub const MAX_VALUE: usize = MAX_ALLOC - 4;

/// How many bytes of memory all statements together may use.
const BUDGET: usize = 2 << 30;

/// A request for fewer bytes than this is granted without counting it.
const SMALL: usize = 1 << 20;

/// [`look`] measures only in every so many calls.
const OFTEN: u32 = 256;

/// The bytes of all values that are being made: the sum of all [`Room`]s.
static COMING: AtomicUsize = AtomicUsize::new(0);

/// How many bytes were stored since the first of the statements became large. They are data, which
/// stays, and do not count as spent.
static STORED: AtomicUsize = AtomicUsize::new(0);

/// The statements that have spent so much that they are measured.
static LARGE: Mutex<Large> = Mutex::new(Large { statements: 0, before: 0 });

struct Large {
    statements: usize,
    /// The memory of the process in bytes, when the first of them began.
    before: usize,
}

thread_local! {
    /// The statement of this thread, if it is large.
    static STATEMENT: RefCell<Option<Statement>> = const { RefCell::new(None) };
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

struct Statement;

impl Statement {
    /// Counts the statement at hand from now on.
    fn begin() -> Statement {
        let mut large = large();
        if large.statements == 0 {
            large.before = resident();
            STORED.store(0, Ordering::Relaxed);
        }
        large.statements += 1;
        Statement
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        large().statements -= 1;
    }
}

fn large() -> MutexGuard<'static, Large> {
    LARGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The memory of the process in bytes; 0 where the system does not tell.
fn resident() -> usize {
    const PAGE: usize = 4096;
    let Ok(text) = std::fs::read_to_string("/proc/self/statm") else { return 0 };
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * PAGE
}

/// Memory that is set aside for a value while it is made, until this is dropped.
#[derive(Debug)]
pub struct Room(usize);

impl Drop for Room {
    fn drop(&mut self) {
        if self.0 > 0 {
            COMING.fetch_sub(self.0, Ordering::Relaxed);
        }
    }
}

/// Sets so many bytes aside, or fails if that is more than the budget has left.
pub fn room_for(bytes: usize) -> Result<Room> {
    if bytes < SMALL {
        return Ok(Room(0));
    }
    let coming = COMING.fetch_add(bytes, Ordering::Relaxed) + bytes;
    let room = Room(bytes);
    match spent() + coming > BUDGET {
        true => Err(out_of_memory(bytes)),
        false => Ok(room),
    }
}

/// Sets aside what a function makes of these arguments: mostly no more than twice as much, and a
/// copy of it.
pub fn room_for_result(of: &[Datum]) -> Result<Room> {
    let size = of.iter().map(|value| match value {
        Datum::Text(text) | Datum::Char(text) => text.len(),
        Datum::Bytes(bytes) => bytes.len(),
        Datum::Array(array) => array.items.len() * size_of::<Datum>(),
        _ => 0,
    });
    match size.sum::<usize>() {
        size if size < SMALL => Ok(Room(0)),
        // A result of all of it would be too long, and is refused as that.
        size if size > MAX_VALUE => Ok(Room(0)),
        size => room_for(2 * size),
    }
}

/// Fails if statements have spent too much. Loops call it in every round; it measures only now and
/// then.
pub fn look() -> Result<()> {
    let asked = ASKED.with(|asked| asked.replace(asked.get().wrapping_add(1)));
    if asked % OFTEN != OFTEN - 1 {
        return Ok(());
    }
    match spent() + COMING.load(Ordering::Relaxed) > BUDGET {
        true => Err(out_of_memory(SMALL)),
        false => Ok(()),
    }
}

/// Counts a row or an entry of an index that is written, by the bytes of its key and value. Until
/// its transaction has ended, it takes more than that: an event, a lock, a place in the log.
pub fn stored(bytes: usize) {
    const BESIDES: usize = 1 << 10;
    STORED.fetch_add(bytes.saturating_mul(2) + BESIDES, Ordering::Relaxed);
}

/// Says that the statement of this thread has ended.
pub fn end() {
    STATEMENT.with(|statement| statement.take());
    ASKED.with(|asked| asked.set(0));
}

/// How many bytes statements have spent. This one is counted among them from now on.
fn spent() -> usize {
    STATEMENT.with(|statement| {
        statement.borrow_mut().get_or_insert_with(Statement::begin);
    });
    let stored = STORED.load(Ordering::Relaxed);
    resident().saturating_sub(large().before).saturating_sub(stored)
}

fn out_of_memory(bytes: usize) -> SqlError {
    Problem::OutOfMemory { bytes }.into()
}

/// Refuses a value that is too long, as PostgreSQL refuses to allocate it.
pub fn check_alloc(length: usize) -> Result<()> {
    match length > MAX_VALUE {
        false => Ok(()),
        true => Err(Problem::ValueTooLong { bytes: length + 4 }.into()),
    }
}

/// Refuses to make a text longer than PostgreSQL's buffers become, and finds room for it.
pub fn enlarge(length: usize, by: usize) -> Result<Room> {
    if by >= MAX_ALLOC.saturating_sub(length) {
        return Err(Problem::TextTooLong { bytes: length, more: by }.into());
    }
    match by < SMALL {
        true => Ok(Room(0)),
        false => room_for(length + by),
    }
}

/// Called while a text grows: fails if it becomes too long or there is no room for it. `known` is
/// the length at the last measurement.
pub fn grows(length: usize, known: &mut usize) -> Result<()> {
    if length > *known + 16 * SMALL {
        *known = length;
        enlarge(length, 0)?;
        // It grows by doubling, and is copied to where values are kept.
        room_for(2 * length)?;
    }
    Ok(())
}

/// Fails if the result of a function is longer than a value may be.
pub fn check_result(value: Datum) -> Result<Datum> {
    match &value {
        Datum::Text(text) | Datum::Char(text) => check_alloc(text.len())?,
        Datum::Bytes(bytes) => check_alloc(bytes.len())?,
        _ => {}
    }
    Ok(value)
}
