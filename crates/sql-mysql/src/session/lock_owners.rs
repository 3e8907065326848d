//! Who has which lock by name.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Who has which lock: the session's number, and how often it took it.
#[derive(Debug, Default)]
pub(crate) struct NameLocks(Mutex<HashMap<String, (u32, u32)>>);

impl NameLocks {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, (u32, u32)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session that has a lock.
    pub(super) fn owner(&self, name: &str) -> Option<u32> {
        self.lock().get(name).map(|(owner, _)| *owner)
    }

    /// A session has taken a lock.
    pub(super) fn taken(&self, name: &str, by: u32) {
        let mut all = self.lock();
        let entry = all.entry(name.to_owned()).or_insert((by, 0));
        *entry = (by, entry.1 + 1);
    }

    /// Lets a lock go once that the session has.
    pub(super) fn let_go(&self, name: &str) {
        let mut all = self.lock();
        if let Some(entry) = all.get_mut(name) {
            entry.1 -= 1;
            if entry.1 == 0 {
                all.remove(name);
            }
        }
    }

    /// The locks of a session, each as often as it was taken.
    pub(super) fn of(&self, session: u32) -> Vec<String> {
        let all = self.lock();
        let mine = all.iter().filter(|(_, (owner, _))| *owner == session);
        let mut names: Vec<String> = mine
            .flat_map(|(name, (_, count))| std::iter::repeat_n(name.clone(), *count as usize))
            .collect();
        names.sort_unstable();
        names
    }
}
