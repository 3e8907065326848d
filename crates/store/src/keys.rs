//! The keys a store knows and the versions it keeps of them.
//!
//! Most keys of a large store hold one version that nobody is about to change, and that is all such a key
//! costs: its name, the version, and a few bytes in the tables that find it.

use std::hash::BuildHasher;
use std::ops::{Bound, Deref};

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use hobgoblin_core::{Key, Value};

use crate::bits::Bits;
use crate::ids::{KeyNo, Pos, TxnNo, Writer};
use crate::natural::compare;
use crate::range::KeyRange;
use crate::sorted::{Place, Sorted};

/// What a committed transaction left in a key, or what the key held at the beginning.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    /// The number of the transaction that wrote it.
    pub(crate) txn: TxnNo,
    /// The session of that transaction.
    pub(crate) writer: Writer,
    /// Its place in the commit order, from 1, once that is known; 0 for the initial version.
    pub(crate) pos: Pos,
    pub(crate) value: Value,
}

/// A version that is not the oldest still to be had.
#[derive(Clone, Debug)]
pub(crate) struct LiveVersion {
    pub(crate) version: Version,
    /// The place of its commit among the live ones; only `spec` uses it.
    pub(crate) slot: u32,
    /// Whether its writer let no other session lock the key; only engines use it.
    pub(crate) exclusive: bool,
    /// Whether its writer deleted the row of the key and then wrote another; only engines use it.
    pub(crate) anew: bool,
}

impl LiveVersion {
    /// Whether the row ends here that had the key before: it was deleted, though another row may
    /// now have its key.
    pub(crate) fn ends_a_row(&self) -> bool {
        self.anew || self.version.value == Value::Null
    }
}

impl Deref for LiveVersion {
    type Target = Version;

    fn deref(&self) -> &Version {
        &self.version
    }
}

/// A key and its versions.
#[derive(Debug)]
pub(crate) struct KeyState {
    pub(crate) name: Key,
    /// The oldest version that can still be read: what the key held after all commits that were
    /// dropped.
    pub(crate) base: Version,
    /// The versions after it, if there are any.
    live: Option<Box<Live>>,
}

/// The versions of live commits in one key.
#[derive(Debug, Default)]
struct Live {
    /// In the order they arrived, or in commit order once that is total.
    versions: Vec<LiveVersion>,
    /// The places of their commits among the live ones, as a set.
    writers: Bits,
}

impl KeyState {
    /// The versions of live commits: in the order they arrived, or in commit order once that is total.
    #[inline]
    pub(crate) fn versions(&self) -> &[LiveVersion] {
        self.live.as_ref().map_or(&[], |live| &live.versions)
    }

    pub(crate) fn versions_mut(&mut self) -> &mut [LiveVersion] {
        self.live.as_mut().map_or(&mut [], |live| &mut live.versions)
    }

    /// The places of their commits among the live ones, as a set.
    #[inline]
    pub(crate) fn writers(&self) -> &[u64] {
        self.live.as_ref().map_or(&[], |live| live.writers.words())
    }

    /// Whether a transaction has ever written the key; such a key is never forgotten.
    #[inline]
    pub(crate) fn is_written(&self) -> bool {
        self.base.txn != TxnNo::INIT || self.base.value != Value::Null || self.live.is_some()
    }

    /// The last version in commit order, or the last to arrive while that is open.
    pub(crate) fn newest(&self) -> &Version {
        self.versions().last().map_or(&self.base, |last| &last.version)
    }

    /// Whether the row that a snapshot has was deleted after it. Another row may have its key
    /// since.
    pub(crate) fn is_gone(&self, snapshot: Pos) -> bool {
        let (seen, since) = self.split(snapshot);
        seen.value != Value::Null && since.iter().any(LiveVersion::ends_a_row)
    }

    /// The version that a snapshot has, and the versions after it. Only for engines, whose versions
    /// are in commit order.
    pub(crate) fn split(&self, snapshot: Pos) -> (&Version, &[LiveVersion]) {
        let versions = self.versions();
        let after = versions.partition_point(|version| version.pos <= snapshot);
        let seen = after.checked_sub(1).map_or(&self.base, |at| &versions[at].version);
        (seen, &versions[after..])
    }
}

/// All keys. A key is known once it was asked for; one that nobody wrote is forgotten when no open
/// transaction has used it.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    states: Vec<KeyState>,
    free: Vec<KeyNo>,
    by_name: HashTable<KeyNo>,
    hasher: DefaultHashBuilder,
    ordered: Sorted<KeyNo>,
    /// How many open transactions use a key that nobody had written when they did, beyond the first of them.
    users: HashMap<KeyNo, u32>,
    /// The last key that became known, until a transaction uses it.
    unused: Option<KeyNo>,
    versions: u32,
}

impl Keys {
    /// The number of a key, which becomes known if it is not, and whether it is new.
    pub(crate) fn intern(&mut self, name: &Key) -> (KeyNo, bool) {
        let hash = self.hasher.hash_one(name);
        if let Some(at) = self.find_hashed(name, hash) {
            return (at, false);
        }
        let base = Version {
            txn: TxnNo::INIT,
            writer: Writer::NOBODY,
            pos: Pos::START,
            value: Value::Null,
        };
        let state = KeyState { name: name.clone(), base, live: None };
        let at = match self.free.pop() {
            Some(at) => {
                self.states[at.index()] = state;
                at
            }
            None => {
                self.states.push(state);
                KeyNo::new(self.states.len() - 1)
            }
        };
        let (states, hasher) = (&self.states, &self.hasher);
        let hash_of = |&at: &KeyNo| hasher.hash_one(&states[at.index()].name);
        self.by_name.insert_unique(hash, at, hash_of);
        self.ordered.insert(at, |other| compare(&states[other.index()].name, name));
        self.unused = Some(at);
        (at, true)
    }

