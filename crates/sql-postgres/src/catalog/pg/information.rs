//! The views of `information_schema`: what the SQL standard says about tables, columns, constraints and privileges.
//!
//! Each view is a function from the catalogue to rows, in the order of columns that PostgreSQL 15 has. Types are described
//! in the standard's words (`standard.rs`): length, precision and scale are columns, where `pg_catalog` has a modifier.
//! A view without a function of its own is empty.

use super::standard::{collated, facts, named, number};
use super::value::*;
use super::{RowsFn, VirtualCx};
use crate::catalog::PG_CATALOG;
use crate::catalog::{
    Action, Catalog, CheckOption, Column, Constraint, ConstraintKind, Definition, Identity,
    Sequence, Table,
};
use crate::types::{Datum, TypeId};

type Rows = Vec<Vec<Datum>>;

pub(super) fn rows_of(name: &str) -> RowsFn {
    match name {
        "tables" => tables,
        "columns" => columns,
        "schemata" => schemata,
        "table_constraints" => table_constraints,
        "key_column_usage" => key_column_usage,
        "constraint_column_usage" => constraint_column_usage,
        "constraint_table_usage" => constraint_table_usage,
        "referential_constraints" => referential_constraints,
        "check_constraints" => check_constraints,
        "views" => views,
        "view_table_usage" => view_table_usage,
        "sequences" => sequences,
        "character_sets" => character_sets,
        "element_types" => element_types,
        "domains" => super::domains::domains,
        "domain_constraints" => super::domains::domain_constraints,
        "domain_udt_usage" => super::domains::domain_udt_usage,
        "column_domain_usage" => super::domains::column_domain_usage,
        "enabled_roles" => |_, cx| vec![vec![text(&*cx.scope.user)]],
        "information_schema_catalog_name" => |_, cx| vec![vec![text(cx.database)]],
        _ => |_, _| Vec::new(),
    }
}

fn tables(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |schema: &str, name: &str, kind: &str, insertable: bool| {
        let commit = if kind == "LOCAL TEMPORARY" { text("PRESERVE") } else { NULL };
        let mut row = named(cx, schema, name).to_vec();
        row.push(text(kind));
        row.extend([NULL; 5]);
        row.extend([yes(insertable), text("NO"), commit]);
        row
    };
    let mut rows: Rows = super::all()
        .iter()
        .map(|t| row(t.schema, t.name, if t.view { "VIEW" } else { "BASE TABLE" }, !t.view))
        .collect();
    for table in catalog.tables().filter(|t| t.materialized.is_none()) {
        let kind = if table.temporary { "LOCAL TEMPORARY" } else { "BASE TABLE" };
        rows.push(row(&table.schema, &table.name, kind, true));
    }
    rows.extend(catalog.views().map(|v| row(&v.schema, &v.name, "VIEW", simple(v))));
    rows
}

/// Whether a view is one table's rows, so that PostgreSQL could write through it.
fn simple(view: &crate::catalog::View) -> bool {
    use sqlparser::ast::{GroupByExpr, SetExpr, TableFactor};
    match &*view.query.body {
        SetExpr::Select(select) => {
            let one = matches!(select.from.as_slice(), [from] if from.joins.is_empty()
                && matches!(from.relation, TableFactor::Table { args: None, .. }));
            let grouped =
                !matches!(&select.group_by, GroupByExpr::Expressions(e, _) if e.is_empty());
            one && !grouped
                && select.distinct.is_none()
                && select.having.is_none()
                && view.query.with.is_none()
                && view.query.limit_clause.is_none()
        }
        _ => false,
    }
}

/// One column of any relation.
struct ColumnRow<'a> {
    schema: &'a str,
    table: &'a str,
    name: &'a str,
    at: usize,
    ty: TypeId,
    typmod: i32,
    not_null: bool,
    default: Option<String>,
    column: Option<&'a Column>,
    sequence: Option<&'a Sequence>,
    updatable: bool,
}

