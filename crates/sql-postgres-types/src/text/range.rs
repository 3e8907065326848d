//! The text form of ranges: `[1,5)`.

use super::{parse, trimmed};
use crate::error::{Result, SqlError, SqlState};
use crate::range::{self, Bound, Range};
use crate::{Datum, TypeEnv, TypeId};

/// Appends its text form; the values print themselves.
pub(crate) fn print_range(
    range: &Range,
    out: &mut String,
    mut element: impl FnMut(&mut String, &Datum),
) {
    let Some((lower, upper)) = &range.bounds else { return out.push_str("empty") };
    out.push(if lower.inclusive { '[' } else { '(' });
    for bound in [lower, upper] {
        if let Some(value) = &bound.value {
            let mut text = String::new();
            element(&mut text, value);
            quoted(out, &text);
        }
        if bound.lower {
            out.push(',');
        }
    }
    out.push(if upper.inclusive { ']' } else { ')' });
}

fn quoted(out: &mut String, text: &str) {
    let special = |c: char| "\"\\()[],".contains(c) || c.is_ascii_whitespace() || c == '\x0b';
    if !text.is_empty() && !text.contains(special) {
        return out.push_str(text);
    }
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push(c);
        }
        out.push(c);
    }
    out.push('"');
}

/// The range a text stands for.
pub(super) fn parse_range(input: &str, element: TypeId, env: &TypeEnv<'_>) -> Result<Range> {
    let bad = |detail: &str| {
        SqlError::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("malformed range literal: \"{input}\""),
        )
        .detail(detail)
    };
    let rest = trimmed(input);
    if rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("empty")) {
        return match trimmed(&rest[5..]) {
            "" => Ok(Range::empty(element)),
            _ => Err(bad("Junk after \"empty\" key word.")),
        };
    }
    let lower_inclusive = match rest.bytes().next() {
        Some(b'[') => true,
        Some(b'(') => false,
        _ => return Err(bad("Missing left parenthesis or bracket.")),
    };
    let (low, rest) = bound(&rest[1..]).ok_or_else(|| bad("Unexpected end of input."))?;
    let Some(rest) = rest.strip_prefix(',') else {
        return Err(bad("Missing comma after lower bound."));
    };
    let (high, rest) = bound(rest).ok_or_else(|| bad("Unexpected end of input."))?;
    let upper_inclusive = match rest.bytes().next() {
        Some(b']') => true,
        Some(b')') => false,
        _ => return Err(bad("Too many commas.")),
    };
    if !trimmed(&rest[1..]).is_empty() {
        return Err(bad("Junk after right parenthesis or bracket."));
    }
    let value = |written: Option<String>| match written {
        Some(written) => parse(&written, element, -1, env).map(Some),
        None => Ok(None),
    };
    let lower = Bound::lower(value(low)?, lower_inclusive);
    range::between(element, lower, Bound::upper(value(high)?, upper_inclusive))
}

/// The text of a bound, none where there is nothing, and what comes after it.
fn bound(input: &str) -> Option<(Option<String>, &str)> {
    if input.starts_with([',', ')', ']']) {
        return Some((None, input));
    }
    let mut out = String::new();
    let mut within = false;
    let mut chars = input.char_indices().peekable();
    while let Some(&(at, c)) = chars.peek() {
        if !within && matches!(c, ',' | ')' | ']' | '(' | '[') {
            return Some((Some(out), &input[at..]));
        }
        chars.next();
        match c {
            '\\' => out.push(chars.next()?.1),
            '"' if within && matches!(chars.peek(), Some((_, '"'))) => {
                chars.next();
                out.push('"');
            }
            '"' => within = !within,
            c => out.push(c),
        }
    }
    None
}
