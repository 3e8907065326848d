//! The transactions of a history by pages, for a table that asks a server for what is in view.
//!
//! A [`Filter`] leaves the transactions that the script's own filter would: of a session, touching a key, of a status,
//! with a text in their name, keys or values. Keys are looked at once a filter, values once as far as they are met, so
//! that a filter is one pass over the events.

use std::collections::BTreeSet;
use std::sync::Mutex;

use hobgoblin_core::{EventId, History, SessionId, Status, TxnId};

use crate::table::{self, Table};

/// The transactions that are wanted; what is empty asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The name of their session.
    pub session: String,
    /// A part of a key that they read or wrote.
    pub key: String,
    /// `committed`, `aborted` or `unknown`, or `anomaly` for those of a witness.
    pub status: String,
    /// A part of their name, of a key or of a value.
    pub search: String,
}

/// Some of the transactions that a filter leaves.
#[derive(Clone, Debug, Default)]
pub struct RowsAsked {
    /// The number of the rows that are meant; nothing for those there are.
    pub number: Option<u64>,
    /// Which of them.
    pub filter: Filter,
    /// How many of these to pass over.
    pub from: usize,
    /// How many are wanted, [`Rows::MOST`] at most.
    pub count: usize,
}

/// The transactions of a history, to be asked for by pages.
#[derive(Debug)]
pub struct Rows {
    history: History,
    guilty: BTreeSet<TxnId>,
    number: u64,
    /// The last filter and what it left, since pages of one filter come one after the other.
    last: Mutex<Option<(Filter, Vec<TxnId>)>>,
}

impl Rows {
    /// At most so many are in a page.
    pub const MOST: usize = 500;

    /// The rows of a history whose [served table](Table::served) is on a page, under the same number.
    pub fn of(history: History, table: &Table, number: u64) -> Rows {
        Rows { history, guilty: table.guilty.clone(), number, last: Mutex::default() }
    }

    /// The number of these rows.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What is asked for, as JSON for the script; the number of these rows, if others are meant.
    pub fn page(&self, asked: &RowsAsked) -> Result<String, u64> {
        let &RowsAsked { number, ref filter, from, count } = asked;
        if number.is_some_and(|number| number != self.number) {
            return Err(self.number);
        }
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (_, fits) = match last.take() {
            Some(known) if known.0 == *filter => last.insert(known),
            _ => last.insert((filter.clone(), self.fitting(filter))),
        };
        let from = from.min(fits.len());
        let shown = &fits[from..fits.len().min(from + count.min(Rows::MOST))];
        let data = table::opened(&self.history, shown, &self.guilty);
        let (number, total) = (self.number, fits.len());
        Ok(format!("{{\"version\":{number},\"total\":{total},\"from\":{from},\"data\":{data}}}"))
    }

    fn fitting(&self, filter: &Filter) -> Vec<TxnId> {
        let history = &self.history;
        let session = match filter.session.as_str() {
            "" => None,
            name => match history.sessions().find(|&s| history.session(s).to_string() == name) {
                Some(session) => Some(session),
                None => return Vec::new(),
            },
        };
        let key = Wanted::of(&filter.key).map(|wanted| wanted.keys(history));
        let search = Wanted::of(&filter.search);
        let found = search.as_ref().map(|wanted| wanted.keys(history));
        let mut values = Values::default();
        let is_of = |txn: TxnId, session: Option<SessionId>| {
            session.is_none_or(|session| history.session_of(txn) == Some(session))
        };
        let mut fits = |txn: TxnId| {
            let events = || history.event_ids(txn);
            let has_key = |keys: &[bool], event: EventId| keys[history.event(event).key().index()];
            is_of(txn, session)
                && self.has_status(txn, &filter.status)
                && key.as_ref().is_none_or(|keys| events().any(|event| has_key(keys, event)))
                && search.as_ref().zip(found.as_ref()).is_none_or(|(wanted, keys)| {
                    wanted.is_in(&history.name(txn))
                        || events().any(|event| {
                            has_key(keys, event) || values.have(history, event, wanted)
                        })
                })
        };
        history.txns().filter(|&txn| fits(txn)).collect()
    }

    fn has_status(&self, txn: TxnId, status: &str) -> bool {
        match status {
            "" => true,
            "anomaly" => self.guilty.contains(&txn),
            name => {
                name == match self.history.status(txn) {
                    Status::Committed => "committed",
                    Status::Aborted => "aborted",
                    Status::Unknown => "unknown",
                }
            }
        }
    }
}

/// A text that is looked for, whether its letters are large or small.
struct Wanted(String);

impl Wanted {
    fn of(text: &str) -> Option<Wanted> {
        let text = text.trim().to_lowercase();
        (!text.is_empty()).then_some(Wanted(text))
    }

    fn is_in(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.0)
    }

    /// Of each key, whether it has the text.
    fn keys(&self, history: &History) -> Vec<bool> {
        history.keys().map(|key| self.is_in(&history.key(key).to_string())).collect()
    }
}

/// Of each value that was looked at, whether it has the text.
#[derive(Default)]
struct Values(Vec<Option<bool>>);

impl Values {
    fn have(&mut self, history: &History, event: EventId, wanted: &Wanted) -> bool {
        let at = history.event(event).datum() as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1, None);
        }
        *self.0[at].get_or_insert_with(|| wanted.is_in(&history.value(event).to_string()))
    }
}
