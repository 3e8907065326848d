//! The end of one execution of a program.

use hobgoblin_core::{EventInfo, History, HistoryBuilder, Key, Status, TxnInfo, Value, Writer};

use crate::branch::Branch;
use crate::compiled::Compiled;
use crate::record::Outcome;
use crate::token;

/// One execution of a program, complete.
pub struct End<'a> {
    pub(crate) compiled: &'a Compiled<'a>,
    pub(crate) branch: &'a Branch,
}

impl End<'_> {
    /// What a transaction of a session came to, both by place.
    ///
    /// # Panics
    ///
    /// When the program has no such transaction.
    pub fn outcome(&self, session: usize, txn: usize) -> &Outcome {
        let found = self.branch.order.iter().find(|log| {
            let info = &self.compiled.txns[log.txn as usize];
            (info.session, info.index) == (session, txn)
        });
        let done = found.and_then(|log| log.done.as_ref());
        &done.expect("the program has this transaction").outcome
    }

    /// What a local of a session holds in the end; null if it was never set.
    pub fn local(&self, session: usize, name: &str) -> Value {
        let of_session = self
            .branch
            .order
            .iter()
            .filter(|log| self.compiled.txns[log.txn as usize].session == session);
        let last = of_session.max_by_key(|log| log.txn).and_then(|log| log.done.as_ref());
        let initial = self.compiled.program.sessions.get(session).map(|found| &found.locals[..]);
        let locals = last.map(|done| &*done.locals).or(initial);
        let found = locals.and_then(|all| all.iter().find(|(local, _)| **local == *name));
        found.map_or(Value::Null, |(_, value)| value.clone())
    }

    /// The final value of an observed key; see [`Program::observe`](crate::Program::observe). Null for a
    /// key that is not observed.
    pub fn last(&self, key: &Key) -> Value {
        let key = self.compiled.key(key);
        let observer = self.branch.order.iter().find(|log| {
            self.compiled.txns[log.txn as usize].session == self.compiled.program.sessions.len()
        });
        let read = observer.and_then(|log| log.reads.iter().find(|read| read.key == key));
        read.map_or(Value::Null, |read| read.value.clone())
    }

    /// The history; transactions are named `session/name`, numbered where a name repeats.
    pub fn history(&self) -> History {
        let mut builder = HistoryBuilder::new();
        for (key, value) in &self.compiled.program.initial {
            let key = builder.key(key);
            // A key that is initialised twice keeps the first value.
            let _ = builder.initial(key, value);
        }
        let mut logs: Vec<_> = self.branch.order.iter().collect();
        logs.sort_by_key(|log| log.txn);
        for log in logs {
            let info = &self.compiled.txns[log.txn as usize];
            let session = builder.session_text(&info.session_name);
            builder.begin(session);
            let locals = self.branch.locals(self.compiled, log.txn);
            let events = self.compiled.events(log.txn, &locals, &log.reads);
            for event in events.expect("the transaction ran before") {
                let key = builder.key(&self.compiled.key_name(event.key));
                let id = builder.event(event.kind, key, &event.value);
                let source = event.read.map(|at| log.reads[at].source);
                let name = source.map(|source| match source {
                    0 => "init".to_owned(),
                    source => self.compiled.txn_name(source),
                });
                let writer = name.as_deref().map(Writer::Name);
                let told = builder.describe(id, EventInfo { writer, ..EventInfo::default() });
                told.expect("only reads name writers");
            }
            let aborted = log.done.as_ref().is_some_and(|done| done.outcome == Outcome::Aborted);
            let status = if aborted { Status::Aborted } else { Status::Committed };
            let (name, level) = (self.compiled.txn_name(log.txn), Some(info.level));
            let ended = TxnInfo { name: Some(&name), status, level, ..TxnInfo::default() };
            builder.end(ended).expect("transactions have names of their own");
        }
        builder.finish().expect("every read names a transaction of the program")
    }

    /// A short word from which [`replay`](crate::replay) makes this end again.
    pub fn token(&self) -> String {
        token::write(self.compiled, self.branch)
    }
}
