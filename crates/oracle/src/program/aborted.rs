//! Aborted transactions as what they are to a store: readers.

use hobgoblin_core::{EventInfo, History, HistoryBuilder, Kind, Source, Status, TxnInfo, Writer};

/// The history in which every transaction that did not commit did, but wrote nothing: so a checker,
/// which ignores aborted transactions, asks of their external reads what it asks of all.
pub fn with_aborted(history: &History) -> History {
    let mut builder = HistoryBuilder::new();
    for key in history.keys().filter(|&key| history.initial_given(key)) {
        let name = builder.key(history.key(key));
        builder.initial(name, &history.initial(key)).expect("once a key");
    }
    for txn in history.txns() {
        let session = history.session_of(txn).expect("init is not listed");
        let session = builder.session(history.session(session));
        builder.begin(session);
        let committed = history.status(txn) == Status::Committed;
        let mut written = Vec::new();
        for event in history.event_ids(txn) {
            let key = history.event(event).key();
            if history.event(event).is_write() {
                written.push(key);
            }
            if !committed && written.contains(&key) {
                continue;
            }
            let name = builder.key(history.key(key));
            let kind = history.event(event).kind();
            let copy = builder.event(kind, name, &history.value(event));
            // A read without a legal source is left to its value, which has none here either.
            let writer = match history.source(event) {
                Source::Txn(source) if kind == Kind::Read => Some(Writer::Txn(source)),
                _ => None,
            };
            let lock = history.is_locking(event);
            let info = EventInfo { writer, lock, ..EventInfo::default() };
            builder.describe(copy, info).expect("only reads name writers");
        }
        let (begin, end) = (history.begin(txn), history.end(txn));
        let (name, level) = (history.given_name(txn), history.level(txn));
        let info = TxnInfo { name, level, begin, end, ..TxnInfo::default() };
        builder.end(info).expect("as in the history it comes from");
    }
    builder.finish().expect("as in the history it comes from")
}
