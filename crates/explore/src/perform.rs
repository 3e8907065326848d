//! Programs on a database instead of the explorer.
//!
//! The bodies that are explored can run on a database too, each transaction once and from its beginning
//! to its end: so the same program is explored, and tested against a store.

use hobgoblin_core::{Key, Text, Value};

use crate::error::ExploreError;
use crate::program::Program;
use crate::record::Outcome;
use crate::script::Declared;
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
struct Live<'a> {
    database: &'a mut dyn Database,
    declared: &'a Declared,
    /// What the transaction wrote.
    written: Vec<(Key, Value)>,
}

impl Live<'_> {
    fn expect(&self, key: &Key, does: &str) -> Result<(), Stop> {
        if self.declared.contains(key) { Ok(()) } else { Err(Declared::missing(does, key)) }
    }
}

impl Source for Live<'_> {
    fn read(&mut self, key: &Key) -> Result<Value, Stop> {
        self.expect(key, "reads")?;
        match self.written.iter().find(|(written, _)| written == key) {
            Some((_, value)) => Ok(value.clone()),
            None => self.database.read(key),
        }
    }

    fn write(&mut self, key: &Key, value: Value) -> Result<(), Stop> {
        self.expect(key, "writes")?;
        self.database.write(key, &value)?;
        match self.written.iter_mut().find(|(written, _)| written == key) {
            Some((_, last)) => *last = value,
            None => self.written.push((key.clone(), value)),
        }
        Ok(())
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
        locals: &mut Vec<(Text, Value)>,
        database: &mut dyn Database,
    ) -> Result<Outcome, ExploreError> {
        let of = self.script.sessions.get(session);
        let Some((of, txn)) = of.and_then(|of| Some((of, of.txns.get(txn)?))) else {
            let text = format!("there is no transaction {txn} in session {session}");
            return Err(ExploreError::Options(text));
        };
        let mut live = Live { database, declared: &self.script.declared, written: Vec::new() };
        let mut transaction = Transaction::new(&mut live, locals);
        let fault = |what: String| ExploreError::Program {
            session: of.name.clone(),
            txn: txn.name.clone(),
            what,
        };
        let ran = txn.body.run(&mut transaction);
        if let Some(changed) = transaction.changed() {
            *locals = changed;
        }
        match ran {
            Ok(value) => Ok(Outcome::Committed(value)),
            Err(Stop::Abort) => Ok(Outcome::Aborted),
            Err(Stop::Fault(what)) => Err(fault(what)),
            Err(Stop::Pending) => {
                Err(fault("waits for a read that the database did not answer".into()))
            }
        }
    }
}
