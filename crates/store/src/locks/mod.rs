//! Locks of the engine profiles: on keys, in four strengths, and shared on ranges. They are held to the end
//! of the transaction, or to a rollback past the point where they were taken.
//!
//! Who writes a key is noted with its locks: an insert waits for writers only, if the key holds something.
//!
//! A session has a list of what it took, in order, so that releasing costs what was taken. Of a key it may
//! hold several locks at once: share and no-key-update together keep out more than either.

use hashbrown::HashMap;
use hobgoblin_core::Value;

use crate::keys::Keys;
use crate::range::KeyRange;
use crate::request::Lock;

/// What a session wants to lock.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    Key {
        key: u32,
        lock: Lock,
    },
    /// To insert a key: it is locked if it holds nothing, else only writers are in the way.
    Insert {
        key: u32,
    },
    Range(KeyRange),
}

impl Wanted {
    /// The key to lock and how; nothing for a range, and for an insert of what is there.
    fn lock(&self, keys: &Keys) -> Option<(u32, Lock)> {
        match *self {
            Wanted::Key { key, lock } => Some((key, lock)),
            Wanted::Insert { key } => {
                (keys.get(key).newest().value == Value::Null).then_some((key, Lock::Update))
            }
            Wanted::Range(_) => None,
        }
    }
}

/// The locks of one session on one key, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Modes(u8);

/// Marks that the session has written the key.
const WRITES: Modes = Modes(1 << 7);

impl Modes {
    fn of(lock: Lock) -> Modes {
        Modes(1 << lock as u8)
    }

    fn has(self, lock: Lock) -> bool {
        self.0 & Modes::of(lock).0 != 0
    }

    fn writes(self) -> bool {
        self.0 & WRITES.0 != 0
    }

    /// Whether another session cannot have this lock too.
    fn clash(self, lock: Lock) -> bool {
        Lock::ALL.into_iter().any(|held| self.has(held) && held.clashes(lock))
    }
}

/// The holders of a key's locks. Nearly always there is one.
#[derive(Debug)]
struct Held {
    first: (u32, Modes),
    others: Vec<(u32, Modes)>,
}

impl Held {
    fn iter(&self) -> impl Iterator<Item = (u32, Modes)> + '_ {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    fn of(&mut self, session: u32) -> Option<&mut Modes> {
        if self.first.0 == session {
            return Some(&mut self.first.1);
        }
        self.others.iter_mut().find(|(holder, _)| *holder == session).map(|(_, modes)| modes)
    }

    /// Drops a holder; false when nobody is left.
    fn drop(&mut self, session: u32) -> bool {
        if self.first.0 != session {
            self.others.retain(|&(holder, _)| holder != session);
            return true;
        }
        match self.others.pop() {
            Some(other) => self.first = other,
            None => return false,
        }
        true
    }
}

/// One thing a session took.
#[derive(Clone, Copy, Debug)]
enum Taken {
    Key(u32, Modes),
    Range,
}

/// Marks the holder of a lock that stays with its session: it is the session, but what its transaction
/// took is released without it.
const STANDING: u32 = 1 << 31;

/// The session of a holder.
fn session_of(holder: u32) -> u32 {
    holder & !STANDING
}

/// A lock that stays with its session, and how often it was taken.
#[derive(Debug)]
struct Standing {
    session: u32,
    key: u32,
    lock: Lock,
    count: u32,
}

/// Who holds what, and who waits for what. Sessions and keys by number.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    keys: HashMap<u32, Held>,
    ranges: Vec<(u32, KeyRange)>,
    /// What each session took, in order.
    taken: Vec<Vec<Taken>>,
    standing: Vec<Standing>,
    /// Who waits, in the order they began to.
    waiting: Vec<(u32, Wanted)>,
}

impl Locks {
    /// Takes a lock, or says who is in the way, in order.
    pub(crate) fn take(
        &mut self,
        session: u32,
        wanted: &Wanted,
        keys: &Keys,
    ) -> Result<(), Vec<u32>> {
        let holders = self.holders(session, wanted, keys);
        if !holders.is_empty() {
            return Err(holders);
        }
        self.stop_waiting(session);
        let taken = match (wanted, wanted.lock(keys)) {
            (Wanted::Range(range), _) => {
                self.ranges.push((session, range.clone()));
                Taken::Range
            }
            (_, Some((key, lock))) => {
                if !self.add(session, key, Modes::of(lock)) {
                    return Ok(());
                }
                Taken::Key(key, Modes::of(lock))
            }
            (_, None) => return Ok(()),
        };
        self.note(session, taken);
        Ok(())
    }