impl ColumnRow<'_> {
    fn row(self, catalog: &Catalog, cx: &VirtualCx<'_>) -> Vec<Datum> {
        let domain = catalog.domains.get(&self.ty.0);
        let (base, typmod) = domain.map_or((self.ty, self.typmod), |d| (d.base, d.typmod));
        let f = facts(catalog, base, typmod);
        let identity = self.column.and_then(|c| c.identity);
        let generated = self.column.is_some_and(|c| c.generated);
        let collation = self.column.and_then(|c| c.collation.as_deref());
        let sequence = |get: fn(&Sequence) -> i64| {
            self.sequence.filter(|_| identity.is_some()).map_or(NULL, |s| text(get(s).to_string()))
        };
        let (default, generation) =
            if generated { (None, self.default.clone()) } else { (self.default.clone(), None) };
        let mut row = Vec::with_capacity(44);
        row.extend(named(cx, self.schema, self.table));
        row.extend([text(self.name), size(self.at + 1), option(default), yes(!self.not_null)]);
        row.push(text(&f.data_type));
        row.extend(f.lengths());
        row.extend(f.digits());
        row.push(number(f.datetime));
        // The fields of intervals, and the character set.
        row.extend([NULL; 5]);
        row.extend(collated(cx, collation));
        row.extend(domain.map_or([NULL; 3], |d| named(cx, &d.schema, &d.name)));
        row.extend(f.udt(cx));
        // The scope, and the most elements.
        row.extend([NULL; 4]);
        row.extend([text((self.at + 1).to_string()), text("NO"), yes(identity.is_some())]);
        row.push(match identity {
            Some(Identity::Always) => text("ALWAYS"),
            Some(Identity::ByDefault) => text("BY DEFAULT"),
            None => NULL,
        });
        row.extend([sequence(|s| s.start), sequence(|s| s.increment)]);
        row.extend([sequence(|s| s.max), sequence(|s| s.min)]);
        row.push(yes(self.sequence.is_some_and(|s| s.cycle) && identity.is_some()));
        row.push(text(if generated { "ALWAYS" } else { "NEVER" }));
        row.extend([option(generation), yes(self.updatable)]);
        row
    }
}

fn columns(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for table in super::all() {
        for (at, (name, ty)) in table.columns.iter().enumerate() {
            let not_null = table.not_null.get(at).copied().unwrap_or(false);
            let row = ColumnRow {
                schema: table.schema,
                table: table.name,
                name,
                at,
                ty: *ty,
                typmod: -1,
                not_null,
                default: None,
                column: None,
                sequence: None,
                updatable: !table.view,
            };
            rows.push(row.row(catalog, cx));
        }
    }
    for table in catalog.tables().filter(|t| t.materialized.is_none()) {
        for (at, column) in table.live() {
            let shown = column.default.is_some() && column.identity.is_none();
            let definition = Definition::Default {
                table: table.oid,
                column: i32::try_from(at + 1).unwrap_or(0),
                pretty: false,
            };
            let default = if shown { (cx.define)(definition) } else { None };
            let sequence = column.identity.and_then(|_| catalog.owned_sequence(table.oid, at));
            let (ty, typmod) = column.declared();
            let row = ColumnRow {
                schema: &table.schema,
                table: &table.name,
                name: &column.name,
                at,
                ty,
                typmod,
                not_null: column.not_null || catalog.domain_refuses_null(ty),
                default,
                column: Some(column),
                sequence: sequence.map(|s| &**s),
                updatable: true,
            };
            rows.push(row.row(catalog, cx));
        }
    }
    for view in catalog.views() {
        for (at, (name, ty, typmod)) in view.columns.iter().enumerate() {
            let row = ColumnRow {
                schema: &view.schema,
                table: &view.name,
                name,
                at,
                ty: *ty,
                typmod: *typmod,
                not_null: false,
                default: None,
                column: None,
                sequence: None,
                updatable: simple(view),
            };
            rows.push(row.row(catalog, cx));
        }
    }
    rows
}

fn schemata(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |name: &str| {
        vec![text(cx.database), text(name), text(&*cx.scope.user), NULL, NULL, NULL, NULL]
    };
    let mut rows: Rows = catalog.schemas.keys().map(|name| row(name)).collect();
    rows.push(row("pg_toast"));
    rows
}

/// All constraints, with their tables.
fn constraints(catalog: &Catalog) -> impl Iterator<Item = (&Table, &Constraint)> {
    catalog.tables().flat_map(|t| t.constraints.iter().map(move |c| (&**t, &**c)))
}

