//! SFORMAT: values by a format of the C++ library that MariaDB has it from.
//!
//! ```text
//! {}  {0}  {:spec}  {0:spec}            a value, the next one or by its place; {{ and }} are braces
//! spec = [[fill] <|>|^] [+|-| ] [#] [0] [width] [.precision] [L] [type]
//! ```
//!
//! A width and a precision may be values themselves: `{:{}.{}f}`. Integers are written by `d x X b B o c`, other numbers by
//! `e E f F g G`, texts by `s ?`. A format that is wrong gives NULL and a warning with the words of that library.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use hobgoblin_sql_mysql_types::{Coercibility, Kind, MyType, common};
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::Datum;

use crate::entry::{Entry, Read, or_null, row};

/// The greatest width and precision.
const MOST: u32 = i32::MAX as u32;

/// The first exponent at which a number without a precision is written with one.
const LARGE: i32 = 16;

/// A value to be written.
enum Value<'a> {
    Integer(i64),
    Real(f64),
    Text(Cow<'a, str>),
}

/// Why a format gives nothing.
#[derive(Debug, PartialEq)]
enum Wrong {
    /// It is none, in the words of the library.
    Format(Cow<'static, str>),
    /// It is one, of a kind that is not here.
    Missing(&'static str),
}

fn wrong<T>(what: &'static str) -> Result<T, Wrong> {
    Err(Wrong::Format(Cow::Borrowed(what)))
}

/// Where a value stands in what is wider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Right,
    Center,
    /// Zeros stand behind the sign.
    Numeric,
}

/// How a value is to be written.
struct Spec {
    fill: String,
    align: Option<Align>,
    sign: char,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    localized: bool,
    kind: Option<char>,
}

/// A format that is read, with the values it takes.
struct Reader<'a> {
    rest: &'a str,
    values: &'a [Value<'a>],
    /// The place of the next value; nothing once one was named by its place.
    next: Option<usize>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn takes(&mut self, letter: char) -> bool {
        match self.rest.strip_prefix(letter) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// A number that is written out.
    fn number(&mut self) -> Result<u32, Wrong> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        match digits.parse() {
            Ok(number) if number <= MOST => Ok(number),
            _ => wrong("number is too big"),
        }
    }

    /// The value that is named before `}` or `:`, or the next one.
    fn value(&mut self) -> Result<&'a Value<'a>, Wrong> {
        let place = match self.peek() {
            Some('}' | ':') => {
                let Some(next) = self.next else {
                    return wrong("cannot switch from manual to automatic argument indexing");
                };
                self.next = Some(next + 1);
                next
            }
            Some(digit) if digit.is_ascii_digit() => {
                let place = if self.takes('0') { 0 } else { self.number()? };
                if !matches!(self.peek(), Some('}' | ':')) {
                    return wrong("invalid format string");
                }
                if self.next.is_some_and(|next| next > 0) {
                    return wrong("cannot switch from automatic to manual argument indexing");
                }
                self.next = None;
                place as usize
            }
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => {
                return wrong("argument not found");
            }
            _ => return wrong("invalid format string"),
        };
        self.values.get(place).map_or_else(|| wrong("argument not found"), Ok)
    }

    /// A width or a precision that is a value itself.
    fn dynamic(&mut self, no_integer: &'static str, negative: &'static str) -> Result<u32, Wrong> {
        let value = self.value()?;
        if !self.takes('}') {
            return wrong("invalid format string");
        }
        match value {
            Value::Integer(number @ 0..) => match u32::try_from(*number) {
                Ok(number) if number <= MOST => Ok(number),
                _ => wrong("number is too big"),
            },
            Value::Integer(_) => wrong(negative),
            Value::Real(_) | Value::Text(_) => wrong(no_integer),
        }
    }

    fn align(&mut self, spec: &mut Spec) -> Result<(), Wrong> {
        let of = |letter: char| match letter {
            '<' => Some(Align::Left),
            '>' => Some(Align::Right),
            '^' => Some(Align::Center),
            _ => None,
        };
        let mut letters = self.rest.chars();
        let (first, second) = (letters.next(), letters.next());
        if let (Some(fill), Some(align)) = (first, second.and_then(of)) {
            if fill == '{' {
                return wrong("invalid fill character '{'");
            }
            (spec.fill, spec.align) = (fill.to_string(), Some(align));
            self.rest = letters.as_str();
        } else if let Some(align) = first.and_then(of) {
            spec.align = Some(align);
            self.rest = &self.rest[1..];
        }
        Ok(())
    }

    /// What stands behind the colon.
    fn spec(&mut self, value: &Value<'_>) -> Result<Spec, Wrong> {
        let mut spec = Spec {
            fill: " ".to_owned(),
            align: None,
            sign: '-',
            alternate: false,
            width: 0,
            precision: None,
            localized: false,
            kind: None,
        };
        let numeric = |is: bool| match value {
            Value::Text(_) if is => wrong("format specifier requires numeric argument"),
            _ => Ok(()),
        };
        self.align(&mut spec)?;
        if let Some(sign @ ('+' | '-' | ' ')) = self.peek() {
            numeric(true)?;
            (spec.sign, self.rest) = (sign, &self.rest[1..]);
        }
        spec.alternate = self.takes('#');
        numeric(spec.alternate)?;
        if self.takes('0') {
            numeric(true)?;
            spec.align = spec.align.or(Some(Align::Numeric));
            "0".clone_into(&mut spec.fill);
        }
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            spec.width = self.number()? as usize;
        } else if self.takes('{') {
            spec.width = self.dynamic("width is not integer", "negative width")? as usize;
        }
        if self.takes('.') {
            let precision = match self.peek() {
                Some(digit) if digit.is_ascii_digit() => self.number()?,
                Some('{') => {
                    self.rest = &self.rest[1..];
                    self.dynamic("precision is not integer", "negative precision")?
                }
                _ => return wrong("missing precision specifier"),
            };
            spec.precision = Some(precision as usize);
            if matches!(value, Value::Integer(_)) {
                return wrong("precision not allowed for this argument type");
            }
        }
        spec.localized = self.takes('L');
        numeric(spec.localized)?;
        if let Some(kind) = self.peek().filter(|kind| *kind != '}') {
            if !"doxXbBaAeEfFgGcsp?".contains(kind) {
                return wrong("invalid type specifier");
            }
            spec.kind = Some(kind);
            self.rest = &self.rest[1..];
        }
        match self.takes('}') {
            true => Ok(spec),
            false => wrong("missing '}' in format string"),
        }
    }

    /// The whole of it, of at most so many bytes and some.
    fn format(&mut self, most: usize) -> Result<String, Wrong> {
        let mut out = String::new();
        while let Some(at) = self.rest.find(['{', '}']) {
            out.push_str(&self.rest[..at]);
            self.rest = &self.rest[at..];
            if self.takes('}') {
                if !self.takes('}') {
                    return wrong("unmatched '}' in format string");
                }
                out.push('}');
                continue;
            }
            self.takes('{');
            if self.takes('{') {
                out.push('{');
                continue;
            }
            let value = self.value()?;
            if self.takes('}') {
                out.push_str(&plain(value));
                continue;
            }
            self.takes(':');
            let spec = self.spec(value)?;
            if spec.width.max(spec.precision.unwrap_or(0)) > most {
                return Err(Wrong::Missing("SFORMAT of a width beyond max_allowed_packet"));
            }
            out.push_str(&written(value, &spec)?);
        }
        out.push_str(self.rest);
        Ok(out)
    }
}

