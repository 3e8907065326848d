//! LIKE and ILIKE: `%` is any run of characters, `_` one, a backslash takes the next one as it is.
//!
//! A `%` first stands for nothing; where the rest does not fit, the last `%` takes one character more. Only
//! the last needs to be remembered, so the cost is at most text times pattern, without recursion.

use super::args::{error, text};
use super::table::*;
use super::{Call, Function};
use crate::error::{Result, SqlState};
use crate::types::Datum;

/// Whether a text of characters, or of bytes, is like a pattern.
fn matches<C: Copy + PartialEq>(
    value: &[C],
    pattern: &[C],
    any: C,
    one: C,
    escape: C,
) -> Result<bool> {
    let (mut v, mut p) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(p) {
            Some(&c) if c == any => {
                retry = Some((v, p + 1));
                p += 1;
                continue;
            }
            None if v == value.len() => return Ok(true),
            None => false,
            Some(_) if v == value.len() => {
                // Only runs of `%` match nothing, and longer runs leave even less.
                return Ok(false);
            }
            Some(&c) if c == one => true,
            Some(&c) if c == escape => {
                p += 1;
                match pattern.get(p) {
                    Some(next) => value.get(v) == Some(next),
                    None => {
                        return error(
                            SqlState::INVALID_ESCAPE_SEQUENCE,
                            "LIKE pattern must not end with escape character",
                        );
                    }
                }
            }
            Some(c) => value.get(v) == Some(c),
        };
        if step {
            v += 1;
            p += 1;
        } else {
            match &mut retry {
                Some((from, after)) => {
                    *from += 1;
                    if *from > value.len() {
                        return Ok(false);
                    }
                    (v, p) = (*from, *after);
                }
                None => return Ok(false),
            }
        }
    }
}

fn like_text(value: &str, pattern: &str) -> Result<bool> {
    if value.is_ascii() && pattern.is_ascii() {
        return matches(value.as_bytes(), pattern.as_bytes(), b'%', b'_', b'\\');
    }
    let value: Vec<char> = value.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    matches(&value, &pattern, '%', '_', '\\')
}

fn like(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(like_text(call.text(0)?, call.text(1)?)?))
}

fn not_like(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(!like_text(call.text(0)?, call.text(1)?)?))
}

fn like_any_case(call: &Call<'_>) -> Result<bool> {
    like_text(
        &super::strings::lower_text(call.text(0)?),
        &super::strings::lower_text(call.text(1)?),
    )
}

fn ilike(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(like_any_case(call)?))
}

fn not_ilike(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(!like_any_case(call)?))
}

fn like_bytes(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(matches(call.bytes(0)?, call.bytes(1)?, b'%', b'_', b'\\')?))
}

fn not_like_bytes(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(!matches(call.bytes(0)?, call.bytes(1)?, b'%', b'_', b'\\')?))
}

/// A pattern with an escape character of one's own, rewritten to the backslash.
fn like_escape(call: &mut Call<'_>) -> Result<Datum> {
    let (pattern, escape) = (call.text(0)?, call.text(1)?);
    let mut chars = escape.chars();
    let escape = chars.next();
    if chars.next().is_some() {
        return error(SqlState::INVALID_ESCAPE_SEQUENCE, "invalid escape string");
    }
    if escape == Some('\\') {
        return Ok(call.arg(0).clone());
    }
    let mut out = String::with_capacity(pattern.len() + 4);
    let mut after = false;
    for c in pattern.chars() {
        if Some(c) == escape && !after {
            out.push('\\');
            after = true;
        } else {
            if c == '\\' && !after {
                out.push('\\');
            }
            out.push(c);
            after = false;
        }
    }
    text(out)
}

pub(super) static FUNCTIONS: &[Function] = &[
    function("~~", &[TEXT, TEXT], BOOL, like),
    function("~~", &[BPCHAR, TEXT], BOOL, like),
    function("~~", &[NAME, TEXT], BOOL, like),
    function("~~", &[BYTEA, BYTEA], BOOL, like_bytes),
    function("!~~", &[TEXT, TEXT], BOOL, not_like),
    function("!~~", &[BPCHAR, TEXT], BOOL, not_like),
    function("!~~", &[NAME, TEXT], BOOL, not_like),
    function("!~~", &[BYTEA, BYTEA], BOOL, not_like_bytes),
    function("~~*", &[TEXT, TEXT], BOOL, ilike),
    function("~~*", &[BPCHAR, TEXT], BOOL, ilike),
    function("~~*", &[NAME, TEXT], BOOL, ilike),
    function("!~~*", &[TEXT, TEXT], BOOL, not_ilike),
    function("!~~*", &[BPCHAR, TEXT], BOOL, not_ilike),
    function("!~~*", &[NAME, TEXT], BOOL, not_ilike),
    function("like", &[TEXT, TEXT], BOOL, like),
    function("notlike", &[TEXT, TEXT], BOOL, not_like),
    function("like_escape", &[TEXT, TEXT], TEXT, like_escape),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (value, pattern, expected) in [
            ("", "", true),
            ("", "%", true),
            ("", "_", false),
            ("abc", "abc", true),
            ("abc", "a%", true),
            ("abc", "%c", true),
            ("abc", "%b%", true),
            ("abc", "_b_", true),
            ("abc", "__", false),
            ("abc", "a%%c", true),
            ("aXbXc", "a%b%d", false),
            ("a%c", "a\\%c", true),
            ("abc", "a\\%c", false),
            ("äöü", "_ö_", true),
            ("mississippi", "%iss%ip%", true),
            ("aaab", "%ab", true),
        ] {
            assert_eq!(like_text(value, pattern).unwrap(), expected, "{value} LIKE {pattern}");
        }
        assert_eq!(like_text("a", "\\").unwrap_err().state(), SqlState::INVALID_ESCAPE_SEQUENCE);
        assert!(!like_text("a", "b\\").unwrap());
    }
}
