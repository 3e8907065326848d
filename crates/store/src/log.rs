//! The log of a run: every request in the order it was served, and every choice made for it.

use hobgoblin_core::SessionId;

use crate::request::Request;

/// One line of a log.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A session connected; sessions are numbered from 0 in this order.
    Connect {
        /// Its name, if it has one.
        name: Option<Box<str>>,
    },
    /// A session was closed.
    Disconnect {
        /// Which.
        session: SessionId,
    },
    /// A request was served, or found the session blocked.
    Request {
        /// Whose.
        session: SessionId,
        /// What.
        request: Request,
        /// The choices made for it, in order: for each read, the place of the version among those
        /// allowed, newest first.
        choices: Vec<u32>,
    },
    /// Time passed.
    Tick {
        /// The time now.
        now: u64,
    },
}
