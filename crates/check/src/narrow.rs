//! Which transactions a read of a repeated value cannot have read from, without guessing.
//!
//! A read whose value several transactions wrote has several candidates. Most of them are out of the
//! question because of what other reads, whose source is known, say about who came before whom:
//!
//! ```text
//!     w1 { w(x)=1 } --so/wr*--> w2 { w(x)=2 } --so/wr*--> t { r(x)=1 }     w1 is overwritten: t saw w2
//!     t { r(x)=1 } --so/wr*--> w3 { w(x)=1 }                               w3 comes after t: a circle
//! ```
//!
//! So t read from neither, and if one candidate is left, the read is *settled*: it is an edge of wr like
//! any other, and we look again. Each round is one walk along so and wr with a vector clock for each
//! transaction (an entry for each session) and a look at every read that is still open: O(n k) for n events
//! and k sessions, and few rounds are needed, since histories of real stores are dense.
//!
//! What "t saw w2" may rest on depends on the level of t as the axioms do [MODEL, section 2]: any way of so
//! and wr from CC up, one step of so or wr at RA, an earlier read of t at RC. A locking read is no evidence
//! for its own transaction. Transactions of unknown status that need not count are candidates, but nothing
//! rests on what they read or write.
//!
//! Why a candidate is out is remembered as a round and a name; [`proof`] finds the way again, among the edges
//! known in that round, when a witness needs it.

mod proof;

use hobgoblin_core::{EventId, History, KeyId, Level, Source, StopReason, Target, TxnId};

use crate::graph::Graph;
use crate::limits::{Limits, Ticker};
use crate::problem::Problem;
use crate::witness;

pub(crate) use proof::join_sessions;

/// Clocks of more entries than this are not worth their memory.
const MOST_ENTRIES: usize = 1 << 25;
/// After so many rounds the rest is left open.
const MOST_ROUNDS: u32 = 200;
/// A read that is not settled.
const OPEN: u32 = u32::MAX;

/// Why a candidate is out of the question.
#[derive(Clone, Copy, Debug)]
enum Removed {
    /// It comes after the reader.
    Later,
    /// The reader saw this transaction, which comes after the candidate and writes the key too.
    Overwritten(TxnId),
}

/// An ambiguous read and what is known about its source.
#[derive(Clone, Debug)]
struct Open {
    event: EventId,
    reader: TxnId,
    key: KeyId,
    /// The candidates left, in the order recorded.
    left: Vec<TxnId>,
    /// The others, with the round in which each was found to be out of the question.
    removed: Vec<(TxnId, u32, Removed)>,
    /// The round in which one candidate was left.
    settled: u32,
}

/// How narrowing ended.
#[derive(Clone, Debug)]
enum End {
    /// Every read has a candidate left.
    Open,
    /// This read (an index) has none.
    Nobody(usize),
    /// The reads settled before this round form a circle with so and wr.
    Circle(u32),
    /// so and wr have a cycle whatever the choice; others tell.
    Given,
}

/// See the [module docs](self).
#[derive(Debug)]
pub(crate) struct Narrowing<'h> {
    history: &'h History,
    target: Target,
    reads: Vec<Open>,
    end: End,
    /// When each transaction is likely to have ended, in no particular unit.
    pub(crate) when: Vec<u64>,
}

/// Vector clocks: for each transaction how many of each session are in its past, itself included.
struct Clocks {
    width: usize,
    entries: Vec<u32>,
}

impl Clocks {
    fn of(&self, txn: usize) -> &[u32] {
        &self.entries[txn * self.width..(txn + 1) * self.width]
    }

    fn join(&mut self, from: usize, to: usize) {
        let (a, b, width) = (from * self.width, to * self.width, self.width);
        let (source, target) = if a < b {
            let (low, high) = self.entries.split_at_mut(b);
            (&low[a..a + width], &mut high[..width])
        } else {
            let (low, high) = self.entries.split_at_mut(a);
            (&high[..width], &mut low[b..b + width])
        };
        join(target, source);
    }
}

fn join(target: &mut [u32], source: &[u32]) {
    for (t, &s) in target.iter_mut().zip(source) {
        *t = (*t).max(s);
    }
}

/// The transactions that count and write each key, by session and in session order.
struct Writers {
    start: Vec<u32>,
    /// The session, the place in it, and who.
    items: Vec<(u32, u32, TxnId)>,
}

