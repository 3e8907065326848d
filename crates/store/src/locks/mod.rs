//! Locks: on keys, in four strengths, on the gaps between keys, and on objects that only have a name. They are held to
//! the end of the transaction, or to a rollback past the point where they were taken; those on objects also
//! as long as the session likes.
//!
//! Who writes a key is noted with its locks: an insert waits for writers only, if the key holds something.
//!
//! A gap lock is a range of keys in which no other session puts a new one. It is never in the way of another gap lock,
//! nor of a lock on a key that is there: only of who wants [`Room`](Wanted::Room). So two sessions may lock the same gap,
//! and then neither can fill it.
//!
//! A session has a list of what it took, in order, so that releasing costs what was taken. Of a key or an object it
//! may hold several locks at once: share and no-key-update together keep out more than either.
//!
//! Who waits stands in one queue, and waits for the holders in its way and for those before it in the queue
//! who want what clashes. Nothing else is kept of who waits for whom, so that nothing can be out of date.
//! As in PostgreSQL a lock on a key that goes with the ones held is given though somebody waits for more (its row
//! locks are in the rows, and only who cannot have one queues), and one on an object is not; in MySQL neither is, not
//! even to who holds a weaker one already.
//!
//! - [`wanted`]: what a session asks for, and who is in whose way.
//! - [`held`]: the holders of one lock.
//! - [`modes`]: which modes clash.
//! - [`gaps`]: the gaps between keys.
//! - [`queue`]: those who wait, and who of them goes first.
//! - [`circle`]: who waits for whom, and whether in a circle.
//! - [`taken`]: what each session took, and [`release`]: how it is given back.
//! - [`weight`]: what is lost with a transaction.

mod circle;
mod gaps;
mod held;
pub(crate) mod modes;
mod queue;
mod release;
mod taken;
mod wanted;
mod weight;

use hashbrown::HashMap;
use hobgoblin_core::{Key, SessionId, sort_dedup};

use crate::ids::KeyNo;
use crate::keys::Keys;
use crate::lock::{Lock, Mode, Scope, Wait};
use crate::stop::Stop;
use gaps::Gaps;
use held::{Held, HeldKeys, Holder, Holders};
use modes::{Modes, OBJECTS, ROWS, WRITES, WRITES_ALONE};
use taken::{Standing, Taken, Took};
use wanted::Waiter;

pub(crate) use wanted::Wanted;

/// Sessions that wait for each other, each for the next and the last for the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Circle(pub(crate) Vec<SessionId>);

/// A lock on an object that a session holds, or a lock that it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectLock {
    /// The session that holds the lock or waits for it.
    pub session: SessionId,
    /// The object and the mode; `None` if the session waits for a key.
    pub object: Option<(Key, Mode)>,
    /// Whether the session holds it; otherwise it waits.
    pub granted: bool,
}

/// A lock on a key that a session waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyWait {
    /// The key.
    pub key: Key,
    /// Whether others may have the same lock.
    pub shared: bool,
    /// Whether it waits for the gap before the key, to put something there.
    pub gap: bool,
    /// Those of the sessions it waits for who have the key and share it.
    pub sharers: Vec<SessionId>,
}

/// Which sessions hold what, and which wait for what.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    keys: HeldKeys,
    objects: HashMap<Key, Held>,
    gaps: Gaps,
    /// What each session took, by its number.
    taken: Vec<Took>,
    standing: Vec<Standing>,
    /// The sessions that wait, in the order of the queue.
    waiting: Vec<Waiter>,
    /// Whether sessions may wait in a circle until one of them looks for it.
    patient: bool,
    /// Whether no lock on a key is given past a session that waits for a stronger one.
    fair: bool,
    /// Whether, if so, a session that holds the key already goes before those that wait for it.
    upgrades_first: bool,
    /// The sessions of the circle that was refused last; `asked` is what the one that closed it wanted.
    refused: Vec<SessionId>,
    asked: Option<Wanted>,
}

impl Locks {
    /// No locks, and queues as PostgreSQL's. If `patient`, sessions may wait in a circle until one
    /// of them looks for it.
    pub(crate) fn new(patient: bool) -> Locks {
        Locks { patient, ..Locks::default() }
    }

