//! DBCop's three formats [Biswas 2019].
//!
//! The first DBCop wrote `history.bincode`; its rewrite reads JSON and, for people, `.hist` text. All
//! three say the same: sessions of transactions of reads and writes, each transaction committed or
//! not. The two newer ones share the type [`Draft`], because in them the initial value has two names:
//!
//! ```text
//! [x==?]    a read that found x uninitialised
//! [x==0]    the same, unless some transaction writes x:=0
//! ```
//!
//! So whether 0 is the initial value of a key is known only at the end of the file. A key with reads
//! of 0 and no write of 0 starts as 0, and its `x==?` read 0 too; every other key starts as null. Where a
//! transaction writes 0 to every key and nobody found one uninitialised, it is the initial transaction
//! ([`initial`]).

mod bincode;
mod hist;
mod json;
#[cfg(test)]
mod tests;

use hobgoblin_core::{
    EventId, History, HistoryBuilder, HistoryError, Key, KeyId, Kind, SessionId, Status, TxnInfo,
    Value,
};

use crate::error::WriteError;
use crate::initial;
use crate::refuse::{Refusal, as_u64, from_u64};

pub(crate) use bincode::{
    looks_like as looks_like_bincode, read as read_bincode, write as write_bincode,
};
pub(crate) use hist::{looks_like as looks_like_hist, read as read_hist, write as write_hist};
pub(crate) use json::{looks_like as looks_like_json, read as read_json, write as write_json};

/// A history as the newer DBCop writes it, before it is known which keys start as 0.
#[derive(Debug, Default)]
struct Draft {
    builder: HistoryBuilder,
    events: Vec<(Kind, KeyId, Option<u64>)>,
    txns: Vec<DraftTxn>,
    sessions: i64,
}

#[derive(Debug)]
struct DraftTxn {
    session: SessionId,
    committed: bool,
    line: u32,
    /// Where its events end among those of the draft.
    end: usize,
}

impl Draft {
    /// Begins the next session.
    fn session(&mut self) -> SessionId {
        let session = self.builder.session(&Key::Int(self.sessions));
        self.sessions += 1;
        session
    }

    /// Adds an event to the transaction that ends next; the version of a read may be unknown.
    fn event(&mut self, kind: Kind, key: &Key, version: Option<u64>) {
        let key = self.builder.key(key);
        self.events.push((kind, key, version));
    }

    fn end(&mut self, session: SessionId, committed: bool, line: u64) {
        let line = u32::try_from(line).unwrap_or(0);
        self.txns.push(DraftTxn { session, committed, line, end: self.events.len() });
    }

    fn finish(mut self) -> Result<History, HistoryError> {
        let zero = Zeroes::new(self.events.iter().copied());
        for key in (0..zero.read.len()).filter(|&k| zero.initial(k)) {
            self.builder.initial(KeyId::new(key), &Value::Int(0))?;
        }
        let mut start = 0;
        for txn in &self.txns {
            self.builder.begin(txn.session);
            for &(kind, key, version) in &self.events[start..txn.end] {
                let version = match version {
                    None if zero.initial(key.index()) => Some(0),
                    version => version,
                };
                let value = version.map_or(Value::Null, from_u64);
                self.builder.event(kind, key, &value);
            }
            start = txn.end;
            let status = if txn.committed { Status::Committed } else { Status::Aborted };
            self.builder.end(TxnInfo { status, line: txn.line, ..TxnInfo::default() })?;
        }
        // Who found a key uninitialised came before whoever wrote 0 to it.
        if self.events.iter().all(|(_, _, version)| version.is_some()) {
            initial::recognise(&mut self.builder)?;
        }
        self.builder.finish()
    }
}

/// Which keys are read as 0, and which are written 0.
#[derive(Debug, Default)]
struct Zeroes {
    read: Vec<bool>,
    written: Vec<bool>,
}

impl Zeroes {
    fn new(events: impl Iterator<Item = (Kind, KeyId, Option<u64>)>) -> Zeroes {
        let mut zero = Zeroes::default();
        for (kind, key, version) in events {
            if key.index() >= zero.read.len() {
                zero.read.resize(key.index() + 1, false);
                zero.written.resize(key.index() + 1, false);
            }
            if version == Some(0) {
                match kind {
                    Kind::Read => zero.read[key.index()] = true,
                    Kind::Write => zero.written[key.index()] = true,
                }
            }
        }
        zero
    }

    /// Whether 0 is a key's initial value.
    fn initial(&self, key: usize) -> bool {
        self.read[key] && !self.written[key]
    }
}

/// Refuses initial values that reading back would not find again.
fn check_initial(history: &History, refusal: &Refusal) -> Result<(), WriteError> {
    let events = history.txns().flat_map(|t| history.event_ids(t)).map(|e| {
        let event = history.event(e);
        (event.kind(), event.key(), as_u64(&history.value(e)))
    });
    let zero = Zeroes::new(events);
    for key in history.keys() {
        let (read, written) = match zero.read.get(key.index()) {
            Some(&read) => (read, zero.written[key.index()]),
            None => (false, false),
        };
        let name = history.key(key);
        match history.initial(key) {
            Value::Null if read && !written => {
                return Err(refusal.because(format!("a read of {name}=0, which nobody wrote")));
            }
            Value::Int(0) if written => {
                let what = format!("{name}=0 as both the initial value and a written one");
                return Err(refusal.because(what));
            }
            Value::Null | Value::Int(0) => {}
            value => return Err(refusal.because(format!("the initial value {value} of {name}"))),
        }
    }
    Ok(())
}

/// The version of an event, `None` for a read of the uninitialised key.
fn version_of(
    history: &History,
    event: EventId,
    refusal: &Refusal,
) -> Result<Option<u64>, WriteError> {
    let (value, key) = (history.value(event), history.event(event).key());
    let initial = !history.event(event).is_write() && value == history.initial(key);
    match as_u64(&value) {
        Some(version) => Ok(Some(version)),
        None if value == Value::Null && initial => Ok(None),
        None => {
            let (name, key) = (history.name(history.txn_of(event)), history.key(key));
            Err(refusal.because(format!(
                "the value {value} of {key} in {name}; versions are natural numbers"
            )))
        }
    }
}
