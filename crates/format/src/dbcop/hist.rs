//! The newer DBCop's text, `.hist`.
//!
//! ```text
//! // Whole lines may be comments.
//! [x:=1 y:=1] [x==1 z==?]     two transactions of the first session; z was uninitialised
//! [y:=2]!                     one more, which did not commit
//! ---                         the second session follows
//! [y==1]
//! ```
//!
//! Variables are letters, digits and `_`; versions are natural numbers. A transaction stays on one
//! line. We also take what DBCop does not: comments after a transaction, transactions without events,
//! and a last line without its end.

use std::io::{BufRead, Write};

use hobgoblin_core::{History, Key, Kind, SessionId, Status};

use super::{Draft, check_initial, version_of};
use crate::error::{Failure, ParseError, WriteError};
use crate::refuse::Refusal;
use crate::{Format, initial};

const REFUSAL: Refusal =
    Refusal { format: Format::DbcopHist, aborted: true, unknown: false, times: false };

/// Whether a file begins like one of these: its first line that is no comment is a separator or a
/// transaction with `:=` or `==` in its first event.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    for line in head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii) {
        if line.is_empty() || line.starts_with(b"//") || line.iter().all(|&b| b == b'-') {
            continue;
        }
        let Some(rest) = line.strip_prefix(b"[") else { return false };
        let name = rest.iter().take_while(|&&b| is_name_byte(b)).count();
        return name > 0 && (rest[name..].starts_with(b":=") || rest[name..].starts_with(b"=="));
    }
    false
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Reads a history.
pub(crate) fn read(input: &mut dyn BufRead) -> Result<History, Failure> {
    let mut draft = Draft::default();
    let mut session = draft.session();
    let (mut line, mut number) = (Vec::new(), 0);
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        let text = line.trim_ascii();
        if !text.is_empty() && text.iter().all(|&b| b == b'-') {
            session = draft.session();
            continue;
        }
        let mut cursor = Line { text: &line, at: 0, number };
        cursor.transactions(&mut draft, session).map_err(|e| e.excerpt(&line))?;
    }
    Ok(draft.finish()?)
}

/// A line and how far it has been read.
struct Line<'a> {
    text: &'a [u8],
    at: usize,
    number: u64,
}

impl<'a> Line<'a> {
    fn transactions(&mut self, draft: &mut Draft, session: SessionId) -> Result<(), ParseError> {
        loop {
            self.skip_space();
            if self.at == self.text.len() || self.eat(b"//") {
                return Ok(());
            }
            let open = self.at;
            if !self.eat(b"[") {
                return Err(self.error(
                    "this is neither a transaction, a separator nor a comment",
                    "write `[x:=1 y==2]`, `---` or `// ...`",
                ));
            }
            while !self.eat(b"]") {
                if self.at == self.text.len() || self.text[self.at..].starts_with(b"[") {
                    self.at = open;
                    return Err(self.error(
                        "this transaction is not closed on its line",
                        "end it with `]` before the end of the line",
                    ));
                }
                self.event(draft)?;
                self.skip_space();
            }
            let committed = !self.eat(b"!");
            draft.end(session, committed, self.number);
        }
    }

    fn event(&mut self, draft: &mut Draft) -> Result<(), ParseError> {
        self.skip_space();
        if self.text[self.at..].starts_with(b"]") {
            return Ok(());
        }
        let key = self.variable()?;
        let help = "an event is `x:=1` (write), `x==1` (read) or `x==?` (read of nothing)";
        let kind = if self.eat(b":=") {
            Kind::Write
        } else if self.eat(b"==") {
            Kind::Read
        } else {
            return Err(self.error("`:=` or `==` is missing after the variable", help));
        };
        if kind == Kind::Read && self.eat(b"?") {
            draft.event(kind, &key, None);
            return Ok(());
        }
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        let digits = std::str::from_utf8(&self.text[start..self.at]).unwrap_or_default();
        match digits.parse::<u64>() {
            Ok(version) => {
                draft.event(kind, &key, Some(version));
                Ok(())
            }
            Err(_) => {
                self.at = start;
                Err(self.error("the version is no natural number below 2^64", help))
            }
        }
    }

    /// A variable's name; one that is a plain number becomes an integer key.
    fn variable(&mut self) -> Result<Key, ParseError> {
        let start = self.at;
        while self.text.get(self.at).is_some_and(|&b| is_name_byte(b)) {
            self.at += 1;
        }
        let name = std::str::from_utf8(&self.text[start..self.at]).unwrap_or_default();
        if !is_name(name) {
            self.at = start;
            return Err(self.error(
                "a variable is missing here",
                "variables are letters, digits and `_`; an event is `x:=1`, `x==1` or `x==?`",
            ));
        }
        Ok(number(name).map_or_else(|| name.into(), Key::Int))
    }

    fn skip_space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &[u8]) -> bool {
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn error(&self, message: &str, help: &str) -> ParseError {
        ParseError::at(self.number, self.at as u64 + 1, message, help)
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The number that a name is; `007` is a name, not a number.
fn number(name: &str) -> Option<i64> {
    name.parse().ok().filter(|n: &i64| n.to_string() == name)
}

/// Writes a history, a transaction a line.
pub(crate) fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    REFUSAL.check(history)?;
    check_initial(history, &REFUSAL)?;
    for key in history.keys().map(|k| history.key(k)) {
        let fits = match key {
            Key::Int(n) => *n >= 0,
            Key::Text(text) => is_name(text) && number(text).is_none(),
        };
        if !fits {
            let what = format!("the key {key}; keys are letters, digits and `_`");
            return Err(REFUSAL.because(what));
        }
    }
    for session in history.sessions() {
        if session.index() > 0 {
            writeln!(out, "---")?;
        }
        for &txn in history.session_txns(session) {
            let written_out = initial::keys(history, txn);
            if history.events(txn).is_empty() && written_out.len() == 0 {
                let what = format!("{}, which has no events", history.name(txn));
                return Err(REFUSAL.because(what));
            }
            let mut start = "[";
            for key in written_out {
                write!(out, "{start}{}:=0", history.key(key))?;
                start = " ";
            }
            for id in history.event_ids(txn) {
                let event = history.event(id);
                let version = version_of(history, id, &REFUSAL)?;
                let sign = if event.is_write() { ":=" } else { "==" };
                write!(out, "{start}{}{sign}", history.key(event.key()))?;
                match version {
                    Some(version) => write!(out, "{version}")?,
                    None => write!(out, "?")?,
                }
                start = " ";
            }
            let aborted = history.status(txn) == Status::Aborted;
            writeln!(out, "{}", if aborted { "]!" } else { "]" })?;
        }
    }
    Ok(())
}
