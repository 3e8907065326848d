//! The replay gate: whose turn it is, by the log of an earlier run.
//!
//! Requests wait in the queue; the gate looks at the log's next step and says what has to be there. Its
//! [`Cast`] knows which session of the run is which of the log. A program that asks something else, or does
//! not come, has changed: that is a [`Divergence`].
//!
//! SQL is followed by statement. A statement of the same [`shape`] is the same one, whatever values it has,
//! and so are the requests it makes of the store, though they may be about other keys, or more, or fewer.
//! What differs is counted ([`Differences`]); the order of the log is kept as far as it goes.

use std::fmt;
use std::time::Instant;

use hobgoblin_core::SessionId;
use hobgoblin_store::{
    Config, Entry, Log, Request, SessionRequest, Token, TokenStep, TransactionRequest, name_hash,
    request_hash,
};

use crate::cast::Cast;
use crate::shape::shape;

/// The run to follow, exactly or by hashes.
#[derive(Clone, Debug)]
pub enum Replay {
    /// A log, which knows every request.
    Log(Log),
    /// A token, which knows a hash of every request.
    Token(Token),
}

impl Replay {
    /// The setup of that run. A token does not know the initial values; `initial` gives them.
    pub fn config(&self, initial: &Config) -> Config {
        match self {
            Replay::Log(log) => log.config.clone(),
            Replay::Token(token) => token.config.clone().initial_values(initial.initial.clone()),
        }
    }
}

impl From<Log> for Replay {
    fn from(log: Log) -> Replay {
        Replay::Log(log)
    }
}

impl From<Token> for Replay {
    fn from(token: Token) -> Replay {
        Replay::Token(token)
    }
}

/// Where a replayed program first did something else than the log says. From there on the store runs
/// freely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The entry of the log, from 1.
    pub entry: usize,
    /// What the log has there.
    pub expected: String,
    /// What the program did instead, in words.
    pub found: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the run differs from its log at entry {}: ", self.entry)?;
        write!(f, "expected {}, but {}", self.expected, self.found)
    }
}

/// How a replayed program differed from the log without leaving it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// How many statements had other values, or touched other rows.
    pub count: usize,
    /// The first few of them.
    pub first: Vec<Difference>,
}

/// A statement that was not the log's to the letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The entry of the log, from 1.
    pub entry: usize,
    /// What the log has there.
    pub expected: String,
    /// What the program asked instead.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { entry, expected, found } = self;
        let same = expected.chars().zip(found.chars()).take_while(|(a, b)| a == b).count();
        let (expected, found) = (around(expected, same), around(found, same));
        write!(f, "entry {entry}: `{expected}` was `{found}` this time")
    }
}

/// The part of a text around a place.
fn around(text: &str, place: usize) -> String {
    const BEFORE: usize = 60;
    const AFTER: usize = 40;
    let from = if place > BEFORE + 1 { place - BEFORE } else { 0 };
    let mut shown = if from > 0 { "…".to_owned() } else { String::new() };
    shown.extend(text.chars().skip(from).take(place - from + AFTER));
    if text.chars().count() > place + AFTER {
        shown.push('…');
    }
    shown
}

impl Differences {
    /// How many are kept in words.
    const KEPT: usize = 5;

    pub(crate) fn add(&mut self, entry: usize, expected: &Request, found: &Request) {
        self.count += 1;
        if self.first.len() < Differences::KEPT {
            let text = |request: &Request| match request {
                Request::Session(SessionRequest::Statement(text)) => text.clone(),
                other => other.to_string(),
            };
            let (expected, found) = (text(expected), text(found));
            self.first.push(Difference { entry, expected, found });
        }
    }
}

/// How what came fits what the log has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It is the statement of the log.
    Same,
    /// It is the statement of the log, but for the values in it.
    Alike,
    /// The statement asked for less than in the log: what the log has is left out.
    Less,
    /// The statement asks for more than in the log.
    More,
    /// It is another statement than the log has.
    Other,
}