/// A value without a spec.
fn plain(value: &Value<'_>) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => shortest(*number, false),
        Value::Text(text) => text.to_string(),
    }
}

fn written(value: &Value<'_>, spec: &Spec) -> Result<String, Wrong> {
    match value {
        Value::Integer(number) => integer(*number, spec),
        Value::Real(number) => real(*number, spec),
        Value::Text(text) => {
            let text = match spec.kind {
                None | Some('s') => Cow::Borrowed(&**text),
                Some('?') => Cow::Owned(debugged(text)),
                Some(_) => return wrong("invalid type specifier"),
            };
            let text: String = text.chars().take(spec.precision.unwrap_or(usize::MAX)).collect();
            Ok(padded("", &text, spec, Align::Left))
        }
    }
}

/// The characters that are two wide in a terminal.
const WIDE: [RangeInclusive<u32>; 11] = [
    0x1100..=0x115f,
    0x2e80..=0xa4cf,
    0xac00..=0xd7a3,
    0xf900..=0xfaff,
    0xfe30..=0xfe6f,
    0xff00..=0xff60,
    0xffe0..=0xffe6,
    0x1f300..=0x1f64f,
    0x1f900..=0x1f9ff,
    0x20000..=0x2fffd,
    0x30000..=0x3fffd,
];