/// The name under which NOT NULL is listed as a check.
fn not_null_name(catalog: &Catalog, table: &Table, at: usize) -> String {
    let schema = catalog.schemas.get(&table.schema).map_or(PG_CATALOG, |s| s.oid);
    format!("{schema}_{}_{}_not_null", table.oid, at + 1)
}

fn table_constraints(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    let mut add = |table: &Table,
                   name: &str,
                   kind: &str,
                   deferrable: bool,
                   deferred: bool,
                   distinct: Datum| {
        let [of, at] = [named(cx, &table.schema, name), named(cx, &table.schema, &table.name)];
        let rest = [text(kind), yes(deferrable), yes(deferred), text("YES"), distinct];
        rows.push(of.into_iter().chain(at).chain(rest).collect());
    };
    for (table, c) in constraints(catalog) {
        let (kind, distinct) = match &c.kind {
            // The standard knows no such constraint.
            ConstraintKind::Exclude(_) => continue,
            ConstraintKind::Check(_) => ("CHECK", NULL),
            ConstraintKind::Primary(_) => ("PRIMARY KEY", NULL),
            ConstraintKind::Unique(i) => {
                ("UNIQUE", yes(table.index(*i).is_none_or(|i| !i.nulls_not_distinct)))
            }
            ConstraintKind::Foreign(_) => ("FOREIGN KEY", NULL),
        };
        add(table, &c.name, kind, c.deferrable, c.initially_deferred, distinct);
    }
    for table in catalog.tables() {
        for (at, _) in table.live().filter(|(_, c)| c.not_null) {
            add(table, &not_null_name(catalog, table, at), "CHECK", false, false, NULL);
        }
    }
    rows
}

fn key_column_usage(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for (table, c) in constraints(catalog) {
        let (columns, foreign) = match &c.kind {
            ConstraintKind::Exclude(_) => continue,
            ConstraintKind::Check(_) => continue,
            ConstraintKind::Primary(i) | ConstraintKind::Unique(i) => {
                (table.index(*i).and_then(|index| index.key_columns()).unwrap_or_default(), None)
            }
            ConstraintKind::Foreign(key) => (key.columns.clone(), Some(key)),
        };
        for (n, at) in columns.iter().enumerate() {
            let Some(column) = table.columns.get(*at) else { continue };
            let position = foreign.and_then(|key| {
                let index = catalog.table(key.table)?.index(key.index)?;
                let keys = index.key_columns()?;
                keys.iter().position(|k| Some(k) == key.referenced.get(n))
            });
            let [of, at] =
                [named(cx, &table.schema, &c.name), named(cx, &table.schema, &table.name)];
            let rest = [text(&column.name), size(n + 1), position.map_or(NULL, |p| size(p + 1))];
            rows.push(of.into_iter().chain(at).chain(rest).collect());
        }
    }
    rows
}

fn constraint_column_usage(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for (table, c) in constraints(catalog) {
        let (of, columns) = match &c.kind {
            ConstraintKind::Exclude(_) => continue,
            ConstraintKind::Check(e) => {
                let used = crate::catalog::mentions::columns(&e.ast);
                (table, used.iter().filter_map(|n| table.column(n)).collect())
            }
            ConstraintKind::Primary(i) | ConstraintKind::Unique(i) => {
                (table, table.index(*i).and_then(|index| index.key_columns()).unwrap_or_default())
            }
            ConstraintKind::Foreign(key) => match catalog.table(key.table) {
                Some(target) => (&**target, key.referenced.clone()),
                None => continue,
            },
        };
        for column in columns.iter().filter_map(|at| of.columns.get(*at)) {
            let mut row = named(cx, &of.schema, &of.name).to_vec();
            row.push(text(&column.name));
            row.extend(named(cx, &table.schema, &c.name));
            rows.push(row);
        }
    }
    rows
}

fn constraint_table_usage(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for (table, c) in constraints(catalog) {
        let of = match &c.kind {
            ConstraintKind::Check(_) => continue,
            ConstraintKind::Foreign(key) => catalog.table(key.table).map(|t| &**t),
            _ => Some(table),
        };
        let Some(of) = of else { continue };
        let both = [named(cx, &of.schema, &of.name), named(cx, &table.schema, &c.name)];
        rows.push(both.concat());
    }
    rows
}

fn rule(action: Action) -> Datum {
    text(match action {
        Action::NoAction => "NO ACTION",
        Action::Restrict => "RESTRICT",
        Action::Cascade => "CASCADE",
        Action::SetNull => "SET NULL",
        Action::SetDefault => "SET DEFAULT",
    })
}

