//! Two-phase commit: PREPARE TRANSACTION, COMMIT PREPARED, ROLLBACK PREPARED.
//!
//! A transaction that is prepared leaves its session. In the store it goes, with its locks, to a session of its own
//! ([`Request::prepare`]); what else is known of it, the catalogue it changed and the rows whose keys it changed, is
//! kept here under its identifier, until somebody in any session says how it ends:
//!
//! ```text
//!     s1               begin  update  prepare 'g'   begin  …
//!     "prepared g"                     ░░░░░░░░░░░░░░░░░░░░░  commit      its locks, and nothing else
//!     s2                                              commit prepared 'g'
//! ```
//!
//! As in PostgreSQL there is room for `max_prepared_transactions` of them, which is none unless `--pg-set` says so.

use std::sync::Arc;

use hobgoblin_core::SessionId;
use hobgoblin_front::{Error as StoreError, Request, Store};

use super::core::Core;
use super::in_doubt::Prepared;
use super::plan::Portal;
use crate::catalog::Table;
use crate::catalog::pg::PreparedRow;
use crate::error::{Result, SqlError, SqlState};
use crate::parse::TwoPhase;
use hobgoblin_sql_schema::context::Clock;
use hobgoblin_sql_session::Besides;

impl Core {
    /// The command tag of a statement of two-phase commit.
    pub(crate) fn two_phase(&mut self, which: TwoPhase, name: &str) -> Result<&'static str> {
        match which {
            TwoPhase::Prepare if !self.transaction.block || self.transaction.failed => {
                self.no_block_warning();
                self.rollback();
                Ok("ROLLBACK")
            }
            TwoPhase::Prepare => match self.prepare_transaction(name) {
                Ok(()) => Ok("PREPARE TRANSACTION"),
                Err(error) => {
                    self.rollback();
                    Err(error)
                }
            },
            TwoPhase::Commit => self.end_prepared("COMMIT PREPARED", name, true),
            TwoPhase::Rollback => self.end_prepared("ROLLBACK PREPARED", name, false),
        }
    }

    fn prepare_transaction(&mut self, identifier: &str) -> Result<()> {
        self.before_commit()?;
        self.check_preparable()?;
        let most = self.settings.number("max_prepared_transactions");
        self.databases.in_doubt.admits(identifier, most)?;
        if !self.is_engine() {
            return Err(SqlError::unsupported("two-phase commit in the spec profile")
                .hint("Use --profile postgres."));
        }
        let (number, time) = (self.transaction_number()?, self.clock(Clock::Wall)?);
        let session = match self.transaction.open {
            true => Some(self.hand_over(identifier)?),
            false => None,
        };
        let row = PreparedRow {
            number,
            identifier: identifier.to_owned(),
            time,
            owner: self.user.clone(),
            database: self.database.clone(),
        };
        let prepared = Prepared {
            session,
            shared: Arc::clone(&self.shared),
            catalog: self.transaction.catalog.take(),
            schema: std::mem::take(&mut self.transaction.schema),
            moves: std::mem::take(&mut self.transaction.moves),
            row,
            busy: false,
        };
        let mut inside = self.databases.in_doubt.lock();
        inside.by_identifier.insert(identifier.to_owned(), prepared);
        drop(inside);
        self.finish(true);
        Ok(())
    }

    /// What keeps a transaction from being prepared.
    fn check_preparable(&self) -> Result<()> {
        let refused = |what: &str| {
            let text = format!("cannot PREPARE a transaction that has {what}");
            Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text))
        };
        // Also a table that it made or dropped.
        let (own, all) = (self.catalog_ref(), self.shared.schema.catalog());
        let uses = |table: &Arc<Table>| {
            let same = |other: Option<&Arc<Table>>| other.is_some_and(|o| Arc::ptr_eq(o, table));
            self.transaction.relations.iter().any(|&(oid, _)| oid == table.oid)
                || !same(own.table(table.oid))
                || !same(all.table(table.oid))
        };
        let mut temporary =
            own.tables().chain(all.tables()).filter(|table| table.schema == self.temporary);
        if temporary.any(uses) {
            return refused("operated on temporary objects");
        }
        if self.portals.values().any(Portal::will_be_held) {
            return refused("created a cursor WITH HOLD");
        }
        match self.transaction.notifications.is_empty() && self.transaction.listens.is_empty() {
            true => Ok(()),
            false => refused("executed LISTEN, UNLISTEN, or NOTIFY"),
        }
    }

    /// Gives the store's transaction a session of its own.
    fn hand_over(&mut self, identifier: &str) -> Result<SessionId> {
        let to = self.databases.in_doubt.session_name(identifier);
        let heir = self.store.connect(Some(&to)).map_err(|error| {
            SqlError::new(SqlState::INTERNAL_ERROR, format!("no session for {to:?}: {error}"))
        })?;
        let handed = self.request(Request::prepare(to));
        if handed.is_err() {
            let _ = self.store.disconnect(heir);
        }
        handed?;
        self.transaction.open = false;
        Ok(heir)
    }

    fn end_prepared(
        &mut self,
        tag: &'static str,
        identifier: &str,
        commit: bool,
    ) -> Result<&'static str> {
        if self.transaction.block {
            let text = format!("{tag} cannot run inside a transaction block");
            return Err(SqlError::new(SqlState::ACTIVE_SQL_TRANSACTION, text));
        }
        let databases = Arc::clone(&self.databases);
        let session = {
            let mut inside = databases.in_doubt.lock();
            let Some(prepared) = inside.by_identifier.get_mut(identifier) else {
                let text =
                    format!("prepared transaction with identifier \"{identifier}\" does not exist");
                return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, text));
            };
            if prepared.busy {
                let text = format!("prepared transaction with identifier \"{identifier}\" is busy");
                return Err(SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, text));
            }
            if !Arc::ptr_eq(&prepared.shared, &self.shared) {
                let text = "prepared transaction belongs to another database";
                return Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text).hint(
                    "Connect to the database where the transaction was prepared to finish it.",
                ));
            }
            prepared.busy = true;
            if commit {
                install(&self.store, prepared);
            }
            prepared.session
        };
        let request = if commit { Request::COMMIT } else { Request::ABORT };
        let ended = session.map_or(Ok(()), |session| {
            self.store.request(session, request)?;
            self.store.disconnect(session)
        });
        let mut inside = databases.in_doubt.lock();
        let changed;
        match ended {
            // The transaction is as it was: somebody may try again.
            Err(error) => {
                if let Some(prepared) = inside.by_identifier.get_mut(identifier) {
                    prepared.busy = false;
                }
                return Err(unfinished(&error));
            }
            Ok(()) => {
                let ended = inside.by_identifier.remove(identifier);
                changed = ended.and_then(|ended| ended.catalog);
                if changed.is_some() {
                    self.shared.schema.end_change();
                }
            }
        }
        drop(inside);
        self.refresh();
        if let Some(own) = changed.filter(|_| !commit) {
            self.describe_but(&own.catalog);
        }
        Ok(tag)
    }
}

/// What a prepared transaction changed besides rows is there with its commit.
fn install(store: &Store, prepared: &Prepared) {
    let besides = Besides {
        catalog: prepared.catalog.clone(),
        changes: prepared.schema.clone(),
        moves: prepared.moves.clone(),
    };
    besides.install(&prepared.shared, store, prepared.session);
}

fn unfinished(error: &StoreError) -> SqlError {
    SqlError::new(SqlState::INTERNAL_ERROR, error.to_string())
        .hint("The transaction is still prepared; try again.")
}
