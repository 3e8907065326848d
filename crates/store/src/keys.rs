//! The keys a store knows and the versions it keeps of them.
//!
//! Most keys of a large store hold one version that nobody is about to change, and that is all such a key
//! costs: its name, the version, and a few bytes in the tables that find it.

use std::hash::BuildHasher;
use std::ops::Bound;

use hashbrown::{DefaultHashBuilder, HashTable};
use hobgoblin_core::{Key, Value};

use crate::bits::Bits;
use crate::natural::compare;
use crate::range::KeyRange;
use crate::sorted::Sorted;

/// The transaction before all others.
pub(crate) const INIT: u32 = 0;

/// What a committed transaction left in a key.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    /// Its place among the live commits; of no meaning in a base version.
    pub(crate) slot: u32,
    /// The number of the transaction.
    pub(crate) txn: u32,
    /// The number of its session; `u32::MAX` for none.
    pub(crate) session: u32,
    /// Its place in the commit order, from 1, once that is known; 0 for the initial version.
    pub(crate) pos: u64,
    pub(crate) value: Value,
    /// Whether its writer let nobody else lock the key; only an engine asks.
    pub(crate) exclusive: bool,
    /// Whether its writer deleted the key before; only an engine asks.
    pub(crate) anew: bool,
}

/// One key.
#[derive(Debug)]
pub(crate) struct KeyState {
    pub(crate) name: Key,
    /// What the key holds after all commits that were dropped: the oldest version still to be had.
    pub(crate) base: Version,
    /// The versions since, if there are any.
    live: Option<Box<Live>>,
    /// How many open transactions have read or written it.
    pub(crate) users: u32,
}

/// The versions of live commits.
#[derive(Debug, Default)]
struct Live {
    /// In the order they arrived, or in commit order once that is total.
    versions: Vec<Version>,
    /// Their slots.
    writers: Bits,
}

impl KeyState {
    /// The versions of live commits: in the order they arrived, or in commit order once that is total.
    #[inline]
    pub(crate) fn versions(&self) -> &[Version] {
        self.live.as_ref().map_or(&[], |live| &live.versions)
    }

    pub(crate) fn versions_mut(&mut self) -> &mut [Version] {
        self.live.as_mut().map_or(&mut [], |live| &mut live.versions)
    }

    /// The slots of those.
    #[inline]
    pub(crate) fn writers(&self) -> &[u64] {
        self.live.as_ref().map_or(&[], |live| live.writers.words())
    }

    /// The last version in commit order, or the last to arrive while that is open.
    pub(crate) fn newest(&self) -> &Version {
        self.versions().last().unwrap_or(&self.base)
    }

    /// Whether what a prefix of the commits has was deleted after it, though something may have come since.
    pub(crate) fn is_gone(&self, snapshot: u64) -> bool {
        let (seen, since) = self.split(snapshot);
        seen.value != Value::Null
            && since.iter().any(|version| version.anew || version.value == Value::Null)
    }

    /// The version a prefix of the commits has, and those after it; an engine's positions.
    pub(crate) fn split(&self, snapshot: u64) -> (&Version, &[Version]) {
        let versions = self.versions();
        let after = versions.partition_point(|version| version.pos <= snapshot);
        let seen = after.checked_sub(1).map_or(&self.base, |at| &versions[at]);
        (seen, &versions[after..])
    }
}

/// All keys. A key is known once it was asked for; one that nobody wrote is forgotten when no open
/// transaction has used it.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    states: Vec<KeyState>,
    free: Vec<u32>,
    by_name: HashTable<u32>,
    hasher: DefaultHashBuilder,
    ordered: Sorted,
    versions: u32,
}

impl Keys {
    /// The number of a key, and whether it is new.
    pub(crate) fn intern(&mut self, name: &Key) -> (u32, bool) {
        if let Some(at) = self.find(name) {
            return (at, false);
        }
        let base = Version {
            slot: 0,
            txn: INIT,
            session: u32::MAX,
            pos: 0,
            value: Value::Null,
            exclusive: false,
            anew: false,
        };
        let state = KeyState { name: name.clone(), base, live: None, users: 0 };
        let at = match self.free.pop() {
            Some(at) => {
                self.states[at as usize] = state;
                at
            }
            None => {
                self.states.push(state);
                self.states.len() as u32 - 1
            }
        };
        let (states, hasher) = (&self.states, &self.hasher);
        let hash = |&at: &u32| hasher.hash_one(&states[at as usize].name);
        self.by_name.insert_unique(hash(&at), at, hash);
        self.ordered.insert(at, |other| compare(&states[other as usize].name, name));
        (at, true)
    }

