//! Transaction ids: the transactions that write or lock, numbered when they first do.

use hobgoblin_core::SessionId;

/// The number of a transaction that writes or locks, given when it first does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Xid(u64);

impl Xid {
    /// A number after all that are given.
    pub(super) const LAST: Xid = Xid(u64::MAX);
}

/// The numbers that are given, and which of them are running.
#[derive(Debug, Default)]
pub(super) struct Xids {
    next: Xid,
    /// The transactions that are running, with their sessions.
    running: Vec<(SessionId, Xid)>,
}

impl Xids {
    /// Gives a number to a session's transaction, unless it has one.
    pub(super) fn assign(&mut self, session: SessionId) {
        if self.running.iter().all(|&(other, _)| other != session) {
            self.running.push((session, self.next));
            self.next = Xid(self.next.0 + 1);
        }
    }

    /// The oldest number that is running, or the next one if none is.
    pub(super) fn oldest(&self) -> Xid {
        self.running.iter().map(|&(_, xid)| xid).min().unwrap_or(self.next)
    }

    /// The number that will be given next.
    pub(super) fn next(&self) -> Xid {
        self.next
    }

    /// Gives the number of one session's transaction to another's.
    pub(super) fn hand_over(&mut self, from: SessionId, to: SessionId) {
        if let Some((session, _)) = self.running.iter_mut().find(|(session, _)| *session == from) {
            *session = to;
        }
    }

    /// Says that a session's transaction has ended.
    pub(super) fn end(&mut self, session: SessionId) {
        self.running.retain(|&(other, _)| other != session);
    }
}
