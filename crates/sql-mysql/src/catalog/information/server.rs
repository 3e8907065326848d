//! What the server does: sessions, variables, counters.

use hobgoblin_sql_value::{Datum, Numeric};

use super::seen::{Process, Seen, number, perhaps, text};

pub(super) fn processlist(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let zero = || Datum::Numeric("0.000".parse::<Numeric>().expect("it is a number"));
    let processes = seen.session.processes().into_iter();
    let row = |process: Process| {
        let statement = process.statement.as_deref();
        vec![
            number(process.id),
            text(&process.user),
            text(&process.host),
            perhaps(process.database.as_deref()),
            text(if statement.is_some() { "Query" } else { "Sleep" }),
            number(process.seconds),
            text(process.state),
            perhaps(statement),
            zero(),
            number(0),
            number(0),
            zero(),
            number(0),
            number(0),
            number(0),
            number(0),
            statement.map_or(Datum::Null, |text| Datum::Bytes(text.as_bytes().into())),
            number(process.id),
        ]
    };
    processes.map(row).collect()
}

/// Names with values, the names in capitals.
pub(super) fn pairs(pairs: Vec<(String, String)>) -> Vec<Vec<Datum>> {
    let row = |(name, value): (String, String)| vec![text(&name.to_uppercase()), text(&value)];
    pairs.into_iter().map(row).collect()
}

/// Names with values, the names as they are.
pub(super) fn plain_pairs(pairs: Vec<(String, String)>) -> Vec<Vec<Datum>> {
    let row = |(name, value): (String, String)| vec![text(&name), text(&value)];
    pairs.into_iter().map(row).collect()
}

/// What variables there are.
pub(super) fn system_variables(seen: &Seen<'_>) -> Vec<Vec<Datum>> {
    let all = seen.session.described_variables().into_iter();
    all.map(|row| row.iter().map(|field| perhaps(field.as_deref())).collect()).collect()
}
