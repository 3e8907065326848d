//! The text of the file with values where it names variables.
//!
//! ```text
//!     UPDATE accounts SET balance = v - p_amount WHERE id = p_id
//!                                   ^   ^^^^^^^^           ^^^^      mentions, as the reader found them
//!     UPDATE accounts SET balance = CAST('2' AS integer) - CAST('1' AS integer) WHERE id = CAST('1' AS integer)
//! ```
//!
//! Nothing else of it changes, so what runs is what the user wrote. What the reader made of something that stands nowhere, as
//! the comparisons of `CASE x WHEN y`, has an empty place and is written from its parts.

use crate::program::{Conflict, Expr, ExprKind, Place, Query, Statement, StatementKind};

/// What stands in a place instead of the text.
pub(super) type Replacement = (Place, String);

/// Pieces of a text, with replacements where they are inside. Of those that overlap, the first to begin counts.
pub(super) fn fill(text: &str, pieces: &[Place], replacements: &[Replacement]) -> String {
    let mut filled = String::new();
    for piece in pieces {
        if !filled.is_empty() {
            filled.push(' ');
        }
        let mut at = piece.start;
        for (place, value) in replacements {
            if place.start >= at && place.end <= piece.end && place.start < place.end {
                filled.push_str(part(text, at, place.start));
                filled.push_str(value);
                at = place.end;
            }
        }
        filled.push_str(part(text, at, piece.end));
    }
    filled
}

fn part(text: &str, start: u32, end: u32) -> &str {
    text.get(start as usize..end as usize).unwrap_or_default()
}

/// An expression as SQL.
pub(super) fn expression(text: &str, expr: &Expr, replacements: &[Replacement]) -> String {
    let inner = |expr: &Expr| expression(text, expr, replacements);
    if expr.place.start < expr.place.end {
        return format!("({})", fill(text, &[expr.place], replacements));
    }
    match &expr.kind {
        ExprKind::Int(value) => format!("({value})"),
        ExprKind::Decimal(numerator, denominator) => {
            format!("(CAST({numerator} AS numeric) / {denominator})")
        }
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Text(value) => format!("'{}'", value.replace('\'', "''")),
        ExprKind::Not(of) => format!("(NOT {})", inner(of)),
        ExprKind::Negate(of) => format!("(- {})", inner(of)),
        ExprKind::IsNull(of) => format!("({} IS NULL)", inner(of)),
        ExprKind::Binary(operator, left, right) => {
            format!("({} {} {})", inner(left), operator.sign(), inner(right))
        }
        ExprKind::Coalesce(all) => {
            format!("COALESCE({})", all.iter().map(inner).collect::<Vec<_>>().join(", "))
        }
        ExprKind::Case(arms, otherwise) => {
            let mut sql = String::from("(CASE");
            for (when, then) in arms {
                sql += &format!(" WHEN {} THEN {}", inner(when), inner(then));
            }
            if let Some(otherwise) = otherwise {
                sql += &format!(" ELSE {}", inner(otherwise));
            }
            sql + " END)"
        }
        // What is not made by the reader stands somewhere; a NULL of a declaration does not.
        ExprKind::Null
        | ExprKind::Column(..)
        | ExprKind::Variable(_)
        | ExprKind::Member(..)
        | ExprKind::Exists(_)
        | ExprKind::InQuery(..)
        | ExprKind::Scalar(_)
        | ExprKind::Aggregate(..)
        | ExprKind::Choose => "NULL".to_owned(),
    }
}

/// Whether an expression reads tables.
pub(super) fn reads(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Exists(_) | ExprKind::Scalar(_) | ExprKind::InQuery(..))
        || expr.inner().into_iter().any(reads)
}

