//! What those who act are called: by the names that the user gave, numbers after.

use hobgoblin_core::{History, SessionId, TxnId};

use super::case::Case;
use super::row::{middle, named};

/// Names longer than this are cut.
const WIDTH: usize = 32;

/// The transactions of a case, by session.
#[derive(Debug)]
pub(super) struct Actors<'a> {
    history: &'a History,
    sql: bool,
    /// Sessions from left to right, with those of their transactions that act.
    pub(super) sessions: Vec<(SessionId, Vec<TxnId>)>,
}

impl<'a> Actors<'a> {
    pub(super) fn of(case: &Case<'a>) -> Actors<'a> {
        let mut sessions: Vec<(SessionId, Vec<TxnId>)> = Vec::new();
        for &txn in &case.txns {
            let Some(session) = case.history.session_of(txn) else { continue };
            match sessions.iter_mut().find(|(known, _)| *known == session) {
                Some((_, txns)) => txns.push(txn),
                None => sessions.push((session, vec![txn])),
            }
        }
        Actors { history: case.history, sql: case.is_sql(), sessions }
    }

    /// The column of a transaction.
    pub(super) fn column(&self, txn: TxnId) -> usize {
        self.sessions.iter().position(|(_, txns)| txns.contains(&txn)).unwrap_or(0)
    }

    /// The head of a column.
    pub(super) fn title(&self, column: usize) -> String {
        let Some((session, txns)) = self.sessions.get(column) else { return String::new() };
        match txns.as_slice() {
            [one] if !self.sql => match self.history.given_name(*one) {
                Some(_) => format!("{} ({})", self.txn(*one), self.session(*session)),
                None => self.session(*session),
            },
            _ => self.session(*session),
        }
    }

    /// What a transaction is called in a sentence.
    pub(super) fn name(&self, txn: TxnId) -> String {
        if txn == TxnId::INIT {
            return "the initial state".to_owned();
        }
        let session = self.history.session_of(txn);
        let alone =
            |s: SessionId| self.sessions.iter().any(|(known, txns)| *known == s && txns.len() == 1);
        match session {
            Some(session) if self.sql && alone(session) => self.session(session),
            Some(session) if self.sql => format!("{} of {}", self.txn(txn), self.session(session)),
            _ => self.txn(txn),
        }
    }

    /// The same at the beginning of a sentence.
    pub(super) fn first(&self, txn: TxnId) -> String {
        let given = self.history.given_name(txn);
        let is_as_given = given.is_some_and(|name| !name.bytes().all(|b| b.is_ascii_digit()));
        capital(&self.name(txn), is_as_given && !self.sql)
    }

    /// The session of a transaction: `session 3`.
    pub(super) fn session_of(&self, txn: TxnId) -> String {
        self.history.session_of(txn).map_or("its session".to_owned(), |s| self.session(s))
    }

    /// A transaction by its name alone.
    pub(super) fn txn(&self, txn: TxnId) -> String {
        named("transaction ", middle(&self.history.name(txn), WIDTH))
    }

    fn session(&self, session: SessionId) -> String {
        format!("session {}", middle(&self.history.session(session).to_string(), WIDTH))
    }
}

/// A first letter for the beginning of a sentence; names are left as they are.
fn capital(text: &str, is_name: bool) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if !is_name => first.to_uppercase().collect::<String>() + chars.as_str(),
        _ => text.to_owned(),
    }
}
