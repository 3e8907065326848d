//! The text form of arrays: `{1,NULL,"a b"}`.

use std::fmt::Write;

use crate::error::{Result, SqlError, SqlState};
use crate::{Array, Datum, TypeId};

/// The text form; elements print themselves.
pub(crate) fn print_array(
    array: &Array,
    out: &mut String,
    mut element: impl FnMut(&mut String, &Datum),
) {
    if array.items.is_empty() {
        return out.push_str("{}");
    }
    if array.dims.iter().any(|(_, lower)| *lower != 1) {
        for (length, lower) in &array.dims {
            let upper = i64::from(*lower) + *length as i64 - 1;
            let _ = write!(out, "[{lower}:{upper}]");
        }
        out.push('=');
    }
    let mut item = String::new();
    for (place, datum) in array.items.iter().enumerate() {
        let mut size = 1;
        let mut opening = 0;
        for (length, _) in array.dims.iter().rev() {
            size *= length;
            if place % size == 0 {
                opening += 1;
            }
        }
        if place > 0 {
            out.push(',');
        }
        out.extend(std::iter::repeat_n('{', opening));
        if datum.is_null() {
            out.push_str("NULL");
        } else {
            item.clear();
            element(&mut item, datum);
            quote_element(out, &item);
        }
        let mut size = 1;
        for (length, _) in array.dims.iter().rev() {
            size *= length;
            if (place + 1) % size == 0 {
                out.push('}');
            }
        }
    }
}

fn quote_element(out: &mut String, item: &str) {
    let special = |b: u8| b"\"\\{},".contains(&b) || b.is_ascii_whitespace() || b == 0x0b;
    if !item.is_empty() && !item.eq_ignore_ascii_case("null") && !item.bytes().any(special) {
        return out.push_str(item);
    }
    out.push('"');
    for c in item.chars() {
        if c == '"' || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}

fn malformed(text: &str, detail: impl Into<String>) -> SqlError {
    SqlError::new(
        SqlState::INVALID_TEXT_REPRESENTATION,
        format!("malformed array literal: \"{text}\""),
    )
    .detail(detail)
}

fn unexpected_element(backslash: bool) -> &'static str {
    if backslash { "Unexpected \"\\\" character." } else { "Unexpected array element." }
}

const MISMATCH: &str = "Multidimensional arrays must have sub-arrays with matching dimensions.";

/// What was read last.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Open,
    Item,
    Close,
    CommaAfterItem,
    CommaAfterClose,
}

/// Reads an array whose elements are read by `element`.
pub fn parse_array(
    text: &str,
    of: TypeId,
    mut element: impl FnMut(&str) -> Result<Datum>,
) -> Result<Array> {
    let mut reader = Reader { text, at: 0 };
    let declared = reader.dimensions()?;
    let start = reader.at;
    reader.space();
    if reader.peek() != Some('{') {
        let detail = match declared.is_empty() {
            true => "Array value must start with \"{\" or dimension information.",
            false => "Array contents must start with \"{\".",
        };
        return Err(malformed(text, detail));
    }
    // Errors show what follows the dimensions.
    let contents = if declared.is_empty() { text } else { text.get(start..).unwrap_or("") };
    let at = reader.at - (text.len() - contents.len());
    let mut reader = Reader { text: contents, at };
    let (raw, lengths) = reader.contents()?;
    let dims = shape(text, raw.is_empty(), &lengths, &declared)?;
    let items = raw.into_iter().map(|item| match item {
        Some(item) => element(&item),
        None => Ok(Datum::Null),
    });
    Ok(Array { element: of, dims, items: items.collect::<Result<Vec<_>>>()? })
}

/// The dimensions of what was read, which must be those that were declared.
fn shape(
    text: &str,
    empty: bool,
    lengths: &[Option<usize>],
    declared: &[(usize, i32)],
) -> Result<Vec<(usize, i32)>> {
    let lengths = lengths.iter().map(|length| length.unwrap_or(0));
    if declared.is_empty() {
        return Ok(if empty { Vec::new() } else { lengths.map(|length| (length, 1)).collect() });
    }
    if !declared.iter().map(|(length, _)| *length).eq(lengths) {
        return Err(malformed(text, "Specified array dimensions do not match array contents."));
    }
    Ok(declared.to_vec())
}

