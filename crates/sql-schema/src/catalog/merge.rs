//! Two transactions change the schema at the same time, each its own copy: what one did is done to what the
//! other left.
//!
//! Locks see to it that they change different relations and make different names, so that of everything in
//! the catalogue at most one of them has changed it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Catalog, Relation, Schema};

impl Catalog {
    /// What `self` changed of `base`, done to `current`.
    pub fn rebased(&self, base: &Catalog, current: &Catalog) -> Catalog {
        let mut merged = current.clone();
        changes(&base.relations, &self.relations, &mut merged.relations, same_relation);
        changes(&base.enums, &self.enums, &mut merged.enums, Arc::ptr_eq);
        changes(&base.domains, &self.domains, &mut merged.domains, Arc::ptr_eq);
        changes(&base.comments, &self.comments, &mut merged.comments, PartialEq::eq);
        changes(&base.prefixes, &self.prefixes, &mut merged.prefixes, PartialEq::eq);
        changes(&base.derived, &self.derived, &mut merged.derived, PartialEq::eq);
        changes(&base.roles, &self.roles, &mut merged.roles, PartialEq::eq);
        changes(&base.extensions, &self.extensions, &mut merged.extensions, PartialEq::eq);
        for (name, schema) in &self.schemas {
            match (base.schemas.get(name), merged.schemas.get_mut(name)) {
                (Some(before), Some(now)) => merge_schema(before, schema, now),
                (None, _) => {
                    merged.schemas.insert(name.clone(), schema.clone());
                }
                (Some(_), None) => {}
            }
        }
        merged
            .schemas
            .retain(|name, _| self.schemas.contains_key(name) || !base.schemas.contains_key(name));
        merged.next_oid = merged.next_oid.max(self.next_oid);
        merged
    }
}

fn merge_schema(before: &Schema, ours: &Schema, now: &mut Schema) {
    changes(&before.relations, &ours.relations, &mut now.relations, PartialEq::eq);
    changes(&before.types, &ours.types, &mut now.types, PartialEq::eq);
    if before.notes != ours.notes {
        now.notes = ours.notes.clone();
    }
}

/// Does to a map what changed between two others.
fn changes<K: Ord + Clone, V: Clone>(
    before: &BTreeMap<K, V>,
    after: &BTreeMap<K, V>,
    map: &mut BTreeMap<K, V>,
    same: impl Fn(&V, &V) -> bool,
) {
    for (key, value) in after {
        if before.get(key).is_none_or(|old| !same(old, value)) {
            map.insert(key.clone(), value.clone());
        }
    }
    for key in before.keys().filter(|key| !after.contains_key(key)) {
        map.remove(key);
    }
}

/// Whether two relations are the same, down to what they share.
pub fn same_relation(a: &Relation, b: &Relation) -> bool {
    match (a, b) {
        (Relation::Table(a), Relation::Table(b)) => Arc::ptr_eq(a, b),
        (Relation::View(a), Relation::View(b)) => Arc::ptr_eq(a, b),
        (Relation::Sequence(a), Relation::Sequence(b)) => Arc::ptr_eq(a, b),
        (Relation::Index { table, oid }, Relation::Index { table: other, oid: same }) => {
            (table, oid) == (other, same)
        }
        _ => false,
    }
}
