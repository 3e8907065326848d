//! Writing logs: a file `T<n>.log` a session. The value of a write is its write id too, so values have
//! to be integers and unique by key.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use hobgoblin_core::{EventId, History, Key, Status, TxnId, Value};

use super::log::{COLLECTED, INIT, NULL, UNKNOWN};
use super::log_files;
use crate::Format;
use crate::error::WriteError;
use crate::refuse::Refusal;

const REFUSAL: Refusal =
    Refusal { format: Format::Cobra, aborted: false, unknown: true, times: false };

/// Writes a directory of logs, which may exist but must hold none yet.
pub(crate) fn write(history: &History, directory: &Path) -> Result<(), WriteError> {
    let versions = Versions::new(history)?;
    // Everything is encoded before the first file is made: a refusal leaves no half of a history.
    let mut logs = Vec::new();
    let names = file_names(history);
    for (session, name) in history.sessions().zip(names) {
        let mut log = Vec::new();
        for &txn in history.session_txns(session) {
            versions.encode(history, txn, &mut log)?;
        }
        logs.push((name, log));
    }
    fs::create_dir_all(directory)?;
    if let Some(stale) = log_files(directory)?.first() {
        let message = format!("{} is there already; name an empty directory", stale.display());
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, message).into());
    }
    for (name, log) in logs {
        let mut file = BufWriter::new(fs::File::create(directory.join(name))?);
        file.write_all(&log)?;
        file.flush()?;
    }
    Ok(())
}

/// Sessions keep their numbers if all have one.
fn file_names(history: &History) -> Vec<String> {
    let given = |s| match history.session(s) {
        Key::Int(n) if *n >= 0 => Some(format!("T{n}.log")),
        _ => None,
    };
    let given: Option<Vec<String>> = history.sessions().map(given).collect();
    given.unwrap_or_else(|| history.sessions().map(|s| format!("T{s}.log")).collect())
}

/// Transactions keep their ids if all are numbers.
fn ids(history: &History) -> Vec<i64> {
    let given = |t| -> Option<i64> {
        let name = history.given_name(t)?;
        let id = name.parse().ok().filter(|id| ![INIT, NULL, UNKNOWN].contains(id))?;
        (id.to_string() == name).then_some(id)
    };
    let mut ids = vec![INIT];
    match history.txns().map(given).collect::<Option<Vec<i64>>>() {
        Some(given) => ids.extend(given),
        None => ids.extend(history.txns().map(|t| i64::from(t.raw()))),
    }
    ids
}

struct Versions {
    /// Cobra's number of each transaction.
    ids: Vec<i64>,
    /// Who wrote each datum.
    writer: HashMap<u32, TxnId>,
}

impl Versions {
    fn new(history: &History) -> Result<Versions, WriteError> {
        REFUSAL.check(history)?;
        let mut writer = HashMap::new();
        for txn in history.txns() {
            for id in history.event_ids(txn).filter(|&e| history.event(e).is_write()) {
                let event = history.event(id);
                let (key, value) = (history.key(event.key()), history.value(id));
                let twice = writer.insert(event.datum(), txn).is_some();
                if twice || history.initial(event.key()) == value {
                    let what =
                        format!("{key}={value}, which is written twice; versions are unique");
                    return Err(REFUSAL.because(what));
                }
            }
        }
        Ok(Versions { ids: ids(history), writer })
    }

    fn encode(&self, history: &History, txn: TxnId, log: &mut Vec<u8>) -> Result<(), WriteError> {
        record(log, b'S', &[self.ids[txn.index()]]);
        for event in history.event_ids(txn) {
            let name = history.key(history.event(event).key());
            let Key::Int(key) = *name else {
                return Err(REFUSAL.because(format!("the key {name}; keys are integers")));
            };
            self.encode_event(history, event, key, log)?;
        }
        if history.status(txn) == Status::Committed {
            record(log, b'C', &[self.ids[txn.index()]]);
        }
        Ok(())
    }

    fn encode_event(
        &self,
        history: &History,
        id: EventId,
        key: i64,
        log: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        let event = history.event(id);
        let value = history.value(id);
        let initial = value == history.initial(event.key());
        match value {
            Value::Null if initial && !event.is_write() => {
                record(log, b'R', &[NULL, NULL, key, 0]);
            }
            Value::Int(n) if initial => record(log, b'R', &[INIT, INIT, key, n]),
            Value::Int(n) if ![INIT, NULL, UNKNOWN].contains(&n) && !COLLECTED.contains(&n) => {
                if event.is_write() {
                    record(log, b'W', &[n, key, n]);
                } else {
                    let writer = self.writer.get(&event.datum());
                    let writer = writer.map_or(UNKNOWN, |txn| self.ids[txn.index()]);
                    record(log, b'R', &[writer, n, key, n]);
                }
            }
            value => {
                let name = history.name(history.txn_of(id));
                let what = format!("the value {value} of {key} in {name}");
                return Err(REFUSAL.because(what));
            }
        }
        Ok(())
    }
}

fn record(log: &mut Vec<u8>, tag: u8, numbers: &[i64]) {
    log.push(tag);
    for number in numbers {
        log.extend_from_slice(&number.to_be_bytes());
    }
}
