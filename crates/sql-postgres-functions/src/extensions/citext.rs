//! citext: text that compares without regard to case.
//!
//! A value keeps its letters as written and beside them what they are in small letters, which is what compares. It
//! converts to text without being asked, so most functions of text take it; those here are the ones that would
//! otherwise look at case.

use std::cmp::Ordering;

use super::super::aggregates::{maximum, minimum};
use super::super::table::*;
use super::super::{Aggregate, Call, Function, SetFunction};
use crate::error::Result;
use crate::types::{Citext, Datum, PgType, TypeId, unpadded};
use crate::{BY_NAME, Entry};

const CITEXT: TypeId = TypeId::CITEXT;
const BOTH: &[TypeId] = &[CITEXT, CITEXT];
const WITH_TEXT: &[TypeId] = &[CITEXT, TEXT];

macro_rules! comparisons {
    ($($symbol:literal $name:literal $holds:expr;)*) => {
        &[$(
            function($symbol, BOTH, BOOL, |call| compare(call, $holds)),
            function($name, BOTH, BOOL, |call| compare(call, $holds)),
        )*]
    };
}

pub(super) static COMPARISONS: &[Function] = comparisons! {
    "=" "citext_eq" Ordering::is_eq;
    "<>" "citext_ne" Ordering::is_ne;
    "<" "citext_lt" Ordering::is_lt;
    "<=" "citext_le" Ordering::is_le;
    ">" "citext_gt" Ordering::is_gt;
    ">=" "citext_ge" Ordering::is_ge;
    "~<~" "citext_pattern_lt" Ordering::is_lt;
    "~<=~" "citext_pattern_le" Ordering::is_le;
    "~>~" "citext_pattern_gt" Ordering::is_gt;
    "~>=~" "citext_pattern_ge" Ordering::is_ge;
};

macro_rules! patterns {
    ($($name:literal $symbol:literal $any_case:literal;)*) => {
        &[$(
            function($symbol, BOTH, BOOL, |call| matches(call, $any_case)),
            function($symbol, WITH_TEXT, BOOL, |call| matches(call, $any_case)),
            function($any_case, BOTH, BOOL, |call| matches(call, $any_case)),
            function($any_case, WITH_TEXT, BOOL, |call| matches(call, $any_case)),
            function($name, BOTH, BOOL, |call| matches(call, $any_case)),
            function($name, WITH_TEXT, BOOL, |call| matches(call, $any_case)),
        )*]
    };
}

/// LIKE and regular expressions, each as its form that does not look at case.
pub(super) static PATTERNS: &[Function] = patterns! {
    "texticlike" "~~" "~~*";
    "texticnlike" "!~~" "!~~*";
    "texticregexeq" "~" "~*";
    "texticregexne" "!~" "!~*";
};

pub(super) static FUNCTIONS: &[Function] = &[
    function("citext_cmp", BOTH, INT4, order),
    function("citext_pattern_cmp", BOTH, INT4, order),
    function("citext_smaller", BOTH, CITEXT, |call| Ok(chosen(call, Ordering::is_lt))),
    function("citext_larger", BOTH, CITEXT, |call| Ok(chosen(call, Ordering::is_gt))),
    function("citext", &[BPCHAR], CITEXT, |call| Ok(Datum::citext(unpadded(call.text(0)?)))),
    function("citext", &[BOOL], CITEXT, of_other),
    function("citext", &[INET], CITEXT, of_other),
    function("regexp_match", BOTH, TEXTS, |call| flagged(call, "regexp_match", 2)),
    function("regexp_match", &[CITEXT, CITEXT, TEXT], TEXTS, |call| {
        flagged(call, "regexp_match", 2)
    }),
    function("regexp_replace", &[CITEXT, CITEXT, TEXT], TEXT, |call| {
        flagged(call, "regexp_replace", 3)
    }),
    function("regexp_replace", &[CITEXT, CITEXT, TEXT, TEXT], TEXT, |call| {
        flagged(call, "regexp_replace", 3)
    }),
    function("regexp_split_to_array", BOTH, TEXTS, |call| {
        flagged(call, "regexp_split_to_array", 2)
    }),
    function("regexp_split_to_array", &[CITEXT, CITEXT, TEXT], TEXTS, |call| {
        flagged(call, "regexp_split_to_array", 2)
    }),
    function("strpos", BOTH, INT4, strpos),
    function("replace", &[CITEXT, CITEXT, CITEXT], TEXT, replace),
    function("split_part", &[CITEXT, CITEXT, INT4], TEXT, split_part),
    function("translate", &[CITEXT, CITEXT, TEXT], TEXT, translate),
];

pub(super) static SETS: &[SetFunction] = &[
    rows("regexp_matches", BOTH, &[("", TEXTS)], |call| flagged_rows(call, "regexp_matches")),
    rows("regexp_matches", &[CITEXT, CITEXT, TEXT], &[("", TEXTS)], |call| {
        flagged_rows(call, "regexp_matches")
    }),
    rows("regexp_split_to_table", BOTH, &[("", TEXT)], |call| {
        flagged_rows(call, "regexp_split_to_table")
    }),
    rows("regexp_split_to_table", &[CITEXT, CITEXT, TEXT], &[("", TEXT)], |call| {
        flagged_rows(call, "regexp_split_to_table")
    }),
];

