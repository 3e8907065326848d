//! Functions and operators on regular expressions: `~`, `regexp_replace`, `regexp_matches`,
//! `substring(… from …)`, SIMILAR TO.
//!
//! A function takes a pattern and mostly a text of flags, of which `g` asks for all matches instead
//! of the first. Places count characters and not bytes. What patterns mean is in the crate `regex`;
//! [`super::pattern`] compiles them and keeps those that were used lately.

use super::args::{error, invalid, text};
use super::arrays::text_array;
use super::pattern::{Flags, Groups, Pattern};
use super::table::*;
use super::{Call, Function, SetFunction};
use crate::error::{Code, Result, SqlState};
use crate::memory;
use crate::types::Datum;

/// The pattern in an argument.
fn pattern<'a>(call: &'a Call<'_>, i: usize, flags: Flags) -> Result<Pattern<'a>> {
    Pattern::new(&*call.cx, call.text(i)?, flags)
}

fn plain(call: &Call<'_>, ignore_case: bool) -> Result<bool> {
    let mut flags = Flags::default();
    flags.options.ignore_case = ignore_case;
    pattern(call, 1, flags)?.is_match(call.text(0)?)
}

fn matches(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(plain(call, false)?))
}

fn not_matches(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(!plain(call, false)?))
}

fn matches_any_case(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(plain(call, true)?))
}

fn not_matches_any_case(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(!plain(call, true)?))
}

/// The flags argument, where the function does not take `g`.
fn flags(call: &Call<'_>, i: usize, name: &str) -> Result<Flags> {
    let flags = any_flags(call, i)?;
    if flags.global {
        return invalid(format!("{name}() does not support the \"global\" option"));
    }
    Ok(flags)
}

fn any_flags(call: &Call<'_>, i: usize) -> Result<Flags> {
    if call.args.len() > i { Flags::parse(call.text(i)?) } else { Ok(Flags::default()) }
}

fn part(value: &str, bounds: Option<(usize, usize)>) -> Datum {
    match bounds.and_then(|(start, end)| value.get(start..end)) {
        Some(part) => Datum::text(part),
        None => Datum::Null,
    }
}

/// What a match gives: its groups, or all of it if there are none.
fn match_array(value: &str, groups: &Groups) -> Datum {
    let skip = usize::from(groups.len() > 1);
    text_array(groups.iter().skip(skip).map(|&bounds| part(value, bounds)).collect())
}

fn regexp_match(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.text(0)?;
    let flags = any_flags(call, 2)?;
    if flags.global {
        return error(
            SqlState::INVALID_PARAMETER_VALUE,
            "regexp_match() does not support the \"global\" option",
        )
        .map_err(|e| e.hint("Use the regexp_matches function instead."));
    }
    let found = pattern(call, 1, flags)?.captures(value, 0)?;
    Ok(found.map_or(Datum::Null, |groups| match_array(value, &groups)))
}

fn regexp_matches(call: &mut Call<'_>) -> Result<Vec<Vec<Datum>>> {
    let value = call.text(0)?;
    let flags = any_flags(call, 2)?;
    let pattern = pattern(call, 1, flags)?;
    let found = if flags.global {
        pattern.all(value, 0)?
    } else {
        pattern.captures(value, 0)?.into_iter().collect()
    };
    call.gather(found.iter().map(|groups| vec![match_array(value, groups)]))
}

/// A replacement: `\1` to `\9` are groups, `\&` the match.
fn expand(out: &mut String, replacement: &str, value: &str, groups: &Groups) {
    let mut chars = replacement.chars();
    let group = |out: &mut String, n: usize| {
        if let Some(&Some((start, end))) = groups.get(n) {
            out.push_str(value.get(start..end).unwrap_or_default());
        }
    };
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some(c @ '1'..='9') => group(out, c as usize - '0' as usize),
            Some('&') => group(out, 0),
            Some('\\') | None => out.push('\\'),
            Some(c) => {
                out.push('\\');
                out.push(c);
            }
        }
    }
}