/// Whether a request is one of those that a statement makes, and not a statement, a begin or an end.
pub(crate) fn is_inner(request: &Request) -> bool {
    match request {
        Request::Session(
            SessionRequest::Advance { .. }
            | SessionRequest::SetCounter { .. }
            | SessionRequest::LetGo { .. }
            | SessionRequest::Clock
            | SessionRequest::Random,
        )
        | Request::Transaction(
            TransactionRequest::Get { .. }
            | TransactionRequest::Reserve { .. }
            | TransactionRequest::Insert { .. }
            | TransactionRequest::Put { .. }
            | TransactionRequest::Scan { .. }
            | TransactionRequest::Hold { .. }
            | TransactionRequest::StandAside
            | TransactionRequest::PassOver,
        ) => true,
        Request::Session(
            SessionRequest::Begin { .. }
            | SessionRequest::Fence
            | SessionRequest::SetPolicy(_)
            | SessionRequest::SetLevel(_)
            | SessionRequest::SetSnapshotIsolation(_)
            | SessionRequest::Statement(_)
            | SessionRequest::LetGoAll
            | SessionRequest::Cancel,
        )
        | Request::Transaction(
            TransactionRequest::ReadOnly { .. }
            | TransactionRequest::Prepare { .. }
            | TransactionRequest::Commit
            | TransactionRequest::Abort
            | TransactionRequest::Savepoint(_)
            | TransactionRequest::RollbackTo(_)
            | TransactionRequest::Release(_)
            | TransactionRequest::GiveUp { .. },
        ) => false,
    }
}

/// Whether a statement may do without this request of the log.
pub(crate) fn may_be_left_out(request: &Request) -> bool {
    is_inner(request) || matches!(request, Request::Transaction(TransactionRequest::GiveUp { .. }))
}

fn fit(expected: &Request, found: &Request) -> Fit {
    if expected == found {
        return Fit::Same;
    }
    match (expected, found) {
        (expected, found) if is_inner(expected) && is_inner(found) => Fit::Alike,
        (expected, _) if is_inner(expected) => Fit::Less,
        (_, found) if is_inner(found) => Fit::More,
        (
            Request::Session(SessionRequest::Statement(expected)),
            Request::Session(SessionRequest::Statement(found)),
        ) if shape(expected) == shape(found) => Fit::Alike,
        // Clients make their names up.
        (
            Request::Transaction(TransactionRequest::Savepoint(_)),
            Request::Transaction(TransactionRequest::Savepoint(_)),
        )
        | (
            Request::Transaction(TransactionRequest::Prepare { .. }),
            Request::Transaction(TransactionRequest::Prepare { .. }),
        )
        | (
            Request::Transaction(TransactionRequest::RollbackTo(_)),
            Request::Transaction(TransactionRequest::RollbackTo(_)),
        )
        | (
            Request::Transaction(TransactionRequest::Release(_)),
            Request::Transaction(TransactionRequest::Release(_)),
        ) => Fit::Alike,
        _ => Fit::Other,
    }
}

/// What a step of the log expects.
pub(crate) enum Step<'a> {
    Connect,
    Disconnect {
        session: SessionId,
    },
    Request {
        session: SessionId,
        choices: &'a [u32],
    },
    /// A token does not say why.
    GiveUp {
        session: SessionId,
        deadlock: Option<bool>,
    },
    Cancel {
        session: SessionId,
    },
    Tick {
        now: u64,
    },
}

/// A place in the log of an earlier run.
#[derive(Debug)]
pub(crate) struct Gate {
    replay: Replay,
    at: usize,
    /// Which session plays which of the log; `None` for a token, whose sessions have the numbers of
    /// the run.
    pub(crate) cast: Option<Cast>,
    /// When the last step was done.
    pub(crate) since: Instant,
}

impl Gate {
    pub(crate) fn new(replay: Replay) -> Gate {
        let cast = match &replay {
            Replay::Log(log) => Some(Cast::of(log)),
            Replay::Token(_) => None,
        };
        Gate { replay, at: 0, cast, since: Instant::now() }
    }

    /// The number of the next step, from 1.
    pub(crate) fn number(&self) -> usize {
        self.at + 1
    }

    /// How many requests are left in the log.
    pub(crate) fn left(&self) -> usize {
        match &self.replay {
            Replay::Log(log) => {
                let left = log.entries.get(self.at..).unwrap_or_default();
                left.iter().filter(|entry| matches!(entry, Entry::Request { .. })).count()
            }
            Replay::Token(token) => {
                let left = token.steps.get(self.at..).unwrap_or_default();
                left.iter().filter(|step| matches!(step, TokenStep::Request { .. })).count()
            }
        }
    }

    pub(crate) fn advance(&mut self, now: Instant) {
        if let (Replay::Log(log), Some(cast)) = (&self.replay, &mut self.cast)
            && let Some(Entry::Request { session, .. } | Entry::Disconnect { session }) =
                log.entries.get(self.at)
        {
            cast.done(self.at, *session);
        }
        self.at += 1;
        self.since = now;
    }