impl Writers {
    fn new(history: &History) -> Writers {
        let mut all: Vec<(u32, (u32, u32, TxnId))> = Vec::new();
        for txn in history.txns().filter(|&t| history.counts(t)) {
            let session = history.session_of(txn).expect("not init").raw();
            let place = history.position(txn) as u32;
            let writes = history.events(txn).iter().filter(|e| e.is_final_write());
            all.extend(writes.map(|e| (e.key().raw(), (session, place, txn))));
        }
        all.sort_unstable();
        let mut start = vec![0; history.num_keys() + 1];
        for &(key, _) in &all {
            start[key as usize + 1] += 1;
        }
        for key in 1..start.len() {
            start[key] += start[key - 1];
        }
        Writers { start, items: all.into_iter().map(|(_, item)| item).collect() }
    }

    /// The last writer of a key in each session within a clock.
    fn last(&self, key: KeyId, clock: &[u32], found: &mut Vec<TxnId>) {
        let items =
            &self.items[self.start[key.index()] as usize..self.start[key.index() + 1] as usize];
        let mut at = 0;
        while at < items.len() {
            let session = items[at].0;
            let group = &items[at..];
            let end = group.partition_point(|item| item.0 == session);
            let seen = group[..end].partition_point(|item| item.1 < clock[session as usize]);
            if seen > 0 {
                found.push(group[seen - 1].2);
            }
            at += end;
        }
    }
}

