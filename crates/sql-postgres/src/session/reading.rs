//! Reads the texts of statements, long ones on a thread of their own.

use std::sync::atomic::Ordering;

use hobgoblin_sql_session::{Interrupts, Reading};

use crate::error::{Result, SqlError};
use crate::parse::escapes::{Backslashes, conforming};
use crate::parse::{LONG, Statement, Stop, parse};

/// The statements of a text, and the warnings about it.
pub(super) type Read = Result<(Vec<Statement>, Vec<SqlError>)>;

/// The statements of a text, and the warnings about it; any for a session that is interrupted.
pub(super) fn read(
    reading: &mut Reading<Read>,
    interrupts: &Interrupts,
    sql: &str,
    how: Option<Backslashes>,
) -> Read {
    if sql.len() < LONG {
        return read_here(sql, how, &Stop::never());
    }
    let text = sql.to_owned();
    let aside = reading.aside(interrupts, move |told| {
        read_here(&text, how, &Stop::when(move || told.load(Ordering::Relaxed)))
    });
    match aside {
        Ok(read) => read.unwrap_or_else(|| Ok(Default::default())),
        Err(_) => read_here(sql, how, &Stop::never()),
    }
}

/// Without what the settings say of backslashes if the text has none.
fn read_here(sql: &str, how: Option<Backslashes>, stop: &Stop) -> Read {
    let Some(how) = how else { return Ok((parse(sql, stop)?, Vec::new())) };
    let (sql, warnings) = conforming(sql, how)?;
    Ok((parse(&sql, stop)?, warnings))
}
