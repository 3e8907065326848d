//! Plume's and PolySI's text: one event a line, all numbers.
//!
//! ```text
//! w(7,1,0,12)      session 0, transaction 12: writes 1 to key 7
//! r(7,1,1,13)      session 1, transaction 13: reads it
//! r(8,0,1,13)      ... and reads the initial value of key 8
//! w(7,2,1,-1)      session 1: a transaction that aborted wrote 2 to key 7
//! ```
//!
//! A transaction is all lines with its number. Usually they are adjacent, but a log in the order of
//! time may alternate between transactions, and PolySI reads that too, so we do. Aborted transactions
//! have no number of their own: adjacent lines with -1 of one session count as one transaction,
//! which changes no answer. Every key starts as 0. Numbers past 64 bits with a sign, which hashed
//! keys are, stay what they are: values as JSON, keys as strings of digits. A transaction that writes 0 to
//! every key is the initial one; see [`initial`](crate::initial).
//!
//! Reading is one pass over the bytes with one table lookup per event, in the [`HistoryBuilder`].

use std::io::{BufRead, Write};

use hobgoblin_core::{
    EventId, History, HistoryBuilder, HistoryError, Key, KeyId, Kind, SessionId, Status, TxnId,
    TxnInfo, Value,
};

use crate::error::{Failure, Mistake, Parsed, WriteError};
use crate::input::{Lines, first_line};
use crate::record::{Header, TxnRecord};
use crate::refuse::{Refusal, as_u64, from_u64};
use crate::{Format, digits, initial};

const HELP: &str = "a line is `r(key,value,session,transaction)` or `w(…)`, all of them integers";

/// Whether a file begins like one of these: with `r(` or `w(` and a digit.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let line = first_line(head, |_| false);
    matches!(line, Some([b'r' | b'w', b'(', b'0'..=b'9', ..]))
}

/// Reads a history.
pub(crate) fn read(input: &mut dyn BufRead) -> Result<History, Failure> {
    let mut lines = Lines::new(input);
    let mut reader = Reader {
        builder: HistoryBuilder::new(),
        current: None,
        began: None,
        sessions: Vec::new(),
        name: String::new(),
        highest: -1,
    };
    loop {
        let number = lines.next_number();
        let Some(line) = lines.next()? else { break };
        reader.line(line, number).map_err(|mistake| mistake.on_line(number.into(), line))?;
    }
    reader.close()?;
    let mut builder = reader.builder;
    initial::recognise(&mut builder)?;
    for key in (0..builder.num_keys()).map(KeyId::new) {
        builder.initial(key, &Value::Int(0))?;
    }
    Ok(builder.finish()?)
}

struct Reader {
    builder: HistoryBuilder,
    /// The session and number of the transaction the last line belongs to.
    current: Option<(i64, i64)>,
    /// The line it began on, unless it is a continued one.
    began: Option<u32>,
    /// The session of every transaction, to notice one number in two sessions.
    sessions: Vec<SessionId>,
    name: String,
    /// The highest transaction number so far.
    highest: i64,
}

impl Reader {
    #[inline]
    fn line(&mut self, line: &[u8], number: u32) -> Parsed<()> {
        let mut at = 0;
        let kind = match line {
            [b'r', b'(', ..] => Kind::Read,
            [b'w', b'(', ..] => Kind::Write,
            _ => match self.unusual_start(line)? {
                Some((kind, start)) => {
                    at = start;
                    kind
                }
                None => return Ok(()),
            },
        };
        at += 2;
        let key = natural(line, &mut at, b',')?;
        let value = natural(line, &mut at, b',')?;
        let session = integer(line, &mut at, b',', "a session")?;
        let start = at;
        let txn = integer(line, &mut at, b')', "a transaction")?;
        if !line[at..].iter().all(u8::is_ascii_whitespace) {
            return Err(Mistake::at(at, "there is more after the event", HELP));
        }
        if self.current != Some((session, txn)) {
            self.step(session, txn, number, start)?;
        }
        let key = match key {
            Number::Int(n) => self.builder.key_int(n),
            Number::Large(n) => self.builder.key_text(&n.to_string()),
        };
        let event = match value {
            Number::Int(n) => self.builder.event_int(kind, key, n),
            Number::Large(n) => self.builder.event(kind, key, &from_u64(n)),
        };
        self.builder.event_line(event, number);
        Ok(())
    }

    /// The kind of an event after blanks, and where it begins; nothing for a blank line.
    #[cold]
    fn unusual_start(&self, line: &[u8]) -> Parsed<Option<(Kind, usize)>> {
        let start = line.iter().take_while(|b| b.is_ascii_whitespace()).count();
        match &line[start..] {
            [] => Ok(None),
            [b'r', b'(', ..] => Ok(Some((Kind::Read, start))),
            [b'w', b'(', ..] => Ok(Some((Kind::Write, start))),
            _ => Err(Mistake::at(start, "this is no event", HELP)),
        }
    }

