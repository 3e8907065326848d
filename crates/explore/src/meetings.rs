//! Transactions that meet on the set of keys of a table.
//!
//! A table is a set variable, which holds the primary keys of its rows, and a variable for each row
//! [Bouajjani 2023, section 7.2]. A database has no such set: who looks for rows reads each row, also those
//! that are not there, and who inserts one writes that row.
//!
//! ```text
//!     ada:  r(bookings)={}  w(bookings)={1}  w(bookings:1)      here both write one variable, so snapshot
//!     bob:  r(bookings)={}  w(bookings)={2}  w(bookings:2)      isolation lets one commit; there, both
//! ```
//!
//! So below serializability a database may have histories that are not found here (both rows are there
//! although nobody saw the other's), and what no history breaks is proved only where that cannot be. Call
//! `rows` what the database has and `sets` what is explored. At SER the two have the same histories: those of
//! serial runs. Otherwise take a history of rows, and let everybody who looks at a table read the set
//! variable from the last one it can see who wrote it. This is a history of sets with the same results if
//! everybody sees all those who wrote the set before the last one, and it is allowed if that adds nothing
//! to what somebody sees:
//!
//! - At SI (and SER in between) and at PSI, two that write a common key see each other, and what one sees is
//!   closed under this. So it is enough that any two who write a set, of different sessions, also write a
//!   common key apart from it: the same row, say. Who only reads the set does no harm.
//! - At the levels below, and where levels are mixed, it is not: who writes a set and who reads or writes it
//!   must be of one session, and not even that is enough at RC, where a session may forget what it did.
//!
//! The first transaction, in commit order, that a history of rows has and sets lack, with those it sees, is a
//! history of sets too, and so is what comes before it. Therefore it is enough to look at what
//! transactions do in the histories of sets.

use std::sync::{Mutex, PoisonError};

use hobgoblin_core::{Key, Level, Value};

use crate::record::Read;
use crate::text::keys::rows_of;

/// What a transaction did to a table's set variable, in any of its runs.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
struct Touch {
    /// Whether it read or wrote it.
    touches: bool,
    /// If it wrote it: the other keys that it wrote whenever it did, rows it deleted among them.
    writes: Option<Vec<String>>,
}

/// What transactions did to the set variables of tables, as far as the program was explored.
#[derive(Debug)]
pub(crate) struct Touched {
    /// The set variables.
    tables: Vec<u32>,
    /// For each transaction and each table.
    by: Vec<Mutex<Vec<Touch>>>,
    /// The session of each transaction; init and the one that observes the final values have none.
    sessions: Vec<Option<usize>>,
    rule: Rule,
}

/// Which transactions may meet on a set variable; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// All may meet: everything is serializable.
    Serial,
    /// Two that write it must write a common key.
    Writers,
    /// Only those of one session.
    Sessions,
    /// No two may meet.
    Nobody,
}

/// What the levels of all transactions leave.
fn rule(levels: impl Iterator<Item = Level>) -> Rule {
    let [mut below_atomic, mut below_snapshot, mut parallel, mut snapshot] = [false; 4];
    let mut serial = false;
    for level in levels {
        match level {
            Level::RU | Level::RC => below_atomic = true,
            Level::RA | Level::CC | Level::PC => below_snapshot = true,
            Level::PSI => parallel = true,
            Level::SI => snapshot = true,
            Level::SER | Level::SSER => serial = true,
        }
    }
    // What a transaction sees at PSI grows with what those see that it sees, and at other levels with more.
    let mixed = parallel && (snapshot || serial);
    match () {
        () if below_atomic => Rule::Nobody,
        () if below_snapshot || mixed => Rule::Sessions,
        () if parallel || snapshot => Rule::Writers,
        () => Rule::Serial,
    }
}

impl Touched {
    /// For tables by their set variables, and transactions by their sessions and levels.
    pub(crate) fn new(
        tables: Vec<u32>,
        txns: impl Iterator<Item = Option<(usize, Level)>>,
    ) -> Touched {
        let txns: Vec<_> = txns.collect();
        let touch = || Mutex::new(vec![Touch::default(); tables.len()]);
        let by = txns.iter().map(|_| touch()).collect();
        // Who observes the final values comes after all and sees all, whatever its level.
        let rule = rule(txns.iter().flatten().map(|&(_, level)| level));
        let sessions = txns.iter().map(|txn| txn.map(|(session, _)| session)).collect();
        Touched { tables, by, sessions, rule }
    }

