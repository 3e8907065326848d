//! The replay gate: whose turn it is, by the log of an earlier run.
//!
//! Requests wait in the queue; the gate looks at the log's next step and says what has to be there. Since
//! connects are taken in the log's order too, the sessions of both runs have the same numbers. A program
//! that asks something else, or does not come, has changed: that is a [`Divergence`].

use std::fmt;
use std::time::Instant;

use hobgoblin_core::SessionId;
use hobgoblin_store::{Config, Entry, Log, Request, Token, TokenStep, name_hash, request_hash};

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
            Replay::Token(token) => {
                Config { initial: initial.initial.clone(), ..token.config.clone() }
            }
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
    /// What came instead.
    pub found: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the run differs from its log at entry {}: ", self.entry)?;
        write!(f, "expected {}, but {}", self.expected, self.found)
    }
}

/// What a step of the log expects.
pub(crate) enum Step<'a> {
    Connect,
    Disconnect { session: SessionId },
    Request { session: SessionId, choices: &'a [u32] },
    GiveUp { session: SessionId },
    Cancel { session: SessionId },
    Tick { now: u64 },
}

/// A place in the log of an earlier run.
#[derive(Debug)]
pub(crate) struct Gate {
    replay: Replay,
    at: usize,
    /// When the last step was done.
    pub(crate) since: Instant,
}

impl Gate {
    pub(crate) fn new(replay: Replay) -> Gate {
        Gate { replay, at: 0, since: Instant::now() }
    }

    /// The number of the next step, from 1.
    pub(crate) fn number(&self) -> usize {
        self.at + 1
    }

    pub(crate) fn advance(&mut self, now: Instant) {
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
                Entry::Request { session, request: Request::GiveUp, .. } => {
                    Step::GiveUp { session: *session }
                }
                Entry::Request { session, request: Request::Cancel, .. } => {
                    Step::Cancel { session: *session }
                }
                Entry::Request { session, choices, .. } => {
                    Step::Request { session: *session, choices }
                }
            },
            Replay::Token(token) => match token.steps.get(self.at)? {
                TokenStep::Connect { .. } => Step::Connect,
                TokenStep::Disconnect { session } => Step::Disconnect { session: *session },
                TokenStep::Tick { now } => Step::Tick { now: *now },
                TokenStep::GiveUp { session } => Step::GiveUp { session: *session },
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

    /// Whether this request is what the next step expects.
    pub(crate) fn asks(&self, found: &Request) -> bool {
        match &self.replay {
            Replay::Log(log) => match log.entries.get(self.at) {
                Some(Entry::Request { request, .. }) => request == found,
                _ => false,
            },
            Replay::Token(token) => match token.steps.get(self.at) {
                Some(TokenStep::Request { hash, .. }) => *hash == request_hash(found),
                _ => false,
            },
        }
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
            Some(Step::GiveUp { session }) => {
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
