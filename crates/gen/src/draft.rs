//! A history taken apart, to be changed and built again.
//!
//! A [`History`] is immutable and its tables are packed. A [`Draft`] holds the same in plain vectors: keys,
//! sessions and transactions refer to each other by position, so that names can be changed freely.

use hobgoblin_core::{
    EventInfo, History, HistoryBuilder, HistoryError, Key, KeyId, Kind, Level, Schema, Status,
    TxnId, TxnInfo, Value, Writer,
};

/// A history that can be changed. Everything refers to everything else by position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// Every key that an operation may use, by number.
    pub keys: Vec<DraftKey>,
    /// The names of the sessions.
    pub sessions: Vec<Key>,
    /// The transactions, those of one session in session order.
    pub txns: Vec<DraftTxn>,
    /// What is known of tables and indexes.
    pub schema: Schema,
}

/// A key of a [`Draft`].
#[derive(Clone, Debug, PartialEq)]
pub struct DraftKey {
    /// What the key is called in the history.
    pub name: Key,
    /// Its initial value, if given.
    pub initial: Option<Value>,
    /// Its version order, if known: positions of transactions, oldest first.
    pub order: Option<Vec<usize>>,
}

/// A transaction of a [`Draft`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DraftTxn {
    /// The position of its session.
    pub session: usize,
    /// Its id, if it has one.
    pub name: Option<String>,
    /// Its reads and writes, in order.
    pub ops: Vec<DraftOp>,
    /// What became of it.
    pub status: Status,
    /// The level it asked for.
    pub level: Option<Level>,
    /// When it began.
    pub begin: Option<i64>,
    /// When it ended.
    pub end: Option<i64>,
    /// Its SQL statements.
    pub statements: Vec<Box<str>>,
    /// Its line in a file; 0 for none.
    pub line: u32,
}

/// An event of a [`Draft`].
#[derive(Clone, Debug, PartialEq)]
pub struct DraftOp {
    /// Whether it reads or writes.
    pub kind: Kind,
    /// The position of its key.
    pub key: usize,
    /// The value read or written.
    pub value: Value,
    /// Whom a read says it read from.
    pub writer: Option<DraftWriter>,
    /// Whether a read took a lock.
    pub lock: bool,
    /// The index of its statement.
    pub statement: Option<u32>,
    /// Its place in the order of the log.
    pub at: Option<i64>,
    /// Its line in a file; 0 for its transaction's.
    pub line: u32,
}

/// Whom a read says it read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftWriter {
    /// The initial transaction.
    Init,
    /// The transaction at this position.
    Txn(usize),
}

impl DraftOp {
    /// An event about which nothing else is known.
    pub fn new(kind: Kind, key: usize, value: impl Into<Value>) -> DraftOp {
        let value = value.into();
        DraftOp { kind, key, value, writer: None, lock: false, statement: None, at: None, line: 0 }
    }
}

impl DraftKey {
    /// A key that starts as 0.
    pub fn new(name: impl Into<Key>) -> DraftKey {
        DraftKey { name: name.into(), initial: Some(0.into()), order: None }
    }
}

/// The position of a transaction that is not init.
fn position(txn: TxnId) -> usize {
    txn.index() - 1
}

impl Draft {
    /// Takes a history apart.
    pub fn of(history: &History) -> Draft {
        let keys = history.keys().map(|key| DraftKey {
            name: history.key(key).clone(),
            initial: history.initial_given(key).then(|| history.initial(key)),
            order: history.order(key).map(|txns| txns.iter().copied().map(position).collect()),
        });
        Draft {
            keys: keys.collect(),
            sessions: history.sessions().map(|s| history.session(s).clone()).collect(),
            txns: history.txns().map(|txn| draft_txn(history, txn)).collect(),
            schema: history.schema().clone(),
        }
    }

    /// Builds the history.
    pub fn build(&self) -> Result<History, HistoryError> {
        let mut builder = HistoryBuilder::new();
        builder.schema(self.schema.clone());
        let keys: Vec<KeyId> = self.keys.iter().map(|key| builder.key(&key.name)).collect();
        let sessions: Vec<_> = self.sessions.iter().map(|name| builder.session(name)).collect();
        for (key, id) in self.keys.iter().zip(&keys) {
            if let Some(initial) = &key.initial {
                builder.initial(*id, initial)?;
            }
            if let Some(order) = &key.order {
                let names = order.iter().map(|&at| self.name(at).into());
                builder.order(*id, names.collect())?;
            }
        }
        let has_orders = self.keys.iter().any(|key| key.order.is_some());
        for (at, txn) in self.txns.iter().enumerate() {
            builder.begin(sessions[txn.session]);
            for op in &txn.ops {
                let event = builder.event(op.kind, keys[op.key], &op.value);
                let writer = op.writer.map(|writer| match writer {
                    DraftWriter::Init => Writer::Txn(TxnId::INIT),
                    DraftWriter::Txn(at) => Writer::Txn(TxnId::new(at + 1)),
                });
                let (lock, statement, at, line) = (op.lock, op.statement, op.at, op.line);
                builder.describe(event, EventInfo { writer, lock, statement, at, line })?;
            }
            let name = if has_orders { Some(self.name(at)) } else { txn.name.clone() };
            builder.end(TxnInfo {
                name: name.as_deref(),
                status: txn.status,
                level: txn.level,
                begin: txn.begin,
                end: txn.end,
                statements: txn.statements.clone(),
                line: txn.line,
            })?;
        }
        builder.finish()
    }

    /// What a transaction is called; its number where it has no id.
    fn name(&self, at: usize) -> String {
        let given = self.txns.get(at).and_then(|txn| txn.name.clone());
        given.unwrap_or_else(|| format!("t{}", at + 1))
    }

    /// Keeps the transactions that `keep` says, by position. References to others are forgotten.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let kept: Vec<usize> = (0..self.txns.len()).filter(|&at| keep(at)).collect();
        self.reorder(&kept);
    }

    /// Puts the transactions at these positions in this order, and leaves out all others.
    pub fn reorder(&mut self, order: &[usize]) {
        let mut moved = vec![None; self.txns.len()];
        for (to, &from) in order.iter().enumerate() {
            moved[from] = Some(to);
        }
        self.txns = order.iter().map(|&from| std::mem::take(&mut self.txns[from])).collect();
        for key in &mut self.keys {
            if let Some(order) = &mut key.order {
                *order = order.iter().filter_map(|&at| moved[at]).collect();
            }
        }
        for op in self.txns.iter_mut().flat_map(|txn| &mut txn.ops) {
            if let Some(DraftWriter::Txn(at)) = op.writer {
                op.writer = moved[at].map(DraftWriter::Txn);
            }
        }
    }
}

fn draft_txn(history: &History, txn: TxnId) -> DraftTxn {
    let ops = history.event_ids(txn).map(|id| {
        let event = history.event(id);
        DraftOp {
            kind: event.kind(),
            key: event.key().index(),
            value: history.value(id),
            writer: history.writer_given(id).map(|writer| match writer {
                TxnId::INIT => DraftWriter::Init,
                writer => DraftWriter::Txn(position(writer)),
            }),
            lock: history.is_locking(id),
            statement: history.statement_of(id),
            at: history.at(id),
            line: history.event_line(id),
        }
    });
    DraftTxn {
        session: history.session_of(txn).map_or(0, |session| session.index()),
        name: history.given_name(txn).map(str::to_owned),
        ops: ops.collect(),
        status: history.status(txn),
        level: history.level(txn),
        begin: history.begin(txn),
        end: history.end(txn),
        statements: history.statements(txn).to_vec(),
        line: history.line(txn),
    }
}
