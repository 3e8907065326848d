//! What a failing run looked at before it failed.
//!
//! As a rule a test lets sessions work at the same time, and then looks at what they left:
//!
//! ```text
//!     session 1   [ read, write ]
//!     session 2      [ read, write ]
//!     session 3                        [ read ]  [ read ]      then the test fails
//!                                      `-- the aftermath --'
//! ```
//!
//! What the transactions read that began when all overlapping ones were over, and that wrote nothing, is
//! what the test judged by. Where nobody looks afterwards, a client gave up on the way: then it is what the
//! last transactions of sessions read that did not commit, or, if all did, what the very last one read.

use std::collections::{HashMap, HashSet};

use hobgoblin_core::{History, KeyId, Kind, Status, TxnId};

/// What a failing run looked at in the end; see the [module docs](self).
#[derive(Debug, Default)]
pub(crate) struct Focus {
    /// The keys that were looked at, each with how many keys the statement looked at that looked at the
    /// fewest beside it.
    keys: HashMap<KeyId, usize>,
    /// The transactions that looked.
    txns: HashSet<TxnId>,
}

impl Focus {
    pub(crate) fn of(history: &History) -> Focus {
        let mut focus = Focus::default();
        for txn in aftermath(history) {
            focus.look(history, txn);
        }
        if focus.keys.is_empty() {
            for session in history.sessions() {
                let last = history.session_txns(session).last().copied();
                if let Some(txn) = last.filter(|&txn| history.status(txn) != Status::Committed) {
                    focus.look(history, txn);
                }
            }
        }
        if focus.keys.is_empty()
            && let Some(last) = history.txns().last()
        {
            focus.look(history, last);
        }
        focus
    }

    /// A transaction looked at what it read plainly, statement by statement.
    fn look(&mut self, history: &History, txn: TxnId) {
        let mut statements: HashMap<Option<u32>, Vec<KeyId>> = HashMap::new();
        for event in history.event_ids(txn) {
            let packed = history.event(event);
            if packed.kind() == Kind::Read && !history.is_locking(event) {
                let keys = statements.entry(history.statement_of(event)).or_default();
                keys.push(packed.key());
            }
        }
        for keys in statements.values() {
            for &key in keys {
                let fewest = self.keys.entry(key).or_insert(usize::MAX);
                *fewest = keys.len().min(*fewest);
            }
        }
        self.txns.insert(txn);
    }

    pub(crate) fn has_key(&self, key: KeyId) -> bool {
        self.keys.contains_key(&key)
    }

    pub(crate) fn has_txn(&self, txn: TxnId) -> bool {
        self.txns.contains(&txn)
    }

    /// How many keys were looked at together with this one, at best.
    pub(crate) fn together(&self, key: KeyId) -> usize {
        self.keys.get(&key).copied().unwrap_or(usize::MAX)
    }
}

/// The transactions that wrote nothing and began after the last overlap of two sessions.
fn aftermath(history: &History) -> Vec<TxnId> {
    let times =
        |txn| (history.begin(txn).unwrap_or(i64::MIN), history.end(txn).unwrap_or(i64::MAX));
    let mut txns: Vec<TxnId> = history.txns().collect();
    txns.sort_by_key(|&txn| times(txn));
    // When the last transaction ended that overlapped another; they come in the order they began.
    let (mut over, mut latest) = (i64::MIN, i64::MIN);
    for &txn in &txns {
        let (begin, end) = times(txn);
        if begin < latest {
            over = over.max(latest.max(end));
        }
        latest = latest.max(end);
    }
    let wrote = |txn: TxnId| history.events(txn).iter().any(|event| event.is_write());
    txns.into_iter().filter(|&txn| times(txn).0 > over && !wrote(txn)).collect()
}
