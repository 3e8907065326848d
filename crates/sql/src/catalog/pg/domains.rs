//! `information_schema`'s views of domains.

use super::VirtualCx;
use super::information::{facts, number};
use super::value::*;
use crate::catalog::{Catalog, Definition};
use crate::types::{Datum, TypeId, builtin};

type Rows = Vec<Vec<Datum>>;

pub(super) fn domains(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for d in catalog.domains.values() {
        let f = facts(catalog, d.base, d.typmod);
        let data_type = match f.data_type.as_str() {
            "ARRAY" => builtin::format_type(d.base, d.typmod, catalog),
            other => other.to_owned(),
        };
        let default = d
            .default
            .as_ref()
            .and_then(|_| (cx.define)(Definition::DomainDefault { domain: d.oid, pretty: false }));
        rows.push(vec![
            text(cx.database),
            text(&d.schema),
            text(&d.name),
            text(&data_type),
            number(f.length),
            number(f.octets),
            NULL,
            NULL,
            NULL,
            d.collation.as_ref().map_or(NULL, |_| text(cx.database)),
            d.collation.as_ref().map_or(NULL, |_| text("pg_catalog")),
            d.collation.as_deref().map_or(NULL, text),
            number(f.precision),
            number(f.radix),
            number(f.scale),
            number(f.datetime),
            NULL,
            NULL,
            option(default),
            text(cx.database),
            text(&f.udt_schema),
            text(&f.udt_name),
            NULL,
            NULL,
            NULL,
            NULL,
            text("1"),
        ]);
    }
    rows
}

pub(super) fn domain_constraints(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for d in catalog.domains.values() {
        for check in &d.checks {
            rows.push(vec![
                text(cx.database),
                text(&d.schema),
                text(&check.name),
                text(cx.database),
                text(&d.schema),
                text(&d.name),
                text("NO"),
                text("NO"),
            ]);
        }
    }
    rows
}

pub(super) fn domain_udt_usage(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |d: &std::sync::Arc<crate::catalog::Domain>| {
        let f = facts(catalog, d.base, d.typmod);
        vec![
            text(cx.database),
            text(&f.udt_schema),
            text(&f.udt_name),
            text(cx.database),
            text(&d.schema),
            text(&d.name),
        ]
    };
    let own = catalog.domains.values().filter(|d| builtin::by_oid(d.base).is_some());
    own.map(row).collect()
}

pub(super) fn column_domain_usage(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    let mut add = |ty: TypeId, schema: &str, table: &str, column: &str| {
        if let Some(d) = catalog.domains.get(&ty.0) {
            rows.push(vec![
                text(cx.database),
                text(&d.schema),
                text(&d.name),
                text(cx.database),
                text(schema),
                text(table),
                text(column),
            ]);
        }
    };
    for table in catalog.tables().filter(|t| t.materialized.is_none()) {
        for (_, column) in table.live() {
            add(column.declared().0, &table.schema, &table.name, &column.name);
        }
    }
    for view in catalog.views() {
        for (name, ty, _) in &view.columns {
            add(*ty, &view.schema, &view.name, name);
        }
    }
    rows
}
