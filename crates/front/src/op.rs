//! What is asked of a store, by whom, and what comes back.

use hobgoblin_core::SessionId;
use hobgoblin_store::{Answer, Request};

use crate::error::Error;

/// What is asked of a store.
#[derive(Debug)]
pub(crate) enum Op {
    Connect(Option<Box<str>>),
    Disconnect(SessionId),
    Request(SessionId, Request),
}

impl Op {
    pub(crate) fn session(&self) -> Option<SessionId> {
        match self {
            Op::Connect(_) => None,
            Op::Disconnect(session) | Op::Request(session, _) => Some(*session),
        }
    }
}

/// What comes back: the session of a connect, or the machine's answer.
#[derive(Debug)]
pub(crate) enum Outcome {
    Session(SessionId),
    Answer(Answer),
}

/// Who makes a request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Caller {
    /// The number of the thread that uses the session; 0 where another one may go on with it.
    pub(crate) thread: u64,
    /// Whether that thread does nothing else until the answer is there.
    pub(crate) waits: bool,
    /// Whether an executor decides the order, so that nothing is held.
    pub(crate) driven: bool,
    /// Whether nobody waits for the answer.
    pub(crate) detached: bool,
}

/// The answer to a submission.
pub(crate) enum Submitted {
    Now(Result<Outcome, Error>),
    Later(u64),
}

/// What an outcome is for one kind of request.
pub(crate) trait Answered: Sized {
    fn of(outcome: Outcome) -> Self;
}

impl Answered for Answer {
    fn of(outcome: Outcome) -> Answer {
        match outcome {
            Outcome::Answer(answer) => answer,
            Outcome::Session(_) => Answer::Done,
        }
    }
}

impl Answered for () {
    fn of(_: Outcome) {}
}

impl Answered for SessionId {
    fn of(outcome: Outcome) -> SessionId {
        match outcome {
            Outcome::Session(session) => session,
            Outcome::Answer(_) => unreachable!("a connect is answered by a session"),
        }
    }
}