    /// The next step; none after the last.
    pub(crate) fn step(&self) -> Option<Step<'_>> {
        Some(match &self.replay {
            Replay::Log(log) => match log.entries.get(self.at)? {
                Entry::Connect { .. } => Step::Connect,
                Entry::Disconnect { session } => Step::Disconnect { session: *session },
                Entry::Tick { now } => Step::Tick { now: *now },
                Entry::Request {
                    session,
                    request: Request::Transaction(TransactionRequest::GiveUp { deadlock }),
                    ..
                } => Step::GiveUp { session: *session, deadlock: Some(*deadlock) },
                Entry::Request {
                    session,
                    request: Request::Session(SessionRequest::Cancel),
                    ..
                } => Step::Cancel { session: *session },
                Entry::Request { session, choices, .. } => {
                    Step::Request { session: *session, choices }
                }
            },
            Replay::Token(token) => match token.steps.get(self.at)? {
                TokenStep::Connect { .. } => Step::Connect,
                TokenStep::Disconnect { session } => Step::Disconnect { session: *session },
                TokenStep::Tick { now } => Step::Tick { now: *now },
                TokenStep::GiveUp { session } => Step::GiveUp { session: *session, deadlock: None },
                TokenStep::Cancel { session } => Step::Cancel { session: *session },
                TokenStep::Request { session, choices, .. } => {
                    Step::Request { session: *session, choices }
                }
            },
        })
    }

    /// Whether a connect of this name is what the next step expects.
    pub(crate) fn connects(&self, name: Option<&str>) -> bool {
        match &self.replay {
            Replay::Log(log) => match log.entries.get(self.at) {
                Some(Entry::Connect { name: expected }) => expected.as_deref() == name,
                _ => false,
            },
            Replay::Token(token) => match token.steps.get(self.at) {
                Some(TokenStep::Connect { name: expected }) => *expected == name_hash(name),
                _ => false,
            },
        }
    }

    /// Whether this request of a session is what the next step expects.
    pub(crate) fn asks(&self, player: SessionId, found: &Request) -> Fit {
        let same = |same: bool| if same { Fit::Same } else { Fit::Other };
        match &self.replay {
            Replay::Log(log) => match log.entries.get(self.at) {
                Some(Entry::Request { request, .. }) => {
                    let lenient = self.cast.as_ref().is_some_and(|cast| cast.is_lenient(player));
                    if lenient { fit(request, found) } else { same(request == found) }
                }
                _ => Fit::Other,
            },
            Replay::Token(token) => match token.steps.get(self.at) {
                Some(TokenStep::Request { hash, .. }) => same(*hash == request_hash(found)),
                _ => Fit::Other,
            },
        }
    }

    /// The request that the next step has, where the log knows it.
    pub(crate) fn request(&self) -> Option<&Request> {
        let Replay::Log(log) = &self.replay else { return None };
        match log.entries.get(self.at)? {
            Entry::Request { request, .. } => Some(request),
            _ => None,
        }
    }

    /// Whether a session asks, within a statement, for more than the log has there.
    pub(crate) fn is_beyond(&self, player: SessionId, found: &Request) -> bool {
        let (Replay::Log(log), Some(cast)) = (&self.replay, &self.cast) else { return false };
        let next = cast.next_of(player).and_then(|next| log.entries.get(next));
        let inner =
            |entry: &Entry| matches!(entry, Entry::Request { request, .. } if is_inner(request));
        is_inner(found) && cast.is_lenient(player) && !next.is_some_and(inner)
    }

    /// The next step in words; `name` tells the name of a session.
    pub(crate) fn expected(&self, name: impl Fn(SessionId) -> String) -> String {
        if let Replay::Log(log) = &self.replay {
            match log.entries.get(self.at) {
                Some(Entry::Connect { name: Some(name) }) => {
                    return format!("session {name} to connect");
                }
                Some(Entry::Request { session, request, .. }) => {
                    return format!("session {}'s `{request}`", name(*session));
                }
                _ => {}
            }
        }
        match self.step() {
            None => "nothing more".to_owned(),
            Some(Step::Connect) => "a session to connect".to_owned(),
            Some(Step::Disconnect { session }) => {
                format!("session {} to disconnect", name(session))
            }
            Some(Step::GiveUp { session, .. }) => {
                format!("session {} to give up waiting", name(session))
            }
            Some(Step::Cancel { session }) => {
                format!("session {} to be interrupted", name(session))
            }
            Some(Step::Tick { now }) => format!("the time {now}"),
            Some(Step::Request { session, .. }) => {
                format!("another request of session {} (a token keeps only hashes)", name(session))
            }
        }
    }
}
