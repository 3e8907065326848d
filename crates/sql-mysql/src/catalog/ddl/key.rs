//! Keys: their names, their columns, and which of them a table may have.

use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_mysql_types::{Kind, MyType};
use hobgoblin_sql_schema::Result;
use sqlparser::ast::{Expr, OrderBySort};

use super::change::Ddl;
use super::definition::{Definition, KeyPlan};
use crate::catalog::names::{self, same};
use crate::syntax::{Key, KeyKind};

/// The most bytes of a key.
const MOST_BYTES: u32 = 3072;

impl Ddl<'_, '_> {
    /// A key as it is written.
    pub(super) fn read_key(&self, key: &Key) -> Result<KeyPlan> {
        let name = match key.kind {
            KeyKind::Primary => "PRIMARY",
            _ => {
                let written = key.name.as_ref().or(key.constraint.as_ref());
                // A constraint's name goes before that of the index.
                let written = key.constraint.as_ref().or(written);
                written.map_or("", |name| name.value.as_str())
            }
        };
        names::check_length(name)?;
        if key.kind != KeyKind::Primary && same(name, "PRIMARY") {
            return Err(error(1280, format!("Incorrect index name '{name}'")));
        }
        let mut parts = Vec::new();
        for part in &key.parts {
            let Expr::Identifier(column) = &part.column else {
                return Err(hobgoblin_sql_schema::SqlError::unsupported("keys over expressions"));
            };
            let descends = matches!(part.sort, Some(OrderBySort::Desc));
            let length = part.length.map(|length| u32::try_from(length).unwrap_or(u32::MAX));
            if length == Some(0) {
                let message = format!("Key part '{}' length cannot be 0", column.value);
                return Err(error(1391, message));
            }
            parts.push((column.value.clone(), length, descends));
        }
        if key.kind == KeyKind::Spatial {
            return Err(hobgoblin_sql_schema::SqlError::unsupported("SPATIAL KEY"));
        }
        Ok(KeyPlan {
            kind: key.kind,
            name: name.to_owned(),
            parts,
            using: key.how.using.clone(),
            comment: key.how.comment.clone().unwrap_or_default(),
            ignored: key.how.invisible,
            generated: false,
            was: None,
        })
    }
}

/// Gives the keys of a table their names, their columns and their order, and refuses those that cannot be.
pub(super) fn settle(definition: &mut Definition) -> Result<()> {
    drop_needless(definition);
    let primaries = definition.keys.iter().filter(|key| key.kind == KeyKind::Primary).count();
    if primaries > 1 {
        return Err(error(1068, "Multiple primary key defined"));
    }
    for at in 0..definition.keys.len() {
        name_key(definition, at)?;
        check_parts(definition, at)?;
    }
    check_auto(definition)?;
    let columns = &definition.columns;
    let nullable = |key: &KeyPlan| {
        key.parts
            .iter()
            .any(|(name, ..)| columns.iter().any(|c| same(&c.name, name) && !c.not_null))
    };
    let partial = |key: &KeyPlan| key.parts.iter().any(|(_, length, _)| length.is_some());
    let rank = |key: &KeyPlan| match key.kind {
        KeyKind::Primary => (0, false, false),
        KeyKind::Unique => (1, nullable(key), partial(key)),
        KeyKind::Plain | KeyKind::Spatial => (2, false, false),
        KeyKind::Fulltext => (3, false, false),
    };
    let mut keys = definition.keys.clone();
    keys.sort_by_key(rank);
    definition.keys = keys;
    Ok(())
}

/// Keys made for foreign keys go where another key begins as they do.
fn drop_needless(definition: &mut Definition) {
    let keys = definition.keys.clone();
    let begins = |key: &KeyPlan, other: &KeyPlan| {
        other.kind != KeyKind::Fulltext
            && key.parts.len() <= other.parts.len()
            && key.parts.iter().zip(&other.parts).all(|(a, b)| same(&a.0, &b.0) && b.1.is_none())
    };
    let needless = |at: usize| {
        let key = &keys[at];
        key.generated
            && keys.iter().enumerate().any(|(other, found)| {
                // Of two that are the same, the one that is there stays, and else the later one.
                let first = match (key.was.is_some(), found.was.is_some()) {
                    (false, true) => true,
                    (true, false) => false,
                    _ => other < at,
                };
                other != at
                    && begins(key, found)
                    && (!found.generated || !begins(found, key) || first)
            })
    };
    definition.keys = keys
        .iter()
        .enumerate()
        .filter(|(at, _)| !needless(*at))
        .map(|(_, key)| key.clone())
        .collect();
}

