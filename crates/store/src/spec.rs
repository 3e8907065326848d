//! The `spec` profile: whatever the level's axioms allow [Biswas 2021, section 4].
//!
//! The store keeps the commits that some transaction could still miss, the *live* ones, each in a slot.
//! Everything older is one *base* version per key, which all transactions see unless they see a newer
//! one.
//!
//! At RC, RA and CC the axioms force edges between commits that do not depend on the commit order:
//!
//! ```text
//!     t1 --wr(x)--> t3        t3 reads x from t1, yet sees t2, which wrote x too (φ).
//!     t2 ----φ----> t3        So t2 must commit before t1: the edge t2 -> t1 is forced.
//! ```
//!
//! A read may return t1's version exactly when the edges it forces close no cycle with those forced so
//! far. [`forced`] keeps the closure of these edges as one set of predecessors per slot, so that the
//! question costs a few words per version. A commit forces nothing: nobody has seen
//! it. So nothing is ever refused.
//!
//! The other levels need a total commit order. At the first transaction that asks for one of them all
//! commits are put in an order the edges allow, by arrival where they can, and later ones are appended
//! ([`order`]). Then a snapshot is a prefix (PC, SI, SER; [`prefix`]) or a set closed under so, wr and
//! ww (PSI, which is CC's question over other sets), and it is chosen lazily: a transaction keeps the
//! set of snapshots that explain its reads so far.
//!
//! Staleness is bounded by the set F of commits before the last fence, too old, or outside the window
//! ([`window`]). At its first read a transaction is bound to see F as if it were its session's past. F,
//! with all that must precede it, becomes a fixed prefix of the commit order, and what no transaction can
//! read any more is dropped.

mod adverse;
mod forced;
mod order;
mod prefix;
mod window;

pub(crate) use adverse::Mood;

use std::collections::VecDeque;

use hobgoblin_core::{Level, Value};

use crate::bits::{Bits, Table};
use crate::choose::Chooser;
use crate::config::{Config, Policy};
use crate::keys::{Keys, LiveVersion, Version};
use crate::open::{BASE, Left, Open, View};
use crate::sessions::Sessions;

/// What a session has seen, for its next transaction.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Its own commits.
    own: Bits,
    /// (so ∪ wr)⁺.
    past: Bits,
    /// (so ∪ wr ∪ ww)⁺, kept once commits are ordered.
    psi: Bits,
    /// Its last commit, and what it read from since: whatever precedes its next commit does so through
    /// one of these.
    preds: Bits,
    /// How its last transaction read under [`Policy::Adverse`].
    mood: Option<Mood>,
    /// How long a prefix of the commit order it has in its past.
    last: u64,
}

/// A live commit.
#[derive(Debug, Default)]
struct Slot {
    /// How many commits arrived before it.
    arrival: u64,
    /// Its place in the commit order, from 1; 0 while that is open.
    pos: u64,
    /// When it arrived.
    tick: u64,
    /// The keys it wrote.
    keys: Vec<u32>,
}

/// The state of a `spec` store, its keys and sessions apart.
#[derive(Debug)]
pub(crate) struct Spec {
    slots: Vec<Slot>,
    free: Vec<u32>,
    live: Bits,
    /// Dropped slots whose bits are not cleared yet.
    dead: Bits,
    /// (so ∪ wr)⁺ into each slot.
    past: Table,
    /// (so ∪ wr ∪ ww)⁺ into each slot, kept once commits are ordered.
    psi: Table,
    /// What must precede each slot in the commit order: so, wr and the forced edges, closed.
    before: Table,
    /// The live part of the fixed prefix of the commit order.
    fixed: VecDeque<u32>,
    fixed_set: Bits,
    /// How many at the end of `fixed` are not yet in `before` of all that follow.
    unlinked: usize,
    /// How many commits have a place in the order.
    positions: u64,
    /// Whether every commit has its place at once.
    ordered: bool,
    /// How many commits arrived.
    arrived: u64,
    window: window::Window,
    /// Scratch for [`forced`]: which versions of a key a read may return, and their sessions.
    candidates: Vec<u32>,
    sessions: Vec<u32>,
}

/// A version that a read returns.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) txn: u32,
    pub(crate) value: Value,
    /// Whether no newer version is committed.
    pub(crate) newest: bool,
    /// Whether there was a choice.
    pub(crate) open: bool,
    /// Whether the reader gets nothing, since the version stands for something else than it saw before.
    pub(crate) gone: bool,
}

/// The version at this place of [`KeyState::versions`](crate::keys::KeyState) or the base.
const OLDEST: u32 = u32::MAX;

impl Spec {
    pub(crate) fn new(config: &Config) -> Spec {
        Spec {
            slots: Vec::new(),
            free: Vec::new(),
            live: Bits::default(),
            dead: Bits::default(),
            past: Table::default(),
            psi: Table::default(),
            before: Table::default(),
            fixed: VecDeque::new(),
            fixed_set: Bits::default(),
            unlinked: 0,
            positions: 0,
            ordered: false,
            arrived: 0,
            window: window::Window::new(config),
            candidates: Vec::new(),
            sessions: Vec::new(),
        }
    }

