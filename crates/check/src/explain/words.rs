//! Names for transactions, keys, values and places.

use hobgoblin_core::{EventId, History, KeyId, TxnId};

/// Values and keys longer than this are cut.
const WIDTH: usize = 40;
/// Transactions with more events than this are shown in part.
const EVENTS: usize = 12;
/// More transactions than this are not listed.
const LISTED: usize = 20;

pub(super) struct Words<'a> {
    pub(super) history: &'a History,
}

impl Words<'_> {
    pub(super) fn name(&self, txn: TxnId) -> String {
        match txn {
            TxnId::INIT => "the initial state".to_owned(),
            txn => named("txn ", self.history.name(txn).into_owned()),
        }
    }

    pub(super) fn key(&self, key: KeyId) -> String {
        named("key ", cut(self.history.key(key).to_string()))
    }

    /// " (line 7)", or nothing where lines are not known.
    pub(super) fn line(&self, event: EventId) -> String {
        match self.history.event_line(event) {
            0 => String::new(),
            line => format!(" (line {line})"),
        }
    }

    /// "t3 read x=4 (line 7)", with its statement where there is one.
    pub(super) fn read(&self, event: EventId) -> String {
        let txn = self.history.txn_of(event);
        let what = self.assignment(event);
        let statement = self
            .history
            .statement_of(event)
            .and_then(|at| self.history.statements(txn).get(at as usize))
            .map_or(String::new(), |sql| format!(" by `{}`", cut(sql.to_string())));
        let locking = if self.history.is_locking(event) { " (locking it)" } else { "" };
        format!("{} read {what}{statement}{locking}{}", self.name(txn), self.line(event))
    }

    /// What an event read or wrote, as `x=4`.
    pub(super) fn assignment(&self, event: EventId) -> String {
        let key = self.key(self.history.event(event).key());
        format!("{key}={}", cut(self.history.value(event).to_string()))
    }

    /// Where a transaction writes a key.
    pub(super) fn write_line(&self, txn: TxnId, key: KeyId) -> String {
        let is_write = |e: &EventId| {
            let event = self.history.event(*e);
            event.is_final_write() && event.key() == key
        };
        self.history.event_ids(txn).find(is_write).map_or(String::new(), |e| self.line(e))
    }

    /// What the reader of an event had written to its key last.
    pub(super) fn last_own_write(&self, read: EventId) -> String {
        let key = self.history.event(read).key();
        let own = |e: &EventId| {
            let event = self.history.event(*e);
            *e < read && event.is_write() && event.key() == key
        };
        let events = self.history.event_ids(self.history.txn_of(read));
        events.rev().find(own).map_or(String::new(), |e| self.assignment(e))
    }

    /// The transactions with their sessions, lines and events, one a line.
    pub(super) fn participants(&self, txns: &[TxnId]) -> String {
        let rows: Vec<(String, String, String)> = txns
            .iter()
            .take(LISTED)
            .map(|&txn| {
                let session = self.history.session_of(txn).map_or(String::new(), |s| {
                    format!("session {}", cut(self.history.session(s).to_string()))
                });
                let place = match self.history.line(txn) {
                    0 => session,
                    line => format!("{session}, line {line}"),
                };
                (self.name(txn), place, self.events(txn, txns))
            })
            .collect();
        let width = |of: fn(&(String, String, String)) -> &String| {
            rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0)
        };
        let (names, places) = (width(|r| &r.0), width(|r| &r.1));
        let mut text: String = rows
            .iter()
            .map(|(name, place, events)| format!("  {name:names$}  {place:places$}  {events}\n"))
            .collect();
        if txns.len() > LISTED {
            text.push_str(&format!("  … and {} more\n", txns.len() - LISTED));
        }
        text
    }

    /// The events of a transaction; of a long one, those on keys that the others touch too.
    pub(super) fn events(&self, txn: TxnId, among: &[TxnId]) -> String {
        let ids = self.history.event_ids(txn);
        let all = ids.len();
        let shared = |e: &EventId| {
            let key = self.history.event(*e).key();
            let others = among.iter().filter(|&&t| t != txn).take(LISTED);
            others.into_iter().any(|&t| self.history.events(t).iter().any(|o| o.key() == key))
        };
        let shown: Vec<String> = ids
            .filter(|e| all <= EVENTS || shared(e))
            .take(EVENTS)
            .map(|e| {
                let kind = if self.history.event(e).is_write() { "w" } else { "r" };
                let lock = if self.history.is_locking(e) { "!" } else { "" };
                let key = cut(self.history.key(self.history.event(e).key()).to_string());
                format!("{kind}{lock}({key})={}", cut(self.history.value(e).to_string()))
            })
            .collect();
        let more = match all - shown.len() {
            0 => String::new(),
            more => format!(" … and {more} more"),
        };
        shown.join(" ") + &more
    }
}

/// A name that is a bare number says what it is the name of.
fn named(kind: &str, name: String) -> String {
    if name.bytes().all(|b| b.is_ascii_digit()) { format!("{kind}{name}") } else { name }
}

/// Text cut to a readable length.
fn cut(text: String) -> String {
    if text.chars().count() <= WIDTH {
        return text;
    }
    let mut short: String = text.chars().take(WIDTH - 1).collect();
    short.push('…');
    short
}