    /// Goes on to another transaction.
    fn step(&mut self, session: i64, txn: i64, line: u32, at: usize) -> Parsed<()> {
        let refused = |error| Mistake::refused(at, error);
        self.close().map_err(refused)?;
        self.current = Some((session, txn));
        let id = self.builder.session_int(session);
        if txn == -1 {
            self.builder.begin(id);
            self.began = Some(line);
            return Ok(());
        }
        if txn < -1 {
            let help = "transactions are numbered from 0; -1 marks what an aborted one did";
            return Err(Mistake::at(at, format!("a transaction may not be called {txn}"), help));
        }
        self.set_name(txn);
        let is_later = txn > self.highest;
        self.highest = self.highest.max(txn);
        // Most files count upwards, which spares the search.
        match if is_later { None } else { self.builder.find(&self.name) } {
            None => {
                self.builder.begin(id);
                self.began = Some(line);
            }
            Some(known) => {
                if self.sessions[known.index() - 1] != id {
                    let message = format!("transaction {txn} is in two sessions");
                    let help = "give every transaction its own number, whatever its session";
                    return Err(Mistake::at(at, message, help));
                }
                self.builder.reopen(known);
                self.began = None;
            }
        }
        Ok(())
    }

    fn set_name(&mut self, txn: i64) {
        let mut name = std::mem::take(&mut self.name).into_bytes();
        name.clear();
        digits::push(&mut name, txn);
        self.name = String::from_utf8(name).expect("digits are ASCII");
    }

    /// Ends the transaction of the last line, unless it had ended before.
    fn close(&mut self) -> Result<(), HistoryError> {
        let (Some((session, txn)), Some(line)) = (self.current.take(), self.began.take()) else {
            return Ok(());
        };
        self.sessions.push(self.builder.session_int(session));
        let (name, status) = match txn {
            -1 => (None, Status::Aborted),
            _ => (Some(self.name.as_str()), Status::Committed),
        };
        self.builder.end(TxnInfo { name, status, line, ..TxnInfo::default() })?;
        Ok(())
    }
}

/// A number of a file: most fit 63 bits.
pub(crate) enum Number {
    Int(i64),
    Large(u64),
}

/// A number and the byte after it.
#[inline]
fn natural(line: &[u8], at: &mut usize, after: u8) -> Parsed<Number> {
    if let Some((n, length)) = digits::parse(&line[*at..])
        && line.get(*at + length) == Some(&after)
    {
        *at += length + 1;
        return Ok(Number::Int(n));
    }
    let (number, length) = large(&line[*at..], *at, HELP)?;
    *at += length;
    if line.get(*at) != Some(&after) {
        return Err(Mistake::at(*at, format!("expected `{}`", after as char), HELP));
    }
    *at += 1;
    Ok(number)
}