    /// The place of a table by its set variable.
    pub(crate) fn table(&self, key: u32) -> Option<usize> {
        self.tables.iter().position(|&table| table == key)
    }

    /// Notes what a transaction did; `name` names a key by its number.
    pub(crate) fn note(
        &self,
        txn: u8,
        reads: &[Read],
        writes: &[(u32, Value)],
        name: impl Fn(u32) -> Key,
    ) {
        if self.tables.is_empty() || self.rule == Rule::Serial {
            return;
        }
        let mut touches = unpoisoned(&self.by[txn as usize]);
        for (touch, &table) in touches.iter_mut().zip(&self.tables) {
            touch.touches |= reads.iter().any(|read| read.key == table);
            let Some((_, after)) = writes.iter().find(|(key, _)| *key == table) else { continue };
            touch.touches = true;
            if touch.writes.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let others = match self.rule {
                Rule::Writers => {
                    let before = reads.iter().rev().find(|read| read.key == table);
                    let before = before.map_or(&Value::Null, |read| &read.value);
                    self.others(table, before, after, writes, &name)
                }
                Rule::Serial | Rule::Sessions | Rule::Nobody => Vec::new(),
            };
            match &mut touch.writes {
                Some(always) => always.retain(|key| others.contains(key)),
                none => *none = Some(others),
            }
        }
    }

    /// The keys that a transaction wrote besides a set variable, rows that it deleted among them.
    fn others(
        &self,
        table: u32,
        before: &Value,
        after: &Value,
        writes: &[(u32, Value)],
        name: impl Fn(u32) -> Key,
    ) -> Vec<String> {
        let set = name(table);
        let after = rows_of(&set, after);
        let gone = rows_of(&set, before).into_iter().filter(|row| !after.contains(row));
        let written = writes.iter().map(|&(key, _)| key);
        let written = written.filter(|key| !self.tables.contains(key));
        let written = written.map(name);
        written.chain(gone).map(|key: Key| key.to_string()).collect()
    }

    /// What it knows, as one line.
    pub(crate) fn text(&self) -> String {
        let by: Vec<Vec<Touch>> = self.by.iter().map(|one| unpoisoned(one).clone()).collect();
        serde_json::to_string(&by).expect("it has nothing that JSON lacks")
    }

    /// Goes on with what such a line says; `false` if it is of another program.
    pub(crate) fn read(&self, line: &str) -> bool {
        let Ok(by) = serde_json::from_str::<Vec<Vec<Touch>>>(line) else { return false };
        let fits = by.len() == self.by.len() && by.iter().all(|one| one.len() == self.tables.len());
        if fits {
            for (one, touches) in self.by.iter().zip(by) {
                *unpoisoned(one) = touches;
            }
        }
        fits
    }

    /// The pairs of transactions that meet on a set variable as a database's would not.
    pub(crate) fn met(&self) -> Vec<(u32, [u8; 2])> {
        let by: Vec<Vec<Touch>> = self.by.iter().map(|one| unpoisoned(one).clone()).collect();
        let mut met = Vec::new();
        for (table, &key) in self.tables.iter().enumerate() {
            for one in 0..by.len() {
                for two in one + 1..by.len() {
                    let (Some(first), Some(second)) = (self.sessions[one], self.sessions[two])
                    else {
                        continue;
                    };
                    let touches = [&by[one][table], &by[two][table]];
                    if self.rule.forbids(first != second, touches) {
                        met.push((key, [one as u8, two as u8]));
                    }
                }
            }
        }
        met
    }
}

impl Rule {
    /// Whether two transactions, of two sessions or of one, must not touch a set variable like this.
    fn forbids(self, apart: bool, [one, two]: [&Touch; 2]) -> bool {
        let met = (one.writes.is_some() && two.touches) || (two.writes.is_some() && one.touches);
        match self {
            Rule::Serial => false,
            Rule::Writers => match (&one.writes, &two.writes) {
                (Some(one), Some(two)) => apart && !one.iter().any(|key| two.contains(key)),
                _ => false,
            },
            Rule::Sessions => apart && met,
            Rule::Nobody => met,
        }
    }
}

/// The lock, also where another thread panicked while it had it.
fn unpoisoned<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
