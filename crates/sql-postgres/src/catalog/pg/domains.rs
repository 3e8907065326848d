//! `information_schema`'s views of domains.

use super::VirtualCx;
use super::standard::{collated, facts, named, number};
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
        let mut row = named(cx, &d.schema, &d.name).to_vec();
        row.push(text(&data_type));
        row.extend(f.lengths());
        // The character set.
        row.extend([NULL; 3]);
        row.extend(collated(cx, d.collation.as_deref()));
        row.extend(f.digits());
        // The fields of intervals.
        row.extend([number(f.datetime), NULL, NULL]);
        row.push(option(default));
        row.extend(f.udt(cx));
        // The scope, and the most elements.
        row.extend([NULL; 4]);
        row.push(text("1"));
        rows.push(row);
    }
    rows
}

pub(super) fn domain_constraints(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for d in catalog.domains.values() {
        for check in &d.checks {
            let [of, at] = [named(cx, &d.schema, &check.name), named(cx, &d.schema, &d.name)];
            let never = [text("NO"), text("NO")];
            rows.push(of.into_iter().chain(at).chain(never).collect());
        }
    }
    rows
}

pub(super) fn domain_udt_usage(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |d: &std::sync::Arc<crate::catalog::Domain>| {
        let f = facts(catalog, d.base, d.typmod);
        [f.udt(cx), named(cx, &d.schema, &d.name)].concat()
    };
    let own = catalog.domains.values().filter(|d| builtin::by_oid(d.base).is_some());
    own.map(row).collect()
}

pub(super) fn column_domain_usage(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    let mut add = |ty: TypeId, schema: &str, table: &str, column: &str| {
        if let Some(d) = catalog.domains.get(&ty.0) {
            let mut row = [named(cx, &d.schema, &d.name), named(cx, schema, table)].concat();
            row.push(text(column));
            rows.push(row);
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
