//! Transactions as InnoDB has them: blocks, autocommit, statements that undo themselves, savepoints.

use hobgoblin_core::Level;
use hobgoblin_front::Request;
use hobgoblin_sql_mysql_types::error::Number;
use hobgoblin_sql_mysql_types::{Version, error};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_session::Besides;

use super::choices::level_of;
use super::core::Core;
use super::state::Transaction;
use crate::syntax::{Access, Chain, TransactionStatement};

/// The warning of an engine that cannot do what is asked.
const UNSUPPORTED_BY_ENGINE: Number = 138;

/// What the store calls the savepoint before the statement at hand.
const STATEMENT: &str = "(statement)";

impl Core {
    /// A statement about transactions.
    pub(super) fn control(&mut self, statement: &TransactionStatement) -> Result<()> {
        match statement {
            TransactionStatement::Begin { snapshot, access } => {
                self.unlock_tables()?;
                self.commit()?;
                self.begin_block(*access);
                self.transaction.begun = true;
                match snapshot {
                    true => self.take_snapshot(),
                    false => Ok(()),
                }
            }
            TransactionStatement::Commit(chain) => {
                let before = self.kind();
                self.commit()?;
                self.chained(*chain, before);
                Ok(())
            }
            TransactionStatement::Rollback(chain) => {
                let before = self.kind();
                self.rollback();
                self.chained(*chain, before);
                Ok(())
            }
            TransactionStatement::Savepoint(name) => self.savepoint(&name.value),
            TransactionStatement::RollbackTo(name) => self.rollback_to(&name.value),
            TransactionStatement::Release(name) => self.release(&name.value),
        }
    }

    /// A transaction begins that goes on after its first statement.
    fn begin_block(&mut self, access: Option<Access>) {
        self.begin(access);
        self.transaction.block = true;
    }

    /// A transaction begins: as SET TRANSACTION said of the next one, or as all are.
    fn begin(&mut self, access: Option<Access>) {
        let isolation = self.choices.next_isolation.take();
        let next = self.choices.next_access.take();
        let usual = self.shared.usual_level(self.choices.isolation);
        self.transaction.level = Some(isolation.map_or(usual, level_of));
        self.transaction.read_only = match access.or(next) {
            Some(Access::ReadOnly) => true,
            Some(Access::ReadWrite) => false,
            None => self.choices.read_only,
        };
    }

    /// The level and the access of the transaction at hand, for the one after it.
    fn kind(&self) -> Transaction {
        let Transaction { level, read_only, block, .. } = self.transaction;
        Transaction { level, read_only, block, ..Transaction::default() }
    }

    /// What follows the end of a transaction.
    fn chained(&mut self, chain: Chain, before: Transaction) {
        if chain.chain == Some(true) {
            let usual = self.shared.usual_level(self.choices.isolation);
            let level = before.level.or(Some(usual));
            let read_only = before.read_only;
            self.transaction = Transaction {
                level,
                read_only,
                block: true,
                begun: true,
                ..Transaction::default()
            };
        }
        self.terminated |= chain.release == Some(true);
    }

    /// A statement that uses tables begins. Without autocommit it opens a transaction that goes on.
    pub(super) fn enter(&mut self) {
        if self.transaction.block {
            return;
        }
        match self.choices.autocommit {
            true => self.begin(None),
            false => self.begin_block(None),
        }
    }

    /// Marks where a statement within a transaction goes back to if it fails.
    pub(super) fn mark(&mut self) -> Result<()> {
        match self.transaction.block {
            true => self.ask_beside(Request::savepoint(STATEMENT.to_owned())).map(|_| ()),
            false => Ok(()),
        }
    }

    /// A statement that used tables has ended: one that failed is undone, and outside of a block it was a transaction.
    pub(super) fn leave<T>(&mut self, result: Result<T>, marked: Option<usize>) -> Result<T> {
        let result = match (self.transaction.block, result) {
            (false, Ok(done)) => self.commit().map(|()| done),
            (false, Err(error)) => {
                self.rollback();
                Err(error)
            }
            (true, Ok(done)) => match marked {
                Some(_) if self.transaction.open => {
                    self.ask_beside(Request::release(STATEMENT.to_owned())).map(|_| done)
                }
                _ => Ok(done),
            },
            (true, Err(error)) => {
                self.undo(marked);
                Err(error)
            }
        };
        if result.is_err() && self.transaction.block && !self.transaction.open && marked.is_some() {
            // The store has ended it.
            self.finish(false);
        }
        result
    }

