//! What would have prevented an anomaly: the weakest level that does, by the name it has in databases, then what fits
//! the statements at hand.

use hobgoblin_core::{Anomaly, Edge, EventId, Level, Reason};

use super::case::Case;
use super::lost_update::LostUpdate;
use super::row::Rows;
use super::statement::{Statement, Verb};

/// What would have prevented it, the level first.
pub(super) fn prevented(case: &Case<'_>, rows: &Rows<'_>) -> Vec<String> {
    let mut repairs = vec![level(case)];
    match case.anomaly {
        Anomaly::LostUpdate => lost_update(case, rows, &mut repairs),
        Anomaly::WriteSkew => write_skew(case, &mut repairs),
        Anomaly::NonRepeatableRead
        | Anomaly::FracturedRead
        | Anomaly::ReadSkew
        | Anomaly::NonMonotonicRead
            if case.is_sql() && only_reads(case) =>
        {
            repairs.push("reading all of it in one statement".to_owned());
        }
        Anomaly::ReadYourWrites | Anomaly::NonMonotonicSession => {
            repairs.push("sending the reads of a session to where its writes went".to_owned());
        }
        Anomaly::ReadOnlyAnomaly if case.is_sql() => {
            repairs
                .push("in PostgreSQL, SERIALIZABLE READ ONLY DEFERRABLE for the reader".to_owned());
        }
        _ => {}
    }
    repairs
}

/// Whether a reader went wrong by reads alone.
fn only_reads(case: &Case<'_>) -> bool {
    let reads = |edge: &Edge| matches!(edge.why, Reason::Read(_) | Reason::Overwrite(_));
    case.circle.iter().all(reads)
}

/// The weakest level that forbids it, as databases call it.
fn level(case: &Case<'_>) -> String {
    let retry = "one of them fails and is run again";
    match case.level {
        Level::RU => {
            "any database that works: look at how this was recorded, or report it".to_owned()
        }
        Level::RC => match case.read {
            Some(_) => "READ COMMITTED".to_owned(),
            None => "READ COMMITTED on one server".to_owned(),
        },
        _ if matches!(case.anomaly, Anomaly::ReadYourWrites | Anomaly::NonMonotonicSession) => {
            "READ COMMITTED on one server (a replica may lag behind)".to_owned()
        }
        Level::RA | Level::CC | Level::PC => {
            "REPEATABLE READ in PostgreSQL and MySQL: a transaction reads from one snapshot"
                .to_owned()
        }
        Level::PSI | Level::SI if case.anomaly == Anomaly::LostUpdate => {
            "REPEATABLE READ in PostgreSQL, SERIALIZABLE in MySQL (one of the two is run again)"
                .to_owned()
        }
        Level::PSI | Level::SI => "REPEATABLE READ in PostgreSQL (snapshot isolation)".to_owned(),
        Level::SER => {
            format!("SERIALIZABLE ({retry}); REPEATABLE READ allows it")
        }
        Level::SSER => {
            "strict serializability: reading from the server that has the newest data".to_owned()
        }
    }
}

fn lost_update(case: &Case<'_>, rows: &Rows<'_>, repairs: &mut Vec<String>) {
    let Some(lost) = LostUpdate::of(case) else { return };
    if !case.is_sql() {
        repairs.push("locking it before it is read".to_owned());
        repairs.push("writing it only if it still is what was read".to_owned());
        return;
    }
    let select = lost.reads.into_iter().flatten().find_map(|read| {
        let statement = Statement::of(case.statement(read)?);
        (statement.verb() == Verb::Select && !statement.locks()).then_some(statement)
    });
    if let Some(select) = select {
        repairs.push(format!("FOR UPDATE at the end of `{}`", select.line()));
    }
    let update = lost.writes.into_iter().flatten().rev().find_map(|write| {
        let statement = Statement::of(case.statement(write)?);
        (statement.verb() == Verb::Update).then_some(statement)
    });
    let Some(update) = update else { return };
    let place = rows.place(lost.key);
    let column = place.rsplit_once('.').map(|(_, column)| column).filter(|_| place.contains(')'));
    repairs.push(match (update.is_relative(column), column) {
        (true, _) => {
            "the condition in the WHERE of the UPDATE, and a look at how many rows changed"
                .to_owned()
        }
        (false, Some(column)) => {
            format!("an UPDATE that computes the new value: SET {column} = {column} + …")
        }
        (false, None) => "an UPDATE that computes the new value from the old one".to_owned(),
    });
}

fn write_skew(case: &Case<'_>, repairs: &mut Vec<String>) {
    let reads: Vec<EventId> = case.overwritten().map(|(read, _)| read).collect();
    if reads.iter().any(|&read| case.history.value(read).is_null()) {
        repairs.push(
            "a constraint (UNIQUE, EXCLUDE), or a lock on a row that stands for all of it; FOR UPDATE does \
             not help, since there is no row yet to lock"
                .to_owned(),
        );
        return;
    }
    repairs.push(match case.is_sql() {
        true => "FOR UPDATE where the rows are read".to_owned(),
        false => "locking what is read".to_owned(),
    });
    repairs.push(
        "keeping the rule in one row, or a constraint, that all of them must write".to_owned(),
    );
}

/// The names of the field: `lost update; forbidden from parallel snapshot isolation (PSI) up`.
pub(super) fn names(case: &Case<'_>) -> String {
    let title = case.anomaly.title();
    let level = case.level;
    match level {
        Level::RU => format!("{title}; forbidden at every level"),
        Level::SSER => format!("{title}; forbidden by {} ({level})", level.info().title),
        _ => format!("{title}; forbidden from {} ({level}) up", level.info().title),
    }
}
