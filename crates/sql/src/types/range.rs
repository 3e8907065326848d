//! Ranges: all values of a type between two bounds, `[1,5)`.
//!
//! Integers and dates have a next value, so their ranges have one form, `[low,high)`; of the other types
//! both kinds of bounds stay as they are. A range without values is `empty`, however it came about.

use std::cmp::Ordering;
use std::hash::Hasher;

use super::datetime::{DATE_INFINITY, DATE_NEG_INFINITY};
use super::{Datum, TypeEnv, TypeId, text};
use crate::error::{Result, SqlError, SqlState};

/// A range of values of one type.
#[derive(Clone, Debug)]
pub struct Range {
    /// The type of the values.
    pub element: TypeId,
    /// Its bounds; without them it is empty.
    pub bounds: Option<(Bound, Bound)>,
}

/// One end of a range.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The value there; none where the range has no end.
    pub value: Option<Datum>,
    /// Whether the value belongs to the range.
    pub inclusive: bool,
    /// Whether it is the lower end.
    pub lower: bool,
}

/// The types of ranges with those of their values.
const TYPES: [(TypeId, TypeId); 6] = [
    (TypeId(3904), TypeId::INT4),
    (TypeId(3906), TypeId::NUMERIC),
    (TypeId(3908), TypeId::TIMESTAMP),
    (TypeId(3910), TypeId::TIMESTAMPTZ),
    (TypeId(3912), TypeId::DATE),
    (TypeId(3926), TypeId::INT8),
];

/// The type of the values of a range type.
pub fn subtype_of(range: TypeId) -> Option<TypeId> {
    TYPES.iter().find(|(ty, _)| *ty == range).map(|(_, element)| *element)
}

/// The range type over a type.
pub fn range_of(element: TypeId) -> Option<TypeId> {
    TYPES.iter().find(|(_, of)| *of == element).map(|(ty, _)| *ty)
}

fn data_error(message: &str) -> SqlError {
    SqlError::new(SqlState("22000"), message)
}

impl Bound {
    /// The lower end.
    pub fn lower(value: Option<Datum>, inclusive: bool) -> Bound {
        Bound { inclusive: inclusive && value.is_some(), value, lower: true }
    }

    /// The upper end.
    pub fn upper(value: Option<Datum>, inclusive: bool) -> Bound {
        Bound { inclusive: inclusive && value.is_some(), value, lower: false }
    }

    /// What is just on the other side of it.
    fn flipped(&self) -> Bound {
        Bound { value: self.value.clone(), inclusive: !self.inclusive, lower: !self.lower }
    }

    /// The order of two ends, of whichever side.
    pub fn compare(&self, other: &Bound) -> Ordering {
        let outward = |lower: bool| if lower { Ordering::Less } else { Ordering::Greater };
        match (&self.value, &other.value) {
            (None, None) if self.lower == other.lower => Ordering::Equal,
            (None, _) => outward(self.lower),
            (_, None) => outward(other.lower).reverse(),
            (Some(a), Some(b)) => {
                a.compare(b).then_with(|| match (self.inclusive, other.inclusive) {
                    (true, true) => Ordering::Equal,
                    (false, false) if self.lower == other.lower => Ordering::Equal,
                    (false, _) => outward(self.lower).reverse(),
                    (true, false) => outward(other.lower),
                })
            }
        }
    }

    /// Whether a lower end begins just where this upper end stops.
    fn adjoins(&self, other: &Bound) -> bool {
        match (&self.value, &other.value) {
            (Some(a), Some(b)) => a.equal(b) && self.inclusive != other.inclusive,
            _ => false,
        }
    }
}

impl Range {
    /// The range without values.
    pub fn empty(element: TypeId) -> Range {
        Range { element, bounds: None }
    }

