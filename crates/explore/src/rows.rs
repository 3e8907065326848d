//! Ends as a database has them that keeps the rows of a table apart.
//!
//! The explorer's tables have one variable for their set of keys; see `meetings.rs`. Below serializability
//! two transactions may read it from the same one and both write it, and then what one of them inserted is
//! lost. No database loses a row like that:
//!
//! ```text
//!     ada:  r(t)={} from init   w(t)={1}           look: r(t)={2} from bob: row 1 is not there, although
//!     bob:  r(t)={} from init   w(t)={2}                 ada, who inserted it, is seen
//! ```
//!
//! To see whether an end is more than that, the set variable is taken apart: who wrote it wrote the rows that
//! it changed, and who read it read, of each row it asked for, whether it is there, from the last one that
//! changed it among those the set came from. If that satisfies the levels, a database has this end too.

use hashbrown::HashMap;
use hobgoblin_core::{Key, Kind, Level};

use crate::compiled::{observer_level, one};
use crate::end::End;
use crate::filter::Item;
use crate::record::RunEvent;
use crate::text::keys::rows_of;

/// How a transaction changed a table.
#[derive(Default)]
struct Change {
    /// Whom it read the set variable from before it wrote it.
    base: u8,
    /// The rows it inserted or deleted.
    rows: Vec<Key>,
}

/// A history whose set variables are taken apart.
struct Rows<'a> {
    end: &'a End<'a>,
    /// By transaction and set variable.
    changes: HashMap<(u8, u32), Change>,
    /// The rows that a table ever has, by its set variable.
    all: HashMap<u32, Vec<Key>>,
    /// The numbers of the variables that say whether a row is there, from the last number down.
    numbers: HashMap<Key, u32>,
}

impl End<'_> {
    /// Whether this end is one only because a table's set of keys is one variable: a database that keeps
    /// rows apart does not have it at this level.
    pub fn is_doubtful(&self) -> bool {
        self.changes_tables() && !self.allowed_by_rows(|txn| self.compiled.txns[txn as usize].level)
    }

    /// Whether a database that keeps rows apart has this end at a level, which is that of transactions
    /// without one of their own.
    pub fn is_allowed_by_rows(&self, level: Level) -> bool {
        self.allowed_by_rows(|txn| {
            let info = &self.compiled.txns[txn as usize];
            let session = self.compiled.program.sessions.get(info.session);
            match session.and_then(|session| session.txns.get(info.index)) {
                Some(own) => own.level.unwrap_or(level),
                None => observer_level(level),
            }
        })
    }

    /// Whether a transaction inserted or deleted rows, and committed.
    pub fn changes_tables(&self) -> bool {
        let table = |key: u32| self.compiled.touched.table(key).is_some();
        let done = self.branch.order.iter().filter_map(|log| log.done.as_ref());
        done.flat_map(|done| &done.writes).any(|&(key, _)| table(key))
    }

    fn allowed_by_rows(&self, level: impl Fn(u8) -> Level) -> bool {
        let mut events: Vec<(u8, Vec<RunEvent>)> = Vec::new();
        for log in &self.branch.order {
            let locals = self.branch.locals(self.compiled, log.txn);
            let made = self.compiled.events(log.txn, &locals, &log.reads);
            events.push((log.txn, made.expect("the transaction ran before")));
        }
        let mut rows = Rows::new(self, &events);
        let items: Vec<Item> = events.iter().map(|(txn, events)| rows.item(*txn, events)).collect();
        self.compiled.satisfies_at(&items, level)
    }
}

impl<'a> Rows<'a> {
    fn new(end: &'a End<'a>, events: &[(u8, Vec<RunEvent>)]) -> Rows<'a> {
        let compiled = end.compiled;
        let (mut changes, mut all) = (HashMap::new(), HashMap::new());
        for table in &compiled.program.tables {
            let key = compiled.key(table);
            all.insert(key, rows_of(table, &compiled.initial(key)));
        }
        for (txn, events) in events {
            for (&key, all) in &mut all {
                let (change, ever) = changed(end, *txn, key, events);
                all.extend(ever);
                changes.insert((*txn, key), change);
            }
        }
        for rows in all.values_mut() {
            rows.sort_unstable();
            rows.dedup();
        }
        Rows { end, changes, all, numbers: HashMap::new() }
    }

    /// A transaction, with rows instead of set variables.
    fn item(&mut self, txn: u8, events: &[RunEvent]) -> Item {
        let compiled = self.end.compiled;
        let log = self.end.branch.log(txn).expect("it is a transaction of this end");
        let mut item = Item { txn, preds: compiled.txns[txn as usize].so, ..Item::default() };
        for (at, event) in events.iter().enumerate().filter(|(_, event)| event.kind == Kind::Read) {
            let source = event.read.map(|read| log.reads[read].source);
            let Some(all) = self.all.get(&event.key) else {
                item.reads.extend(source.map(|source| (event.key, source)));
                continue;
            };
            let asked = event.row.clone().map_or_else(|| all.clone(), |row| vec![row]);
            let before = &events[..at];
            let own = changed(self.end, txn, event.key, before).0;
            for row in asked.into_iter().filter(|row| !own.rows.contains(row)) {
                let source = self.source(event.key, &row, source.unwrap_or(own.base));
                item.reads.push((self.number(row), source));
            }
        }
        item.preds = item.reads.iter().fold(item.preds, |preds, &(_, source)| preds | one(source));
        let written = log.done.iter().flat_map(|done| &done.writes);
        for (key, value) in written {
            let Some(change) =
                self.changes.get(&(txn, *key)).filter(|_| self.all.contains_key(key))
            else {
                item.writes.push(*key);
                continue;
            };
            let here = rows_of(&compiled.key_name(*key), value);
            for row in change.rows.clone() {
                // Who deletes a row writes it, too.
                if !here.contains(&row) {
                    item.writes.push(compiled.key(&row));
                }
                let number = self.number(row);
                item.writes.push(number);
            }
        }
        item.writes.sort_unstable();
        item.writes.dedup();
        item
    }

    /// The last one that changed a row among those a version of a set variable came from.
    fn source(&self, key: u32, row: &Key, mut from: u8) -> u8 {
        while let Some(change) = self.changes.get(&(from, key)).filter(|_| from != 0) {
            if change.rows.contains(row) {
                return from;
            }
            from = change.base;
        }
        0
    }

    /// The number of the variable that says whether a row is there.
    fn number(&mut self, row: Key) -> u32 {
        let next = u32::MAX - self.numbers.len() as u32;
        *self.numbers.entry(row).or_insert(next)
    }
}

/// What events do to a table, and the rows it had in between.
fn changed(end: &End<'_>, txn: u8, key: u32, events: &[RunEvent]) -> (Change, Vec<Key>) {
    let name = end.compiled.key_name(key);
    let log = end.branch.log(txn).expect("it is a transaction of this end");
    let (mut change, mut last, mut ever) = (Change::default(), Vec::new(), Vec::new());
    for event in events.iter().filter(|event| event.key == key) {
        let now = rows_of(&name, &event.value);
        match (event.kind, event.read) {
            (Kind::Read, Some(read)) => change.base = log.reads[read].source,
            (Kind::Read, None) => {}
            (Kind::Write, _) => {
                let gone = last.iter().filter(|row| !now.contains(row));
                let new = now.iter().filter(|row| !last.contains(row));
                change.rows.extend(gone.chain(new).cloned());
                ever.extend(now.iter().cloned());
            }
        }
        last = now;
    }
    (change, ever)
}
