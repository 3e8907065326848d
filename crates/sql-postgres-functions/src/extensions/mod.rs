//! What extensions add: functions, operators and aggregates that are there once CREATE EXTENSION was run.
//!
//! Each extension is a row of [`ADDED`], with tables like those of the built-in functions. Which of them a call
//! reaches is for [`Functions`](crate::Functions) to say, by the schema the extension is in.

mod citext;
mod hstore;
mod trgm;
mod unaccent;
mod uuid_ossp;

use super::{Aggregate, Function, SetFunction};
use crate::Entry;

/// What one extension adds.
struct Added {
    extension: &'static str,
    functions: &'static [&'static [Function]],
    sets: &'static [SetFunction],
    aggregates: &'static [Aggregate],
}

static ADDED: &[Added] = &[
    Added {
        extension: "uuid-ossp",
        functions: &[uuid_ossp::FUNCTIONS],
        sets: &[],
        aggregates: &[],
    },
    Added { extension: "unaccent", functions: &[unaccent::FUNCTIONS], sets: &[], aggregates: &[] },
    Added {
        extension: "pg_trgm",
        functions: &[trgm::FUNCTIONS, trgm::OPERATORS, trgm::DISTANCES],
        sets: &[],
        aggregates: &[],
    },
    Added {
        extension: "citext",
        functions: &[citext::COMPARISONS, citext::PATTERNS, citext::FUNCTIONS],
        sets: citext::SETS,
        aggregates: citext::AGGREGATES,
    },
    Added {
        extension: "hstore",
        functions: &[hstore::OPERATORS, hstore::COMPARISONS, hstore::FUNCTIONS],
        sets: hstore::SETS,
        aggregates: &[],
    },
];

/// Every row of the tables, with its extension.
pub fn entries() -> impl Iterator<Item = (&'static str, Entry)> {
    ADDED.iter().flat_map(|added| {
        let functions = added.functions.iter().copied().flatten().map(Entry::Scalar);
        let sets = added.sets.iter().map(Entry::Set);
        let aggregates = added.aggregates.iter().map(Entry::Aggregate);
        functions.chain(sets).chain(aggregates).map(|entry| (added.extension, entry))
    })
}