    /// The number of a key that is known.
    pub(crate) fn find(&self, name: &Key) -> Option<u32> {
        let same = |&at: &u32| self.get(at).name == *name;
        self.by_name.find(self.hasher.hash_one(name), same).copied()
    }

    #[inline]
    pub(crate) fn get(&self, key: u32) -> &KeyState {
        &self.states[key as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: u32) -> &mut KeyState {
        &mut self.states[key as usize]
    }

    /// The keys of a range, in order.
    pub(crate) fn range(&self, range: &KeyRange) -> Vec<u32> {
        self.first_in(range, usize::MAX, false)
    }

    /// The first keys of a range, or backwards the last ones, at most so many, in order.
    pub(crate) fn first_in(&self, range: &KeyRange, most: usize, backwards: bool) -> Vec<u32> {
        if range.is_empty() {
            return Vec::new();
        }
        let before = |key: &Key| self.ordered.place(|at| compare(&self.get(at).name, key).is_lt());
        let after = |key: &Key| self.ordered.place(|at| compare(&self.get(at).name, key).is_le());
        let from = match range.from() {
            Bound::Included(key) => before(key),
            Bound::Excluded(key) => after(key),
            Bound::Unbounded => Sorted::START,
        };
        let to = match range.to() {
            Bound::Included(key) => after(key),
            Bound::Excluded(key) => before(key),
            Bound::Unbounded => self.ordered.end(),
        };
        let between = self.ordered.between(from, to);
        let inside = between.filter(|&at| range.has_prefix(&self.get(at).name));
        match backwards {
            false => inside.take(most).collect(),
            true => inside.rev().take(most).collect(),
        }
    }

    /// Every key, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = u32> + '_ {
        self.ordered.between(Sorted::START, self.ordered.end())
    }

    /// An open transaction that used the key ended.
    pub(crate) fn release(&mut self, key: u32) {
        let state = &mut self.states[key as usize];
        state.users -= 1;
        let base = &state.base;
        let unwritten = base.txn == INIT && base.value == Value::Null && state.live.is_none();
        if state.users == 0 && unwritten {
            let name = state.name.clone();
            let found = self.by_name.find_entry(self.hasher.hash_one(&name), |&at| at == key);
            if let Ok(found) = found {
                found.remove();
            }
            let states = &self.states;
            self.ordered.remove(|other| compare(&states[other as usize].name, &name));
            self.free.push(key);
        }
    }

    /// A commit leaves a version.
    pub(crate) fn push(&mut self, key: u32, version: Version) {
        let live = self.states[key as usize].live.get_or_insert_default();
        live.writers.insert(version.slot);
        live.versions.push(version);
        self.versions += 1;
    }

    /// A commit is dropped: its version is the oldest still to be had.
    pub(crate) fn settle(&mut self, key: u32, slot: u32) {
        let state = &mut self.states[key as usize];
        let live = state.live.as_mut().expect("a live commit has its versions");
        let at = live.versions.iter().position(|version| version.slot == slot);
        state.base = live.versions.remove(at.expect("a live commit has its versions"));
        live.writers.remove(slot);
        if live.versions.is_empty() {
            state.live = None;
        }
        self.versions -= 1;
    }

    /// A commit of an engine leaves a version; whatever is older than the oldest snapshot is dropped.
    pub(crate) fn append(&mut self, key: u32, version: Version, oldest: u64) {
        let state = &mut self.states[key as usize];
        if state.live.is_none() && version.pos <= oldest {
            state.base = version;
            return;
        }
        let live = state.live.get_or_insert_default();
        live.versions.push(version);
        let before = live.versions.partition_point(|version| version.pos <= oldest);
        if let Some(last) = live.versions.drain(..before).next_back() {
            state.base = last;
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
