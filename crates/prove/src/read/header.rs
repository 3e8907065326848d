//! Headers: the name of a transaction, its parameters, and where its body is.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::error::{Fault, Problem, Result};
use super::sections::word;
use super::tokens::{Sql, fold, place};
use super::types;
use crate::program::{Place, Type};

/// What a header says.
#[derive(Debug)]
pub(super) struct Header {
    /// As it is written.
    pub(super) name: String,
    pub(super) name_place: Place,
    pub(super) parameters: Vec<Parameter>,
    /// The columns of `RETURNS TABLE`, which are variables.
    pub(super) columns: Vec<Parameter>,
    /// The tokens of what is required, if the header says so.
    pub(super) requires: Option<Sql>,
    /// The body of a function.
    pub(super) body: Option<Place>,
}

/// A parameter.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) place: Place,
}

const TRANSACTION: &str =
    "`-- transaction name(parameter type, …)`, and `requires condition` if there is one";

/// Reads what follows `-- transaction`.
pub(super) fn transaction(header: &Sql) -> Result<Header> {
    let form = |at: Place| Fault::new(at, Problem::Form { expected: TRANSACTION });
    let tokens = header.tokens.as_slice();
    let (name, rest) = name(tokens).ok_or_else(|| form(header.place))?;
    let (inside, rest) = parentheses(rest).ok_or_else(|| form(header.place))?;
    let mut parameters = Vec::new();
    for tokens in commas(inside) {
        parameters.push(parameter(tokens, header.place)?);
    }
    let requires = match rest {
        [] => None,
        [first, condition @ ..] if word(first) == "requires" => match condition {
            [] => return Err(form(place(first.span))),
            [from, .., to] => Some(sql(condition, from, to)),
            [one] => Some(sql(condition, one, one)),
        },
        [other, ..] => return Err(form(place(other.span))),
    };
    let (name, name_place) = name;
    Ok(Header { name, name_place, parameters, columns: Vec::new(), requires, body: None })
}

fn sql(tokens: &[TokenWithSpan], from: &TokenWithSpan, to: &TokenWithSpan) -> Sql {
    let place = Place { start: place(from.span).start, end: place(to.span).end };
    Sql { tokens: tokens.to_vec(), place }
}

const FUNCTION: &str = "`CREATE FUNCTION name(parameter type, …) … LANGUAGE plpgsql AS $$ … $$`";

/// Reads `CREATE FUNCTION` or `CREATE PROCEDURE`.
pub(super) fn function(text: &str, tokens: &[TokenWithSpan], whole: Place) -> Result<Header> {
    let form = |at: Place| Fault::new(at, Problem::Form { expected: FUNCTION });
    let kind =
        tokens.iter().position(|token| matches!(word(token).as_str(), "function" | "procedure"));
    let rest = &tokens[kind.map_or(0, |kind| kind + 1)..];
    let rest = match rest {
        [schema, dot, rest @ ..] if word(schema) == "public" && dot.token == Token::Period => rest,
        _ => rest,
    };
    let (name, rest) = name(rest).ok_or_else(|| form(whole))?;
    let (inside, rest) = parentheses(rest).ok_or_else(|| form(name.1))?;
    let mut parameters = Vec::new();
    for tokens in commas(inside) {
        parameters.push(parameter(tokens, whole)?);
    }
    let (columns, language, body) = options(text, rest, whole)?;
    match language {
        Some((language, _)) if language == "plpgsql" => {}
        Some((language, at)) => {
            let what = format!("a function in {language}");
            return Err(Fault::unsupported(at, what, "write it in LANGUAGE plpgsql"));
        }
        None => return Err(form(name.1)),
    }
    let body = Some(body.ok_or_else(|| form(name.1))?);
    let (name, name_place) = name;
    Ok(Header { name, name_place, parameters, columns, requires: None, body })
}

type Options = (Vec<Parameter>, Option<(String, Place)>, Option<Place>);

