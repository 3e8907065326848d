//! `format` and the quoting of names and literals.

use super::args::{error, invalid, text};
use super::strings::output;
use super::table::*;
use super::{Call, Function};
use crate::error::{Result, SqlState};
use crate::memory;
use crate::types::Datum;

/// A name as SQL writes it.
pub(crate) fn quoted_name(name: &str) -> String {
    crate::types::builtin::quote_ident(name).into_owned()
}

/// A text as SQL writes it.
pub(crate) fn quoted_literal(value: &str) -> String {
    let quoted = value.replace('\'', "''");
    if value.contains('\\') {
        format!("E'{}'", quoted.replace('\\', "\\\\"))
    } else {
        format!("'{quoted}'")
    }
}

fn quote_ident(call: &mut Call<'_>) -> Result<Datum> {
    text(quoted_name(call.text(0)?))
}

/// Values of other types are cast to text, so booleans are words.
fn quote_literal(call: &mut Call<'_>) -> Result<Datum> {
    match super::strings::as_text(call, 0)? {
        Datum::Text(value) => text(quoted_literal(&value)),
        _ => Ok(Datum::Null),
    }
}

fn quote_nullable(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) { text("NULL") } else { quote_literal(call) }
}

fn bad<T>(message: impl Into<String>) -> Result<T> {
    invalid(message)
}

fn unterminated<T>() -> Result<T> {
    bad("unterminated format() type specifier")
        .map_err(|e| e.hint("For a single \"%\" use \"%%\"."))
}

/// Reads digits; `None` if there are none.
fn number(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<Option<usize>> {
    let mut found = None;
    while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
        let next = found.unwrap_or(0usize).checked_mul(10).map(|n| n + digit as usize);
        match next {
            Some(n) if n <= i32::MAX as usize => found = Some(n),
            _ => return error(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "number is out of range"),
        }
        chars.next();
    }
    Ok(found)
}

/// `%[position$][-][width]type`, with the types `s`, `I` and `L`.
fn format(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    let mut out = String::new();
    let mut chars = call.text(0)?.chars().peekable();
    let mut next = 1;
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        if chars.peek() == Some(&'%') {
            chars.next();
            out.push('%');
            continue;
        }
        let (mut position, mut left) = (None, false);
        let mut width = number(&mut chars)?.map(|n| n as i64);
        if chars.peek() == Some(&'$') {
            chars.next();
            position = width.take();
            if position == Some(0) {
                return bad("format specifies argument 0, but arguments are numbered from 1");
            }
        }
        if width.is_none() {
            while chars.peek() == Some(&'-') {
                chars.next();
                left = true;
            }
            if chars.peek() == Some(&'*') {
                chars.next();
                let at = match number(&mut chars)? {
                    Some(n) if chars.peek() == Some(&'$') => {
                        chars.next();
                        n
                    }
                    Some(_) => return bad("width argument position must be ended by \"$\""),
                    None => {
                        next += 1;
                        next - 1
                    }
                };
                if at >= call.args.len() {
                    return bad("too few arguments for format()");
                }
                width = if call.null(at) { Some(0) } else { output(call, at).parse().ok() };
            } else {
                width = number(&mut chars)?.map(|n| n as i64);
            }
        }
        let Some(kind) = chars.next() else { return unterminated() };
        if !matches!(kind, 's' | 'I' | 'L') {
            return bad(format!("unrecognized format() type specifier \"{kind}\""))
                .map_err(|e| e.hint("For a single \"%\" use \"%%\"."));
        }
        let at = match position {
            Some(at) => at as usize,
            None => next,
        };
        if at >= call.args.len() {
            return bad("too few arguments for format()");
        }
        next = at + 1;
        let value = match kind {
            's' if call.null(at) => String::new(),
            'L' if call.null(at) => "NULL".to_owned(),
            'I' if call.null(at) => {
                return error(
                    SqlState::NULL_VALUE_NOT_ALLOWED,
                    "null values cannot be formatted as an SQL identifier",
                );
            }
            's' => output(call, at),
            'I' => quoted_name(&output(call, at)),
            _ => quoted_literal(&output(call, at)),
        };
        fill(&mut out, &value, width.unwrap_or(0), left)?;
    }
    text(out)
}

fn fill(out: &mut String, value: &str, width: i64, left: bool) -> Result<()> {
    let left = left || width < 0;
    let width = width.unsigned_abs() as usize;
    let _room = memory::enlarge(out.len(), width.max(value.len()))?;
    let blanks = " ".repeat(width.saturating_sub(value.chars().count()));
    if left {
        out.push_str(value);
        out.push_str(&blanks);
    } else {
        out.push_str(&blanks);
        out.push_str(value);
    }
    Ok(())
}

pub(super) static FUNCTIONS: &[Function] = &[
    function("quote_ident", &[TEXT], TEXT, quote_ident),
    function("quote_literal", &[TEXT], TEXT, quote_literal),
    function("quote_literal", &[ANYELEMENT], TEXT, quote_literal).stable(),
    function("quote_nullable", &[TEXT], TEXT, quote_nullable).with_nulls(),
    function("quote_nullable", &[ANYELEMENT], TEXT, quote_nullable).with_nulls().stable(),
    function("format", &[TEXT], TEXT, format).with_nulls().stable(),
    function("format", &[TEXT, ANY], TEXT, format).variadic().with_nulls().stable(),
];
