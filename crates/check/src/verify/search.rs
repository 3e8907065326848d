//! An exhaustive search for a commit order of a few transactions.
//!
//! Where a proof says "every order fails", the verifier tries them all. Transactions are laid out one
//! moment at a time: a snapshot (at PC and SI) or a commit. A commit that replaces a version which some
//! transaction has yet to read is a dead end, so whoever reads later finds the version it needs by
//! itself; hence what can still go wrong depends only on *which* moments have passed, not on their
//! order, and no set of moments is looked at twice [Biswas 2019, section 4]. (At PSI the orders of
//! versions matter too.) RC, RA and CC ask for fixed orders of commits. What a locking read read from
//! comes before the commit, not before the snapshot.
//!
//! Reads from transactions left out are left out. That only makes more orders possible, so what fails
//! here fails in the whole history.

use hashbrown::HashSet;

use hobgoblin_core::{EventId, History, KeyId, Level, SortedMap, Source, Target, TxnId};

use super::error::VerifyError;
use super::model::{is_faulty, level_of, needs_no_order};

/// How many sets of moments are looked at before giving up.
const MAX_STEPS: usize = 1_000_000;

/// The transactions to lay out; bit i of a mask is the i-th.
pub(super) struct Search<'a> {
    history: &'a History,
    target: Target,
    txns: &'a [TxnId],
    facts: &'a SortedMap<(KeyId, TxnId, TxnId), ()>,
    /// Those that count whatever ambiguous reads read from.
    counted: u128,
    steps: usize,
}

/// A read: its event, key, and source (none for init).
struct Read {
    event: EventId,
    key: KeyId,
    source: Option<usize>,
    plain: bool,
}

/// One choice of sources, ready to be laid out.
#[derive(Default)]
struct Layout {
    all: u128,
    levels: Vec<Level>,
    reads: Vec<Vec<Read>>,
    /// What so and wr put before each transaction, and the part of it that its plain reads must see.
    past: Vec<u128>,
    seen: Vec<u128>,
    /// What must be committed before each commit.
    before_commit: Vec<u128>,
    writers: SortedMap<KeyId, u128>,
    /// The other writers of each transaction's keys.
    rivals: Vec<u128>,
    /// Whether some read cannot have returned what it did.
    impossible: bool,
}

/// The moments passed, and where it matters, the commits in order.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Passed {
    snapshots: u128,
    commits: u128,
    order: Vec<u8>,
}

fn bits(mask: u128) -> impl Iterator<Item = usize> {
    (0..128).filter(move |i| mask >> i & 1 != 0)
}