    /// A session that may write a key does.
    pub(crate) fn note_write(&mut self, session: u32, key: u32) {
        if self.add(session, key, WRITES) {
            self.note(session, Taken::Key(key, WRITES));
        }
    }

    fn note(&mut self, session: u32, taken: Taken) {
        let place = session as usize;
        if self.taken.len() <= place {
            self.taken.resize_with(place + 1, Vec::new);
        }
        self.taken[place].push(taken);
    }

    /// Notes a lock, or that a key is written; whether it is new.
    fn add(&mut self, session: u32, key: u32, modes: Modes) -> bool {
        use hashbrown::hash_map::Entry;
        match self.keys.entry(key) {
            Entry::Vacant(free) => {
                free.insert(Held { first: (session, modes), others: Vec::new() });
            }
            Entry::Occupied(mut held) => match held.get_mut().of(session) {
                Some(own) if own.0 & modes.0 != 0 => return false,
                Some(own) => own.0 |= modes.0,
                None => held.get_mut().others.push((session, modes)),
            },
        }
        true
    }

    /// Whether a session may write a key without another lock.
    pub(crate) fn may_write(&self, session: u32, key: u32) -> bool {
        self.holds(session, key, Lock::NoKeyUpdate) || self.holds(session, key, Lock::Update)
    }

    /// Whether a session has this very lock on a key.
    pub(crate) fn holds(&self, session: u32, key: u32, lock: Lock) -> bool {
        let held = self.keys.get(&key);
        held.is_some_and(|held| held.iter().any(|(holder, m)| holder == session && m.has(lock)))
    }

    /// The sessions whose locks are in the way.
    fn holders(&self, session: u32, wanted: &Wanted, keys: &Keys) -> Vec<u32> {
        let mut holders = Vec::new();
        let mut on_key = |key: u32, clash: &dyn Fn(Modes) -> bool| {
            for (holder, modes) in self.keys.get(&key).into_iter().flat_map(Held::iter) {
                let holder = session_of(holder);
                if holder != session && clash(modes) {
                    holders.push(holder);
                }
            }
        };
        match (wanted, wanted.lock(keys)) {
            (_, Some((key, lock))) => {
                on_key(key, &|modes| modes.clash(lock));
                if !self.ranges.is_empty() && lock.clashes(Lock::Share) {
                    let name = &keys.get(key).name;
                    let others = self.ranges.iter().filter(|(holder, _)| *holder != session);
                    let around = others.filter(|(_, range)| range.contains(name));
                    holders.extend(around.map(|&(holder, _)| holder));
                }
            }
            (Wanted::Insert { key } | Wanted::Key { key, .. }, None) => {
                on_key(*key, &Modes::writes)
            }
            (Wanted::Range(range), None) if !self.keys.is_empty() => {
                let clash = |modes: Modes| modes.clash(Lock::Share);
                keys.range(range).into_iter().for_each(|key| on_key(key, &clash));
            }
            (Wanted::Range(_), None) => {}
        }
        if holders.len() > 1 {
            holders.sort_unstable();
            holders.dedup();
        }
        holders
    }

