//! Schemas, roles, the database, comments, dependencies, and the views over the catalogue.

use std::sync::Arc;

use super::class::{derived_oid, schema_oid};
use super::value::*;
use super::{
    DATABASE, Locked, PG_CLASS, PG_CONSTRAINT, PG_DATABASE, PG_EXTENSION, PG_NAMESPACE, PG_TYPE,
    VirtualCx,
};
use crate::catalog::ddl::PREDEFINED;
use crate::catalog::{Catalog, ConstraintKind, Definition, IndexKey, Role};
use crate::catalog::{OWNER, PUBLIC};
use crate::types::{Array, Datum, Oid, PgType, TypeId};
use hobgoblin_sql_schema::context::AdvisoryKey;

type Rows = Vec<Vec<Datum>>;

pub(super) fn pg_namespace(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let mut rows: Rows = vec![vec![int(99), text("pg_toast"), int(OWNER), NULL]];
    rows.extend(catalog.schemas.values().map(|schema| {
        let (owner, acl) = match schema.oid {
            PUBLIC => (DATABASE_OWNER, public_acl()),
            _ => (OWNER, NULL),
        };
        vec![int(schema.oid), text(&schema.name), int(owner), acl]
    }));
    rows
}

/// Who owns the schema `public` that every database begins with.
const DATABASE_OWNER: Oid = 6171;

/// Everybody may use that schema.
fn public_acl() -> Datum {
    let items = ["pg_database_owner=UC/pg_database_owner", "=U/pg_database_owner"];
    Datum::Array(Arc::new(Array::of(TypeId::ACLITEM, items.map(text).into())))
}

pub(super) fn pg_database(_: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |oid: Oid, name: &str, template: bool| {
        vec![
            int(oid),
            text(name),
            int(OWNER),
            int(6),
            letter('c'),
            flag(template),
            flag(name != "template0"),
            int(-1),
            int(716),
            int(1),
            int(1663),
            text("C.UTF-8"),
            text("C.UTF-8"),
            NULL,
            NULL,
            NULL,
        ]
    };
    let databases = cx.session.databases();
    let mut rows: Rows = databases.iter().map(|(oid, name)| row(*oid, name, false)).collect();
    rows.extend([row(1, "template1", true), row(4, "template0", true)]);
    rows
}

/// All roles: the user, who owns everything, and those that were made.
fn roles(catalog: &Catalog, cx: &VirtualCx<'_>) -> Vec<(String, Role)> {
    let owner =
        Role { oid: OWNER, superuser: true, login: true, create_role: true, create_database: true };
    let mut all = vec![(cx.scope.user.to_string(), owner)];
    let made = catalog.roles.iter().filter(|(name, _)| **name != *cx.scope.user);
    all.extend(made.map(|(name, role)| (name.clone(), role.clone())));
    all.extend(PREDEFINED.map(|(oid, name)| (name.to_owned(), Role { oid, ..Role::default() })));
    all
}

pub(super) fn pg_authid(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |(name, r): (String, Role)| {
        vec![
            int(r.oid),
            text(name),
            flag(r.superuser),
            flag(true),
            flag(r.create_role),
            flag(r.create_database),
            flag(r.login),
            flag(r.superuser),
            flag(r.superuser),
            int(-1),
            NULL,
            NULL,
        ]
    };
    roles(catalog, cx).into_iter().map(row).collect()
}

pub(super) fn pg_roles(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |(name, r): (String, Role)| {
        vec![
            text(name),
            flag(r.superuser),
            flag(true),
            flag(r.create_role),
            flag(r.create_database),
            flag(r.login),
            flag(r.superuser),
            int(-1),
            text("********"),
            NULL,
            flag(r.superuser),
            NULL,
            int(r.oid),
        ]
    };
    roles(catalog, cx).into_iter().map(row).collect()
}

/// `pg_user` and `pg_shadow`.
pub(super) fn pg_user(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |(name, r): (String, Role)| {
        vec![
            text(name),
            int(r.oid),
            flag(r.create_database),
            flag(r.superuser),
            flag(r.superuser),
            flag(r.superuser),
            text("********"),
            NULL,
            NULL,
        ]
    };
    roles(catalog, cx).into_iter().filter(|(_, r)| r.login).map(row).collect()
}

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
                    let columns =
                        table.index(*index).and_then(|i| crate::catalog::ddl::key_columns(i));
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
    sequences.filter(|oid| crate::catalog::ddl::draws_from(catalog, default, *oid)).collect()
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

