//! The history of a store: transactions that ended, as they will be written.

use std::collections::VecDeque;

use hashbrown::HashSet;
use hobgoblin_core::{History, HistoryBuilder, Key, Kind, Level, Status, Value};
use hobgoblin_format::{EventRecord, Header, TxnRecord, WriterRecord};

use crate::keys::{INIT, Keys};
use crate::open::{Open, OpenEvent, Scanned};
use crate::past::Past;

/// An event of a transaction that ended.
#[derive(Debug)]
struct Event {
    kind: Kind,
    key: Key,
    value: Value,
    from: Option<u32>,
    lock: bool,
    step: u32,
    statement: Option<u32>,
}

/// A transaction that ended, or one that is still open.
#[derive(Debug)]
pub(crate) struct Ended {
    session: Key,
    number: u32,
    status: Status,
    level: Level,
    begin: i64,
    end: Option<i64>,
    statements: Vec<Box<str>>,
    events: Vec<Event>,
}

/// About how many bytes the texts of a key and a value take.
pub(crate) fn texts(key: &Key, value: &Value) -> usize {
    let text = |length: usize| length + 2 * size_of::<usize>();
    let key = match key {
        Key::Int(_) => 0,
        Key::Text(name) => text(name.len()),
    };
    let value = match value {
        Value::Text(value) | Value::Json(value) => text(value.len()),
        Value::Null | Value::Bool(_) | Value::Int(_) => 0,
    };
    key + value
}

impl Ended {
    /// The least that an event takes, in bytes.
    pub(crate) const EVENT: usize = size_of::<Event>();

    /// About how many bytes it takes. The texts of keys and values are mostly the store's own as well, and count
    /// all the same: they stay when it has others.
    pub(crate) fn size(&self) -> usize {
        let events = self.events.iter().map(|event| Ended::EVENT + texts(&event.key, &event.value));
        let statements = self.statements.iter().map(|text| text.len() + size_of::<Box<str>>());
        size_of::<Ended>() + events.sum::<usize>() + statements.sum::<usize>()
    }

    /// Its number.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Leaves out what it read from transactions that nobody knows any more.
    pub(crate) fn record_of_known(&self, known: &HashSet<u32>) -> TxnRecord {
        let mut record = self.record();
        let mut froms = self.events.iter().map(|event| event.from);
        record.events.retain(|_| {
            froms.next().flatten().is_none_or(|from| from == INIT || known.contains(&from))
        });
        record
    }

    pub(crate) fn new(
        open: &Open,
        session: Key,
        status: Status,
        level: Level,
        end: Option<i64>,
        keys: &Keys,
    ) -> Ended {
        let mut events: Vec<_> = open.events.iter().collect();
        // A scan's reads of keys that came up later belong to the scan.
        if !open.scans.is_empty() {
            events.sort_by_key(|event| event.step);
        }
        let searched = searches(&events);
        let events = events.into_iter().zip(searched).map(|(event, searched)| Event {
            kind: event.kind,
            key: keys.get(event.key).name.clone(),
            value: event.value.clone(),
            from: event.from,
            lock: event.lock || searched,
            step: event.step,
            statement: event.statement(),
        });
        Ended {
            session,
            number: open.number,
            status,
            level,
            begin: open.begin,
            end,
            statements: open.statements.clone(),
            events: events.collect(),
        }
    }

    pub(crate) fn record(&self) -> TxnRecord {
        let events = self.events.iter().map(|event| EventRecord {
            kind: event.kind,
            key: event.key.clone(),
            value: event.value.clone(),
            writer: event.from.map(|from| WriterRecord::Name(name(from))),
            lock: event.lock,
            statement: event.statement,
        });
        TxnRecord {
            session: self.session.clone(),
            name: Some(name(self.number)),
            status: self.status,
            level: Some(self.level),
            begin: Some(self.begin),
            end: self.end,
            statements: self.statements.clone(),
            events: events.collect(),
            line: 0,
        }
    }
}

/// The ranges that transactions of an engine read which ended a short while ago.
///
/// Two sessions look for a booking and find none; one books and commits, then the other does. The second
/// one's row was absent for the first, who was gone when its key came up: only the range tells.
#[derive(Debug, Default)]
pub(crate) struct RecentScans {
    /// Each with the place of its transaction among those that ended.
    scans: VecDeque<(Vec<Scanned>, usize)>,
}

impl RecentScans {
    /// How many transactions are remembered.
    const MOST: usize = 64;

    pub(crate) fn add(&mut self, scans: Vec<Scanned>, ended: usize) {
        if scans.is_empty() {
            return;
        }
        if self.scans.len() == RecentScans::MOST {
            self.scans.pop_front();
        }
        self.scans.push_back((scans, ended));
    }

    /// A key came up that nobody has written: whoever read a range with it, and overlapped a transaction
    /// that is open, read it as absent. `oldest` is when the first of those began.
    pub(crate) fn came_up(&self, key: &Key, oldest: i64, past: &mut Past) {
        for (scans, at) in self.scans.iter().rev() {
            let Some(ended) = past.get_mut(*at) else { return };
            if ended.end.is_some_and(|end| end < oldest) {
                return;
            }
            let scan = scans.iter().find(|scan| scan.range.contains(key));
            if let Some(&Scanned { step, statement, .. }) = scan
                && !ended.events.iter().any(|event| event.key == *key)
            {
                let (kind, value, from, lock) = (Kind::Read, Value::Null, Some(INIT), false);
                let place = ended.events.partition_point(|event| event.step <= step);
                let key = key.clone();
                let event = Event { kind, key, value, from, lock, step, statement };
                ended.events.insert(place, event);
            }
        }
    }
}

/// Which of these are reads that only found a row: those of a key that the same statement locks later.
///
/// An UPDATE finds its rows in a snapshot, locks each and decides on the newest version. The search is
/// no read of the application's, which never learns what was found, and so belongs to the locking read.
/// What the statement looked at and left alone stays a plain read.
fn searches(events: &[&OpenEvent]) -> Vec<bool> {
    let mut searched = vec![false; events.len()];
    if !events.iter().any(|event| event.locks_found) {
        return searched;
    }
    let mut locked: HashSet<(u32, Option<u32>)> = HashSet::new();
    for (event, searched) in events.iter().zip(&mut searched).rev() {
        let place = (event.key, event.statement());
        if event.locks_found {
            locked.insert(place);
        }
        *searched = event.from.is_some() && locked.contains(&place);
    }
    searched
}

/// The name of a transaction in a history.
fn name(number: u32) -> String {
    match number {
        INIT => "init".to_owned(),
        number => format!("t{number}"),
    }
}

/// The history of a header and transactions.
pub(crate) fn history(header: &Header, ended: impl Iterator<Item = TxnRecord>) -> History {
    let mut builder = HistoryBuilder::new();
    for (key, value) in &header.initial {
        let key = builder.key(key);
        builder.initial(key, value).expect("initial values are given once a key");
    }
    for record in ended {
        record.add_to(&mut builder).expect("names are unique and writers known");
    }
    builder.finish().expect("every read names a transaction of the store")
}
