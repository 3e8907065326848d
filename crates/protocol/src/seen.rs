//! The states seen, each with the one it was reached from.
//!
//! They are kept in shards, by their hash, so that threads can fill them side by side. A state's number says its shard
//! and its place there; places are given in an order that does not depend on the threads.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// How many shards.
pub(crate) const SHARDS: usize = 16;

/// A state's number.
pub(crate) type Id = u32;

/// No state: what an initial one was reached from.
pub(crate) const NONE: Id = Id::MAX;

/// The most states of a shard.
pub(crate) const MOST: usize = (NONE as usize) / SHARDS - 1;

/// A state that may be new.
pub(crate) struct Candidate<S> {
    pub(crate) hash: u64,
    pub(crate) state: S,
    pub(crate) from: Id,
}

/// Some of the states.
pub(crate) struct Shard<S> {
    pub(crate) states: Vec<S>,
    from: Vec<Id>,
    index: HashTable<u32>,
}

impl<S: Eq + Hash> Shard<S> {
    /// The place of a state.
    pub(crate) fn find(&self, hash: u64, state: &S) -> Option<usize> {
        self.index.find(hash, |&at| self.states[at as usize] == *state).map(|&at| at as usize)
    }

    /// Adds a state, if it is new.
    pub(crate) fn add(&mut self, candidate: Candidate<S>) {
        let Candidate { hash, state, from } = candidate;
        if self.find(hash, &state).is_some() || self.states.len() >= MOST {
            return;
        }
        let at = self.states.len() as u32;
        let Shard { states, index, .. } = self;
        index.insert_unique(hash, at, |&at| hash_of(&states[at as usize]));
        self.states.push(state);
        self.from.push(from);
    }
}

/// The hash of a state, the same in every run.
pub(crate) fn hash_of(state: &impl Hash) -> u64 {
    FixedState::with_seed(1).hash_one(state)
}

/// The shard of a state. The index of the shard looks at other bits.
pub(crate) fn shard_of(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}

/// All of them.
pub(crate) struct Seen<S> {
    pub(crate) shards: Vec<Shard<S>>,
}

impl<S: Eq + Hash + Clone> Seen<S> {
    pub(crate) fn new() -> Seen<S> {
        let shard = || Shard { states: Vec::new(), from: Vec::new(), index: HashTable::new() };
        Seen { shards: std::iter::repeat_with(shard).take(SHARDS).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.states.len()).sum()
    }

    /// Whether a shard has all it can.
    pub(crate) fn is_full(&self) -> bool {
        self.shards.iter().any(|shard| shard.states.len() >= MOST)
    }

    pub(crate) fn id(shard: usize, at: usize) -> Id {
        (at * SHARDS + shard) as Id
    }

    /// The states on the way to one.
    pub(crate) fn path(&self, to: Id) -> Vec<S> {
        let mut path = Vec::new();
        let mut id = to;
        while id != NONE {
            let (shard, at) = (&self.shards[id as usize % SHARDS], id as usize / SHARDS);
            path.push(shard.states[at].clone());
            id = shard.from[at];
        }
        path.reverse();
        path
    }
}
