//! What transactions have observed: the reads and writes that a client could tell of.

use hobgoblin_core::{History, HistoryBuilder, HistoryError, Kind, TxnInfo, Value};

/// One observed operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// Whether it reads or writes.
    pub kind: Kind,
    /// The resource, from 0.
    pub resource: usize,
    /// The value read or written. Every resource begins with 0.
    pub value: i64,
}

/// The operations of each transaction, in program order. Transactions have names, so that two with the same
/// operations are two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Observed {
    transactions: Vec<Vec<Operation>>,
    /// By transaction, those that had ended before it began, as bits; empty where nobody asked.
    before: Vec<u64>,
}

impl Observed {
    /// Nothing yet, of so many transactions.
    pub fn new(transactions: usize) -> Observed {
        Observed { transactions: vec![Vec::new(); transactions], before: Vec::new() }
    }

    /// A transaction read a value of a resource.
    pub fn read(&mut self, transaction: usize, resource: usize, value: i64) {
        self.transactions[transaction].push(Operation { kind: Kind::Read, resource, value });
    }

    /// A transaction wrote a value of a resource.
    pub fn write(&mut self, transaction: usize, resource: usize, value: i64) {
        self.transactions[transaction].push(Operation { kind: Kind::Write, resource, value });
    }

    /// The operations of each transaction.
    pub fn transactions(&self) -> &[Vec<Operation>] {
        &self.transactions
    }

    /// Forgets all, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.transactions.iter_mut().for_each(Vec::clear);
        self.before.clear();
    }

    /// Who had ended before each began.
    pub(crate) fn set_before(&mut self, before: &[u64]) {
        self.before.extend_from_slice(before);
    }

    /// The same as a history: resources are named `r1`, `r2` and so on, a transaction that has observed nothing is
    /// left out.
    pub fn history(
        &self,
        resources: usize,
        session: &dyn Fn(usize) -> usize,
    ) -> Result<History, HistoryError> {
        let mut builder = HistoryBuilder::new();
        let keys: Vec<_> =
            (1..=resources).map(|number| builder.key_text(&format!("r{number}"))).collect();
        for &key in &keys {
            builder.initial(key, &Value::Int(0))?;
        }
        for (at, operations) in self.transactions.iter().enumerate() {
            if operations.is_empty() {
                continue;
            }
            let name = format!("t{}", at + 1);
            let session = builder.session_text(&format!("s{}", session(at) + 1));
            builder.begin(session);
            for operation in operations {
                builder.event_int(operation.kind, keys[operation.resource], operation.value);
            }
            let (begin, end) = self.times(at).unzip();
            builder.end(TxnInfo { name: Some(&name), begin, end, ..TxnInfo::default() })?;
        }
        builder.finish()
    }

    /// When a transaction began and ended, so that one ends before another begins exactly where it did: the sets of
    /// those who had ended only grow, so a transaction begins the later the larger its set is, and ends just before
    /// the first that has it in its set.
    fn times(&self, transaction: usize) -> Option<(i64, i64)> {
        let own = self.before.get(transaction)?;
        let time = |set: &u64| 2 * i64::from(set.count_ones()) + 2;
        let after = self.before.iter().filter(|set| **set & (1 << transaction) != 0);
        let last = 2 * self.before.len() as i64 + 4;
        Some((time(own), after.map(|set| time(set) - 1).min().unwrap_or(last)))
    }
}
