//! Transactions as the client sees them: blocks, implicit ones, failure, savepoints.
//!
//! ```text
//!     idle --BEGIN--> block --error--> failed --ROLLBACK--> idle
//!       |                 \-----------COMMIT, ROLLBACK------/
//!       \--statement--> implicit --end of the message cycle--> idle
//! ```
//!
//! A transaction that fails without a savepoint is ended in the store at once, as PostgreSQL
//! releases its locks at once, though its session stays in the block. What a commit does happens in
//! one order: deferred checks, then the store's commit, and with that at one point in time the new
//! catalogue and the keys of moved rows, so that whoever waits for a lock finds all of it.
//! Settings, LISTEN and notifications take effect after the store has committed.

use hobgoblin_front::Request;
use hobgoblin_sql_session::Besides;

use super::core::{Core, in_failed};
use super::outcome::TransactionStatus;
use super::transaction_state::{Listen, Savepoint};
use crate::error::{Result, Severity, SqlError, SqlState};
use crate::execute::Exec;
use crate::types::Oid;

impl Core {
    pub(crate) fn status(&self) -> TransactionStatus {
        match (self.transaction.begun, self.transaction.block, self.transaction.failed) {
            (true, true, true) => TransactionStatus::Failed,
            (true, true, false) => TransactionStatus::Active,
            _ => TransactionStatus::Idle,
        }
    }

    /// Begins an implicit transaction, unless there is a transaction.
    pub(crate) fn ensure_transaction(&mut self) {
        if !self.transaction.begun {
            self.transaction.begun = true;
            self.transaction.settings = Some(self.settings.save());
            self.transaction.read_only = self.settings.enabled("default_transaction_read_only");
            self.transaction.deferrable = self.settings.enabled("default_transaction_deferrable");
            self.refresh();
        }
    }

    /// Does BEGIN: makes the transaction a block, which lasts until COMMIT or ROLLBACK.
    pub(crate) fn begin_block(&mut self) {
        if self.transaction.block {
            let text = "there is already a transaction in progress";
            self.notice(
                SqlError::new(SqlState::ACTIVE_SQL_TRANSACTION, text).severity(Severity::Warning),
            );
            return;
        }
        self.ensure_transaction();
        self.transaction.block = true;
    }

