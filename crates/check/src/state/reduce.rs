//! State-based SER and SSER, and SI where versions have their own values, are the axiomatic levels.
//!
//! The state-based model sees of a transaction which values it asked of the states, and which it left
//! there. So we write every transaction as its external reads followed by its writes, where a read is
//! dropped if the transaction had written that value before, and is external otherwise, own writes of
//! other values or not. One transaction a session, and the axioms say the same as the states:
//!
//! - SER: an execution is a commit order, and the value in the parent state is that of the last writer
//!   before. Where values repeat, the source of a read is whoever wrote last in the execution; so some
//!   execution passes exactly when some choice of sources has a commit order.
//! - SI, from axioms to states: let p be the last in the commit order of all that t read from and all that
//!   wrote a key of t's before it. The axiom says that every writer of a key t reads, up to p, comes at or
//!   before the read's source. So the state after p serves every read, and nothing t writes has
//!   changed since. The commit order itself is the execution.
//! - SI, from states to axioms: if every version of a key has its own value, then a key with the same value in
//!   the snapshot and in the parent was not written in between, and the sources are whoever wrote the values.
//!
//! The equality is tested against both definitions on random histories (`tests/state.rs`).

use hobgoblin_core::{
    Event, EventId, EventInfo, History, HistoryBuilder, Kind, Status, TxnId, TxnInfo, Value,
};

/// Rewrites a history for the axiomatic check; see the [module docs](self). Transactions and keys keep
/// their numbers.
pub(crate) fn reduce(history: &History) -> History {
    const VALID: &str = "what a valid history says is said again";
    let mut builder = HistoryBuilder::new();
    for key in history.keys() {
        let number = builder.key(history.key(key));
        debug_assert_eq!(number, key);
        if history.initial_given(key) {
            builder.initial(number, &history.initial(key)).expect(VALID);
        }
    }
    for txn in history.txns() {
        let session = builder.session(&i64::from(txn.raw()).into());
        builder.begin(session);
        let mut copy = |event: EventId, of: Event| {
            let copied = builder.event(of.kind(), of.key(), &history.value(event));
            let line = history.event_line(event);
            builder.describe(copied, EventInfo { line, ..EventInfo::default() }).expect(VALID);
        };
        for (event, of) in external_reads(history, txn) {
            copy(event, of);
        }
        for (event, &of) in history.event_ids(txn).zip(history.events(txn)) {
            if of.is_write() {
                copy(event, of);
            }
        }
        // Who counts is settled, whatever the reads named as their writers.
        let status = if history.counts(txn) { Status::Committed } else { history.status(txn) };
        builder
            .end(TxnInfo {
                name: history.given_name(txn),
                status,
                begin: history.begin(txn),
                end: history.end(txn),
                line: history.line(txn),
                ..TxnInfo::default()
            })
            .expect(VALID);
    }
    builder.finish().expect(VALID)
}

/// The reads of a transaction that ask something of the states, in program order.
pub(crate) fn external_reads(history: &History, txn: TxnId) -> Vec<(EventId, Event)> {
    let mut written: hashbrown::HashSet<u32> = hashbrown::HashSet::new();
    let mut reads = Vec::new();
    for (event, &of) in history.event_ids(txn).zip(history.events(txn)) {
        match of.kind() {
            Kind::Write => {
                written.insert(of.datum());
            }
            Kind::Read if !written.contains(&of.datum()) => reads.push((event, of)),
            Kind::Read => {}
        }
    }
    reads
}

/// Whether two versions of one key, of transactions that may take part, have one value.
pub(crate) fn versions_repeat(history: &History) -> bool {
    let mut seen: hashbrown::HashSet<u32> = hashbrown::HashSet::new();
    let initial: Vec<Value> = history.keys().map(|k| history.initial(k)).collect();
    for txn in history.txns().filter(|&t| history.status(t) != Status::Aborted) {
        for (event, of) in history.event_ids(txn).zip(history.events(txn)) {
            if of.is_final_write()
                && (!seen.insert(of.datum()) || history.value(event) == initial[of.key().index()])
            {
                return true;
            }
        }
    }
    false
}
