//! An open transaction: its events so far, and what all profiles know of it.

use std::num::NonZeroU32;

use hashbrown::HashMap;
use hobgoblin_core::{Key, Kind, Level, Value, sort_by};

use crate::config::Policy;
use crate::event::PastEvent;
use crate::ids::{KeyNo, TxnNo};
use crate::keys::Keys;
use crate::range::KeyRange;

/// A read or write of an open transaction.
#[derive(Clone, Debug)]
pub(crate) struct OpenEvent {
    pub(crate) kind: Kind,
    pub(crate) key: KeyNo,
    pub(crate) value: Value,
    /// The transaction an external read read from; `None` for writes and internal reads.
    pub(crate) from: Option<TxnNo>,
    pub(crate) lock: bool,
    /// Whether it is the locking read of a row that its statement found, as an UPDATE does: what the statement
    /// decides on is this version, and the reads it found the row by are part of the locking.
    pub(crate) locks_found: bool,
    /// The request that answered it, counted over the store as begins are: events of one request share it, and a
    /// read that a scan turns out to have made belongs to the scan's.
    pub(crate) at: i64,
    /// The place of its statement among the transaction's, from 1.
    statement: Option<NonZeroU32>,
}

impl OpenEvent {
    /// The place of its statement among the transaction's.
    pub(crate) fn statement(&self) -> Option<u32> {
        self.statement.map(|place| place.get() - 1)
    }

    /// Says to which request it belongs, and to which statement.
    pub(crate) fn put_into(&mut self, at: i64, statement: Option<u32>) {
        (self.at, self.statement) = (at, from_one(statement));
    }
}

/// Of the place of a statement what an event keeps, in four bytes.
fn from_one(statement: Option<u32>) -> Option<NonZeroU32> {
    statement.and_then(|place| NonZeroU32::new(place + 1))
}

/// A transaction that has begun and not yet ended.
#[derive(Debug)]
pub(crate) struct Open {
    /// Its number, from 1 in the order of begins.
    pub(crate) number: TxnNo,
    pub(crate) level: Level,
    pub(crate) policy: Policy,
    /// Whether it is a single request that came outside of a transaction.
    pub(crate) implicit: bool,
    /// The request it began with, counted over the store.
    pub(crate) begin: i64,
    /// Whether it will be aborted without a reason, as the configuration asks.
    pub(crate) doomed: bool,
    /// Whether it is prepared: it will commit or abort, and does nothing else.
    pub(crate) prepared: bool,
    /// Whether it has read or written while another transaction was open that had.
    pub(crate) overlapped: bool,
    /// Whether it has said that it only reads.
    pub(crate) read_only: bool,
    /// The request at hand, counted as `begin` is.
    pub(crate) at: i64,
    pub(crate) events: Vec<OpenEvent>,
    /// About how many bytes its events take in the history, those that were undone too, and may take to be there;
    /// reads beyond are left out.
    size: usize,
    most: usize,
    /// The keys it has written, each with the place in `events` of its last write.
    pub(crate) written: HashMap<KeyNo, u32>,
    /// The keys in which it wrote what was there, where that is no version of its own.
    rewritten: Vec<Rewritten>,
    pub(crate) savepoints: Vec<Savepoint>,
    pub(crate) scans: Vec<Scanned>,
    pub(crate) statements: Vec<Box<str>>,
    /// The place of the statement at hand in `statements`.
    pub(crate) statement: Option<u32>,
    /// The keys it has used, for [`Keys::release`](crate::keys::Keys::release).
    pub(crate) keys: Vec<KeyNo>,
}

/// A write of what the key holds already.
#[derive(Clone, Copy, Debug)]
struct Rewritten {
    key: KeyNo,
    /// The request, and the place of its statement among the transaction's.
    at: i64,
    statement: Option<NonZeroU32>,
}

/// A range that was read whole: keys that come up in it later were read as absent.
#[derive(Clone, Debug)]
pub(crate) struct Scanned {
    pub(crate) range: KeyRange,
    /// The request, and the place of its statement among the transaction's.
    pub(crate) at: i64,
    pub(crate) statement: Option<u32>,
}

/// What a transaction leaves in a key when it commits.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) key: KeyNo,
    /// The place of its last write among the transaction's events.
    at: u32,
    pub(crate) anew: bool,
}

/// A savepoint: what there is to go back to.
#[derive(Debug)]
pub(crate) struct Savepoint {
    pub(crate) name: Box<str>,
    /// The request that set it.
    pub(crate) at: i64,
    /// How many locks its session had taken.
    pub(crate) locks: usize,
}

/// Whether a value is that of an entry of an index: the part of a row's key that is its own, `[7]`.
pub(crate) fn names_a_row(value: &Value) -> bool {
    matches!(value, Value::Text(row) if row.starts_with('['))
}

impl Open {
    pub(crate) fn new(number: TxnNo, level: Level, policy: Policy, begin: i64) -> Open {
        Open {
            number,
            level,
            policy,
            implicit: false,
            begin,
            doomed: false,
            prepared: false,
            overlapped: false,
            read_only: false,
            at: begin,
            events: Vec::new(),
            size: 0,
            most: usize::MAX,
            written: HashMap::new(),
            rewritten: Vec::new(),
            savepoints: Vec::new(),
            scans: Vec::new(),
            statements: Vec::new(),
            statement: None,
            keys: Vec::new(),
        }
    }

    pub(crate) fn begin_statement(&mut self, text: Box<str>) {
        self.statement = Some(self.statements.len() as u32);
        self.statements.push(text);
    }

    /// The place of the last savepoint of a name, which exists.
    pub(crate) fn savepoint(&self, name: &str) -> usize {
        let at = self.savepoints.iter().rposition(|savepoint| *savepoint.name == *name);
        at.expect("the savepoint was looked up before")
    }

