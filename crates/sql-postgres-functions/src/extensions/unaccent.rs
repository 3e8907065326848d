//! unaccent: text without its accents, by the rules PostgreSQL comes with.
//!
//! `unaccent.tsv` is PostgreSQL's `unaccent.rules`, under the licence in `unaccent.LICENSE`: on each line what is
//! put in the place of the characters after it. Every rule is about one character, so a text is read once.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::args::text;
use super::super::table::*;
use super::super::{Call, Function};
use crate::error::{Result, SqlError};
use crate::types::{Datum, Oid, PgType, TypeId};

pub(super) static FUNCTIONS: &[Function] = &[
    function("unaccent", &[TEXT], TEXT, |call| text(unaccent(call.text(0)?))).stable(),
    function("unaccent", &[TypeId::REGDICTIONARY, TEXT], TEXT, by_dictionary).stable(),
];

static RULES: LazyLock<HashMap<char, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("unaccent.tsv").lines().filter_map(|line| line.split_once('\t'));
    lines.flat_map(|(by, chars)| chars.chars().map(move |c| (c, by))).collect()
});

fn unaccent(accented: &str) -> String {
    let mut plain = String::with_capacity(accented.len());
    for c in accented.chars() {
        match RULES.get(&c).filter(|_| !c.is_ascii()) {
            Some(by) => plain.push_str(by),
            None => plain.push(c),
        }
    }
    plain
}

/// The dictionary `simple`, which makes letters small.
const SIMPLE: Oid = 3765;

/// The dictionary of the extension.
const UNACCENT: Oid = 2_000_001_006;

fn by_dictionary(call: &mut Call<'_>) -> Result<Datum> {
    match Oid::try_from(call.int(0)?) {
        Ok(UNACCENT) => text(unaccent(call.text(1)?)),
        Ok(SIMPLE) => text(call.text(1)?.to_lowercase()),
        _ => Err(SqlError::unsupported("unaccent with this text search dictionary")),
    }
}