    /// No locks, and queues as MySQL's. `upgrades_first` lets a session that shares a key go before
    /// those that wait for it.
    pub(crate) fn fair(patient: bool, upgrades_first: bool) -> Locks {
        Locks { patient, fair: true, upgrades_first, ..Locks::default() }
    }

    /// Takes a lock, or waits for it if `wait` says so and no circle is closed.
    pub(crate) fn acquire(
        &mut self,
        session: SessionId,
        wanted: Wanted,
        wait: Wait,
        keys: &Keys,
    ) -> Result<(), Stop> {
        let Err(holders) = self.take(session, &wanted, keys) else { return Ok(()) };
        match wait {
            Wait::Not | Wait::Skip => Err(Stop::Locked(holders[0])),
            Wait::Forever => match self.wait(session, wanted, keys) {
                Ok(()) => Err(Stop::Blocked(holders[0])),
                Err(_) => Err(Stop::Deadlock),
            },
        }
    }

    /// Takes a lock, or says which sessions are in the way, in order. A session that waits already
    /// is not kept from it by those before it in the queue; [`Locks::ready`] tells whether it is
    /// its turn.
    pub(crate) fn take(
        &mut self,
        session: SessionId,
        wanted: &Wanted,
        keys: &Keys,
    ) -> Result<(), Vec<SessionId>> {
        if self.take_free(session, wanted, keys) {
            return Ok(());
        }
        let mut blockers = self.holders(session, wanted, keys);
        // Where the queue is fair, who has the key need not queue for it.
        let has = self.fair && self.has_key(session, wanted);
        let queues = !self.waiting.is_empty() && !has;
        if blockers.is_empty() && queues && !self.waits(session) {
            blockers = self.ahead(session, wanted, keys);
        }
        if !blockers.is_empty() {
            sort_dedup(&mut blockers);
            return Err(blockers);
        }
        // A scan that is asked again comes to its first keys again. They are not what it waited for, and it keeps its place
        // in the queue: two scans from opposite ends would otherwise let each other go first for ever.
        let again = self.has_key(session, wanted);
        if !again && self.stop_waiting(session) && wanted.lock(keys).is_some() {
            self.note_waited(session);
        }
        if let Wanted::Next { gap, .. } | Wanted::Gap(gap) = wanted {
            let alone = matches!(wanted, Wanted::Gap(_));
            if self.gaps.take(session, gap, alone) {
                self.note(session, Taken::Gap);
            }
        }
        match (wanted, wanted.lock(keys)) {
            (Wanted::Object { object, mode, scope }, _) => {
                self.hold(session, object, *mode, *scope)
            }
            (_, Some((key, lock))) => {
                let modes = Modes::of(lock as u8);
                if self.keys.add(Holder::transaction(session), key, modes) {
                    self.note(session, Taken::Key(key, modes));
                }
            }
            (_, None) => {}
        }
        Ok(())
    }

    /// Whether a session that comes to a key has what it wants of it already.
    fn has_key(&self, session: SessionId, wanted: &Wanted) -> bool {
        match *wanted {
            Wanted::Key { key, lock } | Wanted::Next { key, lock, .. } => {
                self.holds(session, key, lock) || self.holds(session, key, Lock::Update)
            }
            _ => false,
        }
    }

    /// Takes the lock of a key if no one holds it and no one waits. Returns whether it did.
    fn take_free(&mut self, session: SessionId, wanted: &Wanted, keys: &Keys) -> bool {
        let gaps = match wanted {
            Wanted::Next { .. } => true,
            Wanted::Room { .. } => !self.gaps.is_empty(),
            _ => false,
        };
        if gaps || !self.waiting.is_empty() {
            return false;
        }
        let Some((key, lock)) = wanted.lock(keys) else { return false };
        let modes = Modes::of(lock as u8);
        if !self.keys.take_free(Holder::transaction(session), key, modes) {
            return false;
        }
        self.note(session, Taken::Key(key, modes));
        true
    }