impl<'h> Narrowing<'h> {
    /// Finds out what can be.
    pub(crate) fn new(
        history: &'h History,
        target: Target,
        limits: &Limits,
    ) -> Result<Narrowing<'h>, StopReason> {
        let mut reads = Vec::with_capacity(history.ambiguous_reads().len());
        let mut candidates = 0;
        for &event in history.ambiguous_reads() {
            let (reader, key) = (history.txn_of(event), history.event(event).key());
            let left = history.candidates(event);
            candidates += left.len();
            if candidates > MOST_CANDIDATES {
                return Err(StopReason::TooLarge);
            }
            if reads.len() % 256 == 0 {
                limits.check()?;
            }
            reads.push(Open { event, reader, key, left, removed: Vec::new(), settled: OPEN });
        }
        let mut this = Narrowing { history, target, reads, end: End::Open, when: Vec::new() };
        let entries = history.num_txns().saturating_mul(history.num_sessions().max(1));
        if entries <= MOST_ENTRIES && !Problem::asks_nothing(history, target) {
            this.narrow(limits)?;
        }
        this.when = this.likely_times(entries <= MOST_ENTRIES);
        Ok(this)
    }

    fn narrow(&mut self, limits: &Limits) -> Result<(), StopReason> {
        let ticker = &mut Ticker::new(limits);
        let writers = Writers::new(self.history);
        for round in 0..MOST_ROUNDS {
            limits.check()?;
            let Some(clocks) = self.clocks(round, false) else {
                self.end = if round == 0 { End::Given } else { End::Circle(round) };
                return Ok(());
            };
            let mut changed = false;
            let mut at = 0;
            while at < self.reads.len() {
                let reader = self.reads[at].reader;
                let end = at + self.reads[at..].partition_point(|r| r.reader == reader);
                let open = |r: &Open| r.settled == OPEN && r.left.len() > 1;
                if self.history.counts(reader) && self.reads[at..end].iter().any(open) {
                    ticker.tick(clocks.width)?;
                    changed |= self.look(at..end, round, &clocks, &writers, ticker)?;
                    if !matches!(self.end, End::Open) {
                        return Ok(());
                    }
                }
                at = end;
            }
            if !changed {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Looks at the ambiguous reads of one transaction; tells whether one of them was settled.
    fn look(
        &mut self,
        reads: std::ops::Range<usize>,
        round: u32,
        clocks: &Clocks,
        writers: &Writers,
        ticker: &mut Ticker<'_>,
    ) -> Result<bool, StopReason> {
        let history = self.history;
        let reader = self.reads[reads.start].reader;
        let level = witness::level(history, self.target, reader);
        let mut clock = vec![0; clocks.width];
        if level.implies(Level::CC) {
            for seen in self.evidence(reader, round) {
                join(&mut clock, clocks.of(seen.index()));
            }
        }
        let before = |a: TxnId, b: TxnId| {
            let session = history.session_of(a).expect("not init").index();
            a != b && clocks.of(b.index())[session] > history.position(a) as u32
        };
        let mut settled = false;
        let mut seen = Vec::new();
        for at in reads {
            if self.reads[at].left.len() < 2 {
                continue;
            }
            let (event, key) = (self.reads[at].event, self.reads[at].key);
            seen.clear();
            if !history.is_locking(event) {
                match level {
                    Level::RU => {}
                    Level::RC | Level::RA => seen.extend(self.seen_directly(event, level, round)),
                    Level::CC | Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => {
                        writers.last(key, &clock, &mut seen)
                    }
                }
            }
            ticker.tick(8 + self.reads[at].left.len() * (1 + seen.len()))?;
            let removed = |w: TxnId| {
                if w != TxnId::INIT && before(reader, w) {
                    return Some(Removed::Later);
                }
                let newer = |&&s: &&TxnId| s != w && (w == TxnId::INIT || before(w, s));
                seen.iter().find(newer).map(|&s| Removed::Overwritten(s))
            };
            let read = &mut self.reads[at];
            let out = &mut read.removed;
            read.left.retain(|&w| match removed(w) {
                Some(why) => {
                    out.push((w, round, why));
                    false
                }
                None => true,
            });
            match read.left.len() {
                0 => {
                    self.end = End::Nobody(at);
                    return Ok(true);
                }
                1 => {
                    read.settled = round;
                    settled = true;
                }
                _ => {}
            }
        }
        Ok(settled)
    }

    /// The transactions right before `reader` in so and wr, as far as its own plain reads tell.
    fn evidence(&self, reader: TxnId, round: u32) -> Vec<TxnId> {
        let plain = |&(event, _): &(EventId, TxnId)| !self.history.is_locking(event);
        let sources = self.sources_of(reader, round).filter(plain).map(|(_, source)| source);
        self.prev(reader).into_iter().chain(sources).collect()
    }

    /// The writers of a read's key that its transaction saw in one step, as RA and RC ask for it.
    fn seen_directly(&self, event: EventId, level: Level, round: u32) -> Vec<TxnId> {
        let history = self.history;
        let (reader, key) = (history.txn_of(event), history.event(event).key());
        let mut seen = Vec::new();
        if level.is_atomic() {
            let session = history.session_of(reader).expect("not init");
            let earlier = &history.session_txns(session)[..history.position(reader)];
            let mut writes = earlier.iter().rev().filter(|&&t| history.counts(t));
            seen.extend(writes.find(|&&t| history.writes(t, key)));
        }
        for (other, source) in self.sources_of(reader, round) {
            let visible = level.is_atomic() || other < event;
            if visible && !history.is_locking(other) && history.writes(source, key) {
                seen.push(source);
            }
        }
        seen.retain(|&t| t != TxnId::INIT && history.counts(t));
        seen
    }

    fn prev(&self, txn: TxnId) -> Option<TxnId> {
        let session = self.history.session_of(txn)?;
        let place = self.history.position(txn).checked_sub(1)?;
        Some(self.history.session_txns(session)[place])
    }

    /// The known sources of a transaction's reads, other than init, before a round.
    fn sources_of(&self, txn: TxnId, round: u32) -> impl Iterator<Item = (EventId, TxnId)> + '_ {
        let events = self.history.event_ids(txn);
        let source = move |event: EventId| match self.history.source(event) {
            Source::Txn(source) => Some((event, source)),
            Source::Ambiguous => {
                let at = self.index(event)?;
                (self.reads[at].settled < round).then(|| (event, self.reads[at].left[0]))
            }
            _ => None,
        };
        let counts = self.history.counts(txn);
        events.filter(move |_| counts).filter_map(source).filter(|&(_, s)| s != TxnId::INIT)
    }

    fn index(&self, event: EventId) -> Option<usize> {
        self.reads.binary_search_by_key(&event, |r| r.event).ok()
    }

    /// The edges of so and wr known before a round.
    fn edges(&self, round: u32) -> Vec<(u32, u32)> {
        let history = self.history;
        let mut edges = Vec::with_capacity(2 * history.num_events());
        for txn in history.txns() {
            edges.extend(self.prev(txn).map(|prev| (prev.raw(), txn.raw())));
            edges.extend(self.sources_of(txn, round).map(|(_, s)| (s.raw(), txn.raw())));
        }
        edges
    }

    /// Everyone's past before a round, or, backwards, everyone's future; nothing where there is a cycle.
    fn clocks(&self, round: u32, backwards: bool) -> Option<Clocks> {
        let history = self.history;
        let mut edges = self.edges(round);
        if backwards {
            edges.iter_mut().for_each(|edge| *edge = (edge.1, edge.0));
        }
        let graph = Graph::new(history.num_txns(), || edges.iter().copied());
        let order = graph.topological();
        if order.len() < history.num_txns() {
            return None;
        }
        let width = history.num_sessions();
        let mut clocks = Clocks { width, entries: vec![0; width * history.num_txns()] };
        for txn in order {
            if let Some(session) = history.session_of(TxnId::new(txn as usize)) {
                let place = history.position(TxnId::new(txn as usize));
                let length = history.session_txns(session).len();
                let own = if backwards { length - place } else { place + 1 };
                clocks.entries[txn as usize * width + session.index()] = own as u32;
            }
            for &to in graph.successors(txn) {
                clocks.join(txn as usize, to as usize);
            }
        }
        Some(clocks)
    }

    /// When each transaction is likely to have ended: by its time, by its place in the file where
    /// sessions interleave, else half-way between all that is before it and all that is after it.
    fn likely_times(&self, clocks: bool) -> Vec<u64> {
        let history = self.history;
        let all = |when: &dyn Fn(TxnId) -> u64| {
            let mut times = Vec::with_capacity(history.num_txns());
            for txn in 0..history.num_txns() {
                times.push(when(TxnId::new(txn)));
            }
            times
        };
        if history.has_times() {
            let time = |t| history.end(t).or(history.begin(t)).unwrap_or(i64::MAX);
            return all(&|t| (time(t) as u64) ^ (1 << 63));
        }
        let session = |t: usize| history.session_of(TxnId::new(t));
        let switches = (2..history.num_txns()).filter(|&t| session(t - 1) != session(t)).count();
        if switches > 2 * history.num_sessions() {
            return all(&|t| t.index() as u64);
        }
        let both = || Some((self.clocks(OPEN, false)?, self.clocks(OPEN, true)?));
        if let Some((past, future)) = clocks.then(both).flatten() {
            let sum = |clock: &[u32]| clock.iter().map(|&n| u64::from(n)).sum::<u64>();
            let most = history.num_txns() as u64;
            let when = |t: TxnId| most + sum(past.of(t.index())) - sum(future.of(t.index()));
            return all(&when);
        }
        let share = |t: TxnId| match history.session_of(t) {
            Some(s) => {
                let length = history.session_txns(s).len() as u64 + 1;
                ((history.position(t) as u64 + 1) << 32) / length
            }
            None => 0,
        };
        all(&share)
    }

    /// The candidates left of an ambiguous read.
    pub(crate) fn left(&self, event: EventId) -> &[TxnId] {
        self.index(event).map_or(&[], |at| &self.reads[at].left)
    }

    /// Whether an ambiguous read has one candidate left.
    pub(crate) fn is_settled(&self, event: EventId) -> bool {
        self.index(event).is_some_and(|at| self.reads[at].settled != OPEN)
    }

    /// Whether some choice of sources may do, as far as is known.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.end, End::Open | End::Given)
    }

    /// The candidate that most likely wrote what a read returned.
    pub(crate) fn likely(&self, event: EventId) -> TxnId {
        likeliest(self.history, event, self.left(event), &self.when)
    }

    /// The settled reads, with their sources.
    pub(crate) fn settled(&self) -> impl Iterator<Item = (EventId, TxnId)> + '_ {
        self.reads.iter().filter(|r| r.settled != OPEN).map(|r| (r.event, r.left[0]))
    }
}

/// Past this many candidates of all reads together, the problem is given up rather than the memory.
const MOST_CANDIDATES: usize = 50_000_000;

/// Of some candidates of a read, of which there is at least one, the one that most likely wrote what it
/// returned: the last before the reader, or else the first after it. `when` says when each transaction is
/// likely to have ended.
pub(crate) fn likeliest(history: &History, event: EventId, left: &[TxnId], when: &[u64]) -> TxnId {
    let reader = history.txn_of(event);
    let order = |t: &TxnId| (when[t.index()], *t);
    let left = left.iter().copied();
    let earlier = |t: &TxnId| *t == TxnId::INIT || order(t) < order(&reader);
    left.clone()
        .filter(earlier)
        .max_by_key(|t| (*t != TxnId::INIT, order(t)))
        .or_else(|| left.min_by_key(order))
        .expect("an ambiguous read has candidates")
}