/// An element as text with its quotes taken off; `None` for NULL.
type Item = Option<String>;

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// The elements between the braces and the length of each dimension.
    fn contents(&mut self) -> Result<(Vec<Item>, Vec<Option<usize>>)> {
        let text = self.text;
        // The length of each dimension, known once its first subarray is closed.
        let mut lengths: Vec<Option<usize>> = Vec::new();
        let mut counts: Vec<usize> = Vec::new();
        let mut items = Vec::new();
        let mut leaf = None;
        let mut last = Last::CommaAfterClose;
        loop {
            self.space();
            let next = self.peek();
            match next.ok_or_else(|| malformed(text, "Unexpected end of input."))? {
                '{' => {
                    if !matches!(last, Last::Open | Last::CommaAfterClose) {
                        return Err(malformed(text, "Unexpected \"{\" character."));
                    }
                    self.next();
                    if let Some(count) = counts.last_mut() {
                        *count += 1;
                    }
                    counts.push(0);
                    Array::check_dimensions(counts.len())?;
                    if leaf.is_some_and(|depth| counts.len() > depth) {
                        return Err(malformed(text, MISMATCH));
                    }
                    if lengths.len() < counts.len() {
                        lengths.push(None);
                    }
                    last = Last::Open;
                }
                '}' => {
                    self.next();
                    let depth = counts.len();
                    // Only the outermost braces may hold nothing.
                    let empty = last == Last::Open && depth == 1;
                    if !empty && !matches!(last, Last::Item | Last::Close) {
                        return Err(malformed(text, "Unexpected \"}\" character."));
                    }
                    let count = counts.pop().unwrap_or(0);
                    if let Some(length) = lengths.get_mut(depth.saturating_sub(1)) {
                        if length.is_some_and(|known| known != count) {
                            return Err(malformed(text, MISMATCH));
                        }
                        *length = Some(count);
                    }
                    last = Last::Close;
                    if counts.is_empty() {
                        break;
                    }
                }
                ',' => {
                    self.next();
                    last = match last {
                        Last::Item => Last::CommaAfterItem,
                        Last::Close => Last::CommaAfterClose,
                        _ => return Err(malformed(text, "Unexpected \",\" character.")),
                    };
                }
                c => {
                    if !matches!(last, Last::Open | Last::CommaAfterItem) {
                        return Err(malformed(text, unexpected_element(c == '\\')));
                    }
                    let depth = counts.len();
                    if lengths.len() > depth || leaf.is_some_and(|leaf| leaf != depth) {
                        return Err(malformed(text, MISMATCH));
                    }
                    leaf = Some(depth);
                    if let Some(count) = counts.last_mut() {
                        *count += 1;
                    }
                    items.push(self.element()?);
                    last = Last::Item;
                }
            }
        }
        self.space();
        if self.peek().is_some() {
            return Err(malformed(text, "Junk after closing right brace."));
        }
        Ok((items, lengths))
    }

    /// `[1:3][0:1]=`, if it is there.
    fn dimensions(&mut self) -> Result<Vec<(usize, i32)>> {
        let mut dims = Vec::new();
        let error = |detail: &str| malformed(self.text, detail);
        let rest = |at: usize| self.text.get(at..).unwrap_or("");
        let mut at = self.at;
        loop {
            at = self.text.len() - rest(at).trim_start_matches(is_space).len();
            if !rest(at).starts_with('[') {
                break;
            }
            let Some(close) = rest(at).find(']') else {
                return Err(error("Missing \"]\" after array dimensions."));
            };
            let inside = &rest(at)[1..close];
            at += close + 1;
            let (lower, upper) = match inside.split_once(':') {
                Some((lower, upper)) => (lower.parse::<i32>(), upper.parse::<i32>()),
                None => (Ok(1), inside.parse::<i32>()),
            };
            let (Ok(lower), Ok(upper)) = (lower, upper) else {
                return Err(error("\"[\" must introduce explicitly-specified array dimensions."));
            };
            if upper < lower {
                return Err(SqlError::new(
                    SqlState::ARRAY_SUBSCRIPT_ERROR,
                    "upper bound cannot be less than lower bound",
                ));
            }
            dims.push(((i64::from(upper) - i64::from(lower) + 1) as usize, lower));
            Array::check_dimensions(dims.len())?;
        }
        if !dims.is_empty() {
            if !rest(at).starts_with('=') {
                return Err(error("Missing \"=\" after array dimensions."));
            }
            at += 1;
        }
        self.at = at;
        Ok(dims)
    }

    /// An element with its quotes taken off; `None` for NULL.
    fn element(&mut self) -> Result<Item> {
        let text = self.text;
        let end = || malformed(text, "Unexpected end of input.");
        let mut item = String::new();
        // How much of the item stays when blanks at its end go.
        let mut kept = 0;
        let (mut quoted, mut plain) = (false, true);
        loop {
            match self.peek().ok_or_else(end)? {
                '"' if quoted => {
                    return Err(malformed(self.text, "Unexpected array element."));
                }
                '"' => {
                    if kept > 0 {
                        return Err(malformed(self.text, "Unexpected array element."));
                    }
                    self.next();
                    (quoted, plain) = (true, false);
                    item.clear();
                    loop {
                        match self.next().ok_or_else(end)? {
                            '"' => break,
                            '\\' => item.push(self.next().ok_or_else(end)?),
                            c => item.push(c),
                        }
                    }
                    kept = item.len();
                }
                ',' | '}' => break,
                '{' => return Err(malformed(self.text, "Unexpected \"{\" character.")),
                c if is_space(c) => {
                    self.next();
                    if !quoted {
                        item.push(c);
                    }
                }
                c => {
                    if quoted {
                        return Err(malformed(self.text, unexpected_element(c == '\\')));
                    }
                    self.next();
                    if c == '\\' {
                        plain = false;
                        item.push(self.next().ok_or_else(end)?);
                    } else {
                        item.push(c);
                    }
                    kept = item.len();
                }
            }
        }
        item.truncate(kept);
        let null = plain && item.eq_ignore_ascii_case("null");
        Ok(if null { None } else { Some(item) })
    }
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\x0b'
}