    /// Lets a session wait, unless it would wait for itself.
    pub(crate) fn wait(
        &mut self,
        session: u32,
        wanted: Wanted,
        keys: &Keys,
    ) -> Result<(), Deadlock> {
        match self.waiting.iter_mut().find(|(waiter, _)| *waiter == session) {
            Some((_, before)) => *before = wanted,
            None => self.waiting.push((session, wanted)),
        }
        let mut stack = vec![session];
        let mut reached = Vec::new();
        while let Some(waiter) = stack.pop() {
            let Some((_, wanted)) = self.waiting.iter().find(|&&(other, _)| other == waiter) else {
                continue;
            };
            for holder in self.holders(waiter, wanted, keys) {
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
        if !self.waiting.is_empty() {
            self.waiting.retain(|&(waiter, _)| waiter != session);
        }
    }

    /// How much a session has taken so far, for [`Locks::release_to`].
    pub(crate) fn mark(&self, session: u32) -> usize {
        self.taken.get(session as usize).map_or(0, Vec::len)
    }

    /// Gives up what a session took since a mark.
    pub(crate) fn release_to(&mut self, session: u32, mark: usize) {
        let Some(taken) = self.taken.get_mut(session as usize) else { return };
        while taken.len() > mark {
            match taken.pop() {
                Some(Taken::Range) => {
                    let last = self.ranges.iter().rposition(|&(holder, _)| holder == session);
                    self.ranges.remove(last.expect("a range that was taken is held"));
                }
                Some(Taken::Key(key, modes)) => remove(&mut self.keys, session, key, modes),
                None => {}
            }
        }
    }

    /// Takes a lock that stays with the session, or says who is in the way; whether it is new.
    pub(crate) fn hold(
        &mut self,
        session: u32,
        key: u32,
        lock: Lock,
        keys: &Keys,
    ) -> Result<bool, Vec<u32>> {
        let holders = self.holders(session, &Wanted::Key { key, lock }, keys);
        if !holders.is_empty() {
            return Err(holders);
        }
        self.stop_waiting(session);
        match self.standing.iter_mut().find(|held| held.is(session, key, lock)) {
            Some(held) => {
                held.count += 1;
                Ok(false)
            }
            None => {
                self.add(session | STANDING, key, Modes::of(lock));
                self.standing.push(Standing { session, key, lock, count: 1 });
                Ok(true)
            }
        }
    }

    /// Lets such a lock go once; whether it is gone, and nothing if it was not held.
    pub(crate) fn let_go(&mut self, session: u32, key: u32, lock: Lock) -> Option<bool> {
        let at = self.standing.iter().position(|held| held.is(session, key, lock))?;
        self.standing[at].count -= 1;
        if self.standing[at].count > 0 {
            return Some(false);
        }
        self.standing.remove(at);
        remove(&mut self.keys, session | STANDING, key, Modes::of(lock));
        Some(true)
    }

    /// The keys of all such locks of a session, which are gone then.
    pub(crate) fn let_go_all(&mut self, session: u32) -> Vec<u32> {
        let mut keys = Vec::new();
        while let Some(at) = self.standing.iter().position(|held| held.session == session) {
            let Standing { key, lock, .. } = self.standing.remove(at);
            remove(&mut self.keys, session | STANDING, key, Modes::of(lock));
            keys.push(key);
        }
        keys
    }

    /// Gives up all a session's transaction holds and waits for.
    pub(crate) fn release(&mut self, session: u32) {
        self.stop_waiting(session);
        self.release_to(session, 0);
    }

    /// Those who wait and need not any more, in the order they began to.
    pub(crate) fn ready<'a>(&'a self, keys: &'a Keys) -> impl Iterator<Item = u32> + 'a {
        let free =
            move |(waiter, wanted): &&(u32, Wanted)| self.holders(*waiter, wanted, keys).is_empty();
        self.waiting.iter().filter(free).map(|&(waiter, _)| waiter)
    }
}

/// Gives up one lock of a holder.
fn remove(keys: &mut HashMap<u32, Held>, holder: u32, key: u32, modes: Modes) {
    let held = keys.get_mut(&key).expect("a lock that was taken is held");
    let own = held.of(holder).expect("by whom it was taken");
    own.0 &= !modes.0;
    if own.0 == 0 && !held.drop(holder) {
        keys.remove(&key);
    }
}

impl Standing {
    fn is(&self, session: u32, key: u32, lock: Lock) -> bool {
        (self.session, self.key, self.lock) == (session, key, lock)
    }
}

/// Sessions wait for each other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Deadlock;

#[cfg(test)]
mod tests {
    use hobgoblin_core::Key;

    use super::*;
    use Lock::{KeyShare, NoKeyUpdate, Share, Update};

    /// Ten keys, named by their numbers.
    fn keys() -> Keys {
        let mut keys = Keys::default();
        (0..10).for_each(|n| assert_eq!(keys.intern(&Key::Int(n)), (n as u32, true)));
        keys
    }

    fn key(key: u32, lock: Lock) -> Wanted {
        Wanted::Key { key, lock }
    }

    #[test]
    fn locks_clash_as_in_the_manual() {
        let table = [
            (KeyShare, [false, false, false, true]),
            (Share, [false, false, true, true]),
            (NoKeyUpdate, [false, true, true, true]),
            (Update, [true, true, true, true]),
        ];
        let keys = keys();
        for (held, row) in table {
            for (wanted, clash) in Lock::ALL.into_iter().zip(row) {
                let mut locks = Locks::default();
                assert_eq!(locks.take(1, &key(7, held), &keys), Ok(()));
                assert_eq!(locks.take(2, &key(7, wanted), &keys).is_err(), clash, "{held:?}");
                assert_eq!(held.clashes(wanted), clash);
                let mut alone = Locks::default();
                assert_eq!(alone.take(1, &key(7, held), &keys), Ok(()));
                assert_eq!(alone.take(1, &key(7, wanted), &keys), Ok(()), "{held:?} {wanted:?}");
            }
        }
    }

    #[test]
    fn a_session_that_shares_and_updates_keeps_out_both() {
        let (mut locks, keys) = (Locks::default(), keys());
        assert_eq!(locks.take(1, &key(7, Share), &keys), Ok(()));
        assert_eq!(locks.take(1, &key(7, NoKeyUpdate), &keys), Ok(()));
        assert_eq!(locks.take(2, &key(7, Share), &keys), Err(vec![1]));
        assert_eq!(locks.take(2, &key(7, NoKeyUpdate), &keys), Err(vec![1]));
        assert_eq!(locks.take(2, &key(7, KeyShare), &keys), Ok(()));
        assert_eq!(locks.take(1, &key(7, Update), &keys), Err(vec![2]));
        locks.release(1);
        assert_eq!(locks.take(2, &key(7, Update), &keys), Ok(()));
        assert!(locks.may_write(2, 7) && !locks.may_write(1, 7));
        locks.release(2);
        assert!(locks.keys.is_empty(), "nothing is left behind");
    }

    #[test]
    fn what_was_taken_since_a_mark_is_released() {
        let (mut locks, keys) = (Locks::default(), keys());
        assert_eq!(locks.take(1, &key(7, Share), &keys), Ok(()));
        let mark = locks.mark(1);
        assert_eq!(locks.take(1, &key(7, Update), &keys), Ok(()));
        assert_eq!(locks.take(1, &key(8, Update), &keys), Ok(()));
        assert_eq!(locks.take(1, &Wanted::Range(KeyRange::all()), &keys), Ok(()));
        assert_eq!(locks.wait(2, key(7, Share), &keys), Ok(()));
        assert_eq!(locks.ready(&keys).count(), 0);
        locks.release_to(1, mark);
        assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [2]);
        assert_eq!(locks.take(2, &key(7, Update), &keys), Err(vec![1]));
        assert_eq!(locks.take(2, &key(7, Share), &keys), Ok(()));
        assert_eq!(locks.take(2, &key(8, Update), &keys), Ok(()));
    }

    #[test]
    fn shared_locks_are_shared_and_upgrades_can_deadlock() {
        let (mut locks, keys) = (Locks::default(), keys());
        assert_eq!(locks.take(1, &key(7, Share), &keys), Ok(()));
        assert_eq!(locks.take(2, &key(7, Share), &keys), Ok(()));
        assert_eq!(locks.take(1, &key(7, Update), &keys), Err(vec![2]));
        assert_eq!(locks.wait(1, key(7, Update), &keys), Ok(()));
        assert_eq!(locks.wait(2, key(7, Update), &keys), Err(Deadlock));
        locks.release(2);
        assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [1]);
        assert_eq!(locks.take(1, &key(7, Update), &keys), Ok(()));
        assert_eq!(locks.take(2, &key(7, Share), &keys), Err(vec![1]));
    }

