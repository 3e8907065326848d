//! The views of `pg_catalog` over tables, indexes and sequences.

use super::context::VirtualCx;
use super::value::*;
use crate::catalog::{Catalog, ConstraintKind, Definition};
use crate::types::{Datum, PgType, TypeId};

type Rows = Vec<Vec<Datum>>;

pub(super) fn pg_matviews(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for table in catalog.tables().filter(|t| t.materialized.is_some()) {
        let definition = (cx.define)(Definition::View { view: table.oid, pretty: false });
        rows.push(vec![
            text(&table.schema),
            text(&table.name),
            text(&*cx.scope.user),
            NULL,
            flag(!table.indexes.is_empty()),
            flag(table.populated),
            option(definition),
        ]);
    }
    rows
}

pub(super) fn pg_tables(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let owner = || text(&*cx.scope.user);
    let mut rows = Vec::new();
    for table in super::all().iter().filter(|t| !t.view) {
        rows.push(vec![
            text(table.schema),
            text(table.name),
            owner(),
            NULL,
            flag(true),
            flag(false),
            flag(false),
            flag(false),
        ]);
    }
    for table in catalog.tables().filter(|t| t.materialized.is_none()) {
        let triggers = catalog.referring(table.oid).next().is_some()
            || table.constraints.iter().any(|c| matches!(c.kind, ConstraintKind::Foreign(_)));
        rows.push(vec![
            text(&table.schema),
            text(&table.name),
            owner(),
            NULL,
            flag(!table.indexes.is_empty()),
            flag(false),
            flag(triggers),
            flag(false),
        ]);
    }
    rows
}

pub(super) fn pg_views(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for view in super::all().iter().filter(|t| t.view) {
        rows.push(vec![text(view.schema), text(view.name), text(&*cx.scope.user), NULL]);
    }
    for view in catalog.views() {
        let definition = (cx.define)(Definition::View { view: view.oid, pretty: false });
        rows.push(vec![
            text(&view.schema),
            text(&view.name),
            text(&*cx.scope.user),
            option(definition),
        ]);
    }
    rows
}

pub(super) fn pg_indexes(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for table in catalog.tables() {
        for index in &table.indexes {
            let definition =
                (cx.define)(Definition::Index { index: index.oid, column: 0, pretty: false });
            rows.push(vec![
                text(&table.schema),
                text(&table.name),
                text(&index.name),
                NULL,
                option(definition),
            ]);
        }
    }
    rows
}

pub(super) fn pg_sequences(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |s: &std::sync::Arc<crate::catalog::Sequence>| {
        vec![
            text(&s.schema),
            text(&s.name),
            text(&*cx.scope.user),
            int(s.ty.0),
            Datum::Int(s.start),
            Datum::Int(s.min),
            Datum::Int(s.max),
            Datum::Int(s.increment),
            flag(s.cycle),
            Datum::Int(s.cache),
            cx.session.last_value(s.oid).map_or(NULL, Datum::Int),
        ]
    };
    catalog.sequences().map(row).collect()
}

/// `pg_stat_user_tables` and `pg_stat_all_tables`: nothing is counted.
pub(super) fn pg_stat_tables(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let Some(columns) = super::table("pg_stat_user_tables").map(|t| &t.columns) else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    for table in catalog.tables() {
        let value = |(name, ty): &(&str, TypeId)| match *name {
            "relid" => int(table.oid),
            "schemaname" => text(&table.schema),
            "relname" => text(&table.name),
            _ if *ty == TypeId::INT8 => int(0),
            _ => NULL,
        };
        rows.push(columns.iter().map(value).collect());
    }
    rows
}
