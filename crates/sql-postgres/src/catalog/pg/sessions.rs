//! What only sessions know: settings, statements, cursors, locks, activity.

use super::context::{Locked, VirtualCx};
use super::oids::DATABASE;
use super::value::*;
use crate::catalog::{Catalog, OWNER};
use crate::types::{Datum, PgType, TypeId};
use hobgoblin_sql_schema::context::AdvisoryKey;

type Rows = Vec<Vec<Datum>>;

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
