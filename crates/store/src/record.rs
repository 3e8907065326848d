//! The history of a store: transactions that ended, as they will be written.

use hashbrown::HashSet;
use hobgoblin_core::{History, HistoryBuilder, Key, Kind, Level, Status, Value, sort_by};
use hobgoblin_format::{EventRecord, Header, TxnRecord, WriterRecord};

use crate::event::PastEvent;
use crate::ids::{KeyNo, TxnNo};
use crate::keys::Keys;
use crate::open::{Open, OpenEvent, Scanned};

/// A transaction that has ended, or one that is still open, as the history will have it.
#[derive(Debug)]
pub(crate) struct Ended {
    session: Key,
    number: TxnNo,
    status: Status,
    level: Level,
    begin: i64,
    end: Option<i64>,
    statements: Vec<Box<str>>,
    events: Vec<PastEvent>,
}

impl Ended {
    /// About how many bytes it takes. The texts of keys and values are mostly the store's own as well, and count
    /// all the same: they stay when it has others.
    pub(crate) fn size(&self) -> usize {
        let events = self.events.iter().map(|event| PastEvent::size(&event.key, &event.value));
        let statements = self.statements.iter().map(|text| text.len() + size_of::<Box<str>>());
        size_of::<Ended>() + events.sum::<usize>() + statements.sum::<usize>()
    }

    /// Whether it ended before the request with this number.
    pub(crate) fn ended_before(&self, request: i64) -> bool {
        self.end.is_some_and(|end| end < request)
    }

    /// Notes that a key came up in a range that it has scanned: it read the key as absent, unless
    /// it knows it otherwise.
    pub(crate) fn came_up(&mut self, key: &Key, scan: &Scanned) {
        if self.events.iter().any(|event| event.key == *key) {
            return;
        }
        let place = self.events.partition_point(|event| event.at <= scan.at);
        let event = PastEvent {
            kind: Kind::Read,
            key: key.clone(),
            value: Value::Null,
            from: Some(TxnNo::INIT),
            lock: false,
            at: scan.at,
            statement: scan.statement,
        };
        self.events.insert(place, event);
    }

    /// Its number in the order of begins.
    pub(crate) fn number(&self) -> TxnNo {
        self.number
    }

    /// The record for a history, without its reads from transactions that are not in `known`, which
    /// is sorted.
    pub(crate) fn record_of_known(&self, known: &[TxnNo]) -> TxnRecord {
        let mut record = self.record();
        let mut froms = self.events.iter().map(|event| event.from);
        record.events.retain(|_| {
            froms
                .next()
                .flatten()
                .is_none_or(|from| from == TxnNo::INIT || known.binary_search(&from).is_ok())
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
            sort_by(&mut events, |a, b| a.at.cmp(&b.at));
        }
        let searched = searches(&events);
        let events = events.into_iter().zip(searched).map(|(event, searched)| PastEvent {
            kind: event.kind,
            key: keys.get(event.key).name.clone(),
            value: event.value.clone(),
            from: event.from,
            lock: event.lock || searched,
            at: event.at,
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
            at: Some(event.at),
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
    let mut locked: HashSet<(KeyNo, Option<u32>)> = HashSet::new();
    for (event, searched) in events.iter().zip(&mut searched).rev() {
        let place = (event.key, event.statement());
        if event.locks_found {
            locked.insert(place);
        }
        *searched = event.from.is_some() && locked.contains(&place);
    }
    searched
}

/// The name that a transaction has in a history.
fn name(number: TxnNo) -> String {
    match number {
        TxnNo::INIT => "init".to_owned(),
        number => format!("t{}", number.raw()),
    }
}

/// The history that has this header and these transactions.
pub(crate) fn history(header: &Header, ended: impl Iterator<Item = TxnRecord>) -> History {
    let mut builder = HistoryBuilder::new();
    for (key, value) in &header.initial {
        let key = builder.key(key);
        builder.initial(key, value).expect("initial values are given once a key");
    }
    builder.schema(header.schema.clone());
    for record in ended {
        record.add_to(&mut builder).expect("names are unique and writers known");
    }
    builder.finish().expect("every read names a transaction of the store")
}
