//! Text search dictionaries by name and by oid, for `regdictionary`.

use super::extensions;
use crate::catalog::names::split_text;
use crate::catalog::quote_ident;
use crate::types::{Names, Oid};

/// A dictionary: its oid and its name, and its extension if it has one.
type Dictionary = (Oid, &'static str, Option<&'static str>);

fn all() -> impl Iterator<Item = Dictionary> {
    let own = include_str!("data/pg_ts_dict.tsv").lines();
    let own = own.map(|line| (None, line.split('\t').collect::<Vec<_>>()));
    let added = extensions::lines("pg_ts_dict").map(|(extension, line)| (Some(extension), line));
    own.chain(added).filter_map(|(extension, fields)| {
        Some((fields.first()?.parse().ok()?, *fields.get(1)?, extension))
    })
}

/// The schema a dictionary is in; none if its extension was not made.
fn schema<'a>((_, _, extension): &Dictionary, names: &'a dyn Names) -> Option<&'a str> {
    extension.map_or(Some("pg_catalog"), |extension| names.extension_schema(extension))
}

fn is_searched(schema: &str, names: &dyn Names) -> bool {
    schema == "pg_catalog" || names.searches(schema)
}

/// The oid of a dictionary by its name, which may be qualified.
pub(crate) fn dictionary_by_name(text: &str, names: &dyn Names) -> Option<Oid> {
    let parts = split_text(text)?;
    let (within, name) = match parts.as_slice() {
        [name] => (None, name),
        [schema, name] | [_, schema, name] => (Some(schema.as_str()), name),
        _ => return None,
    };
    let found = all().find(|dictionary| {
        dictionary.1 == name
            && schema(dictionary, names).is_some_and(|found| match within {
                Some(within) => found == within,
                None => is_searched(found, names),
            })
    });
    found.map(|(oid, _, _)| oid)
}

/// A dictionary as regdictionary prints it.
pub(crate) fn dictionary_name(oid: Oid, names: &dyn Names) -> Option<String> {
    let found = all().find(|(known, _, _)| *known == oid)?;
    let (schema, name) = (schema(&found, names)?, quote_ident(found.1));
    Some(match is_searched(schema, names) {
        true => name.into_owned(),
        false => format!("{}.{name}", quote_ident(schema)),
    })
}
