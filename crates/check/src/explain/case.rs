//! What a violation is about: the edges, reads and writes that make it, without how it was proved.

use hobgoblin_core::{
    Anomaly, Conclusion, Edge, EventId, History, KeyId, Level, Proof, Reason, Source, Step, Target,
    TxnId, Verdict, Witness, sort, sort_dedup,
};

use crate::anomaly;
use crate::verify::verify;

/// The facts of a violation.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub(super) history: &'a History,
    pub(super) anomaly: Anomaly,
    /// The weakest level whose rules the proof shows to be broken.
    pub(super) level: Level,
    /// The edges that go round, each beginning where the one before ends.
    pub(super) circle: Vec<Edge>,
    /// Why the versions that were read are older than those that the circle says replaced them.
    pub(super) orders: Vec<VersionOrder>,
    /// The read that is wrong by itself, where one is.
    pub(super) read: Option<EventId>,
    /// The reads and writes that decide.
    pub(super) decisive: Vec<EventId>,
    /// The transactions whose doing it is, ascending.
    pub(super) txns: Vec<TxnId>,
    /// The keys it is about, ascending.
    pub(super) keys: Vec<KeyId>,
}

/// Why one version of a key is older than another, where only a proof tells.
#[derive(Debug)]
pub(super) struct VersionOrder {
    pub(super) key: KeyId,
    pub(super) older: TxnId,
    pub(super) newer: TxnId,
    /// A way from the older's writer to the newer's.
    pub(super) way: Vec<Edge>,
    /// Whether the way is there only if it were the other way round, which then is as wrong.
    pub(super) supposed: bool,
}

/// A reader saw one change of each of two transactions that both made both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Torn {
    pub(super) reader: TxnId,
    pub(super) first: TxnId,
    pub(super) second: TxnId,
    /// What it saw of the first, and of the second.
    pub(super) new: EventId,
    pub(super) old: EventId,
}

