//! Writing an anomaly's recipe into a running store; see [`anomaly`](crate::anomaly).

use std::collections::VecDeque;

use hobgoblin_core::{Anomaly, Kind, Status};

use crate::anomaly::{ScriptTxn, needs, script};
use crate::params::Params;
use crate::store::Store;
use crate::txn::{GenOp, GenTxn};

/// An anomaly to come.
#[derive(Debug)]
pub(crate) struct Injection {
    anomaly: Anomaly,
    script: Vec<ScriptTxn>,
    sessions: u32,
    /// Whether the values before the anomaly may be ambiguous or dirty, so that the keys are written first.
    prepares: bool,
}

/// The cast of one injection: which keys and sessions play, and what the keys hold.
struct Cast {
    keys: Vec<u32>,
    sessions: Vec<u32>,
    /// By key and number, each value and who writes it; number 0 is what the key holds before.
    values: Vec<Vec<(i64, u32)>>,
    /// Keys that are in use, by the recipe or by one transaction beside it.
    taken: Vec<u32>,
}

impl Injection {
    pub(crate) fn new(anomaly: Anomaly, params: &Params) -> Injection {
        Injection {
            anomaly,
            script: script(anomaly),
            sessions: params.sessions,
            prepares: params.repeated_values > 0.0 || !params.level.has_axiom(),
        }
    }

    /// How many transactions it adds.
    pub(crate) fn len(&self) -> u32 {
        self.script.len() as u32 + u32::from(self.prepares)
    }

    /// Runs the recipe on a store and queues its transactions.
    pub(crate) fn run(&self, store: &mut impl Store, queue: &mut VecDeque<GenTxn>) {
        let mut cast = self.cast(store);
        if self.prepares {
            self.prepare(store, &mut cast, queue);
        }
        let mut txns = self.perform(store, &mut cast);
        self.time(store, &mut txns);
        for txn in &txns {
            store.append(txn);
        }
        store.quiesce();
        queue.extend(txns);
    }

    fn cast(&self, store: &mut impl Store) -> Cast {
        let (num_keys, num_sessions) = needs(&self.script);
        let mut keys = Vec::new();
        for _ in 0..num_keys {
            let choose = store.choose();
            keys.extend(choose.keys.draw_new(&mut choose.rng, &keys));
        }
        let mut sessions: Vec<u32> = Vec::new();
        while sessions.len() < num_sessions as usize {
            // Few are needed and as many exist, so the next free one is near.
            let mut session = store.choose().rng.below(self.sessions);
            while sessions.contains(&session) {
                session = (session + 1) % self.sessions;
            }
            sessions.push(session);
        }
        let values = keys.iter().map(|&key| vec![store.newest(key)]).collect();
        Cast { taken: keys.clone(), keys, sessions, values }
    }

    /// Writes the keys once, so that their values before the anomaly are known to be nobody else's.
    fn prepare(&self, store: &mut impl Store, cast: &mut Cast, queue: &mut VecDeque<GenTxn>) {
        let index = store.take_index();
        let mut txn = GenTxn { index, session: cast.sessions[0], ..GenTxn::default() };
        for (&key, values) in cast.keys.iter().zip(&mut cast.values) {
            let value = store.choose().fresh_value();
            values[0] = (value, index);
            txn.ops.push(GenOp { kind: Kind::Write, key, value, writer: index });
        }
        if let Some((times, rng)) = store.times() {
            txn.times = Some(times.next(rng, index, txn.session, None, false));
        }
        store.append(&txn);
        queue.push_back(txn);
    }

    fn perform(&self, store: &mut impl Store, cast: &mut Cast) -> Vec<GenTxn> {
        let indices: Vec<u32> = self.script.iter().map(|_| store.take_index()).collect();
        for (txn, &index) in self.script.iter().zip(&indices) {
            for op in &txn.ops {
                let values = &mut cast.values[op.key];
                while values.len() <= op.value {
                    values.push((store.choose().fresh_value(), index));
                }
                if op.kind == Kind::Write {
                    values[op.value].1 = index;
                }
            }
        }
        let mut txns = Vec::new();
        for (txn, index) in self.script.iter().zip(indices) {
            let ops = txn.ops.iter().map(|op| {
                let (value, writer) = cast.values[op.key][op.value];
                GenOp { kind: op.kind, key: cast.keys[op.key], value, writer }
            });
            let ops = pad(store, index, ops.collect(), &mut cast.taken);
            let status = if txn.aborts { Status::Aborted } else { Status::Committed };
            let session = cast.sessions[txn.role];
            txns.push(GenTxn { index, session, ops, status, times: None });
        }
        txns
    }

    fn time(&self, store: &mut impl Store, txns: &mut [GenTxn]) {
        let Some((times, rng)) = store.times() else { return };
        if let (Anomaly::RealTimeViolation, [reader, writer]) = (self.anomaly, &mut *txns) {
            let [first, second] = times.apart(writer.session, reader.session);
            (writer.times, reader.times) = (Some(first), Some(second));
            return;
        }
        let before = txns.first().map_or(0, |txn| txn.index - 1);
        for txn in txns {
            txn.times = Some(times.next(rng, txn.index, txn.session, Some(before), false));
        }
    }
}

/// Adds ordinary events at random places until the transaction is as long as others.
fn pad(store: &mut impl Store, index: u32, script: Vec<GenOp>, taken: &mut Vec<u32>) -> Vec<GenOp> {
    /// How many events are added at most, so that finding unused keys stays cheap.
    const MOST: u32 = 32;
    let wanted = store.choose().num_events().min(MOST) as usize;
    let mut ops = script;
    while ops.len() < wanted {
        let choose = store.choose();
        let mut op = choose.op(index);
        if taken.contains(&op.key) {
            match choose.keys.draw_new(&mut choose.rng, taken) {
                Some(key) => op.key = key,
                None => break,
            }
        }
        taken.push(op.key);
        if op.kind == Kind::Read {
            (op.value, op.writer) = store.newest(op.key);
        }
        let at = store.choose().rng.below(ops.len() as u32 + 1) as usize;
        ops.insert(at, op);
    }
    ops
}
