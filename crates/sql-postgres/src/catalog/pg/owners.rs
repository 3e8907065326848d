//! Schemas, databases and roles.

use std::sync::Arc;

use super::context::VirtualCx;
use super::value::*;
use crate::catalog::{Catalog, OWNER, PREDEFINED, PUBLIC, Role};
use crate::types::{Array, Datum, Oid, PgType, TypeId};

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

/// The role that owns the schema `public`, which every database begins with.
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

/// The rows of `pg_user`, and of `pg_shadow`.
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