/// Replaces the `n`th match from a place on; all of them if `n` is 0.
fn replace(call: &Call<'_>, flags: Flags, start: usize, n: usize) -> Result<Datum> {
    let (value, replacement) = (call.text(0)?, call.text(2)?);
    let pattern = pattern(call, 1, flags)?;
    let found = if n == 1 {
        pattern.captures(value, start)?.into_iter().collect()
    } else {
        pattern.all(value, start)?
    };
    let mut out = String::with_capacity(value.len());
    let (mut done, mut known) = (0, 0);
    for (i, groups) in found.iter().enumerate() {
        let Some(&Some((from, to))) = groups.first() else { continue };
        if n == 0 || i + 1 == n {
            out.push_str(value.get(done..from).unwrap_or_default());
            expand(&mut out, replacement, value, groups);
            memory::grows(out.len(), &mut known)?;
            done = to;
        }
    }
    out.push_str(value.get(done..).unwrap_or_default());
    text(out)
}

fn regexp_replace(call: &mut Call<'_>) -> Result<Datum> {
    let letters = if call.args.len() > 3 { call.text(3)? } else { "" };
    if let Some(c) = letters.chars().next()
        && c.is_ascii_digit()
    {
        return invalid(format!("invalid regular expression option: \"{c}\"")).map_err(|e| {
            e.hint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.")
        });
    }
    let flags = Flags::parse(letters)?;
    replace(call, flags, 0, usize::from(!flags.global))
}

fn regexp_replace_from(call: &mut Call<'_>) -> Result<Datum> {
    let start = start(call, 3)?;
    let flags = any_flags(call, 5)?;
    let n = if call.args.len() > 4 { nth(call, 4, "n", 0)? } else { 1 };
    replace(call, flags, start, n)
}

/// A place in characters from 1, as bytes from 0.
fn start(call: &Call<'_>, i: usize) -> Result<usize> {
    if call.args.len() <= i {
        return Ok(0);
    }
    let (value, start) = (call.text(0)?, call.int(i)?);
    if start <= 0 {
        return invalid(format!("invalid value for parameter \"start\": {start}"));
    }
    let places = value.char_indices().map(|(at, _)| at).chain([value.len()]);
    Ok(places.take(usize::try_from(start).unwrap_or(usize::MAX)).last().map_or(0, |at| {
        if value.chars().count() < start as usize - 1 { value.len() + 1 } else { at }
    }))
}

fn nth(call: &Call<'_>, i: usize, name: &str, least: i64) -> Result<usize> {
    if call.args.len() <= i {
        return Ok(usize::try_from(least).unwrap_or(1));
    }
    let n = call.int(i)?;
    if n < least {
        return invalid(format!("invalid value for parameter \"{name}\": {n}"));
    }
    Ok(usize::try_from(n).unwrap_or(0))
}

fn regexp_count(call: &mut Call<'_>) -> Result<Datum> {
    let start = start(call, 2)?;
    let flags = flags(call, 3, "regexp_count")?;
    let found = pattern(call, 1, flags)?.all(call.text(0)?, start)?;
    Ok(Datum::Int(found.len() as i64))
}

fn regexp_like(call: &mut Call<'_>) -> Result<Datum> {
    let flags = flags(call, 2, "regexp_like")?;
    Ok(Datum::Bool(pattern(call, 1, flags)?.is_match(call.text(0)?)?))
}

fn regexp_substr(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.text(0)?;
    let start = start(call, 2)?;
    let n = nth(call, 3, "n", 1)?;
    let flags = flags(call, 4, "regexp_substr")?;
    let group = nth(call, 5, "subexpr", 0)?;
    let found = pattern(call, 1, flags)?.all(value, start)?;
    let groups = n.checked_sub(1).and_then(|n| found.get(n));
    Ok(part(value, groups.and_then(|groups| groups.get(group).copied().flatten())))
}

fn regexp_instr(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.text(0)?;
    let start = start(call, 2)?;
    let n = nth(call, 3, "n", 1)?;
    let end = if call.args.len() > 4 { call.int(4)? } else { 0 };
    if !(0..=1).contains(&end) {
        return invalid(format!("invalid value for parameter \"endoption\": {end}"));
    }
    let flags = flags(call, 5, "regexp_instr")?;
    let group = nth(call, 6, "subexpr", 0)?;
    let found = pattern(call, 1, flags)?.all(value, start)?;
    let groups = n.checked_sub(1).and_then(|n| found.get(n));
    let bounds = groups.and_then(|groups| groups.get(group).copied().flatten());
    Ok(Datum::Int(bounds.map_or(0, |(from, to)| {
        let at = if end == 1 { to } else { from };
        value.get(..at).unwrap_or_default().chars().count() as i64 + 1
    })))
}

