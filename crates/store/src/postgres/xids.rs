//! Transaction ids: the transactions that write or lock, numbered when they first do.

/// The numbers given, and to whom.
#[derive(Debug, Default)]
pub(super) struct Xids {
    next: u64,
    /// Those that run, by session.
    running: Vec<(u32, u64)>,
}

impl Xids {
    /// A session's transaction has a number from now on.
    pub(super) fn assign(&mut self, session: u32) {
        if self.running.iter().all(|&(other, _)| other != session) {
            self.running.push((session, self.next));
            self.next += 1;
        }
    }

    /// The oldest that runs, or the next one if none does.
    pub(super) fn oldest(&self) -> u64 {
        self.running.iter().map(|&(_, xid)| xid).min().unwrap_or(self.next)
    }

    /// The next number to be given.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// A session's transaction is another session's now.
    pub(super) fn hand_over(&mut self, from: u32, to: u32) {
        if let Some((session, _)) = self.running.iter_mut().find(|(session, _)| *session == from) {
            *session = to;
        }
    }

    /// A session's transaction ended.
    pub(super) fn end(&mut self, session: u32) {
        self.running.retain(|&(other, _)| other != session);
    }
}
