//! A history as plain text fields, to compare two by.

use std::collections::BTreeMap;

use hobgoblin_core::{History, Key, Kind, Status, TxnId};

use crate::notation::meaning_of;

/// All that a history says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Plain {
    /// What every key starts as.
    pub(crate) initial: BTreeMap<String, String>,
    /// Numbers of transactions by session, in session order.
    pub(crate) sessions: BTreeMap<String, Vec<usize>>,
    pub(crate) txns: Vec<PlainTxn>,
    /// Numbers of transactions by key, oldest first.
    pub(crate) order: BTreeMap<String, Vec<usize>>,
    /// Columns and key by table, table and columns and whether it is unique by index.
    pub(crate) tables: BTreeMap<String, (Vec<String>, Vec<String>)>,
    pub(crate) indexes: BTreeMap<String, (String, Vec<String>, bool)>,
    /// The numbers of the transactions that are init.
    pub(crate) initial_txns: Vec<usize>,
}

#[derive(Debug, Default, PartialEq, Clone)]
pub(crate) struct PlainTxn {
    pub(crate) session: String,
    pub(crate) name: Option<String>,
    pub(crate) status: String,
    pub(crate) level: Option<String>,
    pub(crate) begin: Option<i64>,
    pub(crate) end: Option<i64>,
    pub(crate) statements: Vec<String>,
    pub(crate) events: Vec<PlainEvent>,
}

#[derive(Debug, Default, PartialEq, Clone)]
pub(crate) struct PlainEvent {
    pub(crate) write: bool,
    pub(crate) key: String,
    /// What the value means as JSON.
    pub(crate) value: String,
    /// The number of the writer that a read names; 0 is init.
    pub(crate) writer: Option<usize>,
    pub(crate) lock: bool,
    pub(crate) statement: Option<u32>,
    pub(crate) at: Option<i64>,
}

/// A key or session that is an integer.
pub(crate) fn int(n: i64) -> String {
    format!("#{n}")
}

/// A key or session that is a text.
pub(crate) fn text(name: &str) -> String {
    format!("{name:?}")
}

/// A key that is a natural number; past 63 bits it is a text.
pub(crate) fn natural(n: u64) -> String {
    i64::try_from(n).map_or_else(|_| text(&n.to_string()), int)
}

fn name_of(key: &Key) -> String {
    match key {
        Key::Int(n) => int(*n),
        Key::Text(name) => text(name),
    }
}

impl PlainEvent {
    pub(crate) fn new(write: bool, key: String, value: String) -> PlainEvent {
        PlainEvent { write, key, value, ..PlainEvent::default() }
    }
}

impl PlainTxn {
    pub(crate) fn new(session: String, status: &str) -> PlainTxn {
        PlainTxn { session, status: status.to_owned(), ..PlainTxn::default() }
    }
}

impl Plain {
    /// What a history says, by its public interface.
    pub(crate) fn of(history: &History) -> Plain {
        let numbers = |txns: &[TxnId]| txns.iter().map(|t| t.index()).collect::<Vec<usize>>();
        let mut plain = Plain { initial_txns: numbers(history.initial_txns()), ..Plain::default() };
        let texts = |names: &[Box<str>]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        for (name, table) in &history.schema().tables {
            let known = (texts(&table.columns), texts(&table.key));
            plain.tables.insert(name.to_string(), known);
        }
        for (name, index) in &history.schema().indexes {
            let known = (index.table.to_string(), texts(&index.columns), index.unique);
            plain.indexes.insert(name.to_string(), known);
        }
        for key in history.keys() {
            let name = name_of(history.key(key));
            plain.initial.insert(name.clone(), meaning_of(&history.initial(key).to_string()));
            if let Some(order) = history.order(key) {
                plain.order.insert(name, numbers(order));
            }
        }
        for session in history.sessions() {
            let txns = numbers(history.session_txns(session));
            // A session without transactions says nothing.
            if !txns.is_empty() {
                plain.sessions.insert(name_of(history.session(session)), txns);
            }
        }
        for txn in history.txns() {
            let session = history.session_of(txn).expect("only init has none");
            let status = match history.status(txn) {
                Status::Committed => "committed",
                Status::Aborted => "aborted",
                Status::Unknown => "unknown",
            };
            plain.txns.push(PlainTxn {
                name: history.given_name(txn).map(str::to_owned),
                level: history.level(txn).map(|level| level.name().to_owned()),
                begin: history.begin(txn),
                end: history.end(txn),
                statements: history.statements(txn).iter().map(ToString::to_string).collect(),
                events: history.event_ids(txn).map(|event| event_of(history, event)).collect(),
                ..PlainTxn::new(name_of(history.session(session)), status)
            });
        }
        plain
    }

    /// Fills in sessions, and what keys start as where nothing is said of it.
    pub(crate) fn complete(mut self, initial: &str) -> Plain {
        for (at, txn) in self.txns.iter().enumerate() {
            self.sessions.entry(txn.session.clone()).or_default().push(at + 1);
            for event in &txn.events {
                self.initial.entry(event.key.clone()).or_insert_with(|| initial.to_owned());
            }
        }
        self
    }

    /// Makes what is the first of its session, committed, and does nothing but to write 0 to every key once the
    /// initial transaction. Of several, those are it that are alone in their session.
    pub(crate) fn recognise_initial(mut self) -> Plain {
        let keys = self.initial.len();
        let fits = |&at: &usize| {
            let txn = &self.txns[at - 1];
            let mut written: Vec<&str> = txn.events.iter().map(|e| e.key.as_str()).collect();
            written.sort_unstable();
            written.dedup();
            txn.status == "committed"
                && txn.events.iter().all(|e| e.write && e.value == "0")
                && written.len() == keys
                && txn.events.len() == keys
                && keys > 0
        };
        let mut found: Vec<usize> = self.sessions.values().map(|s| s[0]).filter(fits).collect();
        if found.len() > 1 {
            let alone = |at: &usize| self.sessions[&self.txns[at - 1].session].len() == 1;
            found.retain(alone);
        }
        found.sort_unstable();
        for &at in &found {
            for event in std::mem::take(&mut self.txns[at - 1].events) {
                self.initial.insert(event.key, "0".to_owned());
            }
        }
        self.initial_txns = found;
        self
    }
}

fn event_of(history: &History, event: hobgoblin_core::EventId) -> PlainEvent {
    let packed = history.event(event);
    PlainEvent {
        write: packed.kind() == Kind::Write,
        key: name_of(history.key(packed.key())),
        value: meaning_of(&history.value(event).to_string()),
        writer: history.writer_given(event).map(|txn| txn.index()),
        lock: history.is_locking(event),
        statement: history.statement_of(event),
        at: history.at(event),
    }
}