/// The parts between matches. One splits nothing if it is empty and stands at an end of the text, or right
/// after another.
fn split(call: &Call<'_>, name: &str) -> Result<Vec<Datum>> {
    let value = call.text(0)?;
    let pattern = pattern(call, 1, flags(call, 2, name)?)?;
    let (mut parts, mut done, mut last) = (Vec::new(), 0, 0);
    for groups in pattern.all(value, 0)? {
        let Some(&Some((from, to))) = groups.first() else { continue };
        if from < value.len() && to > last {
            parts.push(part(value, Some((done, from))));
            done = to;
        }
        last = to;
    }
    parts.push(part(value, Some((done, value.len()))));
    Ok(parts)
}

fn regexp_split_to_array(call: &mut Call<'_>) -> Result<Datum> {
    Ok(text_array(split(call, "regexp_split_to_array")?))
}

fn regexp_split_to_table(call: &mut Call<'_>) -> Result<Vec<Vec<Datum>>> {
    call.gather(split(call, "regexp_split_to_table")?.into_iter().map(|part| vec![part]))
}

/// `substring(text from pattern)`: the first group, or all of the match.
fn substring(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.text(0)?;
    first_group(value, &pattern(call, 1, Flags::default())?)
}

fn first_group(value: &str, pattern: &Pattern<'_>) -> Result<Datum> {
    let found = pattern.captures(value, 0)?;
    let group = usize::from(pattern.groups() > 0);
    Ok(found.map_or(Datum::Null, |groups| part(value, groups.get(group).copied().flatten())))
}

/// `substring(text from pattern for escape)`, SQL's own patterns.
fn substring_similar(call: &mut Call<'_>) -> Result<Datum> {
    let value = call.text(0)?;
    let source = similar(call.text(1)?, Some(call.text(2)?))?;
    first_group(value, &Pattern::new(&*call.cx, &source, Flags::default())?)
}

/// A SIMILAR TO pattern as a regular expression that takes all of its text.
fn similar(pattern: &str, escape: Option<&str>) -> Result<String> {
    let escape = match escape {
        None => Some('\\'),
        Some(text) => {
            let mut chars = text.chars();
            let first = chars.next();
            if chars.next().is_some() {
                return error(SqlState::INVALID_ESCAPE_SEQUENCE, "invalid escape string")
                    .map_err(|e| e.hint("Escape string must be empty or one character."));
            }
            first
        }
    };
    let mut out = String::from("^(?:");
    let (mut after, mut quotes) = (false, 0);
    // How many brackets are open, and how far from the first: 1 right after it, 2 after a `^`, else 3. A `]`
    // that early closes nothing.
    let (mut brackets, mut place) = (0, 3);
    for c in pattern.chars() {
        if after {
            if c == '"' && brackets == 0 {
                out.push_str(match quotes {
                    0 => "){1,1}?(",
                    1 => "){1,1}(?:",
                    _ => {
                        return error(
                            Code("2200C"),
                            "SQL regular expression may not contain more than two escape-double-quote separators",
                        );
                    }
                });
                quotes += 1;
            } else {
                out.push('\\');
                out.push(c);
                place = 3;
            }
            after = false;
        } else if Some(c) == escape {
            after = true;
        } else if brackets > 0 {
            if c == '\\' {
                out.push('\\');
            }
            out.push(c);
            match c {
                ']' if place > 2 => brackets -= 1,
                '[' => brackets += 1,
                _ => {}
            }
            place = if c == '^' { place + 1 } else { 3 };
        } else {
            match c {
                '[' => {
                    out.push(c);
                    (brackets, place) = (1, 1);
                }
                '%' => out.push_str(".*"),
                '_' => out.push('.'),
                '(' => out.push_str("(?:"),
                '\\' | '.' | '^' | '$' => {
                    out.push('\\');
                    out.push(c);
                }
                c => out.push(c),
            }
        }
    }
    out.push_str(")$");
    Ok(out)
}

fn similar_escape(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) || (call.args.len() > 1 && call.null(1)) {
        return Ok(Datum::Null);
    }
    let escape = if call.args.len() > 1 { Some(call.text(1)?) } else { None };
    Ok(Datum::text(similar(call.text(0)?, escape)?))
}

