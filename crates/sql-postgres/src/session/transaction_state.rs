//! The state of a session's transaction.

use std::sync::Arc;

use hobgoblin_core::{Level, Text};
use hobgoblin_front::Mode;
use hobgoblin_sql_session::{Moves, Own, SchemaChange};

use crate::catalog::Catalog;
use crate::execute::Pending;
use crate::settings::{Saved, Settings};
use crate::types::Oid;

/// The transaction of a session, or the absence of one.
///
/// The session and the store have a transaction each. The session's begins with BEGIN or with a
/// statement outside of a block, the store's when a statement first asks it for something.
#[derive(Default)]
pub(crate) struct Transaction {
    /// Whether a transaction has begun.
    pub(crate) begun: bool,
    /// Whether BEGIN began it, so that it lasts until COMMIT or ROLLBACK.
    pub(crate) block: bool,
    /// Whether a statement of it has failed, so that it only waits for its end.
    pub(crate) failed: bool,
    /// Whether the store has begun it too.
    pub(crate) open: bool,
    /// Whether the store has already ended it, as after a deadlock, so that nothing more can be
    /// done in it.
    pub(crate) gone: bool,
    /// Whether the store has been told of a statement of it; the snapshot is taken then.
    pub(crate) snapshot: bool,
    /// The catalogue at that time, if all its statements share one snapshot.
    pub(crate) seen: Option<Arc<Catalog>>,
    /// The level that was asked for; `None` for the session's default.
    pub(crate) level: Option<Level>,
    /// Whether it is only a plain read outside of a block.
    pub(crate) lone_read: bool,
    /// Whether READ UNCOMMITTED was asked for, which is shown though it is READ COMMITTED.
    pub(super) uncommitted: bool,
    pub(crate) read_only: bool,
    /// Whether it is DEFERRABLE: if it is SERIALIZABLE and READ ONLY too, it waits for a safe
    /// snapshot.
    pub(crate) deferrable: bool,
    /// When it began, in microseconds since 2000-01-01 UTC.
    pub(crate) time: Option<i64>,
    /// The number that clients know it by, once one has asked.
    pub(crate) number: Option<i64>,
    /// Its own catalogue, once it has changed the schema.
    pub(crate) catalog: Option<Own>,
    /// The new keys of rows that it moved, by their old keys, and the keys of rows that it
    /// inserted.
    pub(crate) moves: Moves,
    /// The locks it has on relations, in the order it took them.
    pub(crate) relations: Vec<(Oid, Mode)>,
    /// The statements of it that changed the schema.
    pub(crate) schema: Vec<SchemaChange>,
    /// The checks that are made when it commits.
    pub(crate) deferred: Vec<Pending>,
    /// What SET CONSTRAINTS has said, in order: which constraint, or `None` for all, and whether it
    /// is deferred.
    pub(super) modes: Vec<(Option<Oid>, bool)>,
    /// The notifications to send when it commits: channel and payload.
    pub(crate) notifications: Vec<(String, String)>,
    /// What its session listens to once it has committed.
    pub(crate) listens: Vec<Listen>,
    pub(super) savepoints: Vec<Savepoint>,
    pub(super) settings: Option<Saved>,
}

/// A LISTEN or UNLISTEN of a transaction, which counts when it commits.
#[derive(Clone, Debug)]
pub(crate) enum Listen {
    To(String),
    /// The session listens no more to this channel; `None` is all of them.
    NoMore(Option<String>),
}

/// What the session goes back to when it rolls back to a savepoint. Numbers are lengths of the
/// transaction's lists.
pub(super) struct Savepoint {
    pub(super) name: String,
    pub(super) settings: Saved,
    pub(super) catalog: Option<Own>,
    pub(super) relations: usize,
    pub(super) moves: Moves,
    pub(super) deferred: Vec<Pending>,
    pub(super) modes: Vec<(Option<Oid>, bool)>,
    pub(super) schema: usize,
    pub(super) notifications: usize,
    pub(super) listens: usize,
    /// The names of the portals that were open.
    pub(super) portals: Vec<String>,
    /// Whether the store has set the savepoint too.
    pub(super) stored: bool,
}

impl Transaction {
    /// Notes that a row has moved to another key. Whoever knows it by an earlier key finds it
    /// there, too.
    pub(crate) fn row_moved(&mut self, old: &Text, new: &Text) {
        let mut returned = false;
        for (key, now) in &mut self.moves {
            if now.as_ref() == Some(old) {
                *now = Some(Text::clone(new));
                returned |= key == new;
            }
        }
        if !returned {
            self.moves.push((Text::clone(new), None));
        }
        self.moves.push((Text::clone(old), Some(Text::clone(new))));
    }

    /// Keeps a notification until the commit. One that the transaction has sent already is not sent
    /// again.
    pub(crate) fn notify(&mut self, channel: String, payload: String) {
        let notification = (channel, payload);
        if !self.notifications.contains(&notification) {
            self.notifications.push(notification);
        }
    }

    /// The level as SHOW prints it.
    pub(crate) fn isolation(&self, settings: &Settings) -> String {
        match self.level {
            Some(Level::SER | Level::SSER) => "serializable".to_owned(),
            Some(Level::SI | Level::PSI | Level::PC) => "repeatable read".to_owned(),
            Some(Level::RU | Level::RC | Level::RA | Level::CC) => match self.uncommitted {
                true => "read uncommitted".to_owned(),
                false => "read committed".to_owned(),
            },
            None => settings
                .get("default_transaction_isolation")
                .unwrap_or_else(|| "read committed".to_owned()),
        }
    }

    pub(crate) fn deferred_mode(&self, constraint: Oid) -> Option<bool> {
        let fits = |(which, _): &&(Option<Oid>, bool)| which.is_none_or(|oid| oid == constraint);
        self.modes.iter().rev().find(fits).map(|(_, deferred)| *deferred)
    }
}

/// The level that a name of SQL stands for in PostgreSQL.
pub(crate) fn level_of(name: &str) -> Option<Level> {
    match name.to_ascii_lowercase().as_str() {
        "read uncommitted" | "read committed" => Some(Level::RC),
        "repeatable read" => Some(Level::SI),
        "serializable" => Some(Level::SER),
        _ => None,
    }
}
