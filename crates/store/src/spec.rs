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
mod staleness;
mod told;
mod view;
mod window;

use std::collections::VecDeque;

use hobgoblin_core::{Level, SessionId, Value};

use crate::bits::{Bits, Table};
use crate::choose::Chooser;
use crate::config::{Config, Policy};
use crate::error::AbortReason;
use crate::ids::{KeyNo, Pos, Writer};
use crate::keys::{Keys, LiveVersion, Version};
use crate::locks::Locks;
use crate::open::{Left, Open};
use crate::range::KeyRange;
use crate::stop::Stop;
use crate::truth::{Facts, Manner, Read, Scan, Scanning, Seeing, Truth};
use crate::views::Views;
use view::{BASE, Seen, View};
use window::Window;

/// What is the same for all stores of this profile.
pub(crate) const FACTS: Facts = Facts {
    served: "RC, RA, CC, PC, PSI, SI, SER, SSER",
    default_level: Level::RC,
    satisfies: |level| level.has_axiom().then_some(level),
    chooses: true,
    locks_keys: false,
    locks_ranges: |_| true,
    scanning: |_| Scanning::Finds,
    lone_read: |level| level,
    patient: false,
    prepares: false,
    spares_rewrites: false,
    survives: |_| false,
    truth: |config| Box::new(Spec::new(config)),
};

/// A live commit: one that some transaction may still miss.
#[derive(Debug, Default)]
struct Slot {
    /// How many commits arrived before it.
    arrival: u64,
    /// Its place in the commit order, from 1; 0 while that is open.
    pos: Pos,
    /// The tick at which it arrived.
    tick: u64,
    /// The keys it wrote.
    keys: Vec<KeyNo>,
}

/// The state of a `spec` store, its keys and sessions apart.
#[derive(Debug)]
struct Spec {
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
    positions: Pos,
    /// Whether every commit has its place at once.
    ordered: bool,
    /// How many commits arrived.
    arrived: u64,
    window: Window,
    /// The open transactions. The one at hand is taken out while it reads or commits.
    views: Views<Box<View>>,
    /// What each session has seen, if it has.
    seen: Vec<Option<Box<Seen>>>,
    /// The locks on objects.
    locks: Locks,
    /// Scratch for [`forced`]: which versions of a key a read may return, and their sessions.
    candidates: Vec<u32>,
    writers: Vec<Writer>,
}

/// The version at this place of [`KeyState::versions`](crate::keys::KeyState) or the base.
const OLDEST: u32 = u32::MAX;

impl Spec {
    fn new(config: &Config) -> Spec {
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
            positions: Pos::START,
            ordered: false,
            arrived: 0,
            window: Window::new(config),
            views: Views::default(),
            seen: Vec::new(),
            locks: Locks::new(config.patient),
            candidates: Vec::new(),
            writers: Vec::new(),
        }
    }

    /// What a session has seen.
    fn seen_by(&mut self, session: SessionId) -> &mut Seen {
        let at = session.index();
        if self.seen.len() <= at {
            self.seen.resize_with(at + 1, || None);
        }
        self.seen[at].get_or_insert_default()
    }

    /// An external read: chooses a version and notes what follows from it.
    fn choose(
        &mut self,
        session: SessionId,
        view: &mut View,
        key: KeyNo,
        policy: Policy,
        chooser: &mut Chooser,
        keys: &mut Keys,
    ) -> Read {
        self.bind(view, keys);
        let level = view.level;
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
        self.writers.clear();
        self.writers.extend(self.candidates.iter().map(|at| version(at).writer));
        let choice = match policy {
            _ if chooser.told(session).is_some() => self.told(session, state, chooser),
            Policy::Adverse => self.adverse(view, state, chooser),
            _ => chooser.version(policy, &self.writers),
        };
        let (at, open) = (self.candidates[choice], self.candidates.len() > 1);
        let found = version(&at);
        let newest = state.versions().last().map_or(at == OLDEST, |last| last.txn == found.txn);
        let (txn, value) = (found.txn, found.value.clone());
        let read = Read { txn, value, newest, open, gone: false, locks: false };
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

    /// Whether a transaction that wrote these keys, which are some, has to be refused.
    fn is_refused(&self, view: &View, written: &[KeyNo], keys: &Keys) -> bool {
        match view.level {
            Level::SI => written.iter().any(|&key| keys.get(key).newest().pos > view.high),
            Level::SER | Level::SSER => view.high != Pos::ALL,
            Level::PSI => !self.covers(view, written, keys),
            Level::RU | Level::RC | Level::RA | Level::CC | Level::PC => false,
        }
    }

    /// A commit at this place overwrote these keys: no later prefix explains earlier reads of them.
    fn overwritten(&mut self, keys: &[KeyNo], pos: Pos) {
        for view in self.views.iter_mut() {
            if keys.iter().any(|&key| view.source(key).is_some()) {
                view.high = view.high.min(pos.before());
            }
        }
    }
}

