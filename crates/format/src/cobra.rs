//! Cobra's logs: a directory with one binary file a client [Tan 2020].
//!
//! Every `.log` file is a session, a sequence of records: a tag byte, then big-endian 64-bit numbers.
//!
//! ```text
//! S txn                            a transaction begins
//! W write_id key value             it wrote
//! R writer_txn write_id key value  it read what that transaction wrote
//! C txn                            it committed
//! ```
//!
//! A version is the pair of writer and write id, never the value, which is only a hash. So the value we
//! record is the *write id*, and a read names its writer where the write id alone leaves a choice. A
//! read of a version that is in no log is recorded as `[writer, write_id]`, which nobody wrote.
//!
//! Aborted transactions are not logged. One without `C` was under way when its client stopped, so its
//! status is unknown. Some numbers are special:
//!
//! | number | as | means |
//! | --- | --- | --- |
//! | `0xbebeebee` | writer and write id | the initial version |
//! | `0xdeadbeef` | writer and write id | nothing was there: also the initial version |
//! | `0x23332333`, `0x66666666` | write id of the initial version | Cobra's garbage collector asked |
//! | `0xabddefee` | writer, write id | unknown |
//!
//! A key with an unknown write id anywhere is known by its values instead. The initial value of a key is
//! what some read of its initial version returned, or null where none did.
//!
//! Cobra does not log the initial transaction, but PolySI writes it when it converts other histories to logs: the
//! first of a session, which writes every key with the value 0, while nobody reads an initial version.

mod log;
#[cfg(test)]
mod tests;
mod write;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hobgoblin_core::{
    EventInfo, History, HistoryBuilder, Key, Kind, Status, TxnInfo, Value, Writer,
};

use crate::error::{Failure, ParseError};
use crate::watch::{self, Watch, Watched};
use log::{COLLECTED, INIT, NULL, Op, Txn, UNKNOWN};

pub(crate) use write::write;

/// Whether a path is a directory with logs in it.
pub(crate) fn looks_like(path: &Path) -> bool {
    path.is_dir() && log_files(path).is_ok_and(|files| !files.is_empty())
}

/// Reads a directory of logs.
pub(crate) fn read(directory: &Path, watch: Watch<'_>) -> Result<History, Failure> {
    let files = log_files(directory)?;
    if files.is_empty() {
        let message = "the directory holds no `.log` files";
        return Err(
            ParseError::at(0, 0, message, "name the directory of the `T*.log` files").into()
        );
    }
    let mut sessions = Vec::new();
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        let opened = fs::File::open(&path);
        let read = opened.and_then(|file| Watched::new(file, watch).read_to_end(&mut bytes));
        read.map_err(|error| match watch::reason(&error) {
            Some(_) => error,
            None => io::Error::new(error.kind(), format!("{name}: {error}")),
        })?;
        let txns = log::parse(&bytes).map_err(|error| in_file(error, &name))?;
        sessions.push(Session { file: name, txns });
    }
    check_ids(&sessions)?;
    build(&sessions)
}

/// The logs of a directory, `T2.log` before `T10.log`.
fn log_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "log") && path.is_file() {
            files.push(path);
        }
    }
    files.sort_by_key(|path| (session_name(&path.to_string_lossy()), path.clone()));
    Ok(files)
}

fn in_file(mut error: ParseError, file: &str) -> ParseError {
    error.place.file = Some(file.into());
    error
}

#[derive(Debug)]
struct Session {
    file: String,
    txns: Vec<Txn>,
}

/// `T3.log` is session 3; other files give their names.
fn session_name(file: &str) -> Key {
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    match stem.strip_prefix('T').and_then(|digits| digits.parse::<i64>().ok()) {
        Some(n) if stem == format!("T{n}") => Key::Int(n),
        _ => stem.as_ref().into(),
    }
}

fn check_ids(sessions: &[Session]) -> Result<(), Failure> {
    let mut seen: HashMap<i64, &Session> = HashMap::new();
    for session in sessions {
        for txn in &session.txns {
            if let Some(first) = seen.insert(txn.id, session) {
                let error = ParseError::at_offset(
                    txn.offset,
                    format!("transaction {} is already in {}", txn.id, first.file),
                    "the logs of one run number their transactions apart; do not mix runs",
                );
                return Err(in_file(error, &session.file).into());
            }
        }
    }
    Ok(())
}

