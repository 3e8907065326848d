//! Statements from a seed: a schema of a few tables, then inserts, queries, updates, deletes and upserts
//! over it.
//!
//! Values and operators are chosen so that what a statement gives does not depend on the order rows are
//! visited in: floats are sums of halves, divisors are never zero, and integers stay far from their
//! limits. Errors come from constraints, and from literals that do not fit.

mod change;
mod expression;
pub(crate) mod pattern;
mod query;
mod random;
mod schema;
mod values;

use random::Random;
use schema::{Schema, Table};
use values::Type;

/// A column in scope of an expression.
#[derive(Clone)]
struct Column {
    /// As it is written: `t0.c1`.
    name: String,
    ty: Type,
}

/// Writes statements over one schema.
struct Writer {
    random: Random,
    schema: Schema,
}

/// A session of about this many statements.
pub(crate) fn session(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    let schema = Schema::choose(&mut random);
    let mut statements = schema.statements();
    let mut writer = Writer { random, schema };
    for table in 0..writer.schema.tables.len() {
        for _ in 0..4 {
            statements.push(writer.insert(table));
        }
    }
    while statements.len() < count {
        let statement = match writer.random.below(22) {
            0..=2 => writer.any_insert(),
            3 | 4 => writer.upsert(),
            5 | 6 => writer.update(),
            7 => writer.delete(),
            8 => writer.constant(),
            9 => writer.merge(),
            10 => writer.parts(),
            _ => writer.query(),
        };
        statements.push(statement);
    }
    let tables = writer.schema.tables.iter();
    statements.extend(tables.map(|table| format!("SELECT * FROM {}", table.name)));
    statements
}

impl Writer {
    fn any_table(&mut self) -> Table {
        let at = self.random.below(self.schema.tables.len());
        self.schema.tables[at].clone()
    }
}

/// The columns of a table under an alias.
fn columns_of(table: &Table, alias: &str) -> Vec<Column> {
    let columns = table.columns.iter();
    columns
        .map(|column| Column { name: format!("{alias}.{}", column.name), ty: column.ty })
        .collect()
}