    fn hold(&mut self, session: SessionId, object: &Key, mode: Mode, scope: Scope) {
        let holder = match scope {
            Scope::Transaction => Holder::transaction(session),
            Scope::Session => Holder::standing(session),
        };
        let modes = Modes::of(mode as u8);
        let new = match self.objects.get_mut(object) {
            Some(held) => held.add(holder, modes),
            None => {
                let held = Held::by(holder, modes);
                self.objects.insert(object.clone(), held);
                true
            }
        };
        match scope {
            Scope::Transaction if new => {
                self.note(session, Taken::Object);
                self.taken[session.index()].objects.push((object.clone(), mode));
            }
            Scope::Session if new => {
                let object = object.clone();
                self.standing.push(Standing { session, object, mode, count: 1 });
            }
            Scope::Session => {
                let held = self.standing.iter_mut().find(|held| held.is(session, object, mode));
                held.expect("what is not new is there").count += 1;
            }
            Scope::Transaction => {}
        }
    }

    /// Lets a session write a key with which no other has to do, if no one waits. Returns whether
    /// it did.
    pub(crate) fn take_to_write(&mut self, session: SessionId, key: KeyNo) -> bool {
        if !self.waiting.is_empty() || !self.gaps.is_empty() {
            return false;
        }
        let all = Modes(Modes::of(Lock::Update as u8).0 | WRITES.0 | WRITES_ALONE.0);
        let taken = if self.keys.take_free(Holder::transaction(session), key, all) {
            all
        } else {
            let Some(modes) = self.keys.alone(Holder::transaction(session), key) else {
                return false;
            };
            let alone = modes.has(Lock::Update as u8);
            if !alone && !modes.has(Lock::NoKeyUpdate as u8) {
                return false;
            }
            let writes = if alone { WRITES.0 | WRITES_ALONE.0 } else { WRITES.0 };
            let new = Modes(writes & !modes.0);
            if new.0 == 0 {
                return true;
            }
            modes.0 |= new.0;
            new
        };
        self.note(session, Taken::Key(key, taken));
        true
    }

    /// Notes that a session writes a key, which it may.
    pub(crate) fn note_write(&mut self, session: SessionId, key: KeyNo) {
        let alone = self.holds(session, key, Lock::Update);
        for modes in [Some(WRITES), alone.then_some(WRITES_ALONE)].into_iter().flatten() {
            if self.keys.add(Holder::transaction(session), key, modes) {
                self.note(session, Taken::Key(key, modes));
            }
        }
    }

    /// Whether a session has written a key while it let nobody else lock it. That it did so later does not matter,
    /// as in PostgreSQL, where the lock is on the version that it wrote.
    pub(crate) fn wrote_alone(&self, session: SessionId, key: KeyNo) -> bool {
        self.keys.of(key).of_session(session).meets(WRITES_ALONE)
    }

    fn note(&mut self, session: SessionId, taken: Taken) {
        self.took(session).push(taken);
    }

    /// Notes that a session has waited for the lock of a key, which it takes now.
    fn note_waited(&mut self, session: SessionId) {
        self.took(session).waited += 1;
    }

    fn took(&mut self, session: SessionId) -> &mut Took {
        let place = session.index();
        if self.taken.len() <= place {
            self.taken.resize_with(place + 1, Took::default);
        }
        &mut self.taken[place]
    }

    /// Whether a session may write a key without another lock.
    pub(crate) fn may_write(&self, session: SessionId, key: KeyNo) -> bool {
        self.holds(session, key, Lock::NoKeyUpdate) || self.holds(session, key, Lock::Update)
    }

    /// Whether a session has this very lock on a key.
    pub(crate) fn holds(&self, session: SessionId, key: KeyNo, lock: Lock) -> bool {
        self.keys.of(key).of_session(session).has(lock as u8)
    }