    /// The range between two ends, in its one form.
    pub fn new(element: TypeId, lower: Bound, upper: Bound) -> Result<Range> {
        if let (Some(low), Some(high)) = (&lower.value, &upper.value) {
            match low.compare(high) {
                Ordering::Greater => {
                    return Err(data_error(
                        "range lower bound must be less than or equal to range upper bound",
                    ));
                }
                Ordering::Equal if !(lower.inclusive && upper.inclusive) => {
                    return Ok(Range::empty(element));
                }
                _ => {}
            }
        }
        let lower = match lower.inclusive || lower.value.is_none() {
            true => lower,
            false => following(lower, element, true)?,
        };
        let upper = match upper.inclusive {
            true => following(upper, element, false)?,
            false => upper,
        };
        if let (Some(low), Some(high)) = (&lower.value, &upper.value)
            && low.equal(high)
            && !(lower.inclusive && upper.inclusive)
        {
            return Ok(Range::empty(element));
        }
        Ok(Range { element, bounds: Some((lower, upper)) })
    }

    /// Whether a value is in it.
    pub fn has(&self, value: &Datum) -> bool {
        let Some((lower, upper)) = &self.bounds else { return false };
        let above = lower.value.as_ref().is_none_or(|low| match low.compare(value) {
            Ordering::Equal => lower.inclusive,
            order => order.is_lt(),
        });
        above
            && upper.value.as_ref().is_none_or(|high| match high.compare(value) {
                Ordering::Equal => upper.inclusive,
                order => order.is_gt(),
            })
    }

    /// Whether all of another is in it.
    pub fn contains(&self, other: &Range) -> bool {
        match (&self.bounds, &other.bounds) {
            (_, None) => true,
            (None, _) => false,
            (Some((l1, u1)), Some((l2, u2))) => l1.compare(l2).is_le() && u1.compare(u2).is_ge(),
        }
    }

    /// Whether they have a value in common.
    pub fn overlaps(&self, other: &Range) -> bool {
        match (&self.bounds, &other.bounds) {
            (Some((l1, u1)), Some((l2, u2))) => l1.compare(u2).is_le() && l2.compare(u1).is_le(),
            _ => false,
        }
    }

    /// Whether one begins just where the other ends.
    pub fn adjacent(&self, other: &Range) -> bool {
        match (&self.bounds, &other.bounds) {
            (Some((l1, u1)), Some((l2, u2))) => u1.adjoins(l2) || u2.adjoins(l1),
            _ => false,
        }
    }

    /// Whether the ends of two ranges that are not empty fit; false if one is.
    pub fn ends(&self, other: &Range, fit: impl Fn(&[&Bound; 4]) -> bool) -> bool {
        match (&self.bounds, &other.bounds) {
            (Some((l1, u1)), Some((l2, u2))) => fit(&[l1, u1, l2, u2]),
            _ => false,
        }
    }

    /// The least range with all of both; unless `gaps` are allowed, they must touch.
    pub fn union(&self, other: &Range, gaps: bool) -> Result<Range> {
        let (Some((l1, u1)), Some((l2, u2))) = (&self.bounds, &other.bounds) else {
            return Ok(if self.bounds.is_none() { other.clone() } else { self.clone() });
        };
        if !gaps && !self.overlaps(other) && !self.adjacent(other) {
            return Err(data_error("result of range union would not be contiguous"));
        }
        let lower = if l1.compare(l2).is_lt() { l1 } else { l2 };
        let upper = if u1.compare(u2).is_gt() { u1 } else { u2 };
        Range::new(self.element, lower.clone(), upper.clone())
    }

    /// What both have.
    pub fn intersection(&self, other: &Range) -> Result<Range> {
        let (Some((l1, u1)), Some((l2, u2))) = (&self.bounds, &other.bounds) else {
            return Ok(Range::empty(self.element));
        };
        if !self.overlaps(other) {
            return Ok(Range::empty(self.element));
        }
        let lower = if l1.compare(l2).is_ge() { l1 } else { l2 };
        let upper = if u1.compare(u2).is_le() { u1 } else { u2 };
        Range::new(self.element, lower.clone(), upper.clone())
    }

