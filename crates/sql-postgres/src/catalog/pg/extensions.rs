//! Extensions: those PostgreSQL 15 comes with, those that were made, and what these add to the catalogue.
//!
//! `data/extensions.tsv` has the rows of the catalogue that each extension adds, as PostgreSQL prints them with
//! COPY, with the extension and the table before them. Their oids are ours: the same in every database, and above
//! all that a catalogue gives.

use std::sync::LazyLock;

use super::context::VirtualCx;
use super::oids::PG_TYPE;
use super::tables;
use super::value::*;
use crate::catalog::Catalog;
use crate::catalog::{OWNER, PG_CATALOG, schema_oid};
use crate::types::{Datum, Oid, PgType};

/// A version of an extension that PostgreSQL comes with.
#[derive(Debug)]
pub(crate) struct Available {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    superuser: bool,
    trusted: bool,
    relocatable: bool,
    schema: Option<&'static str>,
    requires: Option<&'static str>,
    comment: &'static str,
    /// Whether this version is made where none is named.
    pub(crate) default: bool,
}

static AVAILABLE: LazyLock<Vec<Available>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let f: Vec<&'static str> = line.split('\t').collect();
        let optional = |at: usize| f.get(at).copied().filter(|field| *field != "\\N");
        Some(Available {
            name: f.first()?,
            version: f.get(1)?,
            superuser: *f.get(2)? == "t",
            trusted: *f.get(3)? == "t",
            relocatable: *f.get(4)? == "t",
            schema: optional(5),
            requires: optional(6),
            comment: f.get(7)?,
            default: *f.get(8)? == "t",
        })
    };
    include_str!("data/available_extensions.tsv").lines().filter_map(read).collect()
});

/// The versions of an extension that PostgreSQL comes with.
pub(crate) fn versions(name: &str) -> impl Iterator<Item = &'static Available> {
    AVAILABLE.iter().filter(move |available| available.name == name)
}

/// What an extension says of itself.
pub(crate) fn extension_comment(name: &str) -> Option<&'static str> {
    versions(name).find(|available| available.default).map(|available| available.comment)
}

fn is_made(catalog: &Catalog, available: &Available) -> bool {
    let made = available.name == "plpgsql" || catalog.extensions.contains_key(available.name);
    made && available.default
}

pub(super) fn pg_extension(catalog: &Catalog, _: &VirtualCx<'_>) -> Vec<Vec<Datum>> {
    let row = |oid: Oid, name: &str, schema: Oid| {
        let default = versions(name).find(|available| available.default);
        vec![
            int(oid),
            text(name),
            int(OWNER),
            int(schema),
            flag(default.is_some_and(|available| available.relocatable)),
            text(default.map_or("", |available| available.version)),
            NULL,
            NULL,
        ]
    };
    let mut rows = vec![row(13564, "plpgsql", PG_CATALOG)];
    rows.extend(
        catalog
            .extensions
            .iter()
            .map(|(name, made)| row(made.oid, name, schema_oid(catalog, &made.schema))),
    );
    rows
}

pub(super) fn pg_available_extensions(catalog: &Catalog, _: &VirtualCx<'_>) -> Vec<Vec<Datum>> {
    let defaults = AVAILABLE.iter().filter(|available| available.default);
    let row = |available: &Available| {
        let version = text(available.version);
        let installed = if is_made(catalog, available) { version.clone() } else { NULL };
        vec![text(available.name), version, installed, text(available.comment)]
    };
    defaults.map(row).collect()
}

pub(super) fn pg_available_extension_versions(
    catalog: &Catalog,
    _: &VirtualCx<'_>,
) -> Vec<Vec<Datum>> {
    let optional = |value: Option<&str>| value.map_or(NULL, text);
    let row = |available: &Available| {
        let requires = available.requires.map(|list_of| list_of.split(',').map(text).collect());
        vec![
            text(available.name),
            text(available.version),
            flag(is_made(catalog, available)),
            flag(available.superuser),
            flag(available.trusted),
            flag(available.relocatable),
            optional(available.schema),
            requires.map_or(NULL, |requires| list(crate::types::TypeId::NAME, requires)),
            text(available.comment),
        ]
    };
    AVAILABLE.iter().map(row).collect()
}

/// The rows that extensions add to a table, as fields, each with its extension.
pub(super) fn lines(
    table: &'static str,
) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    include_str!("data/extensions.tsv").lines().filter_map(move |line| {
        let mut fields = line.split('\t');
        let extension = fields.next()?;
        (fields.next()? == table).then(|| (extension, fields.collect()))
    })
}

/// The rows that the extensions that were made add to a table.
pub(super) fn rows(catalog: &Catalog, name: &'static str) -> Vec<Vec<Datum>> {
    let Some(table) = tables::table(name).filter(|_| !catalog.extensions.is_empty()) else {
        return Vec::new();
    };
    let namespace = table.columns.iter().position(|(column, _)| column.ends_with("namespace"));
    let row = |(extension, fields): (&str, Vec<&'static str>)| {
        let made = catalog.extensions.get(extension)?;
        let mut row = tables::row(table, fields.into_iter());
        if let Some(place) = namespace.and_then(|at| row.get_mut(at)) {
            *place = int(schema_oid(catalog, &made.schema));
        }
        Some(row)
    };
    lines(name).filter_map(row).collect()
}

/// The catalogues whose rows are members of extensions, with their oids.
const MEMBERS: [(&str, Oid); 7] = [
    ("pg_proc", 1255),
    ("pg_cast", 2605),
    ("pg_operator", 2617),
    ("pg_opclass", 2616),
    ("pg_opfamily", 2753),
    ("pg_ts_dict", 3600),
    ("pg_ts_template", 3764),
];

/// What belongs to the extensions that were made: the oid of its catalogue and its own, and the extension's.
pub(super) fn members(catalog: &Catalog) -> Vec<(Oid, Oid, Oid)> {
    let mut members = Vec::new();
    for (name, made) in &catalog.extensions {
        for (table, class) in MEMBERS {
            let own = lines(table).filter(|(extension, _)| extension == name);
            let oids = own.filter_map(|(_, fields)| fields.first()?.parse().ok());
            members.extend(oids.map(|oid: Oid| (class, oid, made.oid)));
        }
        let types = crate::types::builtin::of_extension(name).filter(|ty| !ty.is_array());
        members.extend(types.map(|ty| (PG_TYPE, ty.oid.0, made.oid)));
    }
    members
}