    /// The other sessions that have a lock on a key which only asks that the key stays.
    pub(crate) fn sharers(
        &self,
        session: SessionId,
        key: KeyNo,
    ) -> impl Iterator<Item = SessionId> + '_ {
        let held = self.keys.shared(key);
        let sharing = held.filter(|(_, modes)| modes.has(Lock::KeyShare as u8));
        sharing.map(|(holder, _)| holder.session()).filter(move |&sharer| sharer != session)
    }

    /// The sessions whose locks are in the way of what a session wants.
    fn holders(&self, session: SessionId, wanted: &Wanted, keys: &Keys) -> Vec<SessionId> {
        let mut holders = Vec::new();
        let mut among = |held: Holders<'_>, clash: &dyn Fn(Modes) -> bool| {
            for (holder, modes) in held {
                let holder = holder.session();
                if holder != session && clash(modes) {
                    holders.push(holder);
                }
            }
        };
        let of_lock = |lock: Lock| move |modes: Modes| ROWS.any(lock as u8, modes);
        match (wanted, wanted.lock(keys)) {
            (_, Some((key, lock))) => {
                among(self.keys.of(key), &of_lock(lock));
                if let Wanted::Room { .. } = wanted {
                    holders.extend(self.gaps.around(session, &keys.get(key).name));
                }
            }
            (Wanted::Insert { key }, None) => {
                among(self.keys.of(*key), &Modes::writes);
            }
            (
                Wanted::Key { .. } | Wanted::Next { .. } | Wanted::Room { .. } | Wanted::Gap(_),
                None,
            ) => {}
            (Wanted::Safe { unsure }, None) => holders.extend(unsure),
            (Wanted::Old { key, sharers }, None) => {
                let still = |sharer: &&SessionId| self.holds(**sharer, *key, Lock::KeyShare);
                holders.extend(sharers.iter().filter(still));
            }
            (Wanted::Object { object, mode, .. }, None) => {
                among(self.holders_of(object), &|modes| OBJECTS.any(*mode as u8, modes));
            }
        }
        holders
    }

    /// All holders of an object.
    fn holders_of(&self, object: &Key) -> Holders<'_> {
        match self.objects.get(object) {
            Some(held) => held.iter(),
            None => Holders::default(),
        }
    }

    /// The locks on objects and the sessions that wait, in no order.
    pub(crate) fn list(&self) -> Vec<ObjectLock> {
        let lock = |session: SessionId, object: Option<(Key, Mode)>, granted: bool| ObjectLock {
            session,
            object,
            granted,
        };
        let mut all = Vec::new();
        for (object, held) in &self.objects {
            for (holder, modes) in held.iter() {
                let own = Mode::ALL.into_iter().filter(|&mode| modes.has(mode as u8));
                let own = own.map(|mode| Some((object.clone(), mode)));
                all.extend(own.map(|object| lock(holder.session(), object, true)));
            }
        }
        for Waiter { session, wanted } in &self.waiting {
            let object = match wanted {
                Wanted::Object { object, mode, .. } => Some((object.clone(), *mode)),
                Wanted::Key { .. }
                | Wanted::Next { .. }
                | Wanted::Insert { .. }
                | Wanted::Room { .. }
                | Wanted::Gap(_)
                | Wanted::Old { .. } => None,
                Wanted::Safe { .. } => continue,
            };
            all.push(lock(*session, object, false));
        }
        all
    }

    /// The session that alone has locked a key.
    pub(crate) fn keeper(&self, key: KeyNo) -> Option<SessionId> {
        let mut held = self.keys.of(key);
        let alone = held.find(|(_, modes)| modes.has(Lock::Update as u8));
        alone.map(|(holder, _)| holder.session())
    }

    /// The session whose open transaction has written a key.
    pub(crate) fn writer(&self, key: KeyNo) -> Option<SessionId> {
        self.keys.of(key).find(|(_, modes)| modes.writes()).map(|(holder, _)| holder.session())
    }

    /// An object on which both a session and its transaction have a lock, if there is one.
    pub(crate) fn held_twice(&self, session: SessionId) -> Option<&Key> {
        let standing = self.standing.iter().filter(|held| held.session == session);
        let objects = standing.map(|held| &held.object);
        objects.into_iter().find(|&object| {
            let mut held = self.holders_of(object);
            held.any(|(holder, _)| holder == Holder::transaction(session))
        })
    }
}

#[cfg(test)]
mod gap_tests;
#[cfg(test)]
mod tests;
