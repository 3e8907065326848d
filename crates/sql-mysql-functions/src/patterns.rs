//! LIKE and REGEXP.
//!
//! A pattern of LIKE is compared letter by letter: two letters match if their weights are equal, so `'abc' LIKE 'A%'` under a
//! `_ci` collation. Blanks at the end count, also where they do not in comparisons.

use hobgoblin_regex::{Options, Regex};
use hobgoblin_sql_mysql_types::error::{self, error};
use hobgoblin_sql_mysql_types::{Collation, Kind, MyType, common};
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::Datum;

use crate::entry::{Entry, Read, a_truth, an_int, joined, like_first, or_null, row};

/// A letter of a pattern.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Part {
    /// Any letters.
    Any,
    /// One letter.
    One,
    /// This letter.
    Letter(char),
}

/// The parts of a pattern.
pub(crate) fn parts(pattern: &str, escape: Option<char>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        parts.push(match letter {
            _ if Some(letter) == escape && letters.peek().is_some() => {
                Part::Letter(letters.next().unwrap_or(letter))
            }
            '%' => {
                if parts.last() == Some(&Part::Any) {
                    continue;
                }
                Part::Any
            }
            '_' => Part::One,
            _ => Part::Letter(letter),
        });
    }
    parts
}

/// Whether a text matches. A step back only ever goes to the last `%`, so that the time is at most the product of the lengths.
pub(crate) fn matches(text: &[char], parts: &[Part], same: impl Fn(char, char) -> bool) -> bool {
    let (mut at, mut part) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while at < text.len() {
        match parts.get(part) {
            Some(Part::Any) => {
                back = Some((part + 1, at));
                part += 1;
            }
            Some(Part::One) => (at, part) = (at + 1, part + 1),
            Some(Part::Letter(letter)) if same(*letter, text[at]) => {
                (at, part) = (at + 1, part + 1)
            }
            _ => match &mut back {
                Some((resume, from)) => {
                    *from += 1;
                    (at, part) = (*from, *resume);
                }
                None => return false,
            },
        }
    }
    parts[part..].iter().all(|part| *part == Part::Any)
}

fn collation(call: &Call<'_>) -> Result<Collation> {
    let types: Vec<MyType> = call.types.iter().take(2).map(|ty| MyType::of(*ty)).collect();
    Ok(common::collation_of(&types, "like")?.0)
}

/// Whether LIKE holds.
fn is_like(call: &Call<'_>) -> Result<bool> {
    let collation = collation(call)?;
    let escape = match call.args.len() {
        3 => {
            let escape = call.as_text(2);
            let mut letters = escape.chars();
            let first = letters.next();
            if letters.next().is_some() {
                return Err(error(error::WRONG_ARGUMENTS, "Incorrect arguments to ESCAPE"));
            }
            first
        }
        _ => Some('\\'),
    };
    let (text, pattern) = (call.as_text(0), call.as_text(1));
    let letters: Vec<char> = text.chars().collect();
    Ok(matches(&letters, &parts(&pattern, escape), |a, b| collation.same(a, b)))
}

fn like(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(is_like(call)?))
}

fn not_like(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(!is_like(call)?))
}

/// What Perl's patterns have and the ones here have not, by how it is written.
const MISSING: [&str; 8] = ["(?<", "(?>", "(?P", "*+", "++", "?+", "\\K", "(?#"];

/// A pattern as the server compiles it: `(?i)` and `(?-i)` at its beginning say whether case counts.
fn regex(call: &Call<'_>, i: usize) -> Result<Regex> {
    let pattern = call.as_text(i);
    let mut ignore_case = !collation(call)?.is_bin();
    let mut rest = &*pattern;
    loop {
        if let Some(after) = rest.strip_prefix("(?i)") {
            (rest, ignore_case) = (after, true);
        } else if let Some(after) = rest.strip_prefix("(?-i)") {
            (rest, ignore_case) = (after, false);
        } else {
            break;
        }
    }
    if let Some(missing) = MISSING.iter().find(|missing| rest.contains(**missing)) {
        return Err(SqlError::unsupported(format!("'{missing}' in regular expressions")));
    }
    let options = Options { ignore_case, newline_stop: true, ..Options::default() };
    Regex::new(rest, options).map_err(|problem| {
        let message = format!("Regex error '{problem}'");
        error(error::REGEX, message)
    })
}

