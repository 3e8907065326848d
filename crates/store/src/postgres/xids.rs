//! Transaction ids: the transactions that write or lock, numbered when they first do.

use hobgoblin_core::SessionId;

/// The number of a transaction that writes or locks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Xid(u64);

impl Xid {
    /// After all of them.
    pub(super) const LAST: Xid = Xid(u64::MAX);
}

/// The numbers given, and to whom.
#[derive(Debug, Default)]
pub(super) struct Xids {
    next: Xid,
    /// Those that run, by session.
    running: Vec<(SessionId, Xid)>,
}

impl Xids {
    /// A session's transaction has a number from now on.
    pub(super) fn assign(&mut self, session: SessionId) {
        if self.running.iter().all(|&(other, _)| other != session) {
            self.running.push((session, self.next));
            self.next = Xid(self.next.0 + 1);
        }
    }

    /// The oldest that runs, or the next one if none does.
    pub(super) fn oldest(&self) -> Xid {
        self.running.iter().map(|&(_, xid)| xid).min().unwrap_or(self.next)
    }

    /// The next number to be given.
    pub(super) fn next(&self) -> Xid {
        self.next
    }

    /// A session's transaction is another session's now.
    pub(super) fn hand_over(&mut self, from: SessionId, to: SessionId) {
        if let Some((session, _)) = self.running.iter_mut().find(|(session, _)| *session == from) {
            *session = to;
        }
    }

    /// A session's transaction ended.
    pub(super) fn end(&mut self, session: SessionId) {
        self.running.retain(|&(other, _)| other != session);
    }
}
