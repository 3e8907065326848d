//! Small random histories, for comparing checkers with brute force.
//!
//! A purely random choice of what reads return violates almost every level at once, and a simulated store
//! satisfies its level always; the interesting histories lie between. So each history first draws a
//! *habit*, by which its reads choose among the versions of their key, and a rate of exceptions to it.
//! Some histories come from a simulated store after all, mostly with an anomaly, since long forks and the
//! like hardly ever come about by chance. Together they are spread over all sets of levels.

use hobgoblin_core::{Anomaly, History, Key, Kind, Level, Rng, Status};

use crate::anomaly::{injectable, violates};
use crate::draft::{Draft, DraftKey, DraftOp, DraftTxn, DraftWriter};
use crate::habit::{fill_reads, last_write};
use crate::params::Params;
use crate::stream::build;

/// What small histories may look like. The numbers are upper limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallParams {
    /// How many transactions there are.
    pub txns: u32,
    /// How many sessions there are.
    pub sessions: u32,
    /// How many keys there are.
    pub keys: u32,
    /// How many events a transaction has.
    pub events: u32,
    /// Whether one value may be written several times.
    pub repeated_values: bool,
    /// Whether transactions may abort or have an unknown status.
    pub statuses: bool,
    /// Whether transactions may have levels of their own.
    pub levels: bool,
    /// Whether transactions may have times.
    pub times: bool,
    /// Whether reads may be locking.
    pub locks: bool,
    /// Whether keys may have known version orders.
    pub orders: bool,
    /// Whether reads may name their writers.
    pub writers: bool,
    /// Whether reads may return what no level (or only RU) allows.
    pub faults: bool,
}

impl Default for SmallParams {
    fn default() -> SmallParams {
        SmallParams {
            txns: 7,
            sessions: 4,
            keys: 3,
            events: 4,
            repeated_values: false,
            statuses: false,
            levels: false,
            times: false,
            locks: false,
            orders: false,
            writers: false,
            faults: true,
        }
    }
}

/// A random history; the same seed and parameters give the same one.
///
/// ```
/// use hobgoblin_gen::{SmallParams, random_history};
///
/// let history = random_history(42, &SmallParams { keys: 2, ..SmallParams::default() });
/// assert!(history.num_keys() <= 2 && history.txns().len() <= 7);
/// ```
pub fn random_history(seed: u64, params: &SmallParams) -> History {
    let mut rng = Rng::new(seed);
    let simulated = if rng.one_in(3) { simulate(&mut rng, params) } else { None };
    let mut draft = simulated.unwrap_or_else(|| {
        let mut draft = skeleton(&mut rng, params);
        fill_reads(&mut rng, params.faults, &mut draft);
        draft
    });
    say_more(&mut rng, params, &mut draft);
    if params.writers {
        name_writers(&mut rng, &mut draft);
    }
    if params.orders && rng.one_in(2) {
        add_orders(&mut rng, &mut draft);
    }
    if params.times {
        add_times(&mut rng, &mut draft);
    }
    interleave(&mut rng, &mut draft);
    draft.build().expect("drafts are well formed by construction")
}

/// Sessions, transactions and events, with reads still to be filled in.
fn skeleton(rng: &mut Rng, params: &SmallParams) -> Draft {
    let at_least_one = |rng: &mut Rng, most: u32| rng.between(1, most.max(1));
    // Larger numbers are more telling, so take the larger of two.
    let many = |rng: &mut Rng, most: u32| at_least_one(rng, most).max(at_least_one(rng, most));
    let (keys, sessions) = (many(rng, params.keys), many(rng, params.sessions));
    let txns = many(rng, params.txns);
    // Blind writes leave the order of versions open; writes after reads fix it.
    let updates = !rng.one_in(3);
    let repeats = params.repeated_values && !rng.one_in(4);
    let mut draft = Draft {
        keys: (0..i64::from(keys)).map(|k| DraftKey::new(key_name(k))).collect(),
        sessions: (0..i64::from(sessions)).map(Into::into).collect(),
        ..Draft::default()
    };
    let mut value = 0;
    for _ in 0..txns {
        let mut txn = DraftTxn { session: rng.below(sessions) as usize, ..DraftTxn::default() };
        if params.statuses {
            txn.status = match rng.below(8) {
                0 => Status::Aborted,
                1 => Status::Unknown,
                _ => Status::Committed,
            };
        }
        for _ in 0..many(rng, params.events) {
            let key = rng.below(keys) as usize;
            let blind = txn.ops.iter().all(|op| op.key != key);
            let reads = rng.one_in(2) || (updates && blind);
            let kind = if reads { Kind::Read } else { Kind::Write };
            value += 1;
            let written = if repeats { i64::from(rng.below(3)) } else { value };
            txn.ops.push(DraftOp::new(kind, key, written));
        }
        draft.txns.push(txn);
    }
    draft
}

fn key_name(k: i64) -> Key {
    match k {
        0..3 => Key::from(["x", "y", "z"][k as usize]),
        _ => Key::from(k),
    }
}

