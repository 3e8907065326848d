//! What is known of an open transaction, and of what its session has seen.

use hobgoblin_core::{Level, sort_dedup};

use crate::bits::Bits;
use crate::ids::{KeyNo, Pos};

/// The source of a read from a version older than every live commit.
pub(super) const BASE: u32 = u32::MAX;

/// How a transaction reads under [`Policy::Adverse`](crate::Policy::Adverse).
#[derive(Clone, Copy, Debug)]
pub(super) enum Mood {
    /// Each version that the level allows is as likely as the others.
    Uniform,
    /// As [`adverse`](super::adverse) says; the number decides which sessions it prefers.
    Adverse(u64),
}

/// What a session has seen, for its next transaction.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The commits of its own session.
    pub(super) own: Bits,
    /// The commits that come before it by so and wr, however indirectly.
    pub(super) past: Bits,
    /// (so ∪ wr ∪ ww)⁺, kept once commits are ordered.
    pub(super) psi: Bits,
    /// Its last commit, and what it read from since: whatever precedes its next commit does so through
    /// one of these.
    pub(super) preds: Bits,
    /// How its last transaction read.
    pub(super) mood: Option<Mood>,
    /// How long a prefix of the commit order it has in its past.
    pub(super) last: Pos,
}

/// What a transaction has seen, for whatever decides what it may see next.
#[derive(Debug)]
pub(super) struct View {
    pub(super) level: Level,
    /// Once it has read: the commits that arrived before this one count as its session's past.
    pub(super) bound: Option<u64>,
    /// so and wr, one step: its session's commits, those it read from, those it is bound to see. At RC
    /// the first are left out.
    pub(super) seen: Bits,
    /// Its causal past: (so ∪ wr)⁺.
    pub(super) past: Bits,
    /// (so ∪ wr ∪ ww)⁺, kept once commits are ordered.
    pub(super) psi: Bits,
    /// Its session's last commit, and what was read from since, by itself too.
    pub(super) preds: Bits,
    /// Its external reads: key and slot read from or [`BASE`], sorted, each once.
    pub(super) reads: Vec<(KeyNo, u32)>,
    /// The oldest and newest prefix of the commit order that explain its reads.
    pub(super) low: Pos,
    pub(super) high: Pos,
    /// How it reads, once it has, and how its session did last.
    pub(super) mood: Option<Mood>,
    pub(super) last_mood: Option<Mood>,
    /// How many commits were ordered when it began.
    pub(super) begin: Pos,
}

impl View {
    /// Of a transaction that begins in a session that has seen so much, when so many commits are ordered.
    pub(super) fn new(level: Level, seen: &Seen, begin: Pos) -> View {
        View {
            level,
            bound: None,
            seen: if level.is_atomic() { seen.own.clone() } else { Bits::default() },
            past: seen.past.clone(),
            psi: seen.psi.clone(),
            preds: seen.preds.clone(),
            reads: Vec::new(),
            low: seen.last,
            high: Pos::ALL,
            mood: None,
            last_mood: seen.mood,
            begin,
        }
    }

    /// Notes an external read.
    pub(super) fn note(&mut self, key: KeyNo, source: u32) {
        if let Err(at) = self.reads.binary_search(&(key, source)) {
            self.reads.insert(at, (key, source));
        }
    }

    /// Whom it read a key from, if it did.
    pub(super) fn source(&self, key: KeyNo) -> Option<u32> {
        let at = self.reads.partition_point(|&(read, _)| read < key);
        self.reads.get(at).filter(|&&(read, _)| read == key).map(|&(_, source)| source)
    }

    /// A commit was dropped; what was read from it is now a read of the base version.
    pub(super) fn settle(&mut self, slot: u32) {
        let mut changed = false;
        for (_, source) in &mut self.reads {
            if *source == slot {
                (*source, changed) = (BASE, true);
            }
        }
        if changed {
            sort_dedup(&mut self.reads);
        }
    }

    /// Slots are about to be used again: what they were is forgotten.
    pub(super) fn sweep(&mut self, dead: &[u64]) {
        for set in [&mut self.seen, &mut self.past, &mut self.psi, &mut self.preds] {
            set.subtract(dead);
        }
    }
}

impl Seen {
    /// Slots are about to be used again: what they were is forgotten.
    pub(super) fn sweep(&mut self, dead: &[u64]) {
        for set in [&mut self.own, &mut self.past, &mut self.psi, &mut self.preds] {
            set.subtract(dead);
        }
    }
}
