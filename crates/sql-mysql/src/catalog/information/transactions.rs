//! Open transactions and what they wait for: INNODB_TRX, INNODB_LOCK_WAITS, INNODB_LOCKS.
//!
//! A transaction has the number that histories know it by; in MariaDB one that has changed nothing has 0. A lock is called by
//! the number of its transaction and the key. What InnoDB counts of its memory and of its locks is 0.

use std::collections::BTreeMap;

use hobgoblin_sql_schema::catalog::Catalog;
use hobgoblin_sql_value::Datum;

use super::seen::{OpenTransaction, RowWait, Seen, number, perhaps, text};
use crate::catalog::names::{database_of, quoted};
use crate::syntax::Isolation;

/// The most characters of the name of a lock.
const LOCK_LENGTH: usize = 81;

/// The most characters of a statement.
const STATEMENT_LENGTH: usize = 1024;

/// The most characters of the values of a lock's key.
const DATA_LENGTH: usize = 8192;

fn first(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn lock_id(transaction: u32, key: &str) -> String {
    first(&format!("{transaction}:{key}"), LOCK_LENGTH)
}

fn level(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::ReadUncommitted => "READ UNCOMMITTED",
        Isolation::ReadCommitted => "READ COMMITTED",
        Isolation::RepeatableRead => "REPEATABLE READ",
        Isolation::Serializable => "SERIALIZABLE",
    }
}

/// INNODB_TRX.
pub(super) fn transactions(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let row = |transaction: OpenTransaction| {
        let wait = transaction.wait.as_ref();
        let lock = wait.map(|wait| lock_id(transaction.number, &wait.key));
        let statement = transaction.statement.as_deref();
        let at = match wait {
            None => "",
            Some(RowWait { inserts: true, .. }) => "inserting",
            Some(_) => "starting index read",
        };
        let mut row = vec![
            number(transaction.number),
            text(if wait.is_some() { "LOCK WAIT" } else { "RUNNING" }),
            transaction.started.datum(),
            perhaps(lock.as_deref()),
            wait.map_or(Datum::Null, |wait| wait.since.datum()),
            number(0),
            number(transaction.connection),
            perhaps(statement.map(|text| first(text, STATEMENT_LENGTH)).as_deref()),
            text(at),
        ];
        // Tables, locks, memory, rows and tickets.
        row.extend(std::iter::repeat_n(Datum::Int(0), 7));
        row.extend([
            text(level(transaction.isolation)),
            number(1),
            number(u8::from(transaction.checks_references)),
            Datum::Null,
            number(u8::from(transaction.read_only)),
            number(u8::from(transaction.lone_read)),
        ]);
        row
    };
    seen.session.transactions().into_iter().map(row).collect()
}

/// INNODB_LOCK_WAITS.
pub(super) fn lock_waits(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let mut rows = Vec::new();
    for transaction in seen.session.transactions() {
        let Some(wait) = transaction.wait else { continue };
        for &(blocker, _) in wait.blockers.iter().rev() {
            rows.push(vec![
                number(transaction.number),
                text(&lock_id(transaction.number, &wait.key)),
                number(blocker),
                text(&lock_id(blocker, &wait.key)),
            ]);
        }
    }
    rows
}

/// INNODB_LOCKS: those that somebody waits for, and those that are in the way.
pub(super) fn locks(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let all = seen.session.transactions();
    // By key, the newest transaction first.
    let mut found: BTreeMap<(&str, std::cmp::Reverse<u32>), &'static str> = BTreeMap::new();
    for transaction in &all {
        let Some(wait) = &transaction.wait else { continue };
        for &(blocker, shares) in &wait.blockers {
            let mode = if shares { "S" } else { "X" };
            found.entry((wait.key.as_str(), std::cmp::Reverse(blocker))).or_insert(mode);
        }
    }
    for transaction in &all {
        let Some(wait) = &transaction.wait else { continue };
        let mode = match (wait.gap, wait.shared) {
            (true, _) => "X,GAP",
            (false, true) => "S",
            (false, false) => "X",
        };
        found.insert((wait.key.as_str(), std::cmp::Reverse(transaction.number)), mode);
    }
    let row = |((key, transaction), mode): ((&str, std::cmp::Reverse<u32>), &'static str)| {
        let place = Place::of(key, seen.catalog);
        let data = place.data.map(|data| first(data, DATA_LENGTH));
        vec![
            text(&lock_id(transaction.0, key)),
            number(transaction.0),
            text(mode),
            text("RECORD"),
            text(&place.table),
            perhaps(place.index.as_deref()),
            number(0),
            number(0),
            number(0),
            perhaps(data.as_deref()),
        ]
    };
    found.into_iter().map(row).collect()
}

/// What a key of the store is in the schema.
#[derive(Default)]
struct Place<'k> {
    table: String,
    index: Option<String>,
    /// The values of the key, as the store writes them.
    data: Option<&'k str>,
}

impl Place<'_> {
    fn of<'k>(key: &'k str, catalog: &Catalog) -> Place<'k> {
        let inside = |prefix: &str| {
            let rest = key.strip_prefix(prefix)?.strip_prefix('[')?;
            Some(rest.strip_suffix(']').unwrap_or(rest))
        };
        for table in catalog.tables() {
            let name = || format!("{}.{}", quoted(database_of(&table.schema)), quoted(&table.name));
            if let Some(data) = inside(&table.prefix) {
                let index = table.indexes.iter().find(|index| index.primary);
                let index = index.map_or("GEN_CLUST_INDEX", |index| &index.name);
                return Place { table: name(), index: Some(index.to_owned()), data: Some(data) };
            }
            for index in table.indexes.iter().filter(|index| !table.keys_rows(index)) {
                if let Some(data) = inside(&index.prefix) {
                    return Place {
                        table: name(),
                        index: Some(index.name.clone()),
                        data: Some(data),
                    };
                }
            }
        }
        Place::default()
    }
}
