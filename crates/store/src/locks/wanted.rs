//! What a session wants to lock, and whether one who waits for it is in another's way.

use hobgoblin_core::{Key, SessionId, Value};

use crate::ids::KeyNo;
use crate::keys::Keys;
use crate::lock::{Lock, Mode, Scope};
use crate::range::KeyRange;

/// What a session wants to lock.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    Key {
        key: KeyNo,
        lock: Lock,
    },
    /// A key that is to be inserted: it is locked if it holds nothing, and otherwise only writers
    /// are in the way.
    Insert {
        key: KeyNo,
    },
    /// A key together with the gap before it, both or neither.
    Next {
        key: KeyNo,
        lock: Lock,
        gap: KeyRange,
    },
    /// A gap between keys. No lock of another session is ever in its way.
    Gap(KeyRange),
    /// Room for a key that holds nothing: no other session may have locked the gap, or wait to. The
    /// key is then locked, and the gap is not.
    Room {
        key: KeyNo,
    },
    Object {
        object: Key,
        mode: Mode,
        scope: Scope,
    },
    /// A safe snapshot. Whether there is one depends on these sessions.
    Safe {
        unsure: Vec<SessionId>,
    },
    /// A lock on a version of a key that is not the newest, and that these sessions share.
    Old {
        key: KeyNo,
        sharers: Vec<SessionId>,
    },
}

impl Wanted {
    /// The key to lock and how; `None` if something else is wanted, or the key to insert is there.
    pub(super) fn lock(&self, keys: &Keys) -> Option<(KeyNo, Lock)> {
        match *self {
            Wanted::Key { key, lock } | Wanted::Next { key, lock, .. } => Some((key, lock)),
            Wanted::Room { key } => Some((key, Lock::Update)),
            Wanted::Insert { key } => {
                (keys.get(key).newest().value == Value::Null).then_some((key, Lock::Update))
            }
            Wanted::Gap(_) | Wanted::Object { .. } | Wanted::Safe { .. } | Wanted::Old { .. } => {
                None
            }
        }
    }

    /// The key that somebody waits for, and how strong; nothing for what is no key.
    pub(super) fn key(&self) -> Option<(KeyNo, Lock)> {
        match *self {
            Wanted::Key { key, lock } | Wanted::Next { key, lock, .. } => Some((key, lock)),
            Wanted::Insert { key } | Wanted::Room { key } | Wanted::Old { key, .. } => {
                Some((key, Lock::Update))
            }
            Wanted::Gap(_) | Wanted::Object { .. } | Wanted::Safe { .. } => None,
        }
    }

    /// Whether a session that waits for this is in the way of one that wants `other`.
    pub(super) fn clashes(&self, other: &Wanted, keys: &Keys) -> bool {
        match (self, other) {
            (
                Wanted::Object { object, mode, .. },
                Wanted::Object { object: same, mode: held, .. },
            ) => mode.clashes(*held) && object == same,
            // Who wants room waits for the gap that another wants; who comes to a key does not mind who wants room.
            (Wanted::Next { gap, .. }, Wanted::Room { key })
                if gap.contains(&keys.get(*key).name) =>
            {
                true
            }
            (Wanted::Room { .. }, _) => false,
            _ => match (self.lock(keys), other.lock(keys)) {
                (Some((key, lock)), Some((same, held))) => key == same && lock.clashes(held),
                _ => false,
            },
        }
    }
}

/// A session that waits, and what for.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) session: SessionId,
    pub(super) wanted: Wanted,
}
