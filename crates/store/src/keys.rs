//! The keys a store knows and the versions it keeps of them.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use hobgoblin_core::{Key, Value};

use crate::bits::Bits;
use crate::natural::Natural;
use crate::range::KeyRange;

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
    /// The versions of live commits: in the order they arrived, or in commit order once that is total.
    pub(crate) versions: Vec<Version>,
    /// The slots of `versions`.
    pub(crate) writers: Bits,
    /// How many open transactions have read or written it.
    pub(crate) users: u32,
}

impl KeyState {
    /// The last version in commit order, or the last to arrive while that is open.
    pub(crate) fn newest(&self) -> &Version {
        self.versions.last().unwrap_or(&self.base)
    }

    /// Whether what a prefix of the commits has was deleted after it, though something may have come since.
    pub(crate) fn is_gone(&self, snapshot: u64) -> bool {
        let (seen, since) = self.split(snapshot);
        seen.value != Value::Null
            && since.iter().any(|version| version.anew || version.value == Value::Null)
    }

    /// The version a prefix of the commits has, and those after it; an engine's positions.
    pub(crate) fn split(&self, snapshot: u64) -> (&Version, &[Version]) {
        let after = self.versions.partition_point(|version| version.pos <= snapshot);
        let seen = after.checked_sub(1).map_or(&self.base, |at| &self.versions[at]);
        (seen, &self.versions[after..])
    }
}

/// All keys. A key is known once it was asked for; one that nobody wrote is forgotten when no open
/// transaction has used it.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    states: Vec<KeyState>,
    free: Vec<u32>,
    by_name: HashMap<Key, u32>,
    ordered: BTreeMap<Natural, u32>,
    versions: u32,
}

impl Keys {
    /// The number of a key, and whether it is new.
    pub(crate) fn intern(&mut self, name: &Key) -> (u32, bool) {
        if let Some(&at) = self.by_name.get(name) {
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
        let writers = Bits::default();
        let state = KeyState { name: name.clone(), base, versions: Vec::new(), writers, users: 0 };
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
        self.by_name.insert(name.clone(), at);
        self.ordered.insert(Natural(name.clone()), at);
        (at, true)
    }

    /// The number of a key that is known.
    pub(crate) fn find(&self, name: &Key) -> Option<u32> {
        self.by_name.get(name).copied()
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
        let between = self.ordered.range(range.bounds());
        let inside = between.filter(|(name, _)| range.has_prefix(&name.0));
        match backwards {
            false => inside.map(|(_, &at)| at).take(most).collect(),
            true => inside.rev().map(|(_, &at)| at).take(most).collect(),
        }
    }

    /// Every key, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = u32> + '_ {
        self.ordered.values().copied()
    }

    /// An open transaction that used the key ended.
    pub(crate) fn release(&mut self, key: u32) {
        let state = &mut self.states[key as usize];
        state.users -= 1;
        let base = &state.base;
        let unwritten = base.txn == INIT && base.value == Value::Null && state.versions.is_empty();
        if state.users == 0 && unwritten {
            self.by_name.remove(&state.name);
            self.ordered.remove(&Natural(state.name.clone()));
            self.free.push(key);
        }
    }

    /// A commit leaves a version.
    pub(crate) fn push(&mut self, key: u32, version: Version) {
        let state = &mut self.states[key as usize];
        state.writers.insert(version.slot);
        state.versions.push(version);
        self.versions += 1;
    }

    /// A commit is dropped: its version is the oldest still to be had.
    pub(crate) fn settle(&mut self, key: u32, slot: u32) {
        let state = &mut self.states[key as usize];
        let at = state.versions.iter().position(|version| version.slot == slot);
        state.base = state.versions.remove(at.expect("a live commit has its versions"));
        state.writers.remove(slot);
        self.versions -= 1;
    }

    /// A commit of an engine leaves a version; whatever is older than the oldest snapshot is dropped.
    pub(crate) fn append(&mut self, key: u32, version: Version, oldest: u64) {
        let state = &mut self.states[key as usize];
        state.versions.push(version);
        let before = state.versions.partition_point(|version| version.pos <= oldest);
        if let Some(last) = state.versions.drain(..before).next_back() {
            state.base = last;
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