fn build(sessions: &[Session]) -> Result<History, Failure> {
    let versions = Versions::new(sessions);
    let initial = initial_txn(sessions);
    let mut builder = HistoryBuilder::new();
    let mut keys: Vec<_> = versions.initial.iter().collect();
    keys.sort_unstable();
    for (&key, &value) in keys {
        let key = builder.key_int(key);
        builder.initial(key, &Value::Int(value))?;
    }
    for session in sessions {
        let id = builder.session(&session_name(&session.file));
        for txn in &session.txns {
            builder.begin(id);
            for op in &txn.ops {
                let (kind, key, (value, writer)) = match *op {
                    Op::Write { write_id, key, value } => {
                        (Kind::Write, key, (versions.written(key, write_id, value), None))
                    }
                    Op::Read { writer, write_id, key, value } => {
                        (Kind::Read, key, versions.read(writer, write_id, key, value))
                    }
                };
                let key = builder.key_int(key);
                let event = builder.event(kind, key, &value);
                if let Some(writer) = writer {
                    let writer = Some(Writer::Name(&writer));
                    builder.describe(event, EventInfo { writer, ..EventInfo::default() })?;
                }
            }
            let status = if txn.committed { Status::Committed } else { Status::Unknown };
            let name = txn.id.to_string();
            let id = builder.end(TxnInfo { name: Some(&name), status, ..TxnInfo::default() })?;
            if initial == Some(txn.id) {
                builder.make_initial(id);
            }
        }
    }
    Ok(builder.finish()?)
}

/// The transaction that is the initial one, written out.
fn initial_txn(sessions: &[Session]) -> Option<i64> {
    let txns = || sessions.iter().flat_map(|s| &s.txns);
    let mut keys = HashSet::new();
    for op in txns().flat_map(|t| &t.ops) {
        match *op {
            Op::Read { writer: INIT | NULL, .. } => return None,
            Op::Write { key, .. } | Op::Read { key, .. } => keys.insert(key),
        };
    }
    let zero = |op: &Op| match *op {
        Op::Write { key, value: 0, .. } => Some(key),
        _ => None,
    };
    let fits = |txn: &&Txn| {
        let written: Option<HashSet<i64>> = txn.ops.iter().map(zero).collect();
        txn.committed && !txn.ops.is_empty() && written.is_some_and(|w| w.len() == keys.len())
    };
    let mut fitting = sessions.iter().filter_map(|s| s.txns.first()).filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only.id),
        _ => None,
    }
}

/// Which versions there are, and how each is to be called.
#[derive(Debug, Default)]
struct Versions {
    /// Keys known by their values, since some write id is unknown.
    by_value: HashSet<i64>,
    /// Who wrote a version of a key, by key and number, and whoever else did.
    writer: HashMap<(i64, i64), i64>,
    others: HashMap<(i64, i64), Vec<i64>>,
    /// What reads of the initial version returned.
    initial: HashMap<i64, i64>,
}

impl Versions {
    fn new(sessions: &[Session]) -> Versions {
        let txns = || sessions.iter().flat_map(|s| &s.txns);
        let mut versions = Versions::default();
        for op in txns().flat_map(|t| &t.ops) {
            let (Op::Write { write_id, key, .. } | Op::Read { write_id, key, .. }) = *op;
            if write_id == UNKNOWN {
                versions.by_value.insert(key);
            }
        }
        for txn in txns() {
            for op in &txn.ops {
                if let Op::Write { write_id, key, value } = *op {
                    let version = (key, versions.number(key, write_id, value));
                    if *versions.writer.entry(version).or_insert(txn.id) != txn.id {
                        versions.others.entry(version).or_default().push(txn.id);
                    }
                }
            }
        }
        for op in txns().flat_map(|t| &t.ops) {
            if let Op::Read { writer: INIT, write_id: INIT, key, value } = *op {
                let written = versions.writer.contains_key(&(key, value));
                if !written || versions.by_value.contains(&key) {
                    versions.initial.entry(key).or_insert(value);
                }
            }
        }
        versions
    }

    /// What tells a version of a key from the others of the same writer.
    fn number(&self, key: i64, write_id: i64, value: i64) -> i64 {
        if self.by_value.contains(&key) { value } else { write_id }
    }

    fn written(&self, key: i64, write_id: i64, value: i64) -> Value {
        Value::Int(self.number(key, write_id, value))
    }

    /// The value to record for a read, and the writer where the value leaves a choice.
    fn read(&self, writer: i64, write_id: i64, key: i64, value: i64) -> (Value, Option<String>) {
        let of_init = |id| id == INIT || id == NULL;
        if of_init(writer) && (of_init(write_id) || COLLECTED.contains(&write_id)) {
            let initial = self.initial.get(&key);
            let written = initial.is_some_and(|&v| self.writer.contains_key(&(key, v)));
            let value = initial.map_or(Value::Null, |&v| Value::Int(v));
            return (value, written.then(|| "init".to_owned()));
        }
        let number = self.number(key, write_id, value);
        if writer == UNKNOWN {
            return (Value::Int(number), None);
        }
        let version = (key, number);
        let others = self.others.get(&version).map_or(&[][..], Vec::as_slice);
        let known = self.writer.get(&version) == Some(&writer) || others.contains(&writer);
        if !known {
            return (Value::Json(format!("[{writer},{number}]").into()), None);
        }
        let choice = !others.is_empty() || self.initial.get(&key) == Some(&number);
        (Value::Int(number), choice.then(|| writer.to_string()))
    }
}
