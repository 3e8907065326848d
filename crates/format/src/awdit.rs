//! AWDIT's text, which its authors use for tests.
//!
//! ```text
//! w 0 1            session 0: a transaction writes 1 to key 0
//! r 1 0            ... and reads the initial value of key 1
//! -----            another transaction of the same session
//! r 0 1
//! =====            another session
//! r 0 1
//! ```
//!
//! Lines of dashes separate transactions, lines of equals signs sessions; empty transactions and
//! empty sessions do not count. There are no aborted transactions. For AWDIT, no key has an initial
//! value, and its own tests write 0 everywhere in a session of its own, which here is the initial
//! transaction ([`initial`](crate::initial)); a read of a 0 that nobody wrote is then a read out of thin air.
//! Here such a key starts as 0, as in every format of this family, so that histories with initial values can
//! be written in this one. A key that some other transaction writes 0 to starts as null.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use hobgoblin_core::{
    History, HistoryBuilder, HistoryError, Key, KeyId, Kind, SessionId, TxnInfo, Value,
};

use crate::error::{Failure, Mistake, Parsed, WriteError};
use crate::input::{Lines, first_line};
use crate::plume::{self, Number, push_key, push_kind, push_value};
use crate::record::TxnRecord;
use crate::refuse::{Refusal, from_u64};
use crate::{Format, initial};

const HELP: &str = "a line is `r key value` or `w key value`, all natural numbers, or dashes between \
                    transactions, or equals signs between sessions";

/// Whether a file begins like one of these: after separators, with `r` or `w`, a blank and a digit.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let separator = |line: &[u8]| line.iter().all(|&b| b == line[0]) && b"-=".contains(&line[0]);
    let Some([b'r' | b'w', rest @ ..]) = first_line(head, separator) else { return false };
    rest.first().is_some_and(u8::is_ascii_whitespace)
        && rest.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
}

/// Reads a history.
pub(crate) fn read(input: &mut dyn BufRead) -> Result<History, Failure> {
    let mut lines = Lines::new(input);
    let mut reader = Reader::default();
    loop {
        let number = lines.next_number();
        let Some(line) = lines.next()? else { break };
        reader.line(line, number).map_err(|mistake| mistake.on_line(number.into(), line))?;
    }
    reader.close()?;
    let mut builder = reader.builder;
    for (key, zero) in reader.zero.into_iter().enumerate() {
        if !zero {
            builder.initial(KeyId::new(key), &Value::Int(0))?;
        }
    }
    initial::recognise(&mut builder)?;
    Ok(builder.finish()?)
}

#[derive(Default)]
struct Reader {
    builder: HistoryBuilder,
    session: Option<SessionId>,
    /// How many sessions there are so far.
    sessions: i64,
    /// The line the open transaction began on.
    began: Option<u32>,
    /// Whether some transaction writes 0 to a key.
    zero: Vec<bool>,
}

impl Reader {
    fn line(&mut self, line: &[u8], number: u32) -> Parsed<()> {
        let line_start = line.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let kind = match &line[line_start..] {
            [] => return Ok(()),
            [b'r', blank, ..] if blank.is_ascii_whitespace() => Kind::Read,
            [b'w', blank, ..] if blank.is_ascii_whitespace() => Kind::Write,
            [mark @ (b'-' | b'='), rest @ ..] => {
                let wrong = |b: &u8| b != mark && !b.is_ascii_whitespace();
                if let Some(at) = rest.iter().position(wrong) {
                    let at = line_start + 1 + at;
                    return Err(Mistake::at(at, "a separator has only one kind of sign", HELP));
                }
                self.close().map_err(|error| Mistake::refused(line_start, error))?;
                if *mark == b'=' {
                    self.session = None;
                }
                return Ok(());
            }
            _ => return Err(Mistake::at(line_start, "this is no event", HELP)),
        };
        let mut at = line_start + 1;
        let key = natural(line, &mut at)?;
        let value = natural(line, &mut at)?;
        if let Some(more) = line[at..].iter().position(|b| !b.is_ascii_whitespace()) {
            return Err(Mistake::at(at + more, "there is more after the event", HELP));
        }
        self.event(kind, key, value, number);
        Ok(())
    }

    fn event(&mut self, kind: Kind, key: Number, value: Number, line: u32) {
        let session = *self.session.get_or_insert_with(|| {
            self.sessions += 1;
            self.builder.session_int(self.sessions - 1)
        });
        if self.began.is_none() {
            self.builder.begin(session);
            self.began = Some(line);
        }
        let key = match key {
            Number::Int(n) => self.builder.key_int(n),
            Number::Large(n) => self.builder.key_text(&n.to_string()),
        };
        if key.index() >= self.zero.len() {
            self.zero.resize(key.index() + 1, false);
        }
        let event = match value {
            Number::Int(n) => {
                self.zero[key.index()] |= n == 0 && kind == Kind::Write;
                self.builder.event_int(kind, key, n)
            }
            Number::Large(n) => self.builder.event(kind, key, &from_u64(n)),
        };
        self.builder.event_line(event, line);
    }

    fn close(&mut self) -> Result<(), HistoryError> {
        if let Some(line) = self.began.take() {
            self.builder.end(TxnInfo { line, ..TxnInfo::default() })?;
        }
        Ok(())
    }
}