    /// What it has and another has not.
    pub fn difference(&self, other: &Range) -> Result<Range> {
        let (Some((l1, u1)), Some((l2, u2))) = (&self.bounds, &other.bounds) else {
            return Ok(self.clone());
        };
        if l1.compare(l2).is_lt() && u1.compare(u2).is_gt() {
            return Err(data_error("result of range difference would not be contiguous"));
        }
        if l1.compare(u2).is_gt() || u1.compare(l2).is_lt() {
            return Ok(self.clone());
        }
        if l1.compare(l2).is_ge() && u1.compare(u2).is_le() {
            return Ok(Range::empty(self.element));
        }
        if l1.compare(l2).is_lt() {
            return Range::new(self.element, l1.clone(), l2.flipped());
        }
        Range::new(self.element, u2.flipped(), u1.clone())
    }

    /// The order of ranges: empty ones first, then by lower ends, then by upper ones.
    pub fn compare(&self, other: &Range) -> Ordering {
        match (&self.bounds, &other.bounds) {
            (None, None) => Ordering::Equal,
            (None, _) => Ordering::Less,
            (_, None) => Ordering::Greater,
            (Some((l1, u1)), Some((l2, u2))) => l1.compare(l2).then_with(|| u1.compare(u2)),
        }
    }

    pub(super) fn hash_into<H: Hasher>(&self, state: &mut H) {
        let Some((lower, upper)) = &self.bounds else { return state.write_u8(0) };
        for bound in [lower, upper] {
            state.write_u8(1 + u8::from(bound.inclusive));
            if let Some(value) = &bound.value {
                value.hash_into(state);
            }
        }
    }

    /// Appends its text form; the values print themselves.
    pub fn print_into(&self, out: &mut String, mut element: impl FnMut(&mut String, &Datum)) {
        let Some((lower, upper)) = &self.bounds else { return out.push_str("empty") };
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
}

/// A bound moved to the next value, where there is one: an exclusive lower or inclusive upper one.
fn following(bound: Bound, element: TypeId, inclusive: bool) -> Result<Bound> {
    let out_of_range = |what: &str, state| SqlError::new(state, format!("{what} out of range"));
    let number = SqlState::NUMERIC_VALUE_OUT_OF_RANGE;
    let value = match (&bound.value, element) {
        (Some(Datum::Int(value)), TypeId::INT4) if *value >= i64::from(i32::MAX) => {
            return Err(out_of_range("integer", number));
        }
        (Some(Datum::Int(value)), _) => match value.checked_add(1) {
            Some(next) => Datum::Int(next),
            None => return Err(out_of_range("bigint", number)),
        },
        (Some(Datum::Date(DATE_INFINITY | DATE_NEG_INFINITY)), _) => return Ok(bound),
        (Some(Datum::Date(day)), _) => match day.checked_add(1).filter(|d| *d != DATE_INFINITY) {
            Some(next) => Datum::Date(next),
            None => return Err(out_of_range("date", SqlState::DATETIME_FIELD_OVERFLOW)),
        },
        _ => return Ok(bound),
    };
    Ok(Bound { value: Some(value), inclusive, lower: bound.lower })
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
pub(super) fn parse(input: &str, element: TypeId, env: &TypeEnv<'_>) -> Result<Range> {
    let bad = |detail: &str| {
        SqlError::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("malformed range literal: \"{input}\""),
        )
        .detail(detail)
    };
    let rest = text::trimmed(input);
    if rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("empty")) {
        return match text::trimmed(&rest[5..]) {
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
    if !text::trimmed(&rest[1..]).is_empty() {
        return Err(bad("Junk after right parenthesis or bracket."));
    }
    let value = |written: Option<String>| match written {
        Some(written) => text::parse(&written, element, -1, env).map(Some),
        None => Ok(None),
    };
    let lower = Bound::lower(value(low)?, lower_inclusive);
    Range::new(element, lower, Bound::upper(value(high)?, upper_inclusive))
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