    /// Says how many bytes the history has room for.
    pub(crate) fn keep_at_most(&mut self, bytes: usize) {
        self.most = bytes;
    }

    /// Whether reads are recorded. They are not once there are so many that the history will not
    /// have them.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.size <= self.most
    }

    /// Records a read, unless there are too many.
    pub(crate) fn read(
        &mut self,
        (key, name): (KeyNo, &Key),
        value: &Value,
        from: Option<TxnNo>,
        lock: bool,
    ) -> Option<&mut OpenEvent> {
        if !self.has_room() {
            return None;
        }
        self.size += PastEvent::size(name, value);
        let value = value.clone();
        let (kind, at, statement) = (Kind::Read, self.at, from_one(self.statement));
        let locks_found = false;
        self.events.push(OpenEvent { kind, key, value, from, lock, locks_found, at, statement });
        self.events.last_mut()
    }

    /// The value that it wrote last to a key, if it has written it.
    pub(crate) fn own(&self, key: KeyNo) -> Option<&Value> {
        self.last_write(key).map(|write| &write.value)
    }

    /// Its last write to a key, if it has one.
    #[inline]
    pub(crate) fn last_write(&self, key: KeyNo) -> Option<&OpenEvent> {
        if self.written.is_empty() {
            return None;
        }
        self.written.get(&key).map(|&at| &self.events[at as usize])
    }

    /// What it leaves in the keys that it wrote, sorted by key, each with whether it deleted the
    /// key before. It is about to end.
    pub(crate) fn left(&mut self) -> Vec<Left> {
        let written = std::mem::take(&mut self.written);
        let mut left = Vec::with_capacity(written.len());
        for (key, at) in written {
            left.push(Left { key, at, anew: false });
        }
        sort_by(&mut left, |a, b| a.key.cmp(&b.key));
        let deletes = |event: &&OpenEvent| event.kind == Kind::Write && event.value == Value::Null;
        for event in self.events.iter().filter(deletes) {
            if let Ok(at) = left.binary_search_by_key(&event.key, |left| left.key) {
                left[at].anew = *self.value(&left[at]) != Value::Null;
            }
        }
        left
    }

    /// Whether it has written something.
    pub(crate) fn wrote(&self) -> bool {
        self.events.iter().any(|event| event.kind == Kind::Write)
    }

    /// How many rows it has changed: its writes, but for those of index entries, which name a row.
    pub(crate) fn changed_rows(&self) -> usize {
        let changes = |event: &&OpenEvent| event.kind == Kind::Write && !names_a_row(&event.value);
        self.events.iter().filter(changes).count()
    }

    /// The value that it leaves in a key.
    pub(crate) fn value(&self, left: &Left) -> &Value {
        &self.events[left.at as usize].value
    }

    pub(crate) fn write(&mut self, (key, name): (KeyNo, &Key), value: Value) {
        self.size += PastEvent::size(name, &value);
        self.written.insert(key, self.events.len() as u32);
        let (kind, from, lock, at) = (Kind::Write, None, false, self.at);
        let (statement, locks_found) = (from_one(self.statement), false);
        self.events.push(OpenEvent { kind, key, value, from, lock, locks_found, at, statement });
    }

    /// Notes a write of what the key holds already. Its own reads go on to see that version.
    pub(crate) fn rewrite(&mut self, key: KeyNo) {
        let (at, statement) = (self.at, from_one(self.statement));
        self.rewritten.push(Rewritten { key, at, statement });
    }

    #[inline]
    pub(crate) fn has_rewritten(&self) -> bool {
        !self.rewritten.is_empty()
    }

    /// Called before it commits. A write of what the key held already becomes a write if the
    /// transaction had read another version before: that update is lost, even if the value is the
    /// same. Otherwise it changes nothing for anyone.
    pub(crate) fn settle_rewritten(&mut self, keys: &Keys) {
        for Rewritten { key, statement, .. } in std::mem::take(&mut self.rewritten) {
            let newest = keys.get(key).newest();
            let another = |event: &OpenEvent| {
                let from = event.from.filter(|_| event.key == key && !event.lock);
                from.is_some_and(|from| from != newest.txn)
            };
            if self.written.contains_key(&key) || !self.events.iter().any(another) {
                continue;
            }
            self.write((key, &keys.get(key).name), newest.value.clone());
            if let Some(write) = self.events.last_mut() {
                write.statement = statement;
            }
        }
    }

    /// Takes back the writes of later requests than this one, and the reads that saw them.
    pub(crate) fn undo(&mut self, at: i64) {
        self.rewritten.retain(|rewritten| rewritten.at <= at);
        let mut kept: Vec<OpenEvent> = Vec::with_capacity(self.events.len());
        // Of each key the last write that stays, and the first that does not.
        let (mut written, mut undone) = (HashMap::new(), HashMap::new());
        for event in self.events.drain(..) {
            match (event.kind, event.from) {
                (Kind::Write, _) if event.at > at => {
                    undone.insert(event.key, 0);
                    continue;
                }
                (Kind::Write, _) => {
                    written.insert(event.key, kept.len() as u32);
                }
                (Kind::Read, None) if undone.contains_key(&event.key) => continue,
                _ => {}
            }
            kept.push(event);
        }
        (self.events, self.written) = (kept, written);
    }

    /// Whether it is known to have used a key before, as far as its writes and its last read tell.
    pub(crate) fn uses(&self, key: KeyNo) -> bool {
        let wrote = || !self.written.is_empty() && self.written.contains_key(&key);
        self.keys.last() == Some(&key) || wrote()
    }
}
