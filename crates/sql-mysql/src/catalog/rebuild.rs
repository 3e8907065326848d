//! Rows that are there when the columns of their table change: their values as the new columns take them.

use hobgoblin_sql_mysql_types::assign::{Place, assign};
use hobgoblin_sql_mysql_types::error;
use hobgoblin_sql_mysql_types::{Coercibility, Collation, MyType, Settings};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::{Column, Table};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

/// The values of rows in the columns of a table as it is; `from` has, for each column, the one that it was. What is not
/// given has its default.
pub(crate) fn converted(
    rows: Vec<Vec<Datum>>,
    before: &Table,
    after: &Table,
    from: &[Option<usize>],
    env: &TypeEnv<'_>,
) -> Result<Vec<Vec<Option<Datum>>>> {
    let row = |(row, number): (Vec<Datum>, u64)| {
        after
            .columns
            .iter()
            .zip(from)
            .map(|(column, was)| value(&row, before, column, *was, number, env))
            .collect::<Result<Vec<_>>>()
    };
    rows.into_iter().zip(1..).map(row).collect()
}

fn value(
    row: &[Datum],
    before: &Table,
    column: &Column,
    was: Option<usize>,
    number: u64,
    env: &TypeEnv<'_>,
) -> Result<Option<Datum>> {
    if column.generated {
        return Ok(None);
    }
    let Some(was) = was else {
        let bare = column.not_null && column.default.is_none() && column.identity.is_none();
        return Ok(if bare { Some(zero(column, env)?) } else { None });
    };
    let (old, value) = (&before.columns[was], &row[was]);
    if value.is_null() && column.identity.is_some() {
        return Ok(None);
    }
    if value.is_null() {
        if !column.not_null {
            return Ok(Some(Datum::Null));
        }
        let message = format!("Data truncated for column '{}' at row {number}", column.name);
        Settings::of(env).reject(error::TRUNCATED, message)?;
        return zero(column, env).map(Some);
    }
    if old.ty == column.ty {
        return Ok(Some(value.clone()));
    }
    let place = Place {
        column: column.name.as_str().into(),
        path: format!("`{}`.`{}`.`{}`", before.schema, before.name, column.name).into(),
        row: number,
    };
    let assigned = assign(value, MyType::of(old.ty), MyType::of(column.ty), &place, env);
    assigned.map(Some).map_err(|refused| match refused.more.number {
        // A text that is cut is told of as any value that is.
        Some(error::TOO_LONG_DATA) => {
            let message = format!("Data truncated for column '{}' at row {number}", column.name);
            error::error(error::TRUNCATED, message)
        }
        _ => refused,
    })
}

/// What a NOT NULL column without a default has in rows that are there.
fn zero(column: &Column, env: &TypeEnv<'_>) -> Result<Datum> {
    let ty = MyType::of(column.ty);
    if ty.kind == hobgoblin_sql_mysql_types::Kind::Enum {
        let first = hobgoblin_sql_mysql_types::members::enum_at(ty, 1, env.names);
        return Ok(first.unwrap_or_else(hobgoblin_sql_mysql_types::members::enum_error));
    }
    let (text, from) = match (ty.is_number(), ty.is_moment()) {
        (true, _) => ("0", MyType::BIGINT),
        (_, true) => ("0000-00-00 00:00:00", MyType::text(19, Collation::DEFAULT)),
        _ => ("", MyType::text(0, Collation::DEFAULT).held(Coercibility::Literal)),
    };
    let value = match ty.is_number() {
        true => Datum::Int(0),
        false if ty.kind == hobgoblin_sql_mysql_types::Kind::Time => Datum::text("00:00:00"),
        false => Datum::text(text),
    };
    assign(&value, from, ty, &Place::default(), env)
}

/// Whether an error is that a key is there already.
pub(crate) fn is_duplicate(error: &hobgoblin_sql_schema::SqlError) -> bool {
    matches!(error.problem(), Some(hobgoblin_sql_schema::Problem::DuplicateKey { .. }))
}
