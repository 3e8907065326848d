//! The first DBCop's `history.bincode`.
//!
//! Everything is little-endian, strings and vectors are preceded by a `u64` length, truth values are
//! one byte:
//!
//! ```text
//! u64 id, sessions, variables, transactions per session, events per transaction
//! string info, start time, end time
//! vector of sessions, each
//!     vector of transactions, each
//!         vector of events, each { u8 write?, u64 variable, u64 value, u8 success? }
//!         u8 success?
//! ```
//!
//! Every variable starts as 0, also where a transaction writes that out ([`initial`]). An event without success did not happen, so it is left out; a
//! transaction without success aborted. The counts in front only describe how a history was made and
//! are not believed, and nothing is allocated by a length: a file that lies about one ends early, which
//! is an error with its byte offset.

use std::io::{self, BufRead, ErrorKind, Read, Write};

use hobgoblin_core::{History, HistoryBuilder, Key, KeyId, Kind, Status, TxnInfo, Value};

use crate::error::{Failure, ParseError, WriteError};
use crate::refuse::{Refusal, as_u64, from_u64};
use crate::{Format, initial};

const REFUSAL: Refusal =
    Refusal { format: Format::DbcopBincode, aborted: true, unknown: false, times: false };

/// Whether a file begins like one of these: five numbers and three texts.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let mut at = 40;
    if head.len() < at || head[..at].iter().all(|&b| b == 0) {
        return false;
    }
    // Counts of a real history leave the upper half of each number empty.
    if head[..at].chunks(8).any(|number| number[5..].iter().any(|&b| b != 0)) {
        return false;
    }
    for _ in 0..3 {
        let Some(length) = head.get(at..at + 8) else { return false };
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes were taken"));
        let Ok(length) = usize::try_from(length) else { return false };
        if length > head.len() {
            return false;
        }
        let Some(text) = head.get(at + 8..at + 8 + length) else { return false };
        if std::str::from_utf8(text).is_err() || text.contains(&0) {
            return false;
        }
        at += 8 + length;
    }
    head.len() >= at + 8
}

/// Reads a history.
pub(crate) fn read(input: &mut dyn BufRead) -> Result<History, Failure> {
    let mut bytes = Bytes { input, offset: 0 };
    for what in ["id", "sessions", "variables", "transactions", "events"] {
        bytes.number(what)?;
    }
    for what in ["info", "start time", "end time"] {
        bytes.skip_text(what)?;
    }
    let mut builder = HistoryBuilder::new();
    let mut initialised = Vec::new();
    for session in 0..bytes.number("number of sessions")? {
        let name = i64::try_from(session).expect("every session takes eight bytes of the file");
        let session = builder.session(&Key::Int(name));
        for _ in 0..bytes.number("number of transactions")? {
            builder.begin(session);
            for _ in 0..bytes.number("number of events")? {
                let kind = if bytes.truth("write flag")? { Kind::Write } else { Kind::Read };
                let variable = bytes.number("variable")?;
                let value = bytes.number("value")?;
                if bytes.truth("success flag of an event")? {
                    let key = builder.key(&variable_name(variable));
                    start_as_zero(&mut builder, &mut initialised, key)?;
                    builder.event(kind, key, &from_u64(value));
                }
            }
            let success = bytes.truth("success flag of a transaction")?;
            let status = if success { Status::Committed } else { Status::Aborted };
            builder.end(TxnInfo { status, ..TxnInfo::default() })?;
        }
    }
    bytes.end()?;
    initial::recognise(&mut builder)?;
    Ok(builder.finish()?)
}

fn start_as_zero(
    builder: &mut HistoryBuilder,
    initialised: &mut Vec<bool>,
    key: KeyId,
) -> Result<(), Failure> {
    if initialised.len() <= key.index() {
        initialised.resize(key.index() + 1, false);
    }
    if !std::mem::replace(&mut initialised[key.index()], true) {
        builder.initial(key, &Value::Int(0))?;
    }
    Ok(())
}

/// Variables are `u64`, keys `i64` or text: the upper half becomes text.
fn variable_name(variable: u64) -> Key {
    match i64::try_from(variable) {
        Ok(n) => Key::Int(n),
        Err(_) => variable.to_string().as_str().into(),
    }
}

fn variable_of(key: &Key) -> Option<u64> {
    match key {
        Key::Int(n) => u64::try_from(*n).ok(),
        Key::Text(text) => text.parse().ok().filter(|&n| n > i64::MAX as u64),
    }
}

/// A file that knows how far it has been read.
struct Bytes<'a> {
    input: &'a mut dyn BufRead,
    offset: u64,
}

