//! The state-based levels [Crooks 2017], by trying every execution.
//!
//! An execution lists the transactions; each takes the database from a state to the next. A read could
//! have been served by the states, up to its transaction's own, in which the key has the value read:
//!
//! ```text
//!     execution         ta = { w(x)=1 }      tb = { r(x)=0 w(y)=1 }
//!     states    s0 {x=0,y=0} ---> s1 {x=1,y=0} ---> s2 {x=1,y=1}      r(x)=0 of tb: s0, not its parent s1
//! ```
//!
//! A level asks for common states: SER that the parent serves every read, SI that some state does since
//! which nothing the transaction writes has changed, RC that every read is served by some state. There
//! is no session order, and values may repeat; states are compared by value. A locking read is a read like
//! any other: the definition knows no locks.

use hobgoblin_core::{EventId, History, Level, Status, TxnId, Value};

/// Whether some execution passes the test of the level: SER, SI, RC, RU or SSER.
///
/// Transactions of unknown status that nobody is known to have read from may have committed or not.
/// Panics at other levels; slow past seven transactions.
pub fn satisfies(history: &History, level: Level) -> bool {
    let fixed: Vec<TxnId> = history.txns().filter(|&t| history.counts(t)).collect();
    let open = |t: &TxnId| history.status(*t) == Status::Unknown && !history.counts(*t);
    let open: Vec<TxnId> = history.txns().filter(open).collect();
    (0..1u32 << open.len()).any(|chosen| {
        let mut txns = fixed.clone();
        txns.extend((0..open.len()).filter(|i| chosen >> i & 1 != 0).map(|i| open[i]));
        some_order_passes(history, level, &mut txns, 0)
    })
}

/// Whether some order of the transactions from `placed` on, after those before it, passes.
fn some_order_passes(
    history: &History,
    level: Level,
    txns: &mut Vec<TxnId>,
    placed: usize,
) -> bool {
    if placed == txns.len() {
        return passes(history, txns, level);
    }
    for i in placed..txns.len() {
        txns.swap(placed, i);
        // The tests look only back, so a transaction that fails here fails in every continuation.
        if passes_txn(history, &txns[..=placed], txns[placed], level)
            && some_order_passes(history, level, txns, placed + 1)
        {
            return true;
        }
        txns.swap(placed, i);
    }
    false
}

/// Whether this execution passes the test of the level for every transaction in it.
pub fn passes(history: &History, execution: &[TxnId], level: Level) -> bool {
    execution.iter().all(|&txn| passes_txn(history, execution, txn, level))
        && (level != Level::SSER || respects_real_time(history, execution))
}

/// Whether one transaction of an execution passes the test of the level (SSER's is SER's; real time is
/// a matter of the whole execution).
pub fn passes_txn(history: &History, execution: &[TxnId], txn: TxnId, level: Level) -> bool {
    let parent = parent(execution, txn);
    match level {
        Level::RU => true,
        Level::RC => history.event_ids(txn).all(|e| !read_states(history, execution, e).is_empty()),
        Level::SI => complete_states(history, execution, txn)
            .into_iter()
            .any(|state| no_conflict(history, execution, txn, state)),
        Level::SER | Level::SSER => complete_states(history, execution, txn).contains(&parent),
        _ => panic!("{level} has no state-based definition"),
    }
}

/// The states, by number, that could have served an event of a transaction in the execution.
pub fn read_states(history: &History, execution: &[TxnId], event: EventId) -> Vec<usize> {
    let txn = history.txn_of(event);
    let (key, value) = (history.event(event).key(), history.value(event));
    let datum = history.event(event).datum();
    let wrote_before = history
        .event_ids(txn)
        .zip(history.events(txn))
        .any(|(id, e)| id < event && e.is_write() && e.datum() == datum);
    let all = wrote_before || history.event(event).is_write();
    let states = states(history, &execution[..parent(execution, txn)]);
    (0..states.len()).filter(|&s| all || states[s][key.index()] == value).collect()
}

/// The states that could have served every event of a transaction in the execution.
pub fn complete_states(history: &History, execution: &[TxnId], txn: TxnId) -> Vec<usize> {
    let mut complete: Vec<usize> = (0..=parent(execution, txn)).collect();
    for event in history.event_ids(txn) {
        let served = read_states(history, execution, event);
        complete.retain(|state| served.contains(state));
    }
    complete
}

/// The states of an execution, first to last: the value of every key.
pub fn states(history: &History, execution: &[TxnId]) -> Vec<Vec<Value>> {
    let mut states = vec![history.keys().map(|k| history.initial(k)).collect::<Vec<_>>()];
    for &txn in execution {
        let mut state = states[states.len() - 1].clone();
        for (id, event) in history.event_ids(txn).zip(history.events(txn)) {
            if event.is_write() {
                state[event.key().index()] = history.value(id);
            }
        }
        states.push(state);
    }
    states
}

/// The number of a transaction's parent state.
fn parent(execution: &[TxnId], txn: TxnId) -> usize {
    execution.iter().position(|&t| t == txn).expect("the transaction is in the execution")
}

/// Whether no key that a transaction writes differs between a state and its parent.
fn no_conflict(history: &History, execution: &[TxnId], txn: TxnId, state: usize) -> bool {
    let parent = parent(execution, txn);
    let states = states(history, &execution[..parent]);
    let mut written = history.keys().filter(|&k| history.writes(txn, k)).map(|k| k.index());
    written.all(|key| states[state][key] == states[parent][key])
}

fn respects_real_time(history: &History, execution: &[TxnId]) -> bool {
    let in_order = |i: usize| {
        execution[i + 1..].iter().all(|&later| {
            let times = (history.end(later), history.begin(execution[i]));
            !matches!(times, (Some(end), Some(begin)) if end < begin)
        })
    };
    (0..execution.len()).all(in_order)
}
