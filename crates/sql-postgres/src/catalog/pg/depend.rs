//! Comments, and what belongs to what.

use super::class::derived_oid;
use super::context::VirtualCx;
use super::oids::{PG_CLASS, PG_CONSTRAINT, PG_DATABASE, PG_EXTENSION, PG_NAMESPACE, PG_TYPE};
use super::value::*;
use crate::catalog::{Catalog, ConstraintKind, IndexKey, schema_oid};
use crate::types::{Datum, Oid};

type Rows = Vec<Vec<Datum>>;

pub(super) fn pg_description(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let own = catalog.comments.iter().filter(|((class, _, _), _)| *class != PG_DATABASE);
    own.map(|((class, object, part), comment)| {
        vec![int(*object), int(*class), int(*part), text(comment)]
    })
    .collect()
}

pub(super) fn pg_shdescription(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let shared = catalog.comments.iter().filter(|((class, _, _), _)| *class == PG_DATABASE);
    shared
        .map(|((class, object, _), comment)| vec![int(*object), int(*class), text(comment)])
        .collect()
}

/// What belongs to what: sequences to columns, indexes to constraints and columns, references to what
/// they refer to, views to what they read.
pub(super) fn pg_depend(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    let mut add = |class: Oid, object: Oid, part: usize, on: (Oid, Oid, usize), kind: char| {
        rows.push(vec![
            int(class),
            int(object),
            size(part),
            int(on.0),
            int(on.1),
            size(on.2),
            letter(kind),
        ]);
    };
    const PG_ATTRDEF: Oid = 2604;
    const PG_REWRITE: Oid = 2618;
    for sequence in catalog.sequences() {
        if let Some((table, column, identity)) = sequence.owner {
            let kind = if identity { 'i' } else { 'a' };
            add(PG_CLASS, sequence.oid, 0, (PG_CLASS, table, column + 1), kind);
        }
        add(
            PG_CLASS,
            sequence.oid,
            0,
            (PG_NAMESPACE, schema_oid(catalog, &sequence.schema), 0),
            'n',
        );
    }
    for (class, member, extension) in super::extensions::members(catalog) {
        add(class, member, 0, (PG_EXTENSION, extension, 0), 'e');
    }
    for made in catalog.extensions.values() {
        let schema = (PG_NAMESPACE, schema_oid(catalog, &made.schema), 0);
        add(PG_EXTENSION, made.oid, 0, schema, 'n');
    }
    for domain in catalog.domains.values() {
        let schema = (PG_NAMESPACE, schema_oid(catalog, &domain.schema), 0);
        add(PG_TYPE, domain.oid, 0, schema, 'n');
        if domain.base.0 >= crate::types::TypeId::FIRST_USER {
            add(PG_TYPE, domain.oid, 0, (PG_TYPE, domain.base.0, 0), 'n');
        }
        for check in &domain.checks {
            add(PG_CONSTRAINT, check.oid, 0, (PG_TYPE, domain.oid, 0), 'a');
        }
    }
    for table in catalog.tables() {
        add(PG_CLASS, table.oid, 0, (PG_NAMESPACE, schema_oid(catalog, &table.schema), 0), 'n');
        add(PG_TYPE, table.row_type, 0, (PG_CLASS, table.oid, 0), 'i');
        for (at, column) in table.live() {
            if column.default.is_some() && column.identity.is_none() {
                let oid = derived_oid(table.oid, at + 1);
                add(PG_ATTRDEF, oid, 0, (PG_CLASS, table.oid, at + 1), 'a');
                for sequence in drawn_from(catalog, column) {
                    add(PG_ATTRDEF, oid, 0, (PG_CLASS, sequence, 0), 'n');
                }
            }
            let (ty, _) = column.declared();
            if catalog.enums.contains_key(&ty.0) || catalog.domains.contains_key(&ty.0) {
                add(PG_CLASS, table.oid, at + 1, (PG_TYPE, ty.0, 0), 'n');
            }
        }
        for constraint in &table.constraints {
            match &constraint.kind {
                ConstraintKind::Check(e) => {
                    for column in crate::catalog::mentions::columns(&e.ast) {
                        if let Some(at) = table.column(&column) {
                            add(
                                PG_CONSTRAINT,
                                constraint.oid,
                                0,
                                (PG_CLASS, table.oid, at + 1),
                                'a',
                            );
                        }
                    }
                }
                ConstraintKind::Primary(index)
                | ConstraintKind::Unique(index)
                | ConstraintKind::Exclude(index) => {
                    add(PG_CLASS, *index, 0, (PG_CONSTRAINT, constraint.oid, 0), 'i');
                    let columns = table.index(*index).and_then(|index| index.key_columns());
                    for at in columns.unwrap_or_default() {
                        add(PG_CONSTRAINT, constraint.oid, 0, (PG_CLASS, table.oid, at + 1), 'a');
                    }
                }
                ConstraintKind::Foreign(key) => {
                    for at in &key.columns {
                        add(PG_CONSTRAINT, constraint.oid, 0, (PG_CLASS, table.oid, at + 1), 'a');
                    }
                    for at in &key.referenced {
                        add(PG_CONSTRAINT, constraint.oid, 0, (PG_CLASS, key.table, at + 1), 'n');
                    }
                    add(PG_CONSTRAINT, constraint.oid, 0, (PG_CLASS, key.index, 0), 'n');
                }
            }
        }
        for index in &table.indexes {
            let free = !table.constraints.iter().any(|c| {
                matches!(c.kind, ConstraintKind::Primary(i) | ConstraintKind::Unique(i) | ConstraintKind::Exclude(i) if i == index.oid)
            });
            for column in index.columns.iter().filter(|_| free) {
                if let IndexKey::Column(at) = column.key {
                    add(PG_CLASS, index.oid, 0, (PG_CLASS, table.oid, at + 1), 'a');
                }
            }
        }
    }
    for view in catalog.queries() {
        add(PG_CLASS, view.oid, 0, (PG_NAMESPACE, schema_oid(catalog, &view.schema), 0), 'n');
        add(PG_REWRITE, derived_oid(view.oid, 0), 0, (PG_CLASS, view.oid, 0), 'i');
        for used in &view.uses {
            add(PG_REWRITE, derived_oid(view.oid, 0), 0, (PG_CLASS, *used, 0), 'n');
        }
    }
    rows
}

/// The sequences that a column's default draws from.
fn drawn_from(catalog: &Catalog, column: &crate::catalog::Column) -> Vec<Oid> {
    let Some(default) = &column.default else { return Vec::new() };
    if !default.text.to_ascii_lowercase().contains("nextval") {
        return Vec::new();
    }
    let sequences = catalog.sequences().map(|sequence| sequence.oid);
    sequences.filter(|oid| crate::catalog::mentions::draws_from(catalog, default, *oid)).collect()
}

pub(super) fn pg_rewrite(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let row = |v: &std::sync::Arc<crate::catalog::View>| {
        vec![
            int(derived_oid(v.oid, 0)),
            text("_RETURN"),
            int(v.oid),
            letter('1'),
            letter('O'),
            flag(true),
            text("<>"),
            text(""),
        ]
    };
    catalog.queries().map(row).collect()
}