impl Bytes<'_> {
    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Failure> {
        let mut bytes = [0; N];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Err(self.cut_short(what));
            }
            Err(error) => return Err(error.into()),
        }
        self.offset += N as u64;
        Ok(bytes)
    }

    fn cut_short(&self, what: &str) -> Failure {
        ParseError::at_offset(
            self.offset,
            format!("the file ends where the {what} should be"),
            "the file was cut short, or is no history.bincode; record or copy it again",
        )
        .into()
    }

    fn number(&mut self, what: &str) -> Result<u64, Failure> {
        Ok(u64::from_le_bytes(self.take(what)?))
    }

    fn truth(&mut self, what: &str) -> Result<bool, Failure> {
        let offset = self.offset;
        match self.take::<1>(what)? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(ParseError::at_offset(
                offset,
                format!("the {what} is {other}, neither 0 nor 1"),
                "this may be another tool's bincode; name the format with `--format`",
            )
            .into()),
        }
    }

    fn skip_text(&mut self, what: &str) -> Result<(), Failure> {
        let length = self.number(what)?;
        let skipped = std::io::copy(&mut self.input.take(length), &mut std::io::sink())?;
        self.offset += skipped;
        if skipped < length { Err(self.cut_short(what)) } else { Ok(()) }
    }

    fn end(&mut self) -> Result<(), Failure> {
        if self.input.fill_buf()?.is_empty() {
            return Ok(());
        }
        Err(ParseError::at_offset(
            self.offset,
            "more bytes follow the last session",
            "one file holds one history; split it, or record it again",
        )
        .into())
    }
}

/// Writes a history.
pub(crate) fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    REFUSAL.check(history)?;
    check_keys(history)?;
    let count = |n: usize| (n as u64).to_le_bytes();
    let sessions = || history.sessions().map(|s| history.session_txns(s));
    let longest = sessions().map(<[_]>::len).max().unwrap_or(0);
    let largest = history.txns().map(|t| history.events(t).len()).max().unwrap_or(0);
    for n in [0, history.num_sessions(), history.num_keys(), longest, largest] {
        out.write_all(&count(n))?;
    }
    // DBCop parses both times, so they have to be some.
    for text in ["written by hobgoblin", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"] {
        out.write_all(&count(text.len()))?;
        out.write_all(text.as_bytes())?;
    }
    out.write_all(&count(history.num_sessions()))?;
    for txns in sessions() {
        out.write_all(&count(txns.len()))?;
        for &txn in txns {
            let written_out = initial::keys(history, txn);
            out.write_all(&count(written_out.len() + history.events(txn).len()))?;
            for key in written_out {
                let variable = variable_of(history.key(key)).expect("all keys were checked");
                write_event(out, true, variable, 0)?;
            }
            for id in history.event_ids(txn) {
                let event = history.event(id);
                let key = history.key(event.key());
                let value = history.value(id);
                let (Some(variable), Some(number)) = (variable_of(key), as_u64(&value)) else {
                    let what = format!("the value {value} of {key} in {}", history.name(txn));
                    return Err(REFUSAL.because(what));
                };
                write_event(out, event.is_write(), variable, number)?;
            }
            out.write_all(&[u8::from(history.status(txn) == Status::Committed)])?;
        }
    }
    Ok(())
}

fn write_event(out: &mut dyn Write, write: bool, variable: u64, value: u64) -> io::Result<()> {
    out.write_all(&[u8::from(write)])?;
    out.write_all(&variable.to_le_bytes())?;
    out.write_all(&value.to_le_bytes())?;
    out.write_all(&[1])
}

/// Refuses keys that are no natural numbers, and initial values other than 0.
fn check_keys(history: &History) -> Result<(), WriteError> {
    let mut has_zero = vec![false; history.num_keys()];
    for event in history.txns().flat_map(|t| history.event_ids(t)) {
        if history.value(event) == Value::Int(0) {
            has_zero[history.event(event).key().index()] = true;
        }
    }
    for key in history.keys() {
        let name = history.key(key);
        if variable_of(name).is_none() {
            let what = format!("the key {name}; keys are natural numbers");
            return Err(REFUSAL.because(what));
        }
        match history.initial(key) {
            Value::Int(0) => {}
            // A null that nobody was told of may as well be 0; reads of null are refused as values.
            Value::Null if !history.initial_given(key) && !has_zero[key.index()] => {}
            value => return Err(REFUSAL.because(format!("the initial value {value} of {name}"))),
        }
    }
    Ok(())
}