/// A history from a simulated store; none if it does not keep to the limits.
fn simulate(rng: &mut Rng, params: &SmallParams) -> Option<Draft> {
    let mut anomalies: Vec<Anomaly> =
        injectable().filter(|a| params.faults || !is_fault(*a)).collect();
    // What only CC allows is rarest of all, so help it along, here and below.
    anomalies.extend([Anomaly::LongFork; 6]);
    let levels = [&Level::ALL[1..], &[Level::CC; 4]].concat();
    let history = build(&Params {
        sessions: params.sessions,
        transactions: rng.between(params.txns / 2 + 1, params.txns),
        min_events: 1,
        max_events: params.events,
        keys: params.keys,
        repeated_values: if params.repeated_values { 0.3 } else { 0.0 },
        aborted_share: if params.statuses { 0.1 } else { 0.0 },
        unknown_share: if params.statuses { 0.1 } else { 0.0 },
        window: 8,
        level: *rng.pick(&levels).expect("there are levels"),
        anomaly: if rng.one_in(4) { None } else { rng.pick(&anomalies).copied() },
        seed: rng.next_u64(),
        ..Params::default()
    });
    let mut draft = Draft::of(&history.ok()?);
    let fits = draft.txns.iter().all(|txn| txn.ops.len() <= params.events as usize);
    if !fits || draft.txns.len() > params.txns as usize {
        return None;
    }
    for key in &mut draft.keys {
        if let Key::Int(k) = key.name {
            key.name = key_name(k);
        }
    }
    for txn in &mut draft.txns {
        (txn.begin, txn.end) = (None, None);
    }
    if rng.one_in(2) {
        replace_a_version(rng, params, &mut draft);
    }
    Some(draft)
}

/// Lets a transaction also write a key that it has read, which others may write, too.
fn replace_a_version(rng: &mut Rng, params: &SmallParams, draft: &mut Draft) {
    let txn = rng.below(draft.txns.len() as u32) as usize;
    let ops = &mut draft.txns[txn].ops;
    if let Some(DraftOp { kind: Kind::Read, key, .. }) = rng.pick(ops).cloned()
        && ops.len() < params.events as usize
        && !ops.iter().any(|op| op.kind == Kind::Write && op.key == key)
    {
        // Simulated histories have far fewer writes.
        ops.push(DraftOp::new(Kind::Write, key, 1000));
    }
}

/// Whether an anomaly is one that checks find before any axiom.
fn is_fault(anomaly: Anomaly) -> bool {
    violates(anomaly, Level::RU)
        || matches!(anomaly, Anomaly::AbortedRead | Anomaly::IntermediateRead | Anomaly::FutureRead)
}

/// Gives transactions ids and levels, and reads locks.
fn say_more(rng: &mut Rng, params: &SmallParams, draft: &mut Draft) {
    for (t, txn) in draft.txns.iter_mut().enumerate() {
        txn.name = Some(format!("t{}", t + 1));
        if params.levels && !rng.one_in(4) {
            txn.level = rng.pick(&Level::ALL).copied();
        }
        for op in txn.ops.iter_mut().filter(|op| op.kind == Kind::Read) {
            op.lock = params.locks && rng.one_in(4);
        }
    }
}

/// Lets some external reads name one of the transactions they may have read from.
fn name_writers(rng: &mut Rng, draft: &mut Draft) {
    for t in 0..draft.txns.len() {
        for at in 0..draft.txns[t].ops.len() {
            let op = &draft.txns[t].ops[at];
            if op.kind == Kind::Write || rng.one_in(2) {
                continue;
            }
            let wrote = |txn: &DraftTxn| last_write(txn, op.key) == Some(&op.value);
            let others = (0..draft.txns.len()).filter(|&other| other != t);
            let others = others.filter(|&other| wrote(&draft.txns[other]));
            let mut writers: Vec<_> = others.map(DraftWriter::Txn).collect();
            if op.value == 0.into() {
                writers.push(DraftWriter::Init);
            }
            draft.txns[t].ops[at].writer = rng.pick(&writers).copied();
        }
    }
}

/// Makes known the oldest versions of some keys, mostly in the order of the habit.
fn add_orders(rng: &mut Rng, draft: &mut Draft) {
    for key in 0..draft.keys.len() {
        if rng.one_in(2) {
            continue;
        }
        let writes = |t: &usize| last_write(&draft.txns[*t], key).is_some();
        let mut order: Vec<usize> = (0..draft.txns.len()).filter(writes).collect();
        if rng.one_in(4) {
            rng.shuffle(&mut order);
        }
        if rng.one_in(3) {
            order.truncate(rng.between(0, order.len() as u32) as usize);
        }
        draft.keys[key].order = Some(order);
    }
}

/// Gives transactions times that go along with the habit's order more or less closely.
fn add_times(rng: &mut Rng, draft: &mut Draft) {
    let spread = *rng.pick(&[0, 5, 20, 60]).expect("there are spreads");
    let mut ended = vec![0; draft.sessions.len()];
    for (t, txn) in draft.txns.iter_mut().enumerate() {
        let instant = 10 * (t as i64 + 1);
        let begin = instant + i64::from(rng.below(spread + 5)) - i64::from(rng.below(spread + 5));
        let begin = begin.max(ended[txn.session] + 1);
        let end = begin + i64::from(rng.below(spread + 5));
        ended[txn.session] = end;
        txn.begin = (!rng.one_in(16)).then_some(begin);
        txn.end = (!rng.one_in(16)).then_some(end);
    }
}

/// Records transactions in another order that keeps session order.
fn interleave(rng: &mut Rng, draft: &mut Draft) {
    let mut turns: Vec<usize> = draft.txns.iter().map(|txn| txn.session).collect();
    rng.shuffle(&mut turns);
    let mut next = vec![0; draft.sessions.len()];
    let order: Vec<usize> = turns
        .into_iter()
        .map(|session| {
            let from = next[session];
            let rest = &draft.txns[from..];
            let at = from
                + rest.iter().position(|txn| txn.session == session).expect("one for each turn");
            next[session] = at + 1;
            at
        })
        .collect();
    draft.reorder(&order);
}