/// The choices of a statement's SQL, in the order of its tree.
pub(super) fn choices_of(statement: &Statement) -> Vec<&Expr> {
    let mut found = Vec::new();
    match &statement.kind {
        StatementKind::Select { query, .. } | StatementKind::ForQuery { query, .. } => {
            choices_of_query(query, &mut found);
        }
        StatementKind::Insert { rows, conflict, returning, .. } => {
            rows.iter().flatten().for_each(|value| choices(value, &mut found));
            if let Conflict::Update(set) = conflict {
                set.iter().map(|(_, value)| value).for_each(|value| choices(value, &mut found));
            }
            returning.iter().map(|(value, _)| value).for_each(|value| choices(value, &mut found));
        }
        StatementKind::Update { set, filter, returning, .. } => {
            set.iter().map(|(_, value)| value).for_each(|value| choices(value, &mut found));
            filter.iter().for_each(|value| choices(value, &mut found));
            returning.iter().map(|(value, _)| value).for_each(|value| choices(value, &mut found));
        }
        StatementKind::Delete { filter, returning, .. } => {
            filter.iter().for_each(|value| choices(value, &mut found));
            returning.iter().map(|(value, _)| value).for_each(|value| choices(value, &mut found));
        }
        StatementKind::Assign { .. }
        | StatementKind::If { .. }
        | StatementKind::ForEach { .. }
        | StatementKind::ForRange { .. }
        | StatementKind::Abort
        | StatementKind::Return(_)
        | StatementKind::Skip => {}
    }
    found
}

/// The choices of all statements.
pub(super) fn all_choices(statements: &[Statement]) -> Vec<&Expr> {
    let mut found = Vec::new();
    let mut open: Vec<&Statement> = statements.iter().collect();
    while let Some(statement) = open.pop() {
        found.extend(choices_of(statement));
        match &statement.kind {
            StatementKind::Assign { value, .. } | StatementKind::Return(Some(value)) => {
                choices(value, &mut found);
            }
            StatementKind::If { arms, otherwise } => {
                for (when, then) in arms {
                    choices(when, &mut found);
                    open.extend(then);
                }
                open.extend(otherwise);
            }
            StatementKind::ForRange { low, high, body, .. } => {
                choices(low, &mut found);
                choices(high, &mut found);
                open.extend(body);
            }
            StatementKind::ForQuery { body, .. } | StatementKind::ForEach { body, .. } => {
                open.extend(body);
            }
            StatementKind::Select { .. }
            | StatementKind::Insert { .. }
            | StatementKind::Update { .. }
            | StatementKind::Delete { .. }
            | StatementKind::Abort
            | StatementKind::Return(None)
            | StatementKind::Skip => {}
        }
    }
    found
}

/// The choices of an expression, in the order of its tree.
pub(super) fn choices<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Choose => found.push(expr),
        ExprKind::Exists(query) | ExprKind::Scalar(query) => choices_of_query(query, found),
        ExprKind::InQuery(subject, query) => {
            choices(subject, found);
            choices_of_query(query, found);
        }
        _ => expr.inner().into_iter().for_each(|inner| choices(inner, found)),
    }
}

fn choices_of_query<'e>(query: &'e Query, found: &mut Vec<&'e Expr>) {
    let order = query.order.iter().map(|(expr, _)| expr);
    let all = query.filter.iter().chain(&query.output).chain(order);
    all.for_each(|expr| choices(expr, found));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(start: u32, end: u32) -> Place {
        Place { start, end }
    }

    #[test]
    fn values_stand_where_names_stood() {
        let text = "SELECT a INTO v FROM t WHERE k = p AND p > 1";
        let values = vec![(place(33, 34), "7".to_owned()), (place(39, 40), "7".to_owned())];
        let pieces = [place(0, 8), place(16, 44)];
        assert_eq!(fill(text, &pieces, &values), "SELECT a FROM t WHERE k = 7 AND 7 > 1");
        assert_eq!(fill(text, &[place(16, 22)], &values), "FROM t");
    }

    #[test]
    fn a_copy_of_the_same_place_is_replaced_once() {
        let values = vec![(place(0, 1), "1".to_owned()), (place(0, 1), "2".to_owned())];
        assert_eq!(fill("p + 1", &[place(0, 5)], &values), "1 + 1");
    }
}
