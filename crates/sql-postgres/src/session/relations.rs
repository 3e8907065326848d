//! Locks on tables and other relations, as PostgreSQL takes them (its manual, 13.3.1): by every statement that names
//! one, and by every change of the schema, to the end of the transaction.
//!
//! They are locks of the store on objects, so waits for them are in its log and deadlocks with row locks are
//! found. A store without locks (`spec`) has none of these either, but for one on the whole schema that those
//! take who change it.
//!
//! Who has waited may find another schema: then the statement is bound anew, and locks what it names now.

use std::sync::Arc;

use hobgoblin_core::Key;
use hobgoblin_front::{Answer, Mode, Request, Scope, Wait};

use super::core::Core;
use crate::catalog::same_relation;
use crate::catalog::{Catalog, ConstraintKind, Relation, Table};
use crate::error::{Result, SqlError, SqlState};
use crate::types::Oid;

impl Core {
    /// Locks what a statement uses; whether the schema is still the one of this version.
    pub(crate) fn lock_relations(
        &mut self,
        relations: &[(Oid, Mode)],
        version: u64,
    ) -> Result<bool> {
        if !self.is_engine() || relations.is_empty() {
            return Ok(true);
        }
        for &(oid, mode) in relations {
            self.lock_relation(oid, mode, Wait::Forever)?;
        }
        self.refresh();
        Ok(self.catalog_ref().version == version)
    }

    /// Locks a relation, unless the transaction has such a lock; whether it did.
    pub(crate) fn lock_relation(&mut self, oid: Oid, mode: Mode, wait: Wait) -> Result<bool> {
        let held = |&(held, strong): &(Oid, Mode)| held == oid && strong == mode;
        if !self.is_engine() || self.transaction.relations.iter().any(held) {
            return Ok(true);
        }
        let own = match self.catalog_ref().relations.get(&oid) {
            Some(Relation::Table(table)) => table.temporary,
            Some(Relation::Sequence(sequence)) => sequence.temporary,
            _ => false,
        };
        if own {
            self.transaction.relations.push((oid, mode));
            return Ok(true);
        }
        let object = Key::from(format!("{}relation {oid}", self.catalog_ref().keys));
        let got = self.hold(object, mode, wait)?;
        if got {
            self.transaction.relations.push((oid, mode));
        }
        Ok(got)
    }

    /// Locks a sequence for a function that uses it, once a transaction. Who waited finds it as it was left.
    pub(super) fn lock_sequence(&mut self, oid: Oid) -> Result<()> {
        let before = self.transaction.relations.len();
        self.lock_relation(oid, Mode::RowExclusive, Wait::Forever)?;
        if self.transaction.relations.len() > before {
            self.refresh();
        }
        Ok(())
    }

    /// Where tables have no locks, one transaction at a time changes the schema.
    pub(super) fn lock_schema(&mut self) -> Result<()> {
        if self.is_engine() {
            return Ok(());
        }
        let object = Key::from(format!("{}schema", self.catalog_ref().keys));
        self.hold(object, Mode::Exclusive, Wait::Forever).map(|_| ())
    }

    /// Keeps others from making something of this name. Who waited for one who did finds what PostgreSQL finds in
    /// its catalogue, also with IF NOT EXISTS.
    fn lock_name(&mut self, schema: &str, name: &str, has_type: bool) -> Result<()> {
        let object = Key::from(format!("{}name {schema}.{name}", self.catalog_ref().keys));
        self.hold(object, Mode::Exclusive, Wait::Forever)?;
        self.refresh();
        if self
            .catalog_ref()
            .schemas
            .get(schema)
            .is_some_and(|schema| schema.relations.contains_key(name))
        {
            let index =
                if has_type { "pg_type_typname_nsp_index" } else { "pg_class_relname_nsp_index" };
            let text = format!("duplicate key value violates unique constraint \"{index}\"");
            return Err(SqlError::new(SqlState::UNIQUE_VIOLATION, text));
        }
        Ok(())
    }