    /// The number of a key that is known.
    pub(crate) fn find(&self, name: &Key) -> Option<KeyNo> {
        self.find_hashed(name, self.hasher.hash_one(name))
    }

    fn find_hashed(&self, name: &Key, hash: u64) -> Option<KeyNo> {
        let same = |&at: &KeyNo| self.get(at).name == *name;
        self.by_name.find(hash, same).copied()
    }

    #[inline]
    pub(crate) fn get(&self, key: KeyNo) -> &KeyState {
        &self.states[key.index()]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: KeyNo) -> &mut KeyState {
        &mut self.states[key.index()]
    }

    /// The keys of a range, in order.
    pub(crate) fn range(&self, range: &KeyRange) -> Vec<KeyNo> {
        self.first_in(range, usize::MAX, false)
    }

    /// The first keys of a range, at most so many; `backwards` the last ones. They come in the
    /// order of the scan.
    pub(crate) fn first_in(&self, range: &KeyRange, most: usize, backwards: bool) -> Vec<KeyNo> {
        let inside = self.between(range);
        match backwards {
            false => inside.take(most).collect(),
            true => inside.rev().take(most).collect(),
        }
    }

    /// The keys of a range, in order.
    pub(crate) fn between<'k>(
        &'k self,
        range: &'k KeyRange,
    ) -> impl DoubleEndedIterator<Item = KeyNo> + 'k {
        let before = |key: &Key| self.ordered.place(|at| compare(&self.get(at).name, key).is_lt());
        let after = |key: &Key| self.ordered.place(|at| compare(&self.get(at).name, key).is_le());
        let from = match range.from() {
            Bound::Included(key) => before(key),
            Bound::Excluded(key) => after(key),
            Bound::Unbounded => Place::START,
        };
        let to = match range.to() {
            Bound::Included(key) => after(key),
            Bound::Excluded(key) => before(key),
            Bound::Unbounded => self.ordered.end(),
        };
        let to = if range.is_empty() { from } else { to };
        let between = self.ordered.between(from, to);
        between.filter(|&at| range.has_prefix(&self.get(at).name))
    }

    /// All keys, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = KeyNo> + '_ {
        self.ordered.between(Place::START, self.ordered.end())
    }

    /// Notes that a transaction uses a key. Returns whether it has to [`release`](Keys::release)
    /// the key when it ends, since the key may be forgotten.
    #[inline]
    #[must_use]
    pub(crate) fn retain(&mut self, key: KeyNo) -> bool {
        let forgettable = !self.get(key).is_written();
        if forgettable && self.unused.take_if(|unused| *unused == key).is_none() {
            *self.users.entry(key).or_insert(0) += 1;
        }
        forgettable
    }

    /// Notes that a transaction has ended which had to release the key.
    pub(crate) fn release(&mut self, key: KeyNo) {
        if let Some(others) = self.users.get_mut(&key) {
            *others -= 1;
            if *others == 0 {
                self.users.remove(&key);
            }
            return;
        }
        let state = self.get(key);
        if !state.is_written() {
            let name = state.name.clone();
            let found = self.by_name.find_entry(self.hasher.hash_one(&name), |&at| at == key);
            if let Ok(found) = found {
                found.remove();
            }
            let states = &self.states;
            self.ordered.remove(|other| compare(&states[other.index()].name, &name));
            self.free.push(key);
        }
    }

    /// Adds the version that a commit leaves in a key.
    pub(crate) fn push(&mut self, key: KeyNo, version: LiveVersion) {
        let live = self.states[key.index()].live.get_or_insert_default();
        live.writers.insert(version.slot);
        live.versions.push(version);
        self.versions += 1;
    }

    /// Drops a live commit: its version becomes the oldest that can be read.
    pub(crate) fn settle(&mut self, key: KeyNo, slot: u32) {
        let state = &mut self.states[key.index()];
        let live = state.live.as_mut().expect("a live commit has its versions");
        let at = live.versions.iter().position(|version| version.slot == slot);
        state.base = live.versions.remove(at.expect("a live commit has its versions")).version;
        live.writers.remove(slot);
        if live.versions.is_empty() {
            state.live = None;
        }
        self.versions -= 1;
    }

    /// Adds the version that a commit of an engine leaves, and drops versions older than the oldest
    /// snapshot needs.
    pub(crate) fn append(&mut self, key: KeyNo, version: LiveVersion, oldest: Pos) {
        let state = &mut self.states[key.index()];
        if state.live.is_none() && version.pos <= oldest {
            state.base = version.version;
            return;
        }
        let live = state.live.get_or_insert_default();
        live.versions.push(version);
        let before = live.versions.partition_point(|version| version.pos <= oldest);
        if let Some(last) = live.versions.drain(..before).next_back() {
            state.base = last.version;
        }
        if live.versions.is_empty() {
            state.live = None;
        }
        self.versions = self.versions + 1 - before as u32;
    }

    pub(crate) fn len(&self) -> usize {
        self.ordered.len()
    }

    /// How many versions are kept, the oldest of each key included.
    pub(crate) fn num_versions(&self) -> u32 {
        self.versions + self.ordered.len() as u32
    }
}
