//! Changes to histories that should, or should not, change what they satisfy.
//!
//! - Renaming keys, values, sessions: no verdict changes.
//! - [`with_unrelated_session`]: no verdict changes, since the new session shares no key with others.
//! - [`restrict`] to a set that is [`closed`] under so and wr predecessors: what held still holds. This is
//!   not so for just any set, where a verdict may change either way: a transaction that wrote
//!   over a version may be gone, and then also the reads that made an order impossible.
//!
//! [`restrict`] is also the step that shrinks a violation: try smaller sets as long as it remains.

use hobgoblin_core::{Fault, History, HistoryError, Key, Kind, Rng, Source, TxnId, Value};

use crate::draft::{Draft, DraftKey, DraftOp, DraftTxn};

/// Renames keys. Different keys need different new names.
pub fn rename_keys(
    history: &History,
    mut name: impl FnMut(&Key) -> Key,
) -> Result<History, HistoryError> {
    let mut draft = Draft::of(history);
    for key in &mut draft.keys {
        key.name = name(&key.name);
    }
    draft.build()
}

/// Renames the values of each key, initial ones included. Different values of one key need different
/// new names; a key without an initial value starts as null and keeps it.
pub fn rename_values(
    history: &History,
    mut value: impl FnMut(&Key, &Value) -> Value,
) -> Result<History, HistoryError> {
    let mut draft = Draft::of(history);
    let Draft { keys, txns, .. } = &mut draft;
    for op in txns.iter_mut().flat_map(|txn| &mut txn.ops) {
        let key = &keys[op.key];
        if key.initial.is_some() || op.value != Value::Null {
            op.value = value(&key.name, &op.value);
        }
    }
    for key in keys {
        if let Some(initial) = &mut key.initial {
            *initial = value(&key.name, initial);
        }
    }
    draft.build()
}

/// Renames sessions. Different sessions need different new names.
pub fn rename_sessions(
    history: &History,
    mut name: impl FnMut(&Key) -> Key,
) -> Result<History, HistoryError> {
    let mut draft = Draft::of(history);
    for session in &mut draft.sessions {
        *session = name(session);
    }
    draft.build()
}

/// Records the transactions in another order, sessions interleaved by chance.
pub fn shuffle(history: &History, seed: u64) -> Result<History, HistoryError> {
    let mut rng = Rng::new(seed);
    let sessions = history.sessions().map(|s| history.session_txns(s));
    let mut rest: Vec<_> = sessions.map(|txns| txns.iter()).collect();
    let mut turns: Vec<usize> = (0..rest.len()).flat_map(|s| vec![s; rest[s].len()]).collect();
    rng.shuffle(&mut turns);
    let order: Vec<usize> =
        turns.into_iter().filter_map(|s| rest[s].next()).map(|txn| txn.index() - 1).collect();
    let mut draft = Draft::of(history);
    draft.reorder(&order);
    draft.build()
}

/// Adds a session of its own keys that runs a few transactions one after another, somewhere among
/// the others. Its times, if the history has any, lie after all others.
pub fn with_unrelated_session(history: &History, seed: u64) -> Result<History, HistoryError> {
    let mut rng = Rng::new(seed);
    let mut draft = Draft::of(history);
    let taken: Vec<Key> = draft.keys.iter().map(|key| key.name.clone()).collect();
    let key = draft.keys.len();
    for at in 0..2 {
        draft.keys.push(DraftKey::new(unused(&format!("unrelated{at}"), &taken)));
    }
    let session = draft.sessions.len();
    let name = unused("unrelated", &draft.sessions);
    draft.sessions.push(name);
    let named = draft.txns.iter().any(|txn| txn.name.is_some());
    let names: Vec<Key> =
        history.txns().filter_map(|t| history.given_name(t)).map(Key::from).collect();
    let mut now = history.txns().filter_map(|t| history.end(t).max(history.begin(t))).max();
    let mut current = [0, 0];
    for number in 1..=rng.between(1, 3) {
        let mut txn = DraftTxn { session, ..DraftTxn::default() };
        for (at, value) in current.iter_mut().enumerate() {
            txn.ops.push(DraftOp::new(Kind::Read, key + at, *value));
            if rng.one_in(2) {
                *value = i64::from(number);
                txn.ops.push(DraftOp::new(Kind::Write, key + at, *value));
            }
        }
        txn.name = named.then(|| unused(&format!("unrelated{number}"), &names).to_string());
        if let Some(now) = &mut now {
            (txn.begin, txn.end) = (Some(*now + 1), Some(*now + 2));
            *now += 2;
        }
        draft.txns.push(txn);
    }
    shuffle(&draft.build()?, rng.next_u64())
}

/// A name that is not taken.
fn unused(wanted: &str, taken: &[Key]) -> Key {
    let mut name = wanted.to_owned();
    while taken.contains(&Key::from(name.as_str())) {
        name.push('\'');
    }
    Key::from(name.as_str())
}

/// The smallest set that holds these transactions and all their so and wr predecessors, ascending.
pub fn closed(history: &History, txns: impl IntoIterator<Item = TxnId>) -> Vec<TxnId> {
    let mut inside = vec![false; history.num_txns()];
    let mut queue: Vec<TxnId> = txns.into_iter().filter(|&txn| txn != TxnId::INIT).collect();
    while let Some(txn) = queue.pop() {
        if std::mem::replace(&mut inside[txn.index()], true) {
            continue;
        }
        if let (Some(session), Some(before)) =
            (history.session_of(txn), history.position(txn).checked_sub(1))
        {
            queue.push(history.session_txns(session)[before]);
        }
        for event in history.event_ids(txn) {
            queue.extend(history.candidates(event).into_iter().filter(|&t| t != TxnId::INIT));
        }
    }
    history.txns().filter(|txn| inside[txn.index()]).collect()
}

/// The part of a history that these transactions are.
///
/// Reads that can only have read from transactions left out are left out, too; all else stays, and
/// transactions keep what they were called.
pub fn restrict(
    history: &History,
    txns: impl IntoIterator<Item = TxnId>,
) -> Result<History, HistoryError> {
    let mut keep = vec![false; history.num_txns()];
    keep[TxnId::INIT.index()] = true;
    for txn in txns {
        keep[txn.index()] = true;
    }
    let mut draft = Draft::of(history);
    for txn in history.txns().filter(|txn| keep[txn.index()]) {
        let mut events = history.event_ids(txn);
        let draft = &mut draft.txns[txn.index() - 1];
        draft.name = Some(history.name(txn).into_owned());
        draft.ops.retain(|_| {
            let event = events.next().expect("a draft has the events of its history");
            let named = history.writer_given(event);
            match history.source(event) {
                Source::Write | Source::Internal => true,
                Source::Txn(from) => keep[from.index()],
                Source::Ambiguous => history.candidates(event).iter().any(|t| keep[t.index()]),
                // It disagrees with its own transaction, whoever wrote what it returned.
                Source::Fault(Fault::InternalMismatch) => true,
                Source::Fault(_) if named.is_some_and(|writer| !keep[writer.index()]) => false,
                Source::Fault(_) => {
                    let writes = history.writes_of_same_value(event);
                    writes.is_empty() || writes.iter().any(|w| keep[history.txn_of(*w).index()])
                }
            }
        });
    }
    draft.retain(|at| keep[at + 1]);
    draft.build()
}