/// A number of up to 64 bits, and how many bytes it takes.
#[cold]
pub(crate) fn large(text: &[u8], at: usize, help: &str) -> Parsed<(Number, usize)> {
    let sign = usize::from(text.first() == Some(&b'-'));
    let length = sign + text[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    if length == sign {
        return Err(Mistake::at(at, "expected an integer", help));
    }
    let text = std::str::from_utf8(&text[..length]).expect("a sign and digits are ASCII");
    let number = text.parse().map(Number::Int).or_else(|_| text.parse().map(Number::Large));
    match number {
        Ok(number) => Ok((number, length)),
        Err(_) => Err(Mistake::at(at, "this integer is past 64 bits", "use smaller ones")),
    }
}

#[inline]
fn integer(line: &[u8], at: &mut usize, after: u8, what: &str) -> Parsed<i64> {
    let start = *at;
    match natural(line, at, after)? {
        Number::Int(n) => Ok(n),
        Number::Large(_) => {
            let message = format!("{what} is an integer of at most 63 bits");
            Err(Mistake::at(start, message, "number them from 0"))
        }
    }
}

const REFUSAL: Refusal =
    Refusal { format: Format::Plume, aborted: true, unknown: false, times: false };

/// Writes a history. Transactions keep their numbers if all that did not abort have one, and
/// sessions too; otherwise they are counted.
pub(crate) fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    REFUSAL.check(history)?;
    let committed = |&t: &TxnId| history.status(t) != Status::Aborted;
    let natural = |text: &str| digits::canonical(text).filter(|&n| n >= 0);
    let number = |t: TxnId| history.given_name(t).and_then(natural);
    let numbered = history.txns().filter(committed).all(|t| number(t).is_some());
    let is_natural = |key: &Key| matches!(key, Key::Int(n) if *n >= 0);
    let sessions_numbered = history.sessions().all(|s| is_natural(history.session(s)));
    let mut buffer = Vec::new();
    for txn in history.txns() {
        let session = history.session_of(txn).expect("only init has no session");
        let session = match history.session(session) {
            Key::Int(n) if sessions_numbered => *n,
            _ => i64::from(session.raw()),
        };
        let txn_number = match number(txn) {
            _ if !committed(&txn) => -1,
            Some(n) if numbered => n,
            _ => i64::from(txn.raw()),
        };
        for key in initial::keys(history, txn) {
            push_kind(&mut buffer, Kind::Write, b'(');
            push_key(&mut buffer, history.key(key), &REFUSAL)?;
            buffer.extend_from_slice(b",0");
            push_place(&mut buffer, session, txn_number);
        }
        for event in history.event_ids(txn) {
            push_kind(&mut buffer, history.event(event).kind(), b'(');
            push_key(&mut buffer, history.key(history.event(event).key()), &REFUSAL)?;
            buffer.push(b',');
            push_number(&mut buffer, history, event)?;
            push_place(&mut buffer, session, txn_number);
        }
        if buffer.len() > 1 << 16 {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)?;
    Ok(out.flush()?)
}

/// Appends what an event read or wrote: the initial value of its key is 0, and no other is.
fn push_number(out: &mut Vec<u8>, history: &History, event: EventId) -> Result<(), WriteError> {
    let (value, key) = (history.value(event), history.event(event).key());
    if value == history.initial(key) {
        out.push(b'0');
        return Ok(());
    }
    if value == Value::Int(0) {
        let (key, initial) = (history.key(key), history.initial(key));
        let what =
            format!("the value 0 of {key}, which starts as {initial}: 0 is what keys start as");
        return Err(REFUSAL.because(what));
    }
    push_value(out, &value, &REFUSAL)
}

pub(crate) fn push_kind(out: &mut Vec<u8>, kind: Kind, after: u8) {
    let letter = match kind {
        Kind::Read => b'r',
        Kind::Write => b'w',
    };
    out.extend_from_slice(&[letter, after]);
}

pub(crate) fn push_key(out: &mut Vec<u8>, key: &Key, refusal: &Refusal) -> Result<(), WriteError> {
    match key {
        Key::Int(n) if *n >= 0 => digits::push(out, *n),
        Key::Text(text) if text.parse::<u64>().is_ok_and(|n| n.to_string() == **text) => {
            out.extend_from_slice(text.as_bytes());
        }
        _ => return Err(refusal.because(format!("the key {key}; keys are natural numbers"))),
    }
    Ok(())
}

pub(crate) fn push_value(
    out: &mut Vec<u8>,
    value: &Value,
    refusal: &Refusal,
) -> Result<(), WriteError> {
    match value {
        Value::Int(n) if *n >= 0 => digits::push(out, *n),
        _ => match as_u64(value) {
            Some(n) => out.extend_from_slice(n.to_string().as_bytes()),
            None => {
                let what = format!("the value {value}; values are natural numbers");
                return Err(refusal.because(what));
            }
        },
    }
    Ok(())
}

fn push_place(out: &mut Vec<u8>, session: i64, txn: i64) {
    out.push(b',');
    digits::push(out, session);
    out.push(b',');
    digits::push(out, txn);
    out.extend_from_slice(b")\n");
}

/// Refuses initial values other than 0, for Plume's text and AWDIT's.
pub(crate) fn check_header(format: Format, header: &Header) -> Result<(), WriteError> {
    let refuse = |what| Err(WriteError::Inexpressible { format, what });
    let zero = |value: &Value| matches!(value, Value::Int(0) | Value::Null);
    if let Some((key, value)) = header.initial.iter().find(|(_, value)| !zero(value)) {
        return refuse(format!("that {key} starts as {value}; keys start as 0"));
    }
    if let Some((key, _)) = header.order.first() {
        return refuse(format!("the version order of {key}"));
    }
    Ok(())
}

/// Refuses what neither Plume's text nor AWDIT's can say of a transaction.
pub(crate) fn check_record(refusal: &Refusal, txn: &TxnRecord) -> Result<(), WriteError> {
    let because = |what: &str| {
        let name = txn.name.as_deref().unwrap_or("a transaction");
        Err(refusal.because(format!("{what} of {name}")))
    };
    match txn.status {
        Status::Unknown => because("the unknown status"),
        Status::Aborted if !refusal.aborted => because("the abort"),
        _ if txn.level.is_some() => because("the level"),
        _ if txn.begin.is_some() || txn.end.is_some() => because("the begin and end times"),
        _ if txn.events.iter().any(|e| e.lock) => because("the locking reads"),
        _ if txn.events.iter().any(|e| e.writer.is_some()) => because("the named writers"),
        _ => Ok(()),
    }
}

/// Appends a transaction of a history that is written one at a time.
pub(crate) fn push_txn(out: &mut Vec<u8>, txn: &TxnRecord, count: u32) -> Result<(), WriteError> {
    check_record(&REFUSAL, txn)?;
    let Key::Int(session @ 0..) = txn.session else {
        let what = format!("the session {}; sessions are natural numbers", txn.session);
        return Err(REFUSAL.because(what));
    };
    let number = if txn.status == Status::Aborted { -1 } else { i64::from(count) };
    for event in &txn.events {
        push_kind(out, event.kind, b'(');
        push_key(out, &event.key, &REFUSAL)?;
        out.push(b',');
        match &event.value {
            Value::Null => out.push(b'0'),
            value => push_value(out, value, &REFUSAL)?,
        }
        push_place(out, session, number);
    }
    Ok(())
}
