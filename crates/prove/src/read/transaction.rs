//! One transaction: its header, what it requires, its body.

use sqlparser::tokenizer::Token;

use super::body::{Body, has_query};
use super::error::{Fault, Problem, Result};
use super::header::{self, Header};
use super::made::all;
use super::names::Binder;
use super::sections::{Head, Pieces, Written};
use super::tokens::{Sql, fold, words};
use super::types;
use super::variables::Variables;
use crate::program::{
    Expr, Operator, Place, Statement, StatementKind, Table, Transaction, Type, Variable,
};

/// Reads a transaction; also gives the place of its name.
pub(super) fn read(
    text: &str,
    written: &Written,
    tables: &[Table],
) -> Result<(Transaction, Place)> {
    let place = written.place;
    let (header, body) = match &written.head {
        Head::Comment(header, body) => {
            (header::transaction(&Sql::new(text, header)?)?, Some(*body))
        }
        Head::Function(tokens) => (header::function(text, tokens, place)?, None),
    };
    let lenient = body.is_some();
    let body = body.or(header.body).unwrap_or(Place { start: place.end, end: place.end });
    let mut variables = Variables::default();
    if lenient {
        variables.lenient = true;
        variables.dotted = dotted(text, body)?;
    } else {
        variables.function = Some(header.name.to_ascii_lowercase());
    }
    for parameter in &header.parameters {
        variables.declare(&parameter.name, parameter.ty, parameter.place)?;
    }
    let parameters = variables.list.len();
    let mut binder = Binder::new(tables, variables);
    let requires = required(text, &header, &written.requires, &mut binder)?;
    binder.variables.in_body = true;
    for column in &header.columns {
        binder.variables.declare(&column.name, column.ty, column.place)?;
    }
    let (mut body, binder) = Body::read(text, body, lenient, binder)?;
    let Variables { list: variables, found, mut mentions, .. } = binder.variables;
    settle(&mut body, &variables);
    mentions.sort_unstable();
    mentions.dedup();
    let name = header.name;
    let read = Transaction { name, variables, parameters, requires, found, mentions, body, place };
    Ok((read, header.name_place))
}

/// All that is required of the parameters.
fn required(
    text: &str,
    header: &Header,
    more: &[Pieces],
    binder: &mut Binder<'_>,
) -> Result<Option<Expr>> {
    let mut conditions: Vec<Sql> = header.requires.iter().cloned().collect();
    for pieces in more {
        conditions.push(Sql::new(text, pieces)?);
    }
    let mut read = Vec::new();
    for condition in conditions {
        if condition.tokens.is_empty() {
            let expected = "`requires condition`";
            return Err(Fault::new(condition.place, Problem::Form { expected }));
        }
        let condition = binder.fragment(condition, Some(Type::Bool))?;
        if has_query(&condition) {
            let help = "only parameters are known before a transaction runs";
            return Err(Fault::unsupported(condition.place, "a query in `requires`", help));
        }
        read.push(condition);
    }
    let at = read.first().map_or(header.name_place, |first| first.place);
    Ok(all(Operator::And, read, at))
}

/// The names that stand before a dot in a body.
fn dotted(text: &str, body: Place) -> Result<Vec<String>> {
    let tokens = words(text, &[body])?;
    let pairs = tokens.windows(2).filter_map(|pair| match (&pair[0].token, &pair[1].token) {
        (Token::Word(word), Token::Period) => Some(fold(&word.to_ident(pair[0].span))),
        _ => None,
    });
    let mut names: Vec<String> = pairs.collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Gives NULLs that were assigned before the type of their variable was known its type.
fn settle(statements: &mut [Statement], variables: &[Variable]) {
    for statement in statements {
        match &mut statement.kind {
            StatementKind::Assign { variable, value } => {
                types::settle(value, variables[variable.0 as usize].ty);
            }
            StatementKind::If { arms, otherwise } => {
                arms.iter_mut().for_each(|(_, body)| settle(body, variables));
                settle(otherwise, variables);
            }
            StatementKind::ForQuery { body, .. }
            | StatementKind::ForEach { body, .. }
            | StatementKind::ForRange { body, .. } => settle(body, variables),
            _ => {}
        }
    }
}