fn interrupted<T>(_: T) -> SqlError {
    error(error::KILLED, "Query execution was interrupted")
}

fn is_match(call: &Call<'_>) -> Result<bool> {
    let regex = regex(call, 1)?;
    let text = call.as_text(0);
    let stop = || call.cx.check_interrupts().is_err();
    regex.matcher(&text, &stop).is_match().map_err(interrupted)
}

fn regexp(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(is_match(call)?))
}

fn not_regexp(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(!is_match(call)?))
}

/// The first match, as a place from 1 in letters.
fn regexp_instr(call: &mut Call<'_>) -> Result<Datum> {
    let regex = regex(call, 1)?;
    let text = call.as_text(0);
    let stop = || call.cx.check_interrupts().is_err();
    let found = regex.matcher(&text, &stop).find(0).map_err(interrupted)?;
    let place = found.map_or(0, |(begin, _)| text[..begin].chars().count() + 1);
    Ok(Datum::Int(place as i64))
}

fn regexp_substr(call: &mut Call<'_>) -> Result<Datum> {
    let regex = regex(call, 1)?;
    let text = call.as_text(0);
    let stop = || call.cx.check_interrupts().is_err();
    let found = regex.matcher(&text, &stop).find(0).map_err(interrupted)?;
    let part = found.map_or("", |(begin, end)| &text[begin..end]);
    or_null(Some(call.texts(part)))
}

fn regexp_replace(call: &mut Call<'_>) -> Result<Datum> {
    let regex = regex(call, 1)?;
    let (text, replacement) = (call.as_text(0), call.as_text(2));
    let stop = || call.cx.check_interrupts().is_err();
    let found = regex.matcher(&text, &stop).all(0).map_err(interrupted)?;
    let (mut out, mut last) = (String::new(), 0);
    for groups in &found {
        let Some(&Some((begin, end))) = groups.first() else { continue };
        out.push_str(&text[last..begin]);
        let mut letters = replacement.chars();
        while let Some(letter) = letters.next() {
            match (letter, letters.clone().next()) {
                ('\\', Some(next)) => {
                    letters.next();
                    match next.to_digit(10).and_then(|group| groups.get(group as usize)) {
                        Some(Some((from, to))) => out.push_str(&text[*from..*to]),
                        Some(None) => {}
                        None if next.is_ascii_digit() => {}
                        None => out.push(next),
                    }
                }
                _ => out.push(letter),
            }
        }
        last = end;
    }
    out.push_str(&text[last..]);
    or_null(Some(call.texts(out)))
}

fn a_long_text(types: &[MyType]) -> Result<MyType> {
    Ok(MyType { kind: Kind::LongText, ..joined(types)? })
}

pub(crate) static OPERATORS: &[Entry] = &[
    row("LIKE", 2..=3, a_truth, like),
    row("NOT LIKE", 2..=3, a_truth, not_like),
    row("~~", 2..=3, a_truth, like),
    row("!~~", 2..=3, a_truth, not_like),
    row("REGEXP", 2..=2, a_truth, regexp),
    row("RLIKE", 2..=2, a_truth, regexp),
    row("NOT REGEXP", 2..=2, a_truth, not_regexp),
];

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("like", 2..=3, a_truth, like),
    row("not_like", 2..=3, a_truth, not_like),
    row("regexp_instr", 2..=2, an_int, regexp_instr),
    row("regexp_substr", 2..=2, like_first, regexp_substr),
    row("regexp_replace", 3..=3, a_long_text, regexp_replace),
];