pub(super) fn pg_settings(_: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let some = |value: &str| if value.is_empty() { NULL } else { text(value) };
    let row = |s: super::SettingRow| {
        let values = s.values.iter().map(text).collect::<Vec<_>>();
        vec![
            text(s.name),
            text(s.setting),
            some(s.unit),
            text(s.category),
            text(s.description),
            NULL,
            text(s.context),
            text(s.vartype),
            text(if s.set { "session" } else { "default" }),
            some(s.min),
            some(s.max),
            if values.is_empty() { NULL } else { list(TypeId::TEXT, values) },
            text(s.boot),
            text(s.reset),
            NULL,
            NULL,
            flag(false),
        ]
    };
    cx.session.settings().into_iter().map(row).collect()
}

pub(super) fn pg_prepared_statements(_: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |(name, statement, types): (String, String, Vec<TypeId>)| {
        let types = types.iter().map(|t| int(t.0)).collect();
        let types = list(TypeId::REGTYPE, types);
        vec![text(name), text(statement), Datum::Timestamp(0), types, flag(true), int(0), int(0)]
    };
    cx.session.prepared().into_iter().map(row).collect()
}

pub(super) fn pg_prepared_xacts(_: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row = |row: super::PreparedRow| {
        let (number, time) = (int(row.number), Datum::Timestamp(row.time));
        vec![number, text(row.identifier), time, text(row.owner), text(row.database)]
    };
    cx.session.in_doubt().into_iter().map(row).collect()
}

pub(super) fn pg_cursors(_: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let row =
        |(name, statement, holdable, binary, scrollable): (String, String, bool, bool, bool)| {
            vec![
                text(name),
                text(statement),
                flag(holdable),
                flag(binary),
                flag(scrollable),
                Datum::Timestamp(0),
            ]
        };
    cx.session.cursors().into_iter().map(row).collect()
}

pub(super) fn pg_stat_activity(_: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let Some(table) = super::table("pg_stat_activity") else { return Vec::new() };
    let databases = cx.session.databases();
    let row = |row: super::ActivityRow| {
        let value = |(name, _): &(&str, TypeId)| match *name {
            "datid" => {
                let own = databases.iter().find(|(_, name)| *name == row.database);
                int(own.map_or(DATABASE, |(oid, _)| *oid))
            }
            "datname" => text(&*row.database),
            "pid" => int(row.pid),
            "usesysid" => int(OWNER),
            "usename" => text(&*row.user),
            "application_name" => text(&*row.application),
            "query" => text(&*row.query),
            "state" => text(row.state),
            "wait_event_type" if row.waits => text("Lock"),
            "backend_type" => text("client backend"),
            _ => NULL,
        };
        table.columns.iter().map(value).collect()
    };
    cx.session.activities().into_iter().map(row).collect()
}

/// Locks on tables and advisory ones, and who waits for the row of another transaction. Locks on rows are in the
/// rows, as in PostgreSQL.
pub(super) fn pg_locks(_: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let Some(table) = super::table("pg_locks") else { return Vec::new() };
    let databases = cx.session.databases();
    let database = databases.iter().find(|(_, name)| name == cx.database);
    let database = database.map_or(DATABASE, |(oid, _)| *oid);
    let row = |row: super::LockRow| {
        let (kind, relation, advisory) = match row.what {
            Locked::Relation(oid) => ("relation", Some(oid), None),
            Locked::Advisory(key) => ("advisory", None, Some(key)),
            Locked::Transaction => ("transactionid", None, None),
        };
        let advisory = advisory.map(|key| match key {
            AdvisoryKey::One(number) => ((number >> 32) as u32, number as u32, 1),
            AdvisoryKey::Two(first, second) => (first as u32, second as u32, 2),
        });
        let value = |(name, _): &(&str, TypeId)| match *name {
            "locktype" => text(kind),
            "database" if relation.is_some() || advisory.is_some() => int(database),
            "relation" => relation.map_or(NULL, int),
            "classid" => advisory.map_or(NULL, |(class, _, _)| int(class)),
            "objid" => advisory.map_or(NULL, |(_, object, _)| int(object)),
            "objsubid" => advisory.map_or(NULL, |(_, _, part)| int(part)),
            "virtualtransaction" => text(&row.transaction),
            "pid" => row.pid.map_or(NULL, int),
            "mode" => text(row.mode),
            "granted" => flag(row.granted),
            "fastpath" => flag(false),
            _ => NULL,
        };
        table.columns.iter().map(value).collect()
    };
    cx.session.locks().into_iter().map(row).collect()
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