    /// Does SET TRANSACTION [NOT] DEFERRABLE, which must come before the first query.
    pub(crate) fn set_deferrable(&mut self, deferrable: bool) -> Result<()> {
        if self.transaction.open {
            return Err(SqlError::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                "SET TRANSACTION [NOT] DEFERRABLE must be called before any query",
            ));
        }
        self.transaction.deferrable = deferrable;
        Ok(())
    }

    /// Does SET TRANSACTION ISOLATION LEVEL, which must come before the first query.
    pub(crate) fn set_level(&mut self, name: &str) -> Result<()> {
        let Some(level) = self.level_named(name) else {
            let text = format!("invalid value for parameter \"transaction_isolation\": \"{name}\"");
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, text));
        };
        if self.transaction.open && self.transaction.level != Some(level) {
            return Err(SqlError::new(
                SqlState::ACTIVE_SQL_TRANSACTION,
                "SET TRANSACTION ISOLATION LEVEL must be called before any query",
            ));
        }
        self.transaction.level = Some(level);
        self.transaction.uncommitted = name.eq_ignore_ascii_case("read uncommitted");
        Ok(())
    }

    /// Does SET CONSTRAINTS. Checks that are no longer deferred are made at once.
    pub(crate) fn set_constraints(
        &mut self,
        which: Option<Vec<Oid>>,
        deferred: bool,
    ) -> Result<()> {
        match which {
            None => self.transaction.modes = vec![(None, deferred)],
            Some(all) => {
                self.transaction.modes.extend(all.into_iter().map(|oid| (Some(oid), deferred)))
            }
        }
        match deferred {
            true => Ok(()),
            false => self.run_deferred(),
        }
    }

    fn run_deferred(&mut self) -> Result<()> {
        let checks = std::mem::take(&mut self.transaction.deferred);
        if checks.is_empty() {
            return Ok(());
        }
        Exec::new(self, &[]).check_deferred(checks)
    }

    /// Does COMMIT and returns the command tag. A transaction that has failed is rolled back
    /// instead.
    pub(crate) fn commit(&mut self) -> Result<&'static str> {
        if self.transaction.failed {
            self.rollback();
            return Ok("ROLLBACK");
        }
        let committed = self.try_commit();
        match committed {
            Ok(()) => {
                self.finish(true);
                Ok("COMMIT")
            }
            Err(error) => {
                self.rollback();
                Err(error)
            }
        }
    }

    /// What a transaction does last before it commits or is prepared: deferred checks, and the end
    /// of temporary tables.
    pub(super) fn before_commit(&mut self) -> Result<()> {
        self.transaction.modes = vec![(None, false)];
        self.run_deferred()?;
        self.end_temporary_tables()
    }

    fn try_commit(&mut self) -> Result<()> {
        self.before_commit()?;
        let besides = Besides {
            catalog: self.transaction.catalog.clone(),
            changes: std::mem::take(&mut self.transaction.schema),
            moves: std::mem::take(&mut self.transaction.moves),
        };
        let session = self.transaction.open.then_some(self.id);
        besides.install(&self.shared, &self.store, session);
        if self.transaction.open {
            self.request(Request::COMMIT)?;
            self.transaction.open = false;
        }
        Ok(())
    }

    /// Does ROLLBACK of the whole transaction.
    pub(crate) fn rollback(&mut self) {
        if self.transaction.open {
            let _ = self.request(Request::ABORT);
        }
        self.finish(false);
    }

    pub(super) fn finish(&mut self, committed: bool) {
        let ended = std::mem::take(&mut self.transaction);
        if ended.catalog.is_some() {
            self.shared.schema.end_change();
        }
        if committed {
            self.settings.end_transaction();
            for listen in ended.listens {
                match listen {
                    Listen::To(channel) => self.shared.listen(self.pid, &channel),
                    Listen::NoMore(channel) => self.shared.unlisten(self.pid, channel.as_deref()),
                }
            }
            for (channel, payload) in ended.notifications {
                self.shared.notify((self.pid, channel, payload));
            }
        } else if let Some(saved) = &ended.settings {
            self.settings.restore(saved);
        }
        self.portals.retain(|_, portal| portal.outlives(committed));
        self.refresh();
        if let Some(own) = ended.catalog.filter(|_| !committed) {
            self.describe_but(&own.catalog);
        }
    }

    /// Says that a statement has failed. What the transaction did since the last savepoint is
    /// undone, and then it only waits for its end.
    pub(crate) fn fail(&mut self) {
        if !self.transaction.begun || self.transaction.failed {
            return;
        }
        self.transaction.failed = true;
        let last = self.transaction.savepoints.last();
        match last {
            Some(savepoint) if savepoint.stored && self.transaction.open => {
                let name = savepoint.name.clone();
                let _ = self.request(Request::rollback_to(name));
            }
            Some(_) => {}
            // Without savepoints nothing can save it; its locks go at once.
            None => {
                if self.transaction.open {
                    let _ = self.request(Request::ABORT);
                    self.transaction.open = false;
                }
                self.transaction.gone = true;
            }
        }
    }

    /// Ends a cycle of messages: commits an implicit transaction, or rolls it back if it has
    /// failed.
    pub(crate) fn sync(&mut self) -> Result<()> {
        if !self.transaction.begun || self.transaction.block {
            return Ok(());
        }
        if self.transaction.failed {
            self.rollback();
            return Ok(());
        }
        self.commit().map(|_| ())
    }

    pub(crate) fn savepoint(&mut self, name: &str) -> Result<()> {
        if !self.transaction.block {
            let text = "SAVEPOINT can only be used in transaction blocks";
            return Err(SqlError::new(SqlState::NO_ACTIVE_SQL_TRANSACTION, text));
        }
        // The store's transaction must be open to go back to.
        self.ask_beside(Request::savepoint(name.to_owned()))?;
        self.transaction.savepoints.push(Savepoint {
            name: name.to_owned(),
            settings: self.settings.save(),
            catalog: self.transaction.catalog.clone(),
            deferred: self.transaction.deferred.clone(),
            modes: self.transaction.modes.clone(),
            schema: self.transaction.schema.len(),
            relations: self.transaction.relations.len(),
            moves: self.transaction.moves.clone(),
            notifications: self.transaction.notifications.len(),
            listens: self.transaction.listens.len(),
            portals: self.portals.keys().cloned().collect(),
            stored: true,
        });
        Ok(())
    }

    fn find_savepoint(&self, name: &str, what: &str) -> Result<usize> {
        if !self.transaction.block {
            let text = format!("{what} can only be used in transaction blocks");
            return Err(SqlError::new(SqlState::NO_ACTIVE_SQL_TRANSACTION, text));
        }
        let found =
            self.transaction.savepoints.iter().rposition(|savepoint| savepoint.name == name);
        found.ok_or_else(|| {
            let text = format!("savepoint \"{name}\" does not exist");
            SqlError::new(SqlState::INVALID_SAVEPOINT, text)
        })
    }

    pub(crate) fn release(&mut self, name: &str) -> Result<()> {
        let at = self.find_savepoint(name, "RELEASE SAVEPOINT")?;
        self.ask_beside(Request::release(name.to_owned()))?;
        self.transaction.savepoints.truncate(at);
        Ok(())
    }

    pub(crate) fn rollback_to(&mut self, name: &str) -> Result<()> {
        let at = self.find_savepoint(name, "ROLLBACK TO SAVEPOINT")?;
        if self.transaction.gone {
            return Err(
                in_failed().detail("The store has refused the whole transaction; run it again.")
            );
        }
        self.ask_beside(Request::rollback_to(name.to_owned()))?;
        self.transaction.savepoints.truncate(at + 1);
        let savepoint = &self.transaction.savepoints[at];
        self.settings.restore(&savepoint.settings);
        self.transaction.deferred.clone_from(&savepoint.deferred);
        self.transaction.modes.clone_from(&savepoint.modes);
        self.transaction.schema.truncate(savepoint.schema);
        self.transaction.notifications.truncate(savepoint.notifications);
        self.transaction.listens.truncate(savepoint.listens);
        self.transaction.relations.truncate(savepoint.relations);
        self.transaction.moves.clone_from(&savepoint.moves);
        let undone = self.transaction.catalog.clone();
        match (&savepoint.catalog, &self.transaction.catalog) {
            (None, Some(_)) => {
                self.shared.schema.end_change();
                self.transaction.catalog = None;
            }
            (own, _) => self.transaction.catalog = own.clone(),
        }
        // The unnamed portal is the statement's own.
        self.portals.retain(|name, _| name.is_empty() || savepoint.portals.contains(name));
        self.transaction.failed = false;
        self.refresh();
        if let Some(own) = undone {
            self.describe_but(&own.catalog);
        }
        Ok(())
    }
}