impl<'a> Case<'a> {
    pub(super) fn of(history: &'a History, witness: &Witness) -> Case<'a> {
        let mut case = Case {
            history,
            anomaly: witness.anomaly,
            level: weakest(history, witness),
            circle: told(history, witness),
            orders: Vec::new(),
            read: faulty(&witness.proof),
            decisive: Vec::new(),
            txns: Vec::new(),
            keys: Vec::new(),
        };
        case.find_orders(&witness.proof);
        case.txns = match (&case.read, case.circle.is_empty()) {
            (None, false) => {
                let mut ends = Vec::new();
                for edge in case.edges() {
                    ends.extend([edge.from, edge.to]);
                }
                ends
            }
            _ => witness.txns.clone(),
        };
        case.txns.retain(|&txn| txn != TxnId::INIT);
        sort_dedup(&mut case.txns);
        case.find_decisive();
        case
    }

    /// Looks up why versions are in the order that the circle needs.
    fn find_orders(&mut self, proof: &Proof) {
        const MOST: usize = 3;
        if self.anomaly == Anomaly::LostUpdate {
            return;
        }
        let mut wanted: Vec<(KeyId, TxnId, TxnId)> = Vec::new();
        for edge in &self.circle {
            wanted.extend(self.needs(edge));
        }
        let mut at = 0;
        while let Some(&(key, older, newer)) = wanted.get(at)
            && self.orders.len() < MOST
        {
            at += 1;
            let step = proof
                .steps
                .iter()
                .find(|step| (step.key, step.first, step.second) == (key, older, newer));
            let Some(Conclusion::Cycle(cycle)) = step.map(|step| &step.otherwise.conclusion) else {
                // The circle is why the proof has it the other way round, which its end shows to be as wrong.
                let is_other =
                    |step: &Step| (step.key, step.first, step.second) == (key, newer, older);
                if proof.steps.iter().any(is_other)
                    && let Conclusion::Cycle(end) = &proof.conclusion
                {
                    let assumed = (newer, older, Reason::Write(key));
                    let rest = |e: &&Edge| (e.from, e.to, e.why) != assumed;
                    let way: Vec<Edge> = end.iter().filter(rest).copied().collect();
                    let more = way.iter().filter_map(|edge| self.needs(edge));
                    let more: Vec<_> = more.filter(|order| !wanted.contains(order)).collect();
                    wanted.extend(more);
                    self.orders.push(VersionOrder { key, older, newer, way, supposed: true });
                }
                continue;
            };
            let assumed = cycle
                .iter()
                .position(|e| (e.from, e.to, e.why) == (newer, older, Reason::Write(key)));
            let turn = assumed.map_or(0, |at| at + 1);
            let turned = cycle[turn..].iter().chain(&cycle[..turn]);
            let way: Vec<Edge> =
                turned.copied().take(cycle.len() - usize::from(assumed.is_some())).collect();
            let supposed = assumed.is_none()
                || way.iter().any(|edge| self.needs(edge) == Some((key, newer, older)));
            for edge in &way {
                let more = self.needs(edge).filter(|order| *order != (key, newer, older));
                wanted.extend(more.filter(|order| !wanted.contains(order)));
            }
            self.orders.push(VersionOrder { key, older, newer, way, supposed });
        }
    }

    /// The order of versions that an edge rests on, where the transactions themselves do not tell it.
    fn needs(&self, edge: &Edge) -> Option<(KeyId, TxnId, TxnId)> {
        let (key, older, newer) = match edge.why {
            Reason::Overwrite(read) => {
                let Source::Txn(older) = self.history.source(read) else { return None };
                (self.history.event(read).key(), older, edge.to)
            }
            Reason::Write(key) => (key, edge.from, edge.to),
            _ => return None,
        };
        let saw = |&e: &EventId| {
            self.history.event(e).key() == key && self.history.source(e) == Source::Txn(older)
        };
        let plain = older == TxnId::INIT
            || self.history.so(older, newer)
            || self.history.event_ids(newer).any(|e| saw(&e))
            || self.history.order(key).is_some_and(|order| order.contains(&older));
        (!plain).then_some((key, older, newer))
    }

    /// What a reader saw of each of two transactions that both made both changes, where nobody knows which of them
    /// was last.
    pub(super) fn torn(&self) -> Option<Torn> {
        let [one, other] = self.circle.as_slice() else { return None };
        let (rw, wr) = match (one.why, other.why) {
            (Reason::Overwrite(_), Reason::Read(_)) => (one, other),
            (Reason::Read(_), Reason::Overwrite(_)) => (other, one),
            _ => return None,
        };
        let (Reason::Overwrite(old), Reason::Read(new)) = (rw.why, wr.why) else { return None };
        let (_, second, first) = self.needs(rw)?;
        let [of_old, of_new] = [old, new].map(|read| self.history.event(read).key());
        self.write(second, of_new).filter(|_| of_old != of_new)?;
        Some(Torn { reader: rw.from, first, second, new, old })
    }

    /// The edges of the circle and of the orders of versions.
    fn edges(&self) -> Vec<Edge> {
        let mut edges = self.circle.clone();
        for order in &self.orders {
            edges.extend_from_slice(&order.way);
        }
        edges
    }

    fn find_decisive(&mut self) {
        let mut events: Vec<EventId> = self.read.into_iter().collect();
        if let Some(read) = self.read {
            let same = self.history.writes_of_same_value(read).into_iter();
            events.extend(same.filter(|&e| self.txns.contains(&self.history.txn_of(e))));
            events.extend(self.own_write_before(read));
        }
        for edge in self.edges() {
            match edge.why {
                Reason::Session | Reason::RealTime => {}
                Reason::Read(read) => {
                    events.extend(self.write(edge.from, self.history.event(read).key()));
                    events.push(read);
                }
                Reason::Overwrite(read) => {
                    events.push(read);
                    events.extend(self.write(edge.to, self.history.event(read).key()));
                }
                Reason::Write(key) => {
                    // That the one who comes later had read something older is what makes it matter.
                    events.extend(self.plain_read(edge.from, key));
                    events.extend(self.plain_read(edge.to, key));
                    events.extend(self.write(edge.from, key));
                    events.extend(self.write(edge.to, key));
                }
            }
        }
        for &event in &events {
            let key = self.history.event(event).key();
            if !self.keys.contains(&key) {
                self.keys.push(key);
            }
        }
        if events.is_empty() {
            self.keys = shared(self.history, &self.txns);
        }
        sort(&mut self.keys);
        sort_dedup(&mut events);
        self.decisive = events;
    }

    /// The last write of a key by a transaction, which others see.
    pub(super) fn write(&self, txn: TxnId, key: KeyId) -> Option<EventId> {
        let last = |&e: &EventId| {
            let event = self.history.event(e);
            event.is_write() && event.key() == key
        };
        self.history.event_ids(txn).rev().find(last)
    }

    /// The first read of a key by which a transaction saw what others wrote without locking it.
    pub(super) fn plain_read(&self, txn: TxnId, key: KeyId) -> Option<EventId> {
        let plain = |&e: &EventId| {
            let event = self.history.event(e);
            !event.is_write()
                && event.key() == key
                && !self.history.is_locking(e)
                && self.history.source(e) != Source::Internal
        };
        self.history.event_ids(txn).find(plain)
    }

    /// What a transaction wrote to the key of its read, last before it.
    pub(super) fn own_write_before(&self, read: EventId) -> Option<EventId> {
        let key = self.history.event(read).key();
        let own = |&e: &EventId| {
            let event = self.history.event(e);
            e < read && event.is_write() && event.key() == key
        };
        self.history.event_ids(self.history.txn_of(read)).rev().find(own)
    }

    /// The reads of the circle that were overwritten, each with who did.
    pub(super) fn overwritten(&self) -> impl Iterator<Item = (EventId, TxnId)> + '_ {
        self.circle.iter().filter_map(|edge| match edge.why {
            Reason::Overwrite(read) => Some((read, edge.to)),
            _ => None,
        })
    }