pub(super) static AGGREGATES: &[Aggregate] =
    &[aggregate("min", &[CITEXT], CITEXT, minimum), aggregate("max", &[CITEXT], CITEXT, maximum)];

fn compare(call: &mut Call<'_>, holds: fn(Ordering) -> bool) -> Result<Datum> {
    Ok(Datum::Bool(holds(call.arg(0).compare(call.arg(1)))))
}

fn order(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.arg(0).compare(call.arg(1)) as i64))
}

fn chosen(call: &mut Call<'_>, first: fn(Ordering) -> bool) -> Datum {
    let (a, b) = (call.arg(0), call.arg(1));
    if first(a.compare(b)) { a.clone() } else { b.clone() }
}

fn of_other(call: &mut Call<'_>) -> Result<Datum> {
    crate::types::cast::cast(call.arg(0).clone(), call.ty(0), CITEXT, -1, true, &call.cx.types())
}

/// The text of an argument, whichever of the two types it has.
fn written(call: &Call<'_>, at: usize) -> String {
    match call.arg(at) {
        Datum::Citext(value) => value.text.to_string(),
        Datum::Text(text) => text.to_string(),
        _ => String::new(),
    }
}

fn texts(call: &Call<'_>) -> Vec<Datum> {
    (0..call.args.len()).map(|at| Datum::text(written(call, at))).collect()
}

/// Calls a built-in function that takes texts.
fn built_in(call: &mut Call<'_>, name: &str, args: &[Datum]) -> Result<Datum> {
    let types = vec![TEXT; args.len()];
    let Some(function) = scalar_named(name, &types) else { return Ok(Datum::Null) };
    (function.eval)(&mut Call { cx: call.cx, args, types: &types, result: function.result })
}

fn matches(call: &mut Call<'_>, operator: &str) -> Result<Datum> {
    let args = texts(call);
    built_in(call, operator, &args)
}

/// The arguments as texts with flags in this place that do not look at case, unless `c` is among them.
fn with_flags(call: &Call<'_>, place: usize) -> Vec<Datum> {
    let mut args = texts(call);
    let flags = if args.len() > place { written(call, place) } else { String::new() };
    args.truncate(place);
    args.push(Datum::text(if flags.contains('c') { flags } else { flags + "i" }));
    args
}

fn flagged(call: &mut Call<'_>, name: &str, place: usize) -> Result<Datum> {
    let args = with_flags(call, place);
    built_in(call, name, &args)
}

fn flagged_rows(call: &mut Call<'_>, name: &str) -> Result<Vec<Vec<Datum>>> {
    let args = with_flags(call, 2);
    let types = [TEXT; 3];
    let Some(function) = set_named(name, &types) else { return Ok(Vec::new()) };
    (function.eval)(&mut Call { cx: call.cx, args: &args, types: &types, result: call.result })
}

fn strpos(call: &mut Call<'_>) -> Result<Datum> {
    let args = [written(call, 0), written(call, 1)].map(|text| Datum::text(Citext::fold(&text)));
    built_in(call, "strpos", &args)
}

/// A text as a pattern that matches it.
fn literal(text: &str) -> String {
    let mut pattern = String::new();
    for c in text.chars() {
        if !c.is_ascii_alphanumeric() && c != '_' {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

fn replace(call: &mut Call<'_>) -> Result<Datum> {
    let args = [written(call, 0), literal(&written(call, 1)), written(call, 2), "gi".to_owned()];
    built_in(call, "regexp_replace", &args.map(Datum::text))
}

fn split_part(call: &mut Call<'_>) -> Result<Datum> {
    let args = [written(call, 0), literal(&written(call, 1)), "i".to_owned()];
    let parts = built_in(call, "regexp_split_to_array", &args.map(Datum::text))?;
    let Datum::Array(parts) = parts else { return Ok(Datum::Null) };
    let at = usize::try_from(call.int(2)? - 1).ok();
    Ok(at.and_then(|at| parts.items.get(at)).cloned().unwrap_or(Datum::Null))
}

fn translate(call: &mut Call<'_>) -> Result<Datum> {
    let (from, to) = (written(call, 1), Datum::text(written(call, 2)));
    let once = [Datum::text(written(call, 0)), Datum::text(from.to_lowercase()), to.clone()];
    let once = built_in(call, "translate", &once)?;
    built_in(call, "translate", &[once, Datum::text(from.to_uppercase()), to])
}

/// A built-in function by its name and the types it takes.
fn scalar_named(name: &str, args: &[TypeId]) -> Option<&'static Function> {
    BY_NAME.named(name).iter().find_map(|entry| match entry {
        Entry::Scalar(function) if function.args == args => Some(*function),
        _ => None,
    })
}

/// A built-in function of rows by its name and the types it takes.
fn set_named(name: &str, args: &[TypeId]) -> Option<&'static SetFunction> {
    BY_NAME.named(name).iter().find_map(|entry| match entry {
        Entry::Set(function) if function.args == args => Some(*function),
        _ => None,
    })
}