fn name_key(definition: &mut Definition, at: usize) -> Result<()> {
    let taken = |name: &str, keys: &[KeyPlan]| keys.iter().any(|key| same(&key.name, name));
    let key = &definition.keys[at];
    if key.name.is_empty() {
        let first = key.parts.first().map_or("", |part| part.0.as_str());
        let first = definition
            .columns
            .iter()
            .find(|column| same(&column.name, first))
            .map_or(first, |column| column.name.as_str())
            .to_owned();
        let before = &definition.keys[..at];
        let mut name = first.clone();
        let mut number = 2;
        while taken(&name, before) || same(&name, "PRIMARY") {
            name = format!("{first}_{number}");
            number += 1;
        }
        definition.keys[at].name = name;
        return Ok(());
    }
    match taken(&key.name, &definition.keys[..at]) {
        true => Err(error(1061, format!("Duplicate key name '{}'", key.name))),
        false => Ok(()),
    }
}

fn check_parts(definition: &mut Definition, at: usize) -> Result<()> {
    let mut key = definition.keys[at].clone();
    let mut bytes = 0u32;
    for number in 0..key.parts.len() {
        let (name, length, _) = key.parts[number].clone();
        let Some(column) = definition.columns.iter_mut().find(|column| same(&column.name, &name))
        else {
            return Err(error(1072, format!("Key column '{name}' doesn't exist in table")));
        };
        if key.parts[..number].iter().any(|part| same(&part.0, &name)) {
            return Err(error(error::DUPLICATE_COLUMN, format!("Duplicate column name '{name}'")));
        }
        key.parts[number].0.clone_from(&column.name);
        if key.kind == KeyKind::Primary {
            if column.generated
                && !column.notes.generated.as_ref().is_some_and(|(_, stored)| *stored)
            {
                return Err(error(1903, "Primary key cannot be defined upon a generated column"));
            }
            if !column.not_null {
                column.not_null = true;
                if column.notes.default == crate::catalog::notes::ShownDefault::Null {
                    column.notes.default = crate::catalog::notes::ShownDefault::Nothing;
                }
            }
        }
        if key.kind == KeyKind::Fulltext {
            if !column.ty.has_letters() {
                let message = format!("Column '{name}' cannot be part of FULLTEXT index");
                return Err(error(1283, message));
            }
            key.parts[number].1 = None;
            continue;
        }
        key.parts[number].1 = part_length(column.ty, length, &key, &column.name)?;
        // A part that is too long is cut, unless the key is to be unique.
        if part_bytes(column.ty, key.parts[number].1) > MOST_BYTES && key.kind == KeyKind::Plain {
            let letters =
                if column.ty.has_letters() { column.ty.collation.most_bytes() } else { 1 };
            key.parts[number].1 = Some(MOST_BYTES / letters);
        }
        bytes = bytes.saturating_add(part_bytes(column.ty, key.parts[number].1));
    }
    if bytes > MOST_BYTES {
        let message = format!("Specified key was too long; max key length is {MOST_BYTES} bytes");
        return Err(error(1071, message));
    }
    definition.keys[at] = key;
    Ok(())
}

/// How much of a column is in a key; nothing for all of it.
fn part_length(
    ty: MyType,
    length: Option<u32>,
    key: &KeyPlan,
    column: &str,
) -> Result<Option<u32>> {
    let large = ty.is_text() && ty.kind > Kind::VarChar;
    let Some(length) = length else {
        return match (large, key.kind) {
            (true, KeyKind::Plain) => {
                let letters = if ty.has_letters() { ty.collation.most_bytes() } else { 1 };
                let most = if ty.kind == Kind::TinyText { 255 } else { MOST_BYTES / letters };
                Ok(Some(most))
            }
            (true, KeyKind::Primary) => {
                let message = format!(
                    "BLOB/TEXT column '{column}' used in key specification without a key length"
                );
                Err(error(1170, message))
            }
            _ => Ok(None),
        };
    };
    if !ty.is_text() || !large && length > ty.length {
        let message = "Incorrect prefix key; the used key part isn't a string, the used length is longer than the key part, or the storage engine doesn't support unique prefix keys";
        return Err(error(1089, message));
    }
    Ok(if !large && length == ty.length { None } else { Some(length) })
}

fn part_bytes(ty: MyType, length: Option<u32>) -> u32 {
    let letters = if ty.has_letters() { ty.collation.most_bytes() } else { 1 };
    match length {
        Some(length) => length.saturating_mul(letters),
        None if ty.is_text() && ty.kind <= Kind::VarChar => ty.length.saturating_mul(letters),
        None => 8,
    }
}

/// Only one column counts, and a key begins with it.
fn check_auto(definition: &Definition) -> Result<()> {
    let mut counting = definition.columns.iter().filter(|column| column.auto);
    let Some(column) = counting.next() else { return Ok(()) };
    let keyed = definition.keys.iter().any(|key| {
        key.kind != KeyKind::Fulltext
            && key.parts.first().is_some_and(|part| same(&part.0, &column.name))
    });
    if counting.next().is_some() || !keyed {
        let message = "Incorrect table definition; there can be only one auto column and it must be defined as a key";
        return Err(error(1075, message));
    }
    Ok(())
}