    /// Whether the transactions have statements.
    pub(super) fn is_sql(&self) -> bool {
        self.txns.iter().any(|&txn| !self.history.statements(txn).is_empty())
    }

    /// The statement of an event, where known.
    pub(super) fn statement(&self, event: EventId) -> Option<&'a str> {
        let at = self.history.statement_of(event)?;
        let statements = self.history.statements(self.history.txn_of(event));
        statements.get(at as usize).map(|text| &**text)
    }
}

/// The circle that the name of the anomaly is of: that of the conclusion, or one that an order of versions was
/// concluded from.
fn told(history: &History, witness: &Witness) -> Vec<Edge> {
    let mut circles = Vec::new();
    collect(&witness.proof, &mut circles);
    let named =
        circles.iter().find(|circle| anomaly::fits_circle(history, witness.anomaly, circle));
    named.or(circles.first()).map_or(Vec::new(), |circle| circle.to_vec())
}

fn collect<'p>(proof: &'p Proof, circles: &mut Vec<&'p [Edge]>) {
    match &proof.conclusion {
        Conclusion::Cycle(cycle) => circles.push(cycle),
        Conclusion::Sources { cases, .. } => {
            if let Some((_, first)) = cases.first() {
                collect(first, circles);
            }
        }
        Conclusion::Read(_) | Conclusion::Search => {}
    }
    for step in proof.steps.iter().rev() {
        if let Conclusion::Cycle(cycle) = &step.otherwise.conclusion {
            circles.push(cycle);
        }
    }
}

/// The read that no order allows, if the proof ends in one.
fn faulty(proof: &Proof) -> Option<EventId> {
    match &proof.conclusion {
        Conclusion::Read(read) => Some(*read),
        Conclusion::Sources { cases, .. } => cases.first().and_then(|(_, first)| faulty(first)),
        Conclusion::Cycle(_) | Conclusion::Search => None,
    }
}

/// The weakest level that the same proof shows to be violated.
fn weakest(history: &History, witness: &Witness) -> Level {
    let target = match witness.target {
        Target::Level(level) | Target::Mixed(level) => level,
    };
    if witness.proof.conclusion == Conclusion::Search {
        return target;
    }
    let broken = |&level: &Level| {
        let witness = Witness { target: Target::Level(level), ..witness.clone() };
        verify(history, level, &Verdict::Violation(Box::new(witness))).is_ok()
    };
    let weakest = Level::ALL.into_iter().find(broken).unwrap_or(target);
    match weakest {
        // A proof for serializability needs not say which of the two came first; PSI forbids either.
        Level::SI | Level::SER | Level::SSER if witness.anomaly == Anomaly::LostUpdate => {
            Level::PSI
        }
        level => level,
    }
}

/// The keys that more than one of some transactions touch, the first few.
fn shared(history: &History, txns: &[TxnId]) -> Vec<KeyId> {
    const MOST: usize = 6;
    let mut seen: Vec<(KeyId, TxnId)> = Vec::new();
    for &txn in txns {
        for event in history.events(txn) {
            seen.push((event.key(), txn));
        }
    }
    sort_dedup(&mut seen);
    let mut keys: Vec<KeyId> = Vec::new();
    for at in 1..seen.len() {
        let (key, _) = seen[at];
        if seen[at - 1].0 == key && keys.last() != Some(&key) && keys.len() < MOST {
            keys.push(key);
        }
    }
    keys
}