impl<'a> Search<'a> {
    pub(super) fn new(
        history: &'a History,
        target: Target,
        txns: &'a [TxnId],
        facts: &'a SortedMap<(KeyId, TxnId, TxnId), ()>,
        counts: &dyn Fn(TxnId) -> bool,
    ) -> Result<Search<'a>, VerifyError> {
        if txns.len() > 128 {
            return Err(VerifyError::TooLarge);
        }
        let counted = txns.iter().enumerate().filter(|&(_, &t)| counts(t));
        let counted = counted.fold(0, |mask, (i, _)| mask | 1 << i);
        Ok(Search { history, target, txns, facts, counted, steps: 0 })
    }

    /// Checks that there is no order, whatever the reads without an assumed source read from.
    pub(super) fn refute(
        &mut self,
        sources: &SortedMap<EventId, TxnId>,
    ) -> Result<(), VerifyError> {
        let mut open = vec![sources.clone()];
        while let Some(sources) = open.pop() {
            let members = self.members(&sources);
            let mut reads = self.history.ambiguous_reads().iter().copied();
            let unsettled = reads.find(|&read| {
                let reader = self.number(self.history.txn_of(read));
                reader.is_some_and(|i| members >> i & 1 != 0) && !sources.contains_key(&read)
            });
            if let Some(read) = unsettled {
                for source in self.history.candidates(read) {
                    let mut sources = sources.clone();
                    sources.insert(read, source);
                    open.push(sources);
                }
                self.step()?;
            } else if self.find(&self.layout(members, &sources))? {
                return Err(VerifyError::Satisfied);
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), VerifyError> {
        self.steps += 1;
        (self.steps <= MAX_STEPS).then_some(()).ok_or(VerifyError::TooLarge)
    }

    fn number(&self, txn: TxnId) -> Option<usize> {
        self.txns.binary_search(&txn).ok()
    }

    fn source(&self, sources: &SortedMap<EventId, TxnId>, read: EventId) -> Option<TxnId> {
        match self.history.source(read) {
            Source::Txn(source) => Some(source),
            Source::Ambiguous => sources.get(&read).copied(),
            _ => None,
        }
    }

    /// The transactions that count, given these sources.
    fn members(&self, sources: &SortedMap<EventId, TxnId>) -> u128 {
        let mut members = self.counted;
        let mut open: Vec<usize> = bits(members).collect();
        while let Some(i) = open.pop() {
            for read in self.history.event_ids(self.txns[i]) {
                let source = self.source(sources, read).and_then(|s| self.number(s));
                if let Some(source) = source.filter(|s| members >> s & 1 == 0) {
                    members |= 1 << source;
                    open.push(source);
                }
            }
        }
        members
    }

    fn layout(&self, members: u128, sources: &SortedMap<EventId, TxnId>) -> Layout {
        let (history, count) = (self.history, self.txns.len());
        let mut layout = Layout {
            all: members,
            levels: self.txns.iter().map(|&t| level_of(history, self.target, t)).collect(),
            reads: (0..count).map(|_| Vec::new()).collect(),
            past: vec![0; count],
            seen: vec![0; count],
            before_commit: vec![0; count],
            rivals: vec![0; count],
            ..Layout::default()
        };
        for i in bits(members) {
            let txn = self.txns[i];
            for (event, id) in history.events(txn).iter().zip(history.event_ids(txn)) {
                let key = event.key();
                layout.impossible |= is_faulty(history, self.target, txn, id);
                if event.is_final_write() {
                    *layout.writers.or_default(key) |= 1 << i;
                }
                let Some(from) = self.source(sources, id) else { continue };
                let source = self.number(from);
                if source.is_some() || from == TxnId::INIT {
                    let plain = !history.is_locking(id);
                    layout.reads[i].push(Read { event: id, key, source, plain });
                    let source = source.map_or(0, |s| 1 << s);
                    layout.past[i] |= source;
                    layout.seen[i] |= if plain { source } else { 0 };
                }
            }
        }
        for &(_, writers) in &layout.writers {
            bits(writers).for_each(|i| layout.rivals[i] |= writers & !(1 << i));
        }
        for i in bits(members) {
            for j in bits(members & !(1 << i)) {
                if history.so(self.txns[j], self.txns[i]) {
                    layout.past[i] |= 1 << j;
                    layout.seen[i] |= 1 << j;
                }
                if self.given(&layout, j, i) {
                    layout.before_commit[i] |= 1 << j;
                }
            }
            layout.before_commit[i] |= layout.past[i];
        }
        layout.force_commits();
        layout
    }

    /// Whether real time, a known version order or a fact of the proof puts one commit before another.
    fn given(&self, layout: &Layout, first: usize, second: usize) -> bool {
        let (a, b) = (self.txns[first], self.txns[second]);
        let real_time = layout.levels[second].respects_real_time()
            && matches!((self.history.end(a), self.history.begin(b)), (Some(e), Some(b)) if e < b);
        let both_write = |mask: &u128| mask >> first & mask >> second & 1 != 0;
        let mut shared = layout.writers.iter().filter(|(_, mask)| both_write(mask));
        real_time
            || shared.any(|&(key, _)| {
                let order = self.history.order(key).unwrap_or_default();
                let place = |t| order.iter().position(|&u| u == t).unwrap_or(order.len());
                place(a) < place(b) || self.facts.contains_key(&(key, a, b))
            })
    }

    /// Whether there is an order. Depth first, on an explicit stack.
    fn find(&mut self, layout: &Layout) -> Result<bool, VerifyError> {
        if layout.impossible {
            return Ok(false);
        }
        if needs_no_order(self.history, self.target) {
            return Ok(true);
        }
        let mut seen = HashSet::new();
        let mut open = vec![Passed::default()];
        while let Some(passed) = open.pop() {
            if passed.commits == layout.all {
                return Ok(true);
            }
            if !seen.insert(layout.essence(&passed)) {
                continue;
            }
            self.step()?;
            let mut next = Vec::new();
            for i in bits(layout.all & !passed.commits) {
                let snapshot = layout.has_snapshot(i) && passed.snapshots >> i & 1 == 0;
                let possible = if snapshot {
                    layout.may_snapshot(i, &passed)
                } else {
                    layout.may_commit(i, &passed)
                };
                if !possible {
                    continue;
                }
                let mut then = passed.clone();
                then.snapshots |= 1 << i;
                if !snapshot {
                    then.commits |= 1 << i;
                    then.order.push(i as u8);
                }
                // A moment that can be in nobody's way may as well pass at once.
                if layout.is_harmless(i, snapshot) {
                    next = vec![then];
                    break;
                }
                next.push(then);
            }
            open.append(&mut next);
        }
        Ok(false)
    }
}

impl Layout {
    /// Turns the axioms of RC, RA and CC, which do not depend on the order, into orders of commits.
    fn force_commits(&mut self) {
        let mut past = self.past.clone();
        loop {
            let old = past.clone();
            for i in bits(self.all) {
                past[i] = bits(old[i]).fold(old[i], |mask, j| mask | old[j]);
            }
            if past == old {
                break;
            }
        }
        for i in bits(self.all) {
            for read in self.reads[i].iter().filter(|r| r.plain) {
                let visible = match self.levels[i] {
                    Level::RC => {
                        let earlier = self.reads[i].iter().take_while(|r| r.event < read.event);
                        let earlier = earlier.filter(|r| r.plain).filter_map(|r| r.source);
                        earlier.fold(0, |mask, s| mask | 1 << s)
                    }
                    Level::RA => self.seen[i],
                    Level::CC => bits(self.seen[i]).fold(self.seen[i], |mask, j| mask | past[j]),
                    // Nothing is asked of RU, and the others are decided along the order.
                    Level::RU | Level::PC | Level::PSI | Level::SI => 0,
                    Level::SER | Level::SSER => 0,
                };
                let older = visible & self.writers.get(&read.key).copied().unwrap_or(0);
                match read.source {
                    Some(source) => self.before_commit[source] |= older & !(1 << source),
                    None => self.impossible |= older != 0,
                }
            }
        }
    }

    fn has_snapshot(&self, i: usize) -> bool {
        self.levels[i].has_snapshot()
    }

    fn may_snapshot(&self, i: usize, passed: &Passed) -> bool {
        self.seen[i] & !passed.commits == 0
    }

    fn may_commit(&self, i: usize, passed: &Passed) -> bool {
        let lost_updates = bits(self.rivals[i] & passed.snapshots & !passed.commits)
            .any(|j| self.levels[j].excludes_writers());
        self.before_commit[i] & !passed.commits == 0
            && !lost_updates
            && !bits(self.all & !passed.commits & !(1 << i)).any(|j| self.awaits(j, i, passed))
            && (!self.levels[i].is_parallel() || self.sees_newest(i, &passed.order))
    }

    /// Whether `reader` has yet to read a version that `writer` would replace.
    fn awaits(&self, reader: usize, writer: usize, passed: &Passed) -> bool {
        let done = match self.levels[reader] {
            Level::PC | Level::SI => passed.snapshots >> reader & 1 != 0,
            Level::SER | Level::SSER => false,
            Level::RU | Level::RC | Level::RA | Level::CC | Level::PSI => true,
        };
        !done
            && self.reads[reader].iter().filter(|r| r.plain).any(|read| {
                let there = read.source.is_none_or(|s| passed.commits >> s & 1 != 0);
                let replaced = self.writers.get(&read.key).is_some_and(|w| w >> writer & 1 != 0);
                there && replaced
            })
    }

    /// PSI: of each key `i` reads, no newer version is in its past along so, wr and ww.
    fn sees_newest(&self, i: usize, order: &[u8]) -> bool {
        let mut past = vec![0u128; self.levels.len()];
        let (mut place, mut before) = (vec![0; self.levels.len()], 0u128);
        for (at, j) in order.iter().map(|&j| j as usize).chain([i]).enumerate() {
            let direct = if j == i { self.seen[j] } else { self.past[j] };
            let direct = direct | self.rivals[j] & before;
            past[j] = bits(direct).fold(direct, |mask, k| mask | past[k]);
            place[j] = at + 1;
            before |= 1 << j;
        }
        self.reads[i].iter().filter(|r| r.plain).all(|read| {
            let source = read.source.map_or(0, |s| place[s]);
            let writers = self.writers.get(&read.key).copied().unwrap_or(0);
            bits(writers & past[i]).all(|j| place[j] <= source)
        })
    }

    fn is_harmless(&self, i: usize, snapshot: bool) -> bool {
        if snapshot {
            !self.levels[i].excludes_writers() || self.rivals[i] == 0
        } else {
            self.writers.iter().all(|(_, mask)| mask >> i & 1 == 0)
        }
    }

    /// What of the past matters for the future: at PSI, the orders of versions too.
    fn essence(&self, passed: &Passed) -> Passed {
        let mut essence = Passed { order: Vec::new(), ..passed.clone() };
        if self.levels.iter().any(|level| level.is_parallel()) {
            for (_, mask) in &self.writers {
                essence.order.extend(passed.order.iter().filter(|&&i| mask >> i & 1 != 0));
                essence.order.push(u8::MAX);
            }
        }
        essence
    }
}
