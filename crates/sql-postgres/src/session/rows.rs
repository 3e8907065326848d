//! What system relations show of sessions: activity, locks, prepared statements, cursors, settings.

use std::sync::Arc;

use hobgoblin_core::Key;
use hobgoblin_front::ObjectLock;

use super::advisory::read_key;
use super::backend::{Activity, Backend};
use super::core::Core;
use super::relations::mode_name;

use crate::catalog::pg::{ActivityRow, LockRow, Locked, PreparedRow, SessionRows, SettingRow};
use crate::types::{Oid, TypeId};

impl SessionRows for Core {
    fn activities(&self) -> Vec<ActivityRow> {
        let all = self.shared.backends.all().into_iter();
        let row = |(pid, backend): (i32, Arc<Backend>)| {
            let Activity { database, user, application, query, state } = backend.activity();
            let waits = !self.store.blockers(backend.session).is_empty();
            ActivityRow { pid, database, user, application, query, state: state.name(), waits }
        };
        all.map(row).collect()
    }

    fn locks(&self) -> Vec<LockRow> {
        let backends = self.shared.backends.all();
        let all = self.store.with_machine(|machine| machine.object_locks());
        let keys = &self.catalog_ref().keys;
        let row = |lock: ObjectLock| {
            let backend = backends.iter().find(|(_, other)| other.session == lock.session);
            let pid = backend.map(|&(pid, _)| pid);
            let transaction = match pid {
                Some(pid) => format!("{pid}/1"),
                None => format!("-1/{}", self.databases.in_doubt.number_of(lock.session)?),
            };
            let (what, mode) = match &lock.object {
                None => (Locked::Transaction, "ShareLock"),
                Some((object, mode)) => {
                    let Key::Text(name) = object else { return None };
                    let name = name.strip_prefix(&**keys)?;
                    let relation = name.strip_prefix("relation ").and_then(|oid| oid.parse().ok());
                    let advisory = || read_key(name.strip_prefix("advisory lock ")?);
                    let what = match relation {
                        Some(oid) => Locked::Relation(oid),
                        None => Locked::Advisory(advisory()?),
                    };
                    (what, mode_name(*mode))
                }
            };
            Some(LockRow { pid, transaction, what, mode, granted: lock.granted })
        };
        all.into_iter().filter_map(row).collect()
    }

    fn prepared(&self) -> Vec<(String, String, Vec<TypeId>)> {
        let named = self.prepared.iter().filter(|(name, _)| !name.is_empty());
        named.map(|(name, p)| (name.clone(), p.text().to_owned(), p.params.clone())).collect()
    }

    fn in_doubt(&self) -> Vec<PreparedRow> {
        self.databases.in_doubt.rows()
    }

    fn cursors(&self) -> Vec<(String, String, bool, bool, bool)> {
        let declared = self.portals.iter().filter(|(_, portal)| portal.cursor.is_some());
        declared
            .map(|(name, portal)| {
                let cursor = portal.cursor.unwrap_or_default();
                (name.clone(), portal.prepared.text().to_owned(), cursor.hold, false, cursor.scroll)
            })
            .collect()
    }

    fn settings(&self) -> Vec<SettingRow> {
        self.settings.rows()
    }

    fn databases(&self) -> Vec<(Oid, String)> {
        self.database_names()
    }

    fn last_value(&self, sequence: Oid) -> Option<i64> {
        self.current.get(&sequence).copied()
    }
}
