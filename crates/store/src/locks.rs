//! Locks of the engine profiles: on keys, shared or not, and shared on ranges. They are held to the end
//! of the transaction.

use hashbrown::HashMap;
use hobgoblin_core::Key;

use crate::request::{KeyRange, Lock};

/// What a session wants to lock.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    Key { key: u32, name: Key, lock: Lock },
    Range(KeyRange),
}

/// Who holds what, and who waits for what. Sessions and keys by number.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    /// The holders of each key's lock; a session that holds both kinds has `Update`.
    keys: HashMap<u32, Vec<(u32, Lock)>>,
    /// The name of each locked key, to compare with ranges.
    names: HashMap<u32, Key>,
    ranges: Vec<(u32, KeyRange)>,
    /// Who waits, in the order they began to.
    waiting: Vec<(u32, Wanted)>,
}

impl Locks {
    /// Takes a lock, or says who is in the way, in order.
    pub(crate) fn take(&mut self, session: u32, wanted: &Wanted) -> Result<(), Vec<u32>> {
        let holders = self.holders(session, wanted);
        if !holders.is_empty() {
            return Err(holders);
        }
        self.stop_waiting(session);
        match wanted {
            Wanted::Range(range) => self.ranges.push((session, range.clone())),
            Wanted::Key { key, name, lock } => {
                let held = self.keys.entry(*key).or_default();
                self.names.entry(*key).or_insert_with(|| name.clone());
                match held.iter_mut().find(|(holder, _)| *holder == session) {
                    Some((_, kind)) if *lock == Lock::Update => *kind = Lock::Update,
                    Some(_) => {}
                    None => held.push((session, *lock)),
                }
            }
        }
        Ok(())
    }

    /// The sessions whose locks are in the way.
    fn holders(&self, session: u32, wanted: &Wanted) -> Vec<u32> {
        let mut holders = Vec::new();
        match wanted {
            Wanted::Key { key, name, lock } => {
                let held = self.keys.get(key).map_or(&[][..], Vec::as_slice);
                let clash = |kind| *lock == Lock::Update || kind == Lock::Update;
                let on_key = held.iter().filter(|&&(_, kind)| clash(kind));
                holders.extend(on_key.map(|&(holder, _)| holder));
                if *lock == Lock::Update {
                    let ranges = self.ranges.iter().filter(|(_, range)| range.contains(name));
                    holders.extend(ranges.map(|&(holder, _)| holder));
                }
            }
            Wanted::Range(range) => {
                for (key, held) in &self.keys {
                    if range.contains(&self.names[key]) {
                        let update = held.iter().filter(|(_, kind)| *kind == Lock::Update);
                        holders.extend(update.map(|&(holder, _)| holder));
                    }
                }
            }
        }
        holders.sort_unstable();
        holders.dedup();
        holders.retain(|&holder| holder != session);
        holders
    }

    /// Lets a session wait, unless it would wait for itself.
    pub(crate) fn wait(&mut self, session: u32, wanted: Wanted) -> Result<(), Deadlock> {
        match self.waiting.iter_mut().find(|(waiter, _)| *waiter == session) {
            Some((_, before)) => *before = wanted,
            None => self.waiting.push((session, wanted)),
        }
        let mut stack = vec![session];
        let mut reached = Vec::new();
        while let Some(waiter) = stack.pop() {
            let wanted = self.waiting.iter().find(|&&(other, _)| other == waiter);
            for holder in wanted.map_or(Vec::new(), |(_, wanted)| self.holders(waiter, wanted)) {
                if holder == session {
                    self.stop_waiting(session);
                    return Err(Deadlock);
                }
                if !reached.contains(&holder) {
                    reached.push(holder);
                    stack.push(holder);
                }
            }
        }
        Ok(())
    }

    fn stop_waiting(&mut self, session: u32) {
        self.waiting.retain(|&(waiter, _)| waiter != session);
    }

    /// Gives up all a session holds and waits for.
    pub(crate) fn release(&mut self, session: u32) {
        self.stop_waiting(session);
        self.ranges.retain(|&(holder, _)| holder != session);
        self.keys.retain(|key, held| {
            held.retain(|&(holder, _)| holder != session);
            if held.is_empty() {
                self.names.remove(key);
            }
            !held.is_empty()
        });
    }

    /// Those who wait and need not any more, in the order they began to.
    pub(crate) fn ready(&self) -> impl Iterator<Item = u32> + '_ {
        let free = |(waiter, wanted): &&(u32, Wanted)| self.holders(*waiter, wanted).is_empty();
        self.waiting.iter().filter(free).map(|&(waiter, _)| waiter)
    }
}

/// Sessions wait for each other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Deadlock;

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: u32, lock: Lock) -> Wanted {
        Wanted::Key { key, name: Key::Int(i64::from(key)), lock }
    }

    #[test]
    fn shared_locks_are_shared_and_upgrades_can_deadlock() {
        let mut locks = Locks::default();
        assert_eq!(locks.take(1, &key(7, Lock::Share)), Ok(()));
        assert_eq!(locks.take(2, &key(7, Lock::Share)), Ok(()));
        assert_eq!(locks.take(1, &key(7, Lock::Update)), Err(vec![2]));
        assert_eq!(locks.wait(1, key(7, Lock::Update)), Ok(()));
        assert_eq!(locks.wait(2, key(7, Lock::Update)), Err(Deadlock));
        locks.release(2);
        assert_eq!(locks.ready().collect::<Vec<_>>(), [1]);
        assert_eq!(locks.take(1, &key(7, Lock::Update)), Ok(()));
        assert_eq!(locks.take(2, &key(7, Lock::Share)), Err(vec![1]));
    }

    #[test]
    fn ranges_keep_writers_out() {
        let mut locks = Locks::default();
        assert_eq!(locks.take(1, &Wanted::Range(KeyRange::all())), Ok(()));
        assert_eq!(locks.take(2, &key(3, Lock::Update)), Err(vec![1]));
        assert_eq!(locks.take(2, &key(3, Lock::Share)), Ok(()));
        locks.release(1);
        assert_eq!(locks.take(2, &key(3, Lock::Update)), Ok(()));
        assert_eq!(locks.take(1, &Wanted::Range(KeyRange::all())), Err(vec![2]));
    }

    #[test]
    fn three_in_a_ring_are_a_deadlock() {
        let mut locks = Locks::default();
        for session in 0..3 {
            assert_eq!(locks.take(session, &key(session, Lock::Update)), Ok(()));
        }
        assert_eq!(locks.wait(0, key(1, Lock::Update)), Ok(()));
        assert_eq!(locks.wait(1, key(2, Lock::Update)), Ok(()));
        assert_eq!(locks.wait(2, key(0, Lock::Update)), Err(Deadlock));
    }
}
