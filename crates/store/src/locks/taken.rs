//! What a session took, in order, so that it can be released from the end: by its transaction, and by the session itself
//! for as long as it likes.

use hobgoblin_core::{Key, SessionId};

use super::modes::Modes;
use crate::ids::KeyNo;
use crate::lock::Mode;

/// One thing that a session took. There may be millions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Taken {
    Key(KeyNo, Modes),
    /// The last of its objects in [`Took::objects`].
    Object,
    /// The gap that it took last.
    Gap,
}

/// All that a session took, in order, so that it can be released from the end.
#[derive(Debug, Default)]
pub(super) struct Took {
    pub(super) all: Vec<Taken>,
    /// The objects among them.
    pub(super) objects: Vec<(Key, Mode)>,
    /// How much it had taken when it was marked last.
    pub(super) marked: usize,
    /// How often it has waited for the lock of a key.
    pub(super) waited: usize,
}

impl Took {
    /// Adds one thing. If it is of the same key as the one before, and no mark is between them,
    /// they become one.
    pub(super) fn push(&mut self, taken: Taken) {
        let since = self.all.get_mut(self.marked..).unwrap_or_default();
        if let (Some(Taken::Key(last, own)), Taken::Key(key, modes)) = (since.last_mut(), taken)
            && *last == key
        {
            own.0 |= modes.0;
            return;
        }
        self.all.push(taken);
    }
}

/// A lock that the session itself holds, and how often it has taken it.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) session: SessionId,
    pub(super) object: Key,
    pub(super) mode: Mode,
    pub(super) count: u32,
}

impl Standing {
    /// Whether it is this lock of this session.
    pub(super) fn is(&self, session: SessionId, object: &Key, mode: Mode) -> bool {
        (self.session, self.mode) == (session, mode) && self.object == *object
    }
}