pub(super) static FUNCTIONS: &[Function] = &[
    function("~", &[TEXT, TEXT], BOOL, matches),
    function("~", &[BPCHAR, TEXT], BOOL, matches),
    function("~", &[NAME, TEXT], BOOL, matches),
    function("!~", &[TEXT, TEXT], BOOL, not_matches),
    function("!~", &[BPCHAR, TEXT], BOOL, not_matches),
    function("!~", &[NAME, TEXT], BOOL, not_matches),
    function("~*", &[TEXT, TEXT], BOOL, matches_any_case),
    function("~*", &[BPCHAR, TEXT], BOOL, matches_any_case),
    function("~*", &[NAME, TEXT], BOOL, matches_any_case),
    function("!~*", &[TEXT, TEXT], BOOL, not_matches_any_case),
    function("!~*", &[BPCHAR, TEXT], BOOL, not_matches_any_case),
    function("!~*", &[NAME, TEXT], BOOL, not_matches_any_case),
    function("regexp_match", &[TEXT, TEXT], TEXTS, regexp_match),
    function("regexp_match", &[TEXT, TEXT, TEXT], TEXTS, regexp_match),
    function("regexp_replace", &[TEXT, TEXT, TEXT], TEXT, regexp_replace),
    function("regexp_replace", &[TEXT, TEXT, TEXT, TEXT], TEXT, regexp_replace),
    function("regexp_replace", &[TEXT, TEXT, TEXT, INT4], TEXT, regexp_replace_from),
    function("regexp_replace", &[TEXT, TEXT, TEXT, INT4, INT4], TEXT, regexp_replace_from),
    function("regexp_replace", &[TEXT, TEXT, TEXT, INT4, INT4, TEXT], TEXT, regexp_replace_from),
    function("regexp_count", &[TEXT, TEXT], INT4, regexp_count),
    function("regexp_count", &[TEXT, TEXT, INT4], INT4, regexp_count),
    function("regexp_count", &[TEXT, TEXT, INT4, TEXT], INT4, regexp_count),
    function("regexp_like", &[TEXT, TEXT], BOOL, regexp_like),
    function("regexp_like", &[TEXT, TEXT, TEXT], BOOL, regexp_like),
    function("regexp_substr", &[TEXT, TEXT], TEXT, regexp_substr),
    function("regexp_substr", &[TEXT, TEXT, INT4], TEXT, regexp_substr),
    function("regexp_substr", &[TEXT, TEXT, INT4, INT4], TEXT, regexp_substr),
    function("regexp_substr", &[TEXT, TEXT, INT4, INT4, TEXT], TEXT, regexp_substr),
    function("regexp_substr", &[TEXT, TEXT, INT4, INT4, TEXT, INT4], TEXT, regexp_substr),
    function("regexp_instr", &[TEXT, TEXT], INT4, regexp_instr),
    function("regexp_instr", &[TEXT, TEXT, INT4], INT4, regexp_instr),
    function("regexp_instr", &[TEXT, TEXT, INT4, INT4], INT4, regexp_instr),
    function("regexp_instr", &[TEXT, TEXT, INT4, INT4, INT4], INT4, regexp_instr),
    function("regexp_instr", &[TEXT, TEXT, INT4, INT4, INT4, TEXT], INT4, regexp_instr),
    function("regexp_instr", &[TEXT, TEXT, INT4, INT4, INT4, TEXT, INT4], INT4, regexp_instr),
    function("regexp_split_to_array", &[TEXT, TEXT], TEXTS, regexp_split_to_array),
    function("regexp_split_to_array", &[TEXT, TEXT, TEXT], TEXTS, regexp_split_to_array),
    function("substring", &[TEXT, TEXT], TEXT, substring),
    function("substring", &[TEXT, TEXT, TEXT], TEXT, substring_similar),
    function("similar_to_escape", &[TEXT], TEXT, similar_escape),
    function("similar_to_escape", &[TEXT, TEXT], TEXT, similar_escape),
    function("similar_escape", &[TEXT, TEXT], TEXT, similar_escape).with_nulls(),
];

pub(super) static SETS: &[SetFunction] = &[
    rows("regexp_matches", &[TEXT, TEXT], &[("regexp_matches", TEXTS)], regexp_matches),
    rows("regexp_matches", &[TEXT, TEXT, TEXT], &[("regexp_matches", TEXTS)], regexp_matches),
    rows("regexp_split_to_table", &[TEXT, TEXT], &[("", TEXT)], regexp_split_to_table),
    rows("regexp_split_to_table", &[TEXT, TEXT, TEXT], &[("", TEXT)], regexp_split_to_table),
];
