//! `-- invariant`: what holds of the state before anything runs.

use std::rc::Rc;

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::error::{Fault, Named, Problem, Result};
use super::names::{Binder, Rows};
use super::sections::word;
use super::tokens::{Sql, fold, place};
use super::variables::Variables;
use crate::program::{Invariant, Place, Table, TableId, Type};

const FORM: &str =
    "`-- invariant table: condition` or `-- invariant for row in table, …: condition`";

/// Reads what follows `-- invariant`.
pub(super) fn read(text: &str, pieces: &[Place], tables: &[Table]) -> Result<Invariant> {
    let sql = Sql::new(text, pieces)?;
    let whole = sql.place;
    let form = |at: Place| Fault::new(at, Problem::Form { expected: FORM });
    let colon = sql.tokens.iter().position(|token| token.token == Token::Colon);
    let colon = colon.ok_or_else(|| form(whole))?;
    let (rows, condition) = (&sql.tokens[..colon], &sql.tokens[colon + 1..]);
    let mut binder = Binder::new(tables, Variables::default());
    binder.sql = Rc::new(sql.clone());
    binder.queries.push(Rows::default());
    let mut from = Vec::new();
    for (row, table) in named(rows).ok_or_else(|| form(whole))? {
        let at = place(table.span);
        let (row, table) = (folded(row), folded(table));
        let (Some(row), Some(table)) = (row, table) else { return Err(form(whole)) };
        let found = tables.iter().position(|other| other.name == table);
        let found = found.ok_or_else(|| Fault::unknown(at, Named::Table, &table))?;
        let id = TableId(found as u32);
        binder.add_row(row, id, at)?;
        from.push(id);
    }
    let (Some(first), Some(last)) = (condition.first(), condition.last()) else {
        return Err(form(whole));
    };
    let at = Place { start: place(first.span).start, end: place(last.span).end };
    let condition = Sql { tokens: condition.to_vec(), place: at };
    let condition = binder.fragment(condition, Some(Type::Bool))?;
    Ok(Invariant { from, condition, place: whole })
}

/// The rows an invariant speaks of, with their tables.
fn named(tokens: &[TokenWithSpan]) -> Option<Vec<(&TokenWithSpan, &TokenWithSpan)>> {
    match tokens {
        [table] => Some(vec![(table, table)]),
        [first, rest @ ..] if word(first) == "for" => {
            let each = |part: &'_ [TokenWithSpan]| -> Option<(usize, usize)> {
                let [_, within, _] = part else { return None };
                (word(within) == "in").then_some((0, 2))
            };
            let parts = rest.split(|token| token.token == Token::Comma);
            parts.map(|part| each(part).map(|(row, table)| (&part[row], &part[table]))).collect()
        }
        _ => None,
    }
}

fn folded(token: &TokenWithSpan) -> Option<String> {
    match &token.token {
        Token::Word(word) => Some(fold(&word.to_ident(token.span))),
        _ => None,
    }
}
