//! What a foreign format cannot say.
//!
//! Most formats know sessions, transactions, reads and writes, and nothing else. A writer first calls
//! [`Refusal::check`] with what its format lacks; what would be lost is refused with a reason, since
//! a history that silently means something else is worse than none. Labels are no loss: the ids of
//! transactions, the names of sessions, lines, places, SQL statements and columns do not change any answer.

#[cfg(test)]
pub(crate) mod testing;

use std::collections::HashMap;

use hobgoblin_core::{EventId, History, Key, Source, Status, TxnId, Value};

use crate::Format;
use crate::error::WriteError;

/// The extras a format has room for; everything else about a history beyond its reads and writes
/// is refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    /// The format that refuses.
    pub(crate) format: Format,
    /// Whether it has aborted transactions.
    pub(crate) aborted: bool,
    /// Whether it has transactions of unknown status.
    pub(crate) unknown: bool,
    /// Whether it has begin and end times.
    pub(crate) times: bool,
}

impl Refusal {
    /// The error of a history with something in it that the format cannot express.
    pub(crate) fn because(&self, what: impl Into<String>) -> WriteError {
        WriteError::Inexpressible { format: self.format, what: what.into() }
    }

    /// Refuses a history with levels, locks, version orders, writers that matter, or statuses and
    /// times the format lacks.
    pub(crate) fn check(&self, history: &History) -> Result<(), WriteError> {
        for txn in history.txns() {
            let name = || history.name(txn);
            match history.status(txn) {
                Status::Aborted if !self.aborted => {
                    return Err(self.because(format!("the aborted transaction {}", name())));
                }
                Status::Unknown if !self.unknown => {
                    return Err(self.because(format!("{}, whose status is unknown", name())));
                }
                _ => {}
            }
            if history.level(txn).is_some() {
                return Err(self.because(format!("the level {} asked for", name())));
            }
            if !self.times && (history.begin(txn).is_some() || history.end(txn).is_some()) {
                return Err(self.because(format!("the begin and end times of {}", name())));
            }
        }
        if let Some(key) = history.ordered_keys().next() {
            let key = history.key(key);
            return Err(self.because(format!("the version order of {key}")));
        }
        self.check_events(history)
    }

    fn check_events(&self, history: &History) -> Result<(), WriteError> {
        let mut writers = None;
        for txn in history.txns() {
            for event in history.event_ids(txn) {
                let describe = || {
                    let key = history.key(history.event(event).key());
                    format!("read of {key} in {}", history.name(txn))
                };
                if history.is_locking(event) {
                    return Err(self.because(format!("the locking {}", describe())));
                }
                if let Some(given) = history.writer_given(event) {
                    let writers = writers.get_or_insert_with(|| Writers::new(history));
                    if !writers.tell(history, event, given) {
                        return Err(self.because(format!(
                            "the writer that the {} names, which its value alone does not tell",
                            describe()
                        )));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Who wrote each value last, to tell whether a named writer says more than the value does.
struct Writers {
    /// The one transaction whose last write of its key this datum is; `None` for several.
    by_datum: HashMap<u32, Option<TxnId>>,
}

impl Writers {
    fn new(history: &History) -> Writers {
        let mut by_datum = HashMap::new();
        for txn in history.txns().filter(|&t| history.status(t) != Status::Aborted) {
            for event in history.events(txn).iter().filter(|e| e.is_final_write()) {
                by_datum.entry(event.datum()).and_modify(|w| *w = None).or_insert(Some(txn));
            }
        }
        Writers { by_datum }
    }

    /// Whether the value of a read alone says that it read from `given`.
    fn tell(&self, history: &History, event: EventId, given: TxnId) -> bool {
        match history.source(event) {
            Source::Internal => return true,
            Source::Txn(_) => {}
            _ => return false,
        }
        let datum = history.event(event).datum();
        let initial = history.initial(history.event(event).key()) == history.value(event);
        match self.by_datum.get(&datum) {
            None => initial && given == TxnId::INIT,
            Some(only) => !initial && *only == Some(given),
        }
    }
}

/// The natural number that a value is, also past what [`Value::Int`] holds.
pub(crate) fn as_u64(value: &Value) -> Option<u64> {
    match value {
        Value::Int(n) => u64::try_from(*n).ok(),
        Value::Json(text) => text.parse().ok(),
        _ => None,
    }
}

/// The value of a natural number; past `i64` it is kept as JSON text.
pub(crate) fn from_u64(n: u64) -> Value {
    match i64::try_from(n) {
        Ok(n) => Value::Int(n),
        Err(_) => Value::Json(n.to_string().into()),
    }
}

/// The name of a key or session as a value, to be shown as JSON.
pub(crate) fn key_value(key: &Key) -> Value {
    match key {
        Key::Int(n) => Value::Int(*n),
        Key::Text(text) => Value::Text(text.clone()),
    }
}