/// As wide as it is to be, with the fill where the value leaves room.
fn padded(sign: &str, body: &str, spec: &Spec, usual: Align) -> String {
    let wide = |letter: char| WIDE.iter().any(|range| range.contains(&u32::from(letter)));
    let width = |text: &str| text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum::<usize>();
    let room = spec.width.saturating_sub(width(sign) + width(body));
    let fill = |count: usize| spec.fill.repeat(count);
    match spec.align.unwrap_or(usual) {
        Align::Left => format!("{sign}{body}{}", fill(room)),
        Align::Right => format!("{}{sign}{body}", fill(room)),
        Align::Center => format!("{}{sign}{body}{}", fill(room / 2), fill(room - room / 2)),
        Align::Numeric => format!("{sign}{}{body}", fill(room)),
    }
}

fn sign_of(negative: bool, spec: &Spec) -> &'static str {
    match (negative, spec.sign) {
        (true, _) => "-",
        (false, '+') => "+",
        (false, ' ') => " ",
        (false, _) => "",
    }
}

/// Digits with a comma before each three.
fn grouped(digits: &str) -> String {
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn integer(number: i64, spec: &Spec) -> Result<String, Wrong> {
    let size = number.unsigned_abs();
    let (prefix, digits) = match spec.kind {
        None | Some('d') if spec.localized => ("", grouped(&size.to_string())),
        None | Some('d') => ("", size.to_string()),
        Some('x') => ("0x", format!("{size:x}")),
        Some('X') => ("0X", format!("{size:X}")),
        Some('b') => ("0b", format!("{size:b}")),
        Some('B') => ("0B", format!("{size:b}")),
        Some('o') if size == 0 => ("", "0".to_owned()),
        Some('o') => ("0", format!("{size:o}")),
        Some('c') => {
            let letter = u8::try_from(number).ok().filter(u8::is_ascii).map_or('?', char::from);
            return Ok(padded("", &letter.to_string(), spec, Align::Left));
        }
        Some(_) => return wrong("invalid type specifier"),
    };
    let prefix = if spec.alternate { prefix } else { "" };
    let sign = format!("{}{prefix}", sign_of(number < 0, spec));
    Ok(padded(&sign, &digits, spec, Align::Right))
}

fn real(number: f64, spec: &Spec) -> Result<String, Wrong> {
    let size = number.abs();
    let kind = spec.kind.unwrap_or(if spec.precision.is_some() { 'g' } else { ' ' });
    let precision = spec.precision.unwrap_or(6);
    let body = match kind {
        ' ' => shortest(size, spec.alternate),
        'e' | 'E' => exponential(size, precision, spec.alternate),
        'f' | 'F' if spec.alternate && precision == 0 => format!("{size:.0}."),
        'f' | 'F' => format!("{size:.precision$}"),
        'g' | 'G' => general(size, precision.max(1), spec.alternate),
        'a' | 'A' => return Err(Wrong::Missing("SFORMAT by a or A")),
        _ => return wrong("invalid type specifier"),
    };
    let body = if kind.is_ascii_uppercase() { body.to_uppercase() } else { body };
    let body = match (spec.localized, body.find(|c: char| !c.is_ascii_digit())) {
        (false, _) => body,
        (true, Some(end)) => format!("{}{}", grouped(&body[..end]), &body[end..]),
        (true, None) => grouped(&body),
    };
    Ok(padded(sign_of(number.is_sign_negative(), spec), &body, spec, Align::Right))
}

/// Digits and an exponent as the library writes them: a sign and two digits at least.
fn with_exponent(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

fn exponential(size: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{size:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if alternate && precision == 0 { "." } else { "" };
    with_exponent(&format!("{mantissa}{point}"), exponent.parse().unwrap_or(0))
}

/// So many digits that count, in whichever way is shorter.
fn general(size: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{size:.*e}", precision - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match (alternate, text.contains('.')) {
        (false, true) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        (true, false) => format!("{text}."),
        _ => text.to_owned(),
    };
    if exponent < -4 || exponent >= i32::try_from(precision).unwrap_or(i32::MAX) {
        return with_exponent(&trimmed(mantissa), exponent);
    }
    let digits = (precision as i64 - 1 - i64::from(exponent)).max(0) as usize;
    trimmed(&format!("{size:.digits$}"))
}

/// The fewest digits that mean the number.
fn shortest(number: f64, alternate: bool) -> String {
    let text = format!("{number:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let text = match (-4..LARGE).contains(&exponent) {
        true => format!("{number}"),
        false => return with_exponent(mantissa, exponent),
    };
    match alternate && !text.contains('.') {
        true => format!("{text}.0"),
        false => text,
    }
}

/// A text in quotes, with what does not print escaped.
fn debugged(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(letter))),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

fn value<'c>(call: &'c Call<'_>, i: usize) -> Value<'c> {
    let my = call.my(i);
    match my.kind {
        _ if my.is_integer() => Value::Integer(call.as_integer(i) as i64),
        Kind::Float => {
            // Its own digits, not those of the double that it is kept as.
            let digits = (call.as_double(i) as f32).to_string();
            Value::Real(digits.parse().unwrap_or_default())
        }
        _ if my.is_number() => Value::Real(call.as_double(i)),
        _ => Value::Text(call.as_text(i)),
    }
}

fn sformat(call: &mut Call<'_>) -> Result<Datum> {
    let values: Vec<Value<'_>> = (1..call.args.len()).map(|i| value(call, i)).collect();
    let format = call.as_text(0);
    let mut reader = Reader { rest: &format, values: &values, next: Some(0) };
    or_null(match reader.format(call.settings().most_bytes) {
        Ok(text) => Some(call.texts(text)),
        Err(Wrong::Missing(what)) => return Err(SqlError::unsupported(what)),
        Err(Wrong::Format(what)) => {
            call.settings().warn(4183, format!("SFORMAT error: {what}"));
            None
        }
    })
}

fn text_type(types: &[MyType]) -> Result<MyType> {
    let (collation, _) = common::collation_of(types, "sformat")?;
    let coercibility = Coercibility::Literal;
    Ok(MyType { collation, coercibility, ..MyType::new(Kind::LongText) })
}

pub(crate) static FUNCTIONS: &[Entry] = &[row("sformat", 1..=255, text_type, sformat)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_format_takes_more_room_than_there_is() {
        let values = [Value::Integer(1), Value::Real(0.5), Value::Integer(i64::MIN)];
        let said =
            |format: &str| Reader { rest: format, values: &values, next: Some(0) }.format(1 << 20);
        for format in ["{:2000000000}", "{1:.2000000000f}"] {
            assert!(matches!(said(format), Err(Wrong::Missing(_))), "{format}");
        }
        assert_eq!(said("{2:x}").as_deref(), Ok("-8000000000000000"));
        assert_eq!(said("{0:é>3}{1:.3e}").as_deref(), Ok("éé15.000e-01"));
    }
}