/// The next number of a line, after blanks.
fn natural(line: &[u8], at: &mut usize) -> Parsed<Number> {
    *at += line[*at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let (number, length) = match crate::digits::parse(&line[*at..]) {
        Some((n, length)) => (Number::Int(n), length),
        None => plume::large(&line[*at..], *at, HELP)?,
    };
    if matches!(number, Number::Int(..0)) {
        return Err(Mistake::at(*at, "a number may not be negative", HELP));
    }
    let end = *at + length;
    if line.get(end).is_some_and(|b| !b.is_ascii_whitespace()) {
        return Err(Mistake::at(end, "expected a blank after the number", HELP));
    }
    *at = end;
    Ok(number)
}

const REFUSAL: Refusal =
    Refusal { format: Format::Awdit, aborted: false, unknown: false, times: false };

/// Writes a history, session by session.
pub(crate) fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    REFUSAL.check(history)?;
    let zero = initial_is_zero(history)?;
    let mut buffer = Vec::new();
    let mut session_is_first = true;
    for session in history.sessions() {
        let mut txn_is_first = true;
        for &txn in history.session_txns(session) {
            let written_out = initial::keys(history, txn);
            if history.events(txn).is_empty() && written_out.len() == 0 {
                continue;
            }
            match (txn_is_first, session_is_first) {
                (false, _) => buffer.extend_from_slice(TXN),
                (true, false) => buffer.extend_from_slice(SESSION),
                (true, true) => {}
            }
            (txn_is_first, session_is_first) = (false, false);
            for key in written_out {
                push_kind(&mut buffer, Kind::Write, b' ');
                push_key(&mut buffer, history.key(key), &REFUSAL)?;
                buffer.extend_from_slice(b" 0\n");
            }
            for event in history.event_ids(txn) {
                let (key, value) = (history.event(event).key(), history.value(event));
                push_kind(&mut buffer, history.event(event).kind(), b' ');
                push_key(&mut buffer, history.key(key), &REFUSAL)?;
                buffer.push(b' ');
                if zero[key.index()] && value == history.initial(key) {
                    buffer.push(b'0');
                } else {
                    push_value(&mut buffer, &value, &REFUSAL)?;
                }
                buffer.push(b'\n');
            }
            if buffer.len() > 1 << 16 {
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
    }
    out.write_all(&buffer)?;
    Ok(out.flush()?)
}

const TXN: &[u8] = b"---\n";
const SESSION: &[u8] = b"===\n";

/// Which keys' initial values are to be written as 0: those that somebody reads, or all where they are
/// written out. Nobody may write such a value, nor may the key have another 0, for then 0 would not be initial when read back.
fn initial_is_zero(history: &History) -> Result<Vec<bool>, WriteError> {
    #[derive(Clone, Copy, Default)]
    struct Seen {
        reads_initial: bool,
        writes_initial: bool,
        reads_zero: bool,
        writes_zero: bool,
    }
    let mut seen = vec![Seen::default(); history.num_keys()];
    for event in history.txns().flat_map(|txn| history.event_ids(txn)) {
        let (packed, value) = (history.event(event), history.value(event));
        let seen = &mut seen[packed.key().index()];
        let (reads, writes) = if value == history.initial(packed.key()) {
            (&mut seen.reads_initial, &mut seen.writes_initial)
        } else if value == Value::Int(0) {
            (&mut seen.reads_zero, &mut seen.writes_zero)
        } else {
            continue;
        };
        *if packed.is_write() { writes } else { reads } = true;
    }
    let written_out = !history.initial_txns().is_empty();
    let of_key = |(key, seen): (KeyId, &Seen)| {
        let Seen { reads_initial, writes_initial, reads_zero, writes_zero } = *seen;
        let initial = history.initial(key);
        let initial_matters = reads_initial || writes_initial || written_out;
        if writes_initial {
            let what = format!("a write of {initial} to {}, which it starts as", history.key(key));
            return Err(REFUSAL.because(what));
        }
        if (initial_matters && writes_zero) || (reads_zero && !writes_zero) {
            let key = history.key(key);
            return Err(REFUSAL.because(format!("the value 0 of {key}, which starts as {initial}")));
        }
        Ok(initial_matters)
    };
    history.keys().zip(&seen).map(of_key).collect()
}

/// The text of each session, for histories written one transaction at a time.
#[derive(Default)]
pub(crate) struct Sessions {
    index: HashMap<Key, usize>,
    texts: Vec<Vec<u8>>,
}

impl Sessions {
    pub(crate) fn push_txn(&mut self, txn: &TxnRecord) -> Result<(), WriteError> {
        plume::check_record(&REFUSAL, txn)?;
        if txn.events.is_empty() {
            return Ok(());
        }
        let at = match self.index.get(&txn.session) {
            Some(&at) => at,
            None => {
                self.index.insert(txn.session.clone(), self.texts.len());
                self.texts.push(Vec::new());
                self.texts.len() - 1
            }
        };
        let text = &mut self.texts[at];
        if !text.is_empty() {
            text.extend_from_slice(TXN);
        }
        for event in &txn.events {
            push_kind(text, event.kind, b' ');
            push_key(text, &event.key, &REFUSAL)?;
            text.push(b' ');
            match &event.value {
                Value::Null => text.push(b'0'),
                value => push_value(text, value, &REFUSAL)?,
            }
            text.push(b'\n');
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, out: &mut impl Write) -> io::Result<()> {
        for (i, text) in self.texts.drain(..).enumerate() {
            if i > 0 {
                out.write_all(SESSION)?;
            }
            out.write_all(&text)?;
        }
        Ok(())
    }
}
