//! Places of a file as people find them: a line, and what stands there.

use hobgoblin_prove::program::{Place, Program, Statement, StatementKind};
use hobgoblin_prove::read::line_column;

/// How much of a statement is shown.
const SHOWN: usize = 100;

/// Where a statement stands, and its text on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) line: usize,
    /// In characters, from 1.
    pub(super) column: usize,
    /// Line and column behind its last character.
    pub(super) end: (usize, usize),
    pub(super) text: String,
}

impl Spot {
    /// The spot of a place. Of a statement that has others inside, it is the first line.
    pub(super) fn of(program: &Program, place: Place) -> Spot {
        let text = &program.text;
        let range = place.range();
        let start = range.start.min(text.len());
        let mut end = range.end.clamp(start, text.len());
        let inside = statements(program).find(|statement| statement.place == place);
        if inside.is_some_and(has_others_inside) {
            end = text[start..end].find('\n').map_or(end, |length| start + length);
        }
        let (line, column) = line_column(text, start);
        Spot { line, column, end: line_column(text, end), text: shown(&text[start..end]) }
    }
}

/// All statements of a program, those inside of others too.
pub(super) fn statements(program: &Program) -> impl Iterator<Item = &Statement> {
    let mut all: Vec<&Statement> = Vec::new();
    let mut open: Vec<&Statement> =
        program.transactions.iter().flat_map(|transaction| &transaction.body).collect();
    while let Some(statement) = open.pop() {
        all.push(statement);
        match &statement.kind {
            StatementKind::If { arms, otherwise } => {
                open.extend(arms.iter().flat_map(|(_, block)| block).chain(otherwise));
            }
            StatementKind::ForQuery { body, .. }
            | StatementKind::ForEach { body, .. }
            | StatementKind::ForRange { body, .. } => open.extend(body),
            StatementKind::Select { .. }
            | StatementKind::Insert { .. }
            | StatementKind::Update { .. }
            | StatementKind::Delete { .. }
            | StatementKind::Assign { .. }
            | StatementKind::Abort
            | StatementKind::Return(_)
            | StatementKind::Skip => {}
        }
    }
    all.into_iter()
}

fn has_others_inside(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::If { .. }
        | StatementKind::ForQuery { .. }
        | StatementKind::ForEach { .. }
        | StatementKind::ForRange { .. } => true,
        StatementKind::Select { .. }
        | StatementKind::Insert { .. }
        | StatementKind::Update { .. }
        | StatementKind::Delete { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Abort
        | StatementKind::Return(_)
        | StatementKind::Skip => false,
    }
}

/// Whether a statement writes rows.
pub(super) fn writes(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Insert { .. } | StatementKind::Update { .. } | StatementKind::Delete { .. }
    )
}

/// On one line, without comments, and cut where it is long.
fn shown(text: &str) -> String {
    let lines = text.lines().map(without_comment);
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let text = words.join(" ");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A line up to the comment at its end; two dashes in a string are none.
fn without_comment(line: &str) -> &str {
    let mut dashes = line.match_indices("--").map(|(at, _)| at);
    let is_outside = |at: &usize| line[..*at].matches('\'').count().is_multiple_of(2);
    dashes.find(is_outside).map_or(line, |at| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_shown_on_one_line() {
        assert_eq!(shown("UPDATE t -- now\n   SET a = 1;"), "UPDATE t SET a = 1;");
        assert_eq!(shown("SELECT '--', a -- b"), "SELECT '--', a");
        assert_eq!(shown(&"a".repeat(200)).chars().count(), SHOWN + 1);
    }
}