    #[test]
    fn ranges_keep_writers_out() {
        let (mut locks, keys) = (Locks::default(), keys());
        assert_eq!(locks.take(1, &Wanted::Range(KeyRange::all()), &keys), Ok(()));
        assert_eq!(locks.take(2, &key(3, Update), &keys), Err(vec![1]));
        assert_eq!(locks.take(2, &key(3, Share), &keys), Ok(()));
        locks.release(1);
        assert_eq!(locks.take(2, &key(3, Update), &keys), Ok(()));
        assert_eq!(locks.take(1, &Wanted::Range(KeyRange::all()), &keys), Err(vec![2]));
    }

    #[test]
    fn what_stays_with_a_session_outlives_its_transaction() {
        let (mut locks, keys) = (Locks::default(), keys());
        assert_eq!(locks.hold(1, 7, Update, &keys), Ok(true));
        assert_eq!(locks.hold(1, 7, Update, &keys), Ok(false));
        assert_eq!(locks.take(1, &key(7, Share), &keys), Ok(()), "its own lock is not in its way");
        locks.release(1);
        assert_eq!(locks.take(2, &key(7, Share), &keys), Err(vec![1]));
        assert_eq!(locks.let_go(1, 7, Share), None);
        assert_eq!(locks.let_go(1, 7, Update), Some(false));
        assert_eq!(locks.hold(2, 7, Share, &keys), Err(vec![1]));
        assert_eq!(locks.wait(2, key(7, Share), &keys), Ok(()));
        assert_eq!(locks.let_go(1, 7, Update), Some(true));
        assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [2]);
        assert_eq!(locks.hold(2, 7, Share, &keys), Ok(true));
        assert_eq!(locks.hold(2, 8, Update, &keys), Ok(true));
        assert_eq!(locks.take(1, &key(7, Update), &keys), Err(vec![2]));
        assert_eq!(locks.let_go_all(2), [7, 8]);
        assert_eq!(locks.take(1, &key(7, Update), &keys), Ok(()));
    }

    #[test]
    fn what_stays_with_sessions_can_deadlock_with_transactions() {
        let (mut locks, keys) = (Locks::default(), keys());
        assert_eq!(locks.hold(1, 7, Update, &keys), Ok(true));
        assert_eq!(locks.take(2, &key(3, Update), &keys), Ok(()));
        assert_eq!(locks.wait(1, key(3, Update), &keys), Ok(()));
        assert_eq!(locks.wait(2, key(7, Share), &keys), Err(Deadlock));
    }

    #[test]
    fn an_insert_waits_for_writers_of_what_is_there_and_locks_what_is_not() {
        let (mut locks, mut keys) = (Locks::default(), keys());
        let base = &mut keys.get_mut(7).base;
        base.value = Value::Int(1);
        assert_eq!(locks.take(1, &key(7, Update), &keys), Ok(()));
        assert_eq!(locks.take(2, &Wanted::Insert { key: 7 }, &keys), Ok(()));
        assert_eq!(locks.mark(2), 0, "it is there and not locked");
        locks.note_write(1, 7);
        assert_eq!(locks.take(2, &Wanted::Insert { key: 7 }, &keys), Err(vec![1]));
        locks.release_to(1, 1);
        assert_eq!(locks.take(2, &Wanted::Insert { key: 7 }, &keys), Ok(()));
        assert_eq!(locks.take(1, &key(8, KeyShare), &keys), Ok(()));
        assert_eq!(locks.take(2, &Wanted::Insert { key: 8 }, &keys), Err(vec![1]));
        locks.release(1);
        assert_eq!(locks.take(2, &Wanted::Insert { key: 8 }, &keys), Ok(()));
        assert_eq!(locks.take(1, &Wanted::Insert { key: 8 }, &keys), Err(vec![2]));
        assert!(locks.may_write(2, 8));
        locks.release(2);
        assert!(locks.keys.is_empty(), "nothing is left behind");
    }

    #[test]
    fn three_in_a_ring_are_a_deadlock() {
        let (mut locks, keys) = (Locks::default(), keys());
        for session in 0..3 {
            assert_eq!(locks.take(session, &key(session, Update), &keys), Ok(()));
        }
        assert_eq!(locks.wait(0, key(1, Update), &keys), Ok(()));
        assert_eq!(locks.wait(1, key(2, Update), &keys), Ok(()));
        assert_eq!(locks.wait(2, key(0, Update), &keys), Err(Deadlock));
    }
}
