//! Whether a witness's proof shows that a level fails.
//!
//! A proof argues about an order of versions and sources of reads that nobody knows, so the verifier
//! carries what has been established so far: facts "a writes x before b", from known version orders and
//! from earlier steps, and the sources that a case assumes. A step is checked by assuming its contrary
//! and checking the contradiction; then it is a fact itself. What is assumed is given up again where the
//! case or the step ends.
//!
//! In the end there is a cycle. Its edges are moments: each says that a moment of one transaction, its
//! snapshot or its commit, is before a moment of the next, by the table in
//! [`Verdict`](hobgoblin_core::Verdict)'s module. Where the cycle enters every transaction no later than
//! it leaves, time would run in a circle. At RC, RA, CC and PSI a transaction has no one snapshot, and
//! the cycle must be an instance of the axiom itself. A locking read belongs to its transaction's commit:
//! it does not enter at the snapshot, and does not end an instance's way back to the reader.

use hobgoblin_core::{
    Conclusion, Edge, EventId, History, KeyId, Level, Proof, Reason, SortedMap, Source, Status,
    Step, Target, TxnId, Witness, sort_dedup,
};

use super::error::VerifyError;
use super::model::{is_faulty, known_event, known_txn, level_of, needs_no_order};
use super::search::Search;

/// How deep proofs may be nested, so that checking them cannot overflow the stack.
const MAX_DEPTH: usize = 400;

pub(super) fn verify(
    history: &History,
    target: Target,
    witness: &Witness,
) -> Result<(), VerifyError> {
    if witness.target != target {
        return Err(VerifyError::OtherTarget(witness.target));
    }
    let mut before = TxnId::INIT;
    for &txn in &witness.txns {
        known_txn(history, txn)?;
        if txn <= before {
            return Err(VerifyError::BadListing(txn));
        }
        before = txn;
    }
    let known = Known {
        history,
        target,
        txns: &witness.txns,
        facts: SortedMap::new(),
        trail: Vec::new(),
        sources: SortedMap::new(),
        counted: SortedMap::new(),
        orders: SortedMap::new(),
    };
    { known }.proof(&witness.proof, 0)
}

/// When something happens in a transaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    Snapshot,
    Commit,
}

/// What is established at some line of a proof.
struct Known<'a> {
    history: &'a History,
    target: Target,
    txns: &'a [TxnId],
    /// Orders of versions: of this key, the first transaction's is before the second's.
    facts: SortedMap<(KeyId, TxnId, TxnId), ()>,
    /// The facts in the order they were added, so that they can be taken back.
    trail: Vec<(KeyId, TxnId, TxnId)>,
    /// The assumed sources of ambiguous reads, and the unknown transactions that count by them.
    sources: SortedMap<EventId, TxnId>,
    counted: SortedMap<TxnId, ()>,
    /// The places in known version orders, for the keys asked about.
    orders: SortedMap<KeyId, SortedMap<TxnId, usize>>,
}