    /// The view of a transaction that begins.
    pub(crate) fn begin(
        &mut self,
        level: Level,
        session: u32,
        sessions: &mut Sessions,
        keys: &mut Keys,
    ) -> View {
        if !level.is_polynomial() && !self.ordered {
            self.order_all(sessions, keys);
        }
        let seen = &sessions.get(session).seen;
        View {
            seen: if level.is_atomic() { seen.own.clone() } else { Bits::default() },
            past: seen.past.clone(),
            psi: seen.psi.clone(),
            preds: seen.preds.clone(),
            low: seen.last,
            high: u64::MAX,
            last_mood: seen.mood,
            begin: self.positions,
            ..View::default()
        }
    }

    /// An external read: chooses a version and notes what follows from it.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn read(
        &mut self,
        view: &mut View,
        level: Level,
        key: u32,
        policy: Policy,
        chooser: &mut Chooser,
        sessions: &mut Sessions,
        keys: &mut Keys,
    ) -> Read {
        self.bind(view, level, sessions, keys);
        self.candidates.clear();
        match level {
            Level::PC | Level::SI => self.prefix_candidates(view, keys.get(key)),
            Level::SER | Level::SSER => self.newest_prefix(view, keys.get(key)),
            Level::RU | Level::RC | Level::RA | Level::CC | Level::PSI => {
                self.forced_candidates(view, level, key, keys);
            }
        }
        let state = keys.get(key);
        let live = |at: u32| state.versions().get(at as usize);
        let version = |&at: &u32| live(at).map_or(&state.base, |found| &found.version);
        self.sessions.clear();
        self.sessions.extend(self.candidates.iter().map(|at| version(at).session));
        let choice = match policy {
            Policy::Adverse => self.adverse(view, state, chooser),
            _ => chooser.version(policy, &self.sessions),
        };
        let (at, open) = (self.candidates[choice], self.candidates.len() > 1);
        let found = version(&at);
        let newest = state.versions().last().map_or(at == OLDEST, |last| last.txn == found.txn);
        let read = Read { txn: found.txn, value: found.value.clone(), newest, open, gone: false };
        let slot = live(at).map_or(BASE, |found| found.slot);
        if level.is_polynomial() && slot != BASE {
            self.force(view, level, key, slot, keys);
        }
        if self.ordered {
            self.narrow(view, keys.get(key), at);
        }
        self.see(view, slot);
        view.note(key, slot);
        read
    }

    /// A transaction has seen a commit, and its past.
    fn see(&self, view: &mut View, slot: u32) {
        if slot == BASE {
            return;
        }
        view.seen.insert(slot);
        view.preds.insert(slot);
        view.past.insert(slot);
        view.past.union(self.past.row(slot));
        if self.ordered {
            view.psi.insert(slot);
            view.psi.union(self.psi.row(slot));
        }
    }

    /// Whether a transaction that wrote these keys has to be refused.
    pub(crate) fn refuses(&self, view: &View, level: Level, written: &[u32], keys: &Keys) -> bool {
        match level {
            Level::SI => written.iter().any(|&key| keys.get(key).newest().pos > view.high),
            Level::SER | Level::SSER => !written.is_empty() && view.high != u64::MAX,
            Level::PSI => !self.covers(view, written, keys),
            Level::RU | Level::RC | Level::RA | Level::CC | Level::PC => false,
        }
    }

    /// Commits a transaction that wrote something.
    pub(crate) fn commit(
        &mut self,
        open: &mut Open,
        session: u32,
        written: &[Left],
        sessions: &mut Sessions,
        keys: &mut Keys,
    ) {
        let slot = self.slot(&mut open.view, sessions);
        let written_keys: Vec<u32> = written.iter().map(|left| left.key).collect();
        self.insert(&mut open.view, slot, &written_keys, keys);
        let pos = self.slots[slot as usize].pos;
        for left in written {
            let value = open.value(left).clone();
            let version = Version { txn: open.number, session, pos, value };
            keys.push(left.key, LiveVersion { version, slot, exclusive: false, anew: left.anew });
        }
        let view = &mut open.view;
        if self.ordered {
            sessions.overwritten(&written_keys, pos);
        }
        self.slots[slot as usize].keys = written_keys;
        view.past.insert(slot);
        view.psi.insert(slot);
        view.preds = Bits::default();
        view.preds.insert(slot);
        sessions.get_mut(session).seen.own.insert(slot);
        self.settle(sessions, keys);
    }

    /// A transaction ended, committed or not: the session has seen what it saw.
    pub(crate) fn end(&mut self, view: View, level: Level, wrote: bool, seen: &mut Seen) {
        let at = match level {
            level if level.is_serial() && !wrote => view.high.min(self.positions),
            _ => self.positions,
        };
        (seen.past, seen.psi, seen.preds) = (view.past, view.psi, view.preds);
        seen.mood = view.mood.or(view.last_mood);
        if self.ordered {
            seen.last = seen.last.max(at);
        }
    }

    /// A transaction was refused: the session's next one sees everything committed so far.
    pub(crate) fn see_all(&self, seen: &mut Seen) {
        for set in [&mut seen.own, &mut seen.past, &mut seen.psi, &mut seen.preds] {
            set.union(self.live.words());
        }
        seen.last = self.positions;
    }

    /// The live commits in an order the axioms allow, the present one of the store.
    pub(crate) fn commit_order(&self) -> Vec<u32> {
        let mut rest = self.live.clone();
        rest.subtract(self.fixed_set.words());
        let mut order: Vec<u32> = self.fixed.iter().copied().collect();
        order.extend(self.linear_extension(&rest));
        order
    }
}
