//! Transactions as plain owned values, for those who take or make them one at a time: following a
//! file that grows, or writing a generated history that would not fit in memory.

use hobgoblin_core::{
    EventId, EventInfo, History, HistoryBuilder, HistoryError, Key, Kind, Level, Schema, Status,
    TxnId, TxnInfo, Value, Writer,
};

use crate::parsed::{EventSink, ParsedEvent, ParsedTxn, Reference};

/// What a file says before its transactions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The initial values of keys; the others start as null.
    pub initial: Vec<(Key, Value)>,
    /// The known version orders of keys: ids of transactions, oldest first.
    pub order: Vec<(Key, Vec<Box<str>>)>,
    /// What is known of tables and indexes.
    pub schema: Schema,
}

/// One transaction of a file, with all that is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TxnRecord {
    /// The name of its session.
    pub session: Key,
    /// Its id, if it has one.
    pub name: Option<String>,
    /// What became of it.
    pub status: Status,
    /// The level it asked for.
    pub level: Option<Level>,
    /// When it began, in nanoseconds.
    pub begin: Option<i64>,
    /// When it ended, in nanoseconds.
    pub end: Option<i64>,
    /// Its SQL statements.
    pub statements: Vec<Box<str>>,
    /// Its events, in program order.
    pub events: Vec<EventRecord>,
    /// Its line in the file, from 1; 0 for none.
    pub line: u32,
}

/// One event of a [`TxnRecord`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// Whether it reads or writes.
    pub kind: Kind,
    /// What it reads or writes.
    pub key: Key,
    /// The value read or written.
    pub value: Value,
    /// Whom a read says it read from.
    pub writer: Option<WriterRecord>,
    /// Whether a read took a lock.
    pub lock: bool,
    /// The index of its statement among its transaction's.
    pub statement: Option<u32>,
    /// Its place in the order of the log, by the clock of its transaction's begin and end.
    pub at: Option<i64>,
}

/// Whom a read says it read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriterRecord {
    /// The transaction of this id; `init` is the one before all others.
    Name(String),
    /// The transaction of this number in the file, from 1, for those without an id.
    Number(u32),
}

impl Header {
    /// What a history says before its transactions.
    pub fn of(history: &History) -> Header {
        let given = history.keys().filter(|&key| history.initial_given(key));
        let initial = given.map(|key| (history.key(key).clone(), history.initial(key))).collect();
        let names = |key| {
            let order = history.order(key).unwrap_or_default();
            order.iter().map(|&txn| history.name(txn).into()).collect()
        };
        let keys = history.ordered_keys();
        let order = keys.map(|key| (history.key(key).clone(), names(key))).collect();
        Header { initial, order, schema: history.schema().clone() }
    }
}

impl TxnRecord {
    /// An empty committed transaction of a session.
    pub fn new(session: Key) -> TxnRecord {
        TxnRecord {
            session,
            name: None,
            status: Status::Committed,
            level: None,
            begin: None,
            end: None,
            statements: Vec::new(),
            events: Vec::new(),
            line: 0,
        }
    }

    /// A transaction of a history.
    pub fn of(history: &History, txn: TxnId) -> TxnRecord {
        let session = history.session_of(txn).expect("init is not written as a transaction");
        TxnRecord {
            session: history.session(session).clone(),
            name: history.given_name(txn).map(str::to_owned),
            status: history.status(txn),
            level: history.level(txn),
            begin: history.begin(txn),
            end: history.end(txn),
            statements: history.statements(txn).to_vec(),
            events: history.event_ids(txn).map(|event| EventRecord::of(history, event)).collect(),
            line: history.line(txn),
        }
    }

    /// Adds this transaction to a history that is being built.
    pub fn add_to(self, builder: &mut HistoryBuilder) -> Result<TxnId, HistoryError> {
        let session = builder.session(&self.session);
        builder.begin(session);
        for event in self.events {
            let key = builder.key(&event.key);
            let id = builder.event(event.kind, key, &event.value);
            let writer = match &event.writer {
                None => None,
                Some(WriterRecord::Name(name)) => Some(Writer::Name(name)),
                Some(WriterRecord::Number(number)) if number >> 30 == 0 => {
                    Some(Writer::Txn(TxnId::new(*number as usize)))
                }
                Some(WriterRecord::Number(number)) => {
                    let (name, line) = (format!("#{number}"), self.line);
                    return Err(HistoryError::UnknownWriter { name, line });
                }
            };
            let (lock, statement, at) = (event.lock, event.statement, event.at);
            builder.describe(id, EventInfo { writer, lock, statement, at, line: 0 })?;
        }
        builder.end(TxnInfo {
            name: self.name.as_deref(),
            status: self.status,
            level: self.level,
            begin: self.begin,
            end: self.end,
            statements: self.statements,
            line: self.line,
        })
    }
}

impl EventRecord {
    /// A read or write with nothing more to say.
    pub fn new(kind: Kind, key: Key, value: Value) -> EventRecord {
        EventRecord { kind, key, value, writer: None, lock: false, statement: None, at: None }
    }

    fn of(history: &History, event: EventId) -> EventRecord {
        let packed = history.event(event);
        let writer = history.writer_given(event).map(|txn| match history.given_name(txn) {
            _ if txn == TxnId::INIT => WriterRecord::Name("init".to_owned()),
            Some(name) => WriterRecord::Name(name.to_owned()),
            None => WriterRecord::Number(txn.raw()),
        });
        EventRecord {
            kind: packed.kind(),
            key: history.key(packed.key()).clone(),
            value: history.value(event),
            writer,
            lock: history.is_locking(event),
            statement: history.statement_of(event),
            at: history.at(event),
        }
    }
}

/// Collects events into records.
impl EventSink for Vec<EventRecord> {
    fn event(&mut self, event: ParsedEvent<'_>) -> Result<(), HistoryError> {
        if event.kind == Kind::Write && event.writer.is_some() {
            return Err(HistoryError::WriterOfWrite { line: event.line });
        }
        let writer = event.writer.map(|writer| match writer {
            Reference::Name(name) => WriterRecord::Name(name.into_owned()),
            Reference::Number(number) => WriterRecord::Number(number),
        });
        self.push(EventRecord {
            kind: event.kind,
            key: event.key.into(),
            value: event.value.into(),
            writer,
            lock: event.lock,
            statement: event.statement,
            at: event.at,
        });
        Ok(())
    }
}

impl TxnRecord {
    pub(crate) fn from_parsed(txn: ParsedTxn<'_>, events: Vec<EventRecord>) -> TxnRecord {
        TxnRecord {
            session: txn.session.into(),
            name: txn.name.map(|name| name.into_owned()),
            status: txn.status,
            level: txn.level,
            begin: txn.begin,
            end: txn.end,
            statements: txn.statements,
            events,
            line: txn.line,
        }
    }
}