    fn hold(&mut self, object: Key, mode: Mode, wait: Wait) -> Result<bool> {
        let scope = Scope::Transaction;
        let answer = self.ask(Request::hold(object, mode, scope, wait))?;
        Ok(!matches!(answer, Answer::Locked { .. }))
    }

    /// Locks what a change of the schema changes, and the names it makes.
    pub(super) fn lock_changed(
        &mut self,
        before: &Catalog,
        after: &Catalog,
        mode: Mode,
    ) -> Result<()> {
        for (oid, mode) in changed(before, after, mode) {
            self.lock_relation(oid, mode, Wait::Forever)?;
        }
        for (schema, name) in new_names(before, after) {
            if self.is_engine() && schema != self.temporary {
                let made = after.schemas[schema].relations[name];
                let has_type = matches!(
                    after.relations.get(&made),
                    Some(Relation::Table(_) | Relation::View(_))
                );
                self.lock_name(schema, name, has_type)?;
            }
        }
        Ok(())
    }

    /// Does LOCK TABLE: locks relations by name, in the mode that is asked for.
    pub(super) fn lock_named(
        &mut self,
        oid: Oid,
        name: &str,
        mode: Mode,
        wait: Wait,
    ) -> Result<()> {
        if self.lock_relation(oid, mode, wait)? {
            return Ok(());
        }
        let text = format!("could not obtain lock on relation \"{name}\"");
        Err(SqlError::new(SqlState::LOCK_NOT_AVAILABLE, text))
    }
}

/// The names of relations that only the second has, each with its schema.
fn new_names<'c>(
    before: &'c Catalog,
    after: &'c Catalog,
) -> impl Iterator<Item = (&'c str, &'c str)> {
    after.schemas.iter().flat_map(|(schema, after)| {
        let before = before.schemas.get(schema);
        let known = move |name: &str| before.is_some_and(|b| b.relations.contains_key(name));
        let names = after.relations.keys().map(String::as_str);
        names.filter(move |name| !known(name)).map(move |name| (schema.as_str(), name))
    })
}

/// The relations of a catalogue that another has changed or has no more, each with the lock that takes; and
/// the tables that references lead to which only one of them has.
fn changed(before: &Catalog, after: &Catalog, mode: Mode) -> Vec<(Oid, Mode)> {
    let mut found = Vec::new();
    for (&oid, relation) in &before.relations {
        let now = after.relations.get(&oid);
        if now.is_some_and(|now| same_relation(relation, now)) {
            continue;
        }
        match relation {
            Relation::Table(_) | Relation::View(_) | Relation::Sequence(_) => {
                found.push((oid, if now.is_some() { mode } else { Mode::AccessExclusive }));
            }
            Relation::Index { .. } => {}
        }
    }
    let references = |catalog: &Catalog, other: &Catalog, mode: Mode| {
        let mut found = Vec::new();
        for table in catalog.tables() {
            let known = other.table(table.oid);
            if known.is_some_and(|known| Arc::ptr_eq(known, table)) {
                continue;
            }
            for constraint in &table.constraints {
                let has = |known: &Arc<Table>| {
                    known.constraints.iter().any(|other| other.oid == constraint.oid)
                };
                if let ConstraintKind::Foreign(reference) = &constraint.kind
                    && !known.is_some_and(has)
                {
                    found.push((reference.table, mode));
                }
            }
        }
        found
    };
    found.extend(references(after, before, Mode::ShareRowExclusive));
    found.extend(references(before, after, Mode::AccessExclusive));
    found.retain(|(oid, _)| before.relations.contains_key(oid));
    found
}

/// The name of a mode in `pg_locks`.
pub(super) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::AccessShare => "AccessShareLock",
        Mode::RowShare => "RowShareLock",
        Mode::RowExclusive => "RowExclusiveLock",
        Mode::ShareUpdateExclusive => "ShareUpdateExclusiveLock",
        Mode::Share => "ShareLock",
        Mode::ShareRowExclusive => "ShareRowExclusiveLock",
        Mode::Exclusive => "ExclusiveLock",
        Mode::AccessExclusive => "AccessExclusiveLock",
    }
}