impl Truth for Spec {
    fn locks(&self) -> &Locks {
        &self.locks
    }

    fn locks_mut(&mut self) -> &mut Locks {
        &mut self.locks
    }

    fn begin(&mut self, session: SessionId, level: Level, _: Option<bool>, keys: &mut Keys) {
        if !level.is_polynomial() && !self.ordered {
            self.order_all(keys);
        }
        let positions = self.positions;
        let view = View::new(level, self.seen_by(session), positions);
        self.views.put(session, Box::new(view));
    }

    fn statement(&mut self, _session: SessionId, _now: bool) {}

    fn renew(&mut self, _session: SessionId) {}

    fn read_only(
        &mut self,
        _session: SessionId,
        _deferrable: bool,
        _keys: &Keys,
    ) -> Result<(), Stop> {
        Ok(())
    }

    fn read(
        &mut self,
        session: SessionId,
        key: KeyNo,
        manner: Manner,
        chooser: &mut Chooser,
        keys: &mut Keys,
    ) -> Result<Read, Stop> {
        let mut view = self.views.take(session);
        let read = self.choose(session, &mut view, key, manner.policy, chooser, keys);
        self.views.put(session, view);
        Ok(read)
    }

    fn read_own(
        &mut self,
        _session: SessionId,
        _key: KeyNo,
        _manner: Manner,
        _keys: &Keys,
    ) -> Result<(), Stop> {
        Ok(())
    }

    fn has_read(&self, session: SessionId, key: KeyNo) -> bool {
        self.views.get(session).source(key).is_some()
    }

    fn sees_uncommitted(&self, _session: SessionId) -> bool {
        false
    }

    fn came_up(&mut self, session: SessionId, key: KeyNo) {
        self.views.get_mut(session).note(key, BASE);
    }

    fn scan(
        &mut self,
        session: SessionId,
        _scan: &Scan<'_>,
        keys: &mut Keys,
    ) -> Result<Option<Seeing>, Stop> {
        // Even where there is nothing to read, the scan has read that.
        let mut view = self.views.take(session);
        self.bind(&mut view, keys);
        self.views.put(session, view);
        Ok(None)
    }

    fn look(&mut self, _session: SessionId, _key: KeyNo, _keys: &Keys) -> Result<(), Stop> {
        Ok(())
    }

    fn come_to(
        &mut self,
        _session: SessionId,
        _scan: &Scan<'_>,
        _key: KeyNo,
        _keys: &Keys,
    ) -> Result<bool, Stop> {
        Ok(true)
    }

    fn come_to_end(
        &mut self,
        _session: SessionId,
        _scan: &Scan<'_>,
        _keys: &Keys,
    ) -> Result<(), Stop> {
        Ok(())
    }

    fn pass_over(&mut self, _session: SessionId) {}

    fn scanned(&mut self, _session: SessionId, _scan: &Scan<'_>, _seen: &KeyRange) -> bool {
        true
    }

    fn write(
        &mut self,
        _session: SessionId,
        _key: KeyNo,
        _own: Option<&Value>,
        _keys: &Keys,
    ) -> Result<(), Stop> {
        Ok(())
    }