fn referential_constraints(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for (table, c) in constraints(catalog) {
        let ConstraintKind::Foreign(key) = &c.kind else { continue };
        let target = catalog.table(key.table);
        let unique = target.and_then(|t| {
            t.constraints.iter().find(|c| {
                matches!(c.kind, ConstraintKind::Primary(i) | ConstraintKind::Unique(i) if i == key.index)
            })
        });
        rows.push(vec![
            text(cx.database),
            text(&table.schema),
            text(&c.name),
            unique.map_or(NULL, |_| text(cx.database)),
            unique.and(target).map_or(NULL, |t| text(&t.schema)),
            unique.map_or(NULL, |u| text(&u.name)),
            text(if key.full { "FULL" } else { "NONE" }),
            rule(key.on_update),
            rule(key.on_delete),
        ]);
    }
    rows
}

fn check_constraints(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for (table, c) in constraints(catalog) {
        if !matches!(c.kind, ConstraintKind::Check(_)) {
            continue;
        }
        let definition = (cx.define)(Definition::Constraint { constraint: c.oid, pretty: false });
        let clause = definition.map(|d| {
            let d = d.trim_end_matches(" NOT VALID");
            d.strip_prefix("CHECK ").unwrap_or(d).to_owned()
        });
        rows.push(vec![text(cx.database), text(&table.schema), text(&c.name), option(clause)]);
    }
    for table in catalog.tables() {
        for (at, column) in table.live().filter(|(_, c)| c.not_null) {
            let clause = format!("{} IS NOT NULL", crate::catalog::quote_ident(&column.name));
            let name = not_null_name(catalog, table, at);
            rows.push(vec![text(cx.database), text(&table.schema), text(name), text(clause)]);
        }
    }
    rows
}

fn views(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |v: &std::sync::Arc<crate::catalog::View>| {
        let definition = (cx.define)(Definition::View { view: v.oid, pretty: false });
        vec![
            text(cx.database),
            text(&v.schema),
            text(&v.name),
            option(definition),
            text(v.check.map_or("NONE", CheckOption::name).to_ascii_uppercase()),
            yes(simple(v)),
            yes(simple(v)),
            text("NO"),
            text("NO"),
            text("NO"),
        ]
    };
    catalog.views().map(row).collect()
}

fn view_table_usage(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for view in catalog.views() {
        for used in view.uses.iter().filter_map(|oid| catalog.relation(*oid)) {
            let both = [named(cx, &view.schema, &view.name), named(cx, used.schema(), used.name())];
            rows.push(both.concat());
        }
    }
    rows
}

fn sequences(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let shown = catalog.sequences().filter(|s| !matches!(s.owner, Some((_, _, true))));
    shown
        .map(|s| {
            let f = facts(catalog, s.ty, -1);
            let mut row = named(cx, &s.schema, &s.name).to_vec();
            row.push(text(&f.data_type));
            row.extend(f.digits());
            row.extend([s.start, s.min, s.max, s.increment].map(|n| text(n.to_string())));
            row.push(yes(s.cycle));
            row
        })
        .collect()
}

fn character_sets(_: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    vec![vec![
        NULL,
        NULL,
        text("UTF8"),
        text("UCS"),
        text("UTF8"),
        text(cx.database),
        text("pg_catalog"),
        text("default"),
    ]]
}

fn element_types(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let Some(table) = super::table_in("information_schema", "element_types") else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    for t in catalog.tables() {
        for (at, column) in t.live() {
            let Some(element) = catalog.element_type(column.ty) else { continue };
            let f = facts(catalog, element, -1);
            let value = |(name, _): &(&str, TypeId)| match *name {
                "object_catalog" | "udt_catalog" => text(cx.database),
                "object_schema" => text(&t.schema),
                "object_name" => text(&t.name),
                "object_type" => text("TABLE"),
                "collection_type_identifier" => text((at + 1).to_string()),
                "data_type" => text(&f.data_type),
                "udt_schema" => text(&f.udt_schema),
                "udt_name" => text(&f.udt_name),
                "dtd_identifier" => text(format!("a{}", at + 1)),
                _ => NULL,
            };
            rows.push(table.columns.iter().map(value).collect());
        }
    }
    rows
}
