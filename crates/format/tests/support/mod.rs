//! A history as text, field by field, to compare histories by.

use std::fmt::Write as _;

use hobgoblin_core::{History, TxnId};

/// Everything a history holds, by name, in an order that does not depend on how keys are numbered.
/// Lines are left out: they belong to a file.
pub(crate) fn dump(history: &History) -> String {
    let mut out = String::new();
    writeln!(out, "{:?}", history.schema()).unwrap();
    let mut keys: Vec<_> = history.keys().collect();
    keys.sort_by_key(|&key| history.key(key));
    for key in keys {
        let (given, initial) = (history.initial_given(key), history.initial(key));
        writeln!(out, "key {:?} given {given} initial {initial:?}", history.key(key)).unwrap();
        if let Some(order) = history.order(key) {
            writeln!(out, "  order {order:?}").unwrap();
        }
    }
    for session in history.sessions() {
        let txns = history.session_txns(session);
        writeln!(out, "session {:?} {txns:?}", history.session(session)).unwrap();
    }
    for txn in history.txns() {
        txn_line(&mut out, history, txn);
    }
    out
}

fn txn_line(out: &mut String, history: &History, txn: TxnId) {
    let (begin, end) = (history.begin(txn), history.end(txn));
    writeln!(
        out,
        "txn {txn} {:?} {:?} {:?} {begin:?}..{end:?} {:?}",
        history.given_name(txn),
        history.status(txn),
        history.level(txn),
        history.statements(txn),
    )
    .unwrap();
    for event in history.event_ids(txn) {
        let packed = history.event(event);
        writeln!(
            out,
            "  {:?} {:?} {:?} from {:?} source {:?} lock {} stmt {:?} at {:?}",
            packed.kind(),
            history.key(packed.key()),
            history.value(event),
            history.writer_given(event),
            history.source(event),
            history.is_locking(event),
            history.statement_of(event),
            history.at(event),
        )
        .unwrap();
    }
}
