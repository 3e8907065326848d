//! Programs on a database instead of the explorer.
//!
//! The bodies that are explored can run on a database too, each transaction once and from its beginning
//! to its end: so the same program is explored, and tested against a store.

use std::sync::Arc;

use hobgoblin_core::{Key, Value};

use crate::end::Outcome;
use crate::explorer::ExploreError;
use crate::program::Program;
use crate::transaction::{Source, Stop, Transaction};

/// What a program asks of a database within a transaction.
pub trait Database {
    /// The value of a key that the transaction has not written; null if it is absent. `Stop::Abort` says
    /// that the database ended the transaction.
    fn read(&mut self, key: &Key) -> Result<Value, Stop>;

    /// Writes a key. `Stop::Abort` says that the database ended the transaction.
    fn write(&mut self, key: &Key, value: &Value) -> Result<(), Stop>;
}

/// Reads and writes a database.
struct Live<'a>(&'a mut dyn Database);

impl Source for Live<'_> {
    fn read(&mut self, key: &Key) -> Result<Value, Stop> {
        self.0.read(key)
    }

    fn own(&mut self, _: &Key, _: &Value) {}

    fn write(&mut self, key: &Key, value: &Value) -> Result<(), Stop> {
        self.0.write(key, value)
    }
}

impl Program {
    /// Runs a transaction, by the places of its session and of itself there, on a database. To begin it before
    /// and to commit or abort it then, as the outcome says, is up to the caller; so are the session's
    /// locals between its transactions.
    pub fn perform(
        &self,
        session: usize,
        txn: usize,
        locals: &mut Vec<(Arc<str>, Value)>,
        database: &mut dyn Database,
    ) -> Result<Outcome, ExploreError> {
        let of = self.sessions.get(session);
        let Some((of, txn)) = of.and_then(|of| Some((of, of.txns.get(txn)?))) else {
            let text = format!("there is no transaction {txn} in session {session}");
            return Err(ExploreError::Options(text));
        };
        let mut live = Live(database);
        let mut transaction = Transaction::new(&mut live, &self.declared, locals);
        let fault = |what: String| ExploreError::Program {
            session: of.name.clone(),
            txn: txn.name.clone(),
            what,
        };
        match txn.body.run(&mut transaction) {
            Ok(value) => Ok(Outcome::Committed(value)),
            Err(Stop::Abort) => Ok(Outcome::Aborted),
            Err(Stop::Fault(what)) => Err(fault(what)),
            Err(Stop::Pending) => {
                Err(fault("waits for a read that the database did not answer".into()))
            }
        }
    }
}