    fn tells_rewrites(&self, _session: SessionId) -> bool {
        false
    }

    fn rollback(&mut self, session: SessionId, mark: usize, _open: &Open, _keys: &Keys) {
        self.locks.release_to(session, mark);
    }

    fn refuses(
        &mut self,
        session: SessionId,
        written: &[Left],
        keys: &Keys,
    ) -> Option<AbortReason> {
        let written: Vec<KeyNo> = written.iter().map(|left| left.key).collect();
        let view = self.views.get(session);
        let refused = !written.is_empty() && self.is_refused(view, &written, keys);
        refused.then_some(AbortReason::Serialization)
    }

    fn hand_over(&mut self, _from: SessionId, _to: SessionId) {
        unreachable!("nothing is prepared in this profile, as its facts say");
    }

    fn commit(&mut self, session: SessionId, open: &Open, written: &[Left], keys: &mut Keys) {
        let mut view = self.views.take(session);
        let slot = self.slot(&mut view);
        let written_keys: Vec<KeyNo> = written.iter().map(|left| left.key).collect();
        self.insert(&mut view, slot, &written_keys, keys);
        let pos = self.slots[slot as usize].pos;
        for left in written {
            let value = open.value(left).clone();
            let version = Version { txn: open.number, writer: session.into(), pos, value };
            keys.push(left.key, LiveVersion { version, slot, exclusive: false, anew: left.anew });
        }
        if self.ordered {
            self.overwritten(&written_keys, pos);
        }
        self.slots[slot as usize].keys = written_keys;
        view.past.insert(slot);
        view.psi.insert(slot);
        view.preds = Bits::default();
        view.preds.insert(slot);
        self.seen_by(session).own.insert(slot);
        self.settle(keys);
        self.views.put(session, view);
    }

    /// Committed or not, the session has seen what the transaction saw.
    fn end(&mut self, session: SessionId, open: &mut Open, committed: bool, keys: &mut Keys) {
        for key in std::mem::take(&mut open.keys) {
            keys.release(key);
        }
        let view = self.views.take(session);
        let wrote = committed && open.wrote();
        let at = match view.level {
            level if level.is_serial() && !wrote => view.high.min(self.positions),
            _ => self.positions,
        };
        let ordered = self.ordered;
        let seen = self.seen_by(session);
        (seen.past, seen.psi, seen.preds) = (view.past, view.psi, view.preds);
        seen.mood = view.mood.or(view.last_mood);
        if ordered {
            seen.last = seen.last.max(at);
        }
        self.locks.release(session);
    }

    /// The session's next transaction sees everything committed so far, so that retries end.
    fn was_refused(&mut self, session: SessionId, reason: AbortReason) {
        if reason != AbortReason::Serialization {
            return;
        }
        let (live, last) = (self.live.clone(), self.positions);
        let seen = self.seen_by(session);
        for set in [&mut seen.own, &mut seen.past, &mut seen.psi, &mut seen.preds] {
            set.union(live.words());
        }
        seen.last = last;
    }

    fn disconnect(&mut self, session: SessionId, for_good: bool) {
        if let Some(seen) = self.seen.get_mut(session.index()).filter(|_| for_good) {
            *seen = None;
        }
    }

    fn fence(&mut self) {
        self.window.fence = self.arrived;
    }

    fn tick(&mut self, now: u64) {
        self.window.now = self.window.now.max(now);
    }

    fn recorded_level(&self, session: SessionId) -> Level {
        self.views.get(session).level
    }

    fn snapshot_of(&self, _session: SessionId) -> Option<Pos> {
        None
    }

    /// The live commits in an order the axioms allow, the present one of the store.
    fn commit_order(&self) -> Vec<u32> {
        let mut rest = self.live.clone();
        rest.subtract(self.fixed_set.words());
        let mut order: Vec<u32> = self.fixed.iter().copied().collect();
        order.extend(self.linear_extension(&rest));
        order
    }
}