/// What stands behind the parameters, in any order.
fn options(text: &str, mut rest: &[TokenWithSpan], whole: Place) -> Result<Options> {
    let (mut columns, mut language, mut body) = (Vec::new(), None, None);
    while let [first, more @ ..] = rest {
        rest = more;
        match (word(first).as_str(), more) {
            ("language", [name, ..]) => {
                let found = match &name.token {
                    Token::SingleQuotedString(name) => name.to_ascii_lowercase(),
                    _ => word(name),
                };
                language = Some((found, place(name.span)));
            }
            ("as", [string, ..]) => body = Some(inside(text, string)?),
            ("returns", [trigger, ..]) if word(trigger) == "trigger" => {
                let help = "write out what the trigger does in each transaction";
                return Err(Fault::unsupported(place(trigger.span), "a trigger", help));
            }
            ("returns", [table, more @ ..]) if word(table) == "table" => {
                let Some((inside, _)) = parentheses(more) else { continue };
                for tokens in commas(inside) {
                    columns.push(parameter(tokens, whole)?);
                }
            }
            _ => {}
        }
    }
    Ok((columns, language, body))
}

/// What is inside of the quotes of a body.
fn inside(text: &str, string: &TokenWithSpan) -> Result<Place> {
    let at = place(string.span);
    let quotes = match &string.token {
        Token::DollarQuotedString(body) => body.tag.as_ref().map_or(0, String::len) as u32 + 2,
        Token::SingleQuotedString(_) if !text[at.range()].trim_matches('\'').contains("''") => 1,
        _ => {
            let help = "put the body between $$ and $$";
            return Err(Fault::unsupported(at, "this body", help));
        }
    };
    Ok(Place {
        start: at.start + quotes,
        end: at.end.saturating_sub(quotes).max(at.start + quotes),
    })
}

/// A name, as it is written, and what follows.
fn name(tokens: &[TokenWithSpan]) -> Option<((String, Place), &[TokenWithSpan])> {
    let (first, rest) = tokens.split_first()?;
    let Token::Word(word) = &first.token else { return None };
    Some(((word.value.clone(), place(first.span)), rest))
}

/// What is inside of the parentheses that come first, and what follows them.
fn parentheses(tokens: &[TokenWithSpan]) -> Option<(&[TokenWithSpan], &[TokenWithSpan])> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 1 => return Some((&tokens[1..at], &tokens[at + 1..])),
            Token::RParen => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The parts between commas outside of parentheses; none if there is nothing.
fn commas(tokens: &[TokenWithSpan]) -> Vec<&[TokenWithSpan]> {
    if tokens.is_empty() {
        return Vec::new();
    }
    let mut depth = 0_i32;
    let split = |token: &TokenWithSpan| {
        depth += i32::from(token.token == Token::LParen) - i32::from(token.token == Token::RParen);
        depth == 0 && token.token == Token::Comma
    };
    tokens.split(split).collect()
}

fn parameter(tokens: &[TokenWithSpan], whole: Place) -> Result<Parameter> {
    let expected = "a parameter's name and type";
    let tokens = match tokens {
        [mode, rest @ ..] if word(mode) == "in" => rest,
        [mode, ..] if matches!(word(mode).as_str(), "out" | "inout" | "variadic") => {
            let help = "give the result by RETURN, and take parameters as IN";
            return Err(Fault::unsupported(place(mode.span), "OUT, INOUT or VARIADIC", help));
        }
        _ => tokens,
    };
    let default = |token: &TokenWithSpan| word(token) == "default" || token.token == Token::Eq;
    let tokens = &tokens[..tokens.iter().position(default).unwrap_or(tokens.len())];
    let [name, ty @ ..] = tokens else {
        return Err(Fault::new(whole, Problem::Form { expected }));
    };
    let at = place(name.span);
    let (Token::Word(word), [from, ..]) = (&name.token, ty) else {
        return Err(Fault::new(at, Problem::Form { expected }));
    };
    let ty = sql(ty, from, ty.last().unwrap_or(from));
    let place = ty.place;
    let ty = ty.parse(|parser| parser.parse_data_type(), |ty| types::declared(&ty, place))?;
    Ok(Parameter { name: fold(&word.to_ident(name.span)), ty: ty.ty, place: at })
}
