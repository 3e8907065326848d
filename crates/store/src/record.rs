//! The history of a store: transactions that ended, as they will be written.

use hobgoblin_core::{History, HistoryBuilder, Key, Kind, Level, Status, Value};
use hobgoblin_format::{EventRecord, Header, TxnRecord, WriterRecord};

use crate::keys::{INIT, Keys};
use crate::open::Open;

/// An event of a transaction that ended.
#[derive(Debug)]
struct Event {
    kind: Kind,
    key: Key,
    value: Value,
    from: Option<u32>,
    lock: bool,
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

impl Ended {
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
        let events = events.into_iter().map(|event| Event {
            kind: event.kind,
            key: keys.get(event.key).name.clone(),
            value: event.value.clone(),
            from: event.from,
            lock: event.lock,
            statement: event.statement,
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