    /// Undoes what the statement did; its locks on rows stay.
    fn undo(&mut self, marked: Option<usize>) {
        let Some(relations) = marked else { return };
        if !self.transaction.open {
            return;
        }
        let undone = self.request(Request::rollback_to(STATEMENT.to_owned()));
        if undone.is_ok() {
            let _ = self.request(Request::release(STATEMENT.to_owned()));
        }
        self.transaction.relations.truncate(relations);
    }

    /// COMMIT, asked for or implied.
    pub(super) fn commit(&mut self) -> Result<()> {
        let besides = Besides {
            catalog: self.transaction.catalog.clone(),
            changes: std::mem::take(&mut self.transaction.changes),
            moves: std::mem::take(&mut self.transaction.moves),
        };
        let session = self.transaction.open.then_some(self.id);
        besides.install(&self.shared, &self.store, session);
        if self.transaction.open {
            if let Err(error) = self.request(Request::COMMIT) {
                self.rollback();
                return Err(error);
            }
            self.transaction.open = false;
        }
        self.finish(true);
        Ok(())
    }

    /// ROLLBACK, asked for or because the transaction cannot go on.
    pub(super) fn rollback(&mut self) {
        if self.transaction.open {
            let _ = self.request(Request::ABORT);
        }
        self.finish(false);
    }

    fn finish(&mut self, _committed: bool) {
        let ended = std::mem::take(&mut self.transaction);
        if ended.shown {
            self.backend.update(|activity| activity.transaction = None);
        }
        if ended.catalog.is_some() {
            self.shared.schema.end_change();
        }
        self.refresh();
    }

    /// START TRANSACTION WITH CONSISTENT SNAPSHOT.
    fn take_snapshot(&mut self) -> Result<()> {
        if ignores_snapshot(self.level(), self.shared.version) {
            let text = "InnoDB: WITH CONSISTENT SNAPSHOT was ignored because this phrase can only be used with \
                        REPEATABLE READ isolation level.";
            self.settings.warn(UNSUPPORTED_BY_ENGINE, text);
        }
        // Any plain read takes it; this one is of a key that nobody writes, in no table.
        match self.level().is_atomic() {
            true => self.ask_beside(Request::get("(snapshot)[0]")).map(|_| ()),
            false => Ok(()),
        }
    }

    fn savepoint(&mut self, name: &str) -> Result<()> {
        self.enter();
        if !self.transaction.block {
            // Outside of a transaction it is forgotten at once.
            return self.leave(Ok(()), None);
        }
        let name = name.to_lowercase();
        self.ask_beside(Request::savepoint(name.clone()))?;
        self.transaction.savepoints.retain(|known| *known != name);
        self.transaction.savepoints.push(name);
        Ok(())
    }

    fn savepoint_named(&self, name: &str) -> Result<usize> {
        let lower = name.to_lowercase();
        let found = self.transaction.savepoints.iter().position(|known| *known == lower);
        found.ok_or_else(|| unknown_savepoint(name))
    }

    fn rollback_to(&mut self, name: &str) -> Result<()> {
        let at = self.savepoint_named(name)?;
        self.ask_beside(Request::rollback_to(name.to_lowercase()))?;
        self.transaction.savepoints.truncate(at + 1);
        // The locks on tables since then may be gone.
        self.transaction.relations.clear();
        self.refresh();
        Ok(())
    }

    fn release(&mut self, name: &str) -> Result<()> {
        let at = self.savepoint_named(name)?;
        self.ask_beside(Request::release(name.to_lowercase()))?;
        self.transaction.savepoints.truncate(at);
        Ok(())
    }
}

/// Whether a server says that it takes no snapshot at this level when it is asked to.
fn ignores_snapshot(level: Level, version: Version) -> bool {
    match level {
        Level::RU => true,
        Level::RC | Level::RA | Level::CC | Level::SER | Level::SSER => version.is_mysql(),
        Level::PC | Level::PSI | Level::SI => false,
    }
}

/// 1305.
fn unknown_savepoint(name: &str) -> SqlError {
    error::error(error::UNKNOWN_FUNCTION, format!("SAVEPOINT {name} does not exist"))
}