impl Known<'_> {
    fn proof(&mut self, proof: &Proof, depth: usize) -> Result<(), VerifyError> {
        if depth > MAX_DEPTH {
            return Err(VerifyError::TooDeep(MAX_DEPTH));
        }
        let mark = self.trail.len();
        for step in &proof.steps {
            self.step(step, depth)?;
        }
        match &proof.conclusion {
            Conclusion::Read(event) => self.faulty_read(*event)?,
            Conclusion::Cycle(edges) => self.cycle(edges)?,
            Conclusion::Sources { read, cases } => self.sources(*read, cases, depth)?,
            Conclusion::Search => {
                let counts = |t: TxnId| self.counts(t);
                Search::new(self.history, self.target, self.txns, &self.facts, &counts)?
                    .refute(&self.sources)?;
            }
        }
        self.take_back(mark);
        Ok(())
    }

    fn step(&mut self, step: &Step, depth: usize) -> Result<(), VerifyError> {
        let &Step { key, first, second, .. } = step;
        if key.index() >= self.history.num_keys() {
            return Err(VerifyError::NoSuchId { what: "key", id: key.raw() });
        }
        self.usable(first)?;
        self.usable(second)?;
        let writes = |t| self.history.writes(t, key);
        if first == second || !writes(first) || !writes(second) {
            return Err(VerifyError::NotWriters { key, first, second });
        }
        let mark = self.trail.len();
        self.add((key, second, first));
        self.proof(&step.otherwise, depth + 1)?;
        self.take_back(mark);
        self.add((key, first, second));
        Ok(())
    }

    fn add(&mut self, fact: (KeyId, TxnId, TxnId)) {
        if self.facts.insert(fact, ()).is_none() {
            self.trail.push(fact);
        }
    }

    fn take_back(&mut self, mark: usize) {
        for fact in &self.trail[mark..] {
            self.facts.remove(fact);
        }
        self.trail.truncate(mark);
    }

    fn counts(&self, txn: TxnId) -> bool {
        self.history.counts(txn) || self.counted.contains_key(&txn)
    }

    /// A proof may use a transaction that exists, counts, and is in the witness's list.
    fn usable(&self, txn: TxnId) -> Result<(), VerifyError> {
        known_txn(self.history, txn)?;
        if txn != TxnId::INIT && self.txns.binary_search(&txn).is_err() {
            return Err(VerifyError::BadListing(txn));
        }
        self.counts(txn).then_some(()).ok_or(VerifyError::NotCounted(txn))
    }

    fn source(&self, read: EventId) -> Option<TxnId> {
        match self.history.source(read) {
            Source::Txn(source) => Some(source),
            Source::Ambiguous => self.sources.get(&read).copied(),
            _ => None,
        }
    }

    fn faulty_read(&self, event: EventId) -> Result<(), VerifyError> {
        known_event(self.history, event)?;
        let txn = self.history.txn_of(event);
        self.usable(txn)?;
        let faulty = is_faulty(self.history, self.target, txn, event);
        faulty.then_some(()).ok_or(VerifyError::InnocentRead(event))
    }

    fn sources(
        &mut self,
        read: EventId,
        cases: &[(TxnId, Proof)],
        depth: usize,
    ) -> Result<(), VerifyError> {
        known_event(self.history, read)?;
        self.usable(self.history.txn_of(read))?;
        let covered = sorted(cases.iter().map(|case| case.0).collect());
        let candidates = sorted(self.history.candidates(read));
        if covered != candidates || self.history.source(read) != Source::Ambiguous {
            return Err(VerifyError::BadCases(read));
        }
        let outer = self.sources.get(&read).copied();
        for (source, proof) in cases {
            self.sources.insert(read, *source);
            let counted = self.count(*source);
            self.proof(proof, depth + 1)?;
            for txn in counted {
                self.counted.remove(&txn);
            }
        }
        match outer {
            Some(source) => self.sources.insert(read, source),
            None => self.sources.remove(&read),
        };
        Ok(())
    }

    /// Makes a transaction count, with those it read from; tells which did not before.
    fn count(&mut self, txn: TxnId) -> Vec<TxnId> {
        let mut new = Vec::new();
        let mut open = vec![txn];
        while let Some(txn) = open.pop() {
            if !self.counts(txn) && self.history.status(txn) == Status::Unknown {
                self.counted.insert(txn, ());
                new.push(txn);
                open.extend(self.history.event_ids(txn).filter_map(|e| self.source(e)));
            }
        }
        new
    }

    fn cycle(&mut self, edges: &[Edge]) -> Result<(), VerifyError> {
        for (i, edge) in edges.iter().enumerate() {
            if edge.to != edges[(i + 1) % edges.len()].from {
                return Err(VerifyError::BrokenCycle(i));
            }
            self.usable(edge.from)?;
            if !self.holds(edge)? {
                return Err(VerifyError::FalseEdge(*edge));
            }
        }
        let Some(first) = edges.first() else { return Err(VerifyError::BrokenCycle(0)) };
        let forbidden = !needs_no_order(self.history, self.target)
            && (self.goes_back_in_time(edges) || self.breaks_an_axiom(edges));
        forbidden.then_some(()).ok_or(VerifyError::AllowedCycle(first.from))
    }

    /// Whether an edge between transactions that count is there.
    fn holds(&mut self, edge: &Edge) -> Result<bool, VerifyError> {
        let (history, Edge { from, to, why }) = (self.history, *edge);
        Ok(match why {
            Reason::Session => history.so(from, to),
            Reason::RealTime => match (history.end(from), history.begin(to)) {
                (Some(end), Some(begin)) => end < begin && self.level(to).respects_real_time(),
                _ => false,
            },
            Reason::Read(read) => {
                known_event(history, read)?;
                history.txn_of(read) == to && self.source(read) == Some(from)
            }
            Reason::Write(key) => key.index() < history.num_keys() && self.ww(key, from, to),
            Reason::Overwrite(read) => {
                known_event(history, read)?;
                let source = self.source(read);
                history.txn_of(read) == from
                    && from != to
                    && !history.is_locking(read)
                    && source.is_some_and(|s| self.ww(history.event(read).key(), s, to))
            }
        })
    }

    /// Whether both write the key, and the version of `a` is established to be before that of `b`.
    fn ww(&mut self, key: KeyId, a: TxnId, b: TxnId) -> bool {
        if a == b || !self.history.writes(a, key) || !self.history.writes(b, key) {
            return false;
        }
        let order = self.history.order(key).unwrap_or_default();
        let places = self.orders.or_default(key);
        if places.is_empty() {
            let each = order.iter().enumerate().map(|(place, &txn)| (txn, place));
            *places = SortedMap::of(each.collect());
        }
        // Known orders begin with init and go on with the writers named; all others come after.
        let listed = |a: TxnId, b: TxnId| {
            a != b
                && b != TxnId::INIT
                && (a == TxnId::INIT
                    || places.get(&a).is_some_and(|a| places.get(&b).is_none_or(|b| a < b)))
        };
        let mut seen = SortedMap::of(vec![(a, ())]);
        let mut open = vec![a];
        while let Some(txn) = open.pop() {
            if listed(txn, b) {
                return true;
            }
            for &((of, before, next), ()) in self.facts.from(&(key, TxnId::INIT, TxnId::INIT)) {
                if of != key {
                    break;
                }
                if before != txn && !listed(txn, before) {
                    continue;
                }
                if next == b {
                    return true;
                }
                if seen.insert(next, ()).is_none() {
                    open.push(next);
                }
            }
        }
        false
    }

    fn level(&self, txn: TxnId) -> Level {
        level_of(self.history, self.target, txn)
    }

    /// Whether the cycle enters every transaction no later than it leaves it.
    fn goes_back_in_time(&self, edges: &[Edge]) -> bool {
        let next = edges.iter().cycle().skip(1);
        edges.iter().zip(next).all(|(edge, next)| {
            self.leaves(next).is_some_and(|leaves| self.arrives(edge) <= leaves)
        })
    }

    fn arrives(&self, edge: &Edge) -> Moment {
        match (edge.why, self.level(edge.to)) {
            (Reason::Read(read), _) if self.history.is_locking(read) => Moment::Commit,
            (Reason::Session | Reason::Read(_), level) if level.has_snapshot() => Moment::Snapshot,
            (Reason::Write(_), level) if level.excludes_writers() => Moment::Snapshot,
            _ => Moment::Commit,
        }
    }

    fn leaves(&self, edge: &Edge) -> Option<Moment> {
        match (edge.why, self.level(edge.from)) {
            (Reason::Overwrite(_), level) => match level {
                Level::PC | Level::SI => Some(Moment::Snapshot),
                Level::SER | Level::SSER => Some(Moment::Commit),
                Level::RU | Level::RC | Level::RA | Level::CC | Level::PSI => None,
            },
            _ => Some(Moment::Commit),
        }
    }

    /// Whether the cycle is one read and a newer version that the reader's level lets it see.
    fn breaks_an_axiom(&self, edges: &[Edge]) -> bool {
        let read = |edge: &Edge| match edge.why {
            Reason::Overwrite(read) => Some(read),
            _ => None,
        };
        let Some(at) = edges.iter().position(|e| read(e).is_some()) else { return false };
        let (overwritten, reader) = (read(&edges[at]), edges[at].from);
        let mut way_back = edges.to_vec();
        way_back.rotate_left(at);
        let way_back = &way_back[1..];
        match way_back.last().map(|edge| edge.why) {
            None => return false,
            Some(Reason::Read(last)) if self.history.is_locking(last) => return false,
            Some(_) => {}
        }
        let all = |allowed: &dyn Fn(Reason) -> bool| way_back.iter().all(|edge| allowed(edge.why));
        let observed = |why: Reason| matches!(why, Reason::Session | Reason::Read(_));
        match self.level(reader) {
            Level::RC => {
                let earlier = |why| matches!(why, Reason::Read(e) if Some(e) < overwritten);
                edges.len() == 2 && all(&earlier)
            }
            Level::RA => edges.len() == 2 && all(&observed),
            Level::CC => all(&observed),
            Level::PSI => all(&|why| observed(why) || matches!(why, Reason::Write(_))),
            Level::RU | Level::PC | Level::SI | Level::SER | Level::SSER => false,
        }
    }
}

fn sorted(mut txns: Vec<TxnId>) -> Vec<TxnId> {
    sort_dedup(&mut txns);
    txns
}
