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
//! - [`held`]: the holders of one lock.
//! - [`modes`]: which modes clash.
//! - [`circle`]: who waits for whom, and whether in a circle.
//! - [`gaps`]: the gaps between keys.
//! - [`weight`]: what is lost with a transaction.

mod circle;
mod gaps;
mod held;
pub(crate) mod modes;
mod weight;

use hashbrown::HashMap;
use hobgoblin_core::{Key, SessionId, Value, sort_dedup};

use crate::ids::KeyNo;
use crate::keys::Keys;
use crate::lock::{Lock, Mode, Scope, Wait};
use crate::range::KeyRange;
use crate::stop::Stop;
use gaps::Gaps;
use held::{Held, HeldKeys, Holder, Holders};
use modes::{Modes, OBJECTS, ROWS, WRITES, WRITES_ALONE};

/// Sessions that wait for each other, each for the next and the last for the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Circle(pub(crate) Vec<SessionId>);

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
    fn lock(&self, keys: &Keys) -> Option<(KeyNo, Lock)> {
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
    fn key(&self) -> Option<(KeyNo, Lock)> {
        match *self {
            Wanted::Key { key, lock } | Wanted::Next { key, lock, .. } => Some((key, lock)),
            Wanted::Insert { key } | Wanted::Room { key } | Wanted::Old { key, .. } => {
                Some((key, Lock::Update))
            }
            Wanted::Gap(_) | Wanted::Object { .. } | Wanted::Safe { .. } => None,
        }
    }

    /// Whether a session that waits for this is in the way of one that wants `other`.
    fn clashes(&self, other: &Wanted, keys: &Keys) -> bool {
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

/// Memory for so many locks is kept however few there are.
const MANY: usize = 4096;

/// One thing that a session took. There may be millions.
#[derive(Clone, Copy, Debug)]
enum Taken {
    Key(KeyNo, Modes),
    /// The last of its objects in [`Took::objects`].
    Object,
    /// The gap that it took last.
    Gap,
}

/// All that a session took, in order, so that it can be released from the end.
#[derive(Debug, Default)]
struct Took {
    all: Vec<Taken>,
    /// The objects among them.
    objects: Vec<(Key, Mode)>,
    /// How much it had taken when [`Locks::mark`] was called last.
    marked: usize,
    /// How often it has waited for the lock of a key.
    waited: usize,
}

impl Took {
    /// Adds one thing. If it is of the same key as the one before, and no mark is between them,
    /// they become one.
    fn push(&mut self, taken: Taken) {
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
struct Standing {
    session: SessionId,
    object: Key,
    mode: Mode,
    count: u32,
}

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

/// A session that waits, and what for.
#[derive(Debug)]
struct Waiter {
    session: SessionId,
    wanted: Wanted,
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

    /// Somebody who waits for what clashes with an object that a session wants at once or not at all, unless it has
    /// that very lock: PostgreSQL does not look whether it would come before them.
    pub(crate) fn wanted_by_another(
        &self,
        session: SessionId,
        wanted: &Wanted,
        keys: &Keys,
    ) -> Option<SessionId> {
        let Wanted::Object { object, mode, .. } = wanted else { return None };
        if self.holders_of(object).of_session(session).has(*mode as u8) {
            return None;
        }
        let mut others = self.waiting.iter().filter(|waiter| waiter.session != session);
        others.find(|waiter| waiter.wanted.clashes(wanted, keys)).map(|waiter| waiter.session)
    }

    /// The sessions that wait and go before one that asks now, even if no holder is in its way.
    fn ahead(&self, session: SessionId, wanted: &Wanted, keys: &Keys) -> Vec<SessionId> {
        let place = self.place_of(session, wanted);
        let before = self.waiting[..place].iter().enumerate();
        let clashing = before.filter(|(_, waiter)| waiter.wanted.clashes(wanted, keys));
        let comes_first = |at: usize| match wanted {
            Wanted::Object { .. } => true,
            _ => self.fair || !self.is_blocked(at, keys),
        };
        clashing.filter(|&(at, _)| comes_first(at)).map(|(_, waiter)| waiter.session).collect()
    }

    /// The place in the queue for a session that begins to wait: behind all others, but before
    /// those that wait for something it holds itself, unless that is a key and the queue is fair.
    fn place_of(&self, session: SessionId, wanted: &Wanted) -> usize {
        let held = match wanted {
            Wanted::Object { object, .. } => self.holders_of(object),
            Wanted::Key { key, .. } if !self.fair => self.keys.of(*key),
            Wanted::Key { key, .. } | Wanted::Next { key, .. } if self.upgrades_first => {
                self.keys.of(*key)
            }
            _ => return self.waiting.len(),
        };
        let own = held.of_session(session);
        let waits_for_it = |waiter: &Waiter| match (&waiter.wanted, wanted) {
            (Wanted::Object { object: same, mode, .. }, Wanted::Object { object, .. }) => {
                OBJECTS.any(*mode as u8, own) && same == object
            }
            (
                Wanted::Key { key: same, lock } | Wanted::Next { key: same, lock, .. },
                Wanted::Key { key, .. } | Wanted::Next { key, .. },
            ) => ROWS.any(*lock as u8, own) && same == key,
            _ => false,
        };
        self.waiting.iter().position(waits_for_it).unwrap_or(self.waiting.len())
    }

    /// Puts a session into the queue, unless that closes a circle. One that is in it keeps its
    /// place.
    pub(crate) fn wait(
        &mut self,
        session: SessionId,
        wanted: Wanted,
        keys: &Keys,
    ) -> Result<(), Circle> {
        match self.waiting.iter_mut().find(|waiter| waiter.session == session) {
            Some(waiter) => waiter.wanted = wanted,
            None => {
                if let Some(other) = self.each_holds_what_the_other_wants(session, &wanted) {
                    return Err(Circle(vec![session, other]));
                }
                let place = self.place_of(session, &wanted);
                self.waiting.insert(place, Waiter { session, wanted });
            }
        }
        if self.patient {
            return Ok(());
        }
        self.untangle(session, keys).inspect_err(|circle| {
            self.refused.clone_from(&circle.0);
            let at = self.waiting.iter().position(|waiter| waiter.session == session);
            self.asked = at.map(|at| self.waiting.remove(at).wanted);
        })
    }

    /// One who waits for an object because of what a session holds of it, while that one is about to wait for what the
    /// other holds of it: PostgreSQL refuses at once, without looking for circles.
    fn each_holds_what_the_other_wants(
        &self,
        session: SessionId,
        wanted: &Wanted,
    ) -> Option<SessionId> {
        let Wanted::Object { object, mode, .. } = wanted else { return None };
        let held_by = |session: SessionId| self.holders_of(object).of_session(session);
        let own = held_by(session);
        let first = self.waiting.iter().find(|waiter| match &waiter.wanted {
            Wanted::Object { object: same, mode, .. } => {
                same == object && OBJECTS.any(*mode as u8, own)
            }
            _ => false,
        })?;
        OBJECTS.any(*mode as u8, held_by(first.session)).then_some(first.session)
    }

    pub(crate) fn waits(&self, session: SessionId) -> bool {
        self.waiting.iter().any(|waiter| waiter.session == session)
    }

    /// The key that a session waits for, if it waits for one.
    pub(crate) fn key_wait(&self, session: SessionId, keys: &Keys) -> Option<KeyWait> {
        let waiter = self.waiting.iter().find(|waiter| waiter.session == session)?;
        let (key, lock) = waiter.wanted.key()?;
        let mut sharers = self.blockers(session, keys);
        let has = |session: SessionId, lock: Lock| self.holds(session, key, lock);
        sharers.retain(|&other| {
            let shares = has(other, Lock::Share) || has(other, Lock::KeyShare);
            shares && !has(other, Lock::NoKeyUpdate) && !has(other, Lock::Update)
        });
        let gap = matches!(waiter.wanted, Wanted::Room { .. });
        let key = keys.get(key).name.clone();
        Some(KeyWait { key, shared: lock <= Lock::Share, gap, sharers })
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

    /// Says anew on which sessions it depends whether the snapshots are safe that are waited for.
    pub(crate) fn renew_unsure(&mut self, of: impl Fn(SessionId) -> Vec<SessionId>) {
        for Waiter { session, wanted } in &mut self.waiting {
            if let Wanted::Safe { unsure } = wanted {
                *unsure = of(*session);
            }
        }
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

    /// Takes a session out of the queue. Returns whether it was in it.
    pub(crate) fn stop_waiting(&mut self, session: SessionId) -> bool {
        let at = self.waiting.iter().position(|waiter| waiter.session == session);
        at.map(|at| self.waiting.remove(at)).is_some()
    }

    /// How much a session has taken so far, to be passed to [`Locks::release_to`].
    pub(crate) fn mark(&mut self, session: SessionId) -> usize {
        let Some(took) = self.taken.get_mut(session.index()) else { return 0 };
        took.marked = took.all.len();
        took.marked
    }

    /// Releases what a session took after a mark.
    pub(crate) fn release_to(&mut self, session: SessionId, mark: usize) {
        while let Some(took) = self.taken.get_mut(session.index()).filter(|t| t.all.len() > mark) {
            match took.all.pop() {
                Some(Taken::Gap) => self.gaps.free_last(session),
                Some(Taken::Key(key, modes)) => {
                    self.keys.remove(Holder::transaction(session), key, modes)
                }
                Some(Taken::Object) => {
                    let (object, mode) = took.objects.pop().expect("an object that was taken");
                    self.free(Holder::transaction(session), &object, mode);
                }
                None => {}
            }
        }
    }

    /// Releases the keys that a session took after a mark and that are no records any more.
    pub(crate) fn release_keys(
        &mut self,
        session: SessionId,
        mark: usize,
        gone: impl Fn(KeyNo) -> bool,
    ) {
        let Some(took) = self.taken.get_mut(session.index()) else { return };
        let mut released = Vec::new();
        let mut at = 0;
        took.all.retain(|taken| {
            at += 1;
            match *taken {
                Taken::Key(key, modes) if at > mark && gone(key) => {
                    released.push((key, modes));
                    false
                }
                _ => true,
            }
        });
        for (key, modes) in released {
            self.keys.remove(Holder::transaction(session), key, modes);
        }
    }

    fn free(&mut self, holder: Holder, object: &Key, mode: Mode) {
        let held = self.objects.get_mut(object).expect("a lock that was taken is held");
        if !held.remove(holder, Modes::of(mode as u8)) {
            self.objects.remove(object);
        }
    }

    /// Releases once a lock that the session itself holds. Returns whether it held it.
    pub(crate) fn let_go(&mut self, session: SessionId, object: &Key, mode: Mode) -> bool {
        let held = self.standing.iter().position(|held| held.is(session, object, mode));
        let Some(at) = held else { return false };
        self.standing[at].count -= 1;
        if self.standing[at].count == 0 {
            self.standing.remove(at);
            self.free(Holder::standing(session), object, mode);
        }
        true
    }

    /// Releases all locks that the session itself holds.
    pub(crate) fn let_go_all(&mut self, session: SessionId) {
        while let Some(at) = self.standing.iter().position(|held| held.session == session) {
            let Standing { object, mode, .. } = self.standing.remove(at);
            self.free(Holder::standing(session), &object, mode);
        }
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

    /// Gives what a session's transaction took to another session, which has nothing.
    pub(crate) fn hand_over(&mut self, from: SessionId, to: SessionId) {
        let Some(took) = self.taken.get_mut(from.index()).map(std::mem::take) else { return };
        let (held_by, goes_to) = (Holder::transaction(from), Holder::transaction(to));
        for taken in &took.all {
            let Taken::Key(key, _) = taken else { continue };
            self.keys.rename(*key, held_by, goes_to);
        }
        for (object, _) in &took.objects {
            if let Some(held) = self.objects.get_mut(object) {
                held.rename(held_by, goes_to);
            }
        }
        self.gaps.hand_over(from, to);
        took.all.into_iter().for_each(|taken| self.note(to, taken));
        if !took.objects.is_empty() {
            self.taken[to.index()].objects.extend(took.objects);
        }
    }

    /// Releases all that a session's transaction holds, and takes the session out of the queue.
    pub(crate) fn release(&mut self, session: SessionId) {
        self.stop_waiting(session);
        let took = self.taken.get(session.index());
        if took.is_some_and(|took| took.all.len() > MANY) && self.is_alone(session) {
            self.keys = HeldKeys::default();
            self.taken[session.index()].all.retain(|taken| !matches!(taken, Taken::Key(..)));
        }
        self.release_to(session, 0);
        if let Some(took) = self.taken.get_mut(session.index()) {
            (took.marked, took.waited) = (0, 0);
            // A transaction that locked a million keys leaves no room for as many.
            took.all.shrink_to(MANY);
        }
        self.keys.shrink(MANY);
    }

    /// Whether no other session's transaction holds anything.
    fn is_alone(&self, session: SessionId) -> bool {
        let mut others = self.taken.iter().enumerate().filter(|(at, _)| *at != session.index());
        others.all(|(_, took)| took.all.is_empty())
    }

    /// The sessions in the queue that need not wait any more, in order.
    pub(crate) fn ready<'a>(&'a self, keys: &'a Keys) -> impl Iterator<Item = SessionId> + 'a {
        let free = |&at: &usize| !self.is_blocked(at, keys);
        (0..self.waiting.len()).filter(free).map(|at| self.waiting[at].session)
    }
}

impl Standing {
    fn is(&self, session: SessionId, object: &Key, mode: Mode) -> bool {
        (self.session, self.mode) == (session, mode) && self.object == *object
    }
}

#[cfg(test)]
mod gap_tests;
#[cfg(test)]
mod tests;
