//! Cutting the text of a date, time or interval into fields.

/// The shape of a field, by its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Digits, perhaps with a point.
    Number,
    /// Letters only, such as the name of a month.
    Word,
    /// Digits or letters with `-`, `/` or `.` between them; names of zones too.
    Date,
    /// Digits with colons between them.
    Time,
    /// A sign and digits: an offset from UTC.
    Zone,
    /// A sign and letters: `+infinity`.
    Special,
}

/// A field of a text, in lower case.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) kind: Kind,
    pub(crate) text: String,
}

const MAX_FIELDS: usize = 25;

/// The fields of a text; `None` when it cannot be a date, time or interval. `known` tells words that end
/// before a digit or `+`.
pub(crate) fn scan(text: &str, known: impl Fn(&str) -> bool, limit: usize) -> Option<Vec<Field>> {
    let bytes = text.as_bytes();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let mut fields = Vec::new();
    let (mut i, mut used) = (0, 0);
    while i < bytes.len() {
        let start = i;
        let mut sign = None;
        let while_matches = |i: &mut usize, test: &dyn Fn(u8) -> bool| {
            while *i < bytes.len() && test(at(*i)) {
                *i += 1;
            }
        };
        let digit = |b: u8| b.is_ascii_digit();
        let kind = match at(i) {
            b if b.is_ascii_whitespace() || b == 0x0b => {
                i += 1;
                continue;
            }
            b if digit(b) => {
                while_matches(&mut i, &digit);
                match at(i) {
                    b':' => {
                        while_matches(&mut i, &|b| digit(b) || b == b':' || b == b'.');
                        Kind::Time
                    }
                    mark @ (b'-' | b'/' | b'.') => {
                        i += 1;
                        if digit(at(i)) {
                            while_matches(&mut i, &digit);
                            if at(i) == mark {
                                while_matches(&mut i, &|b| digit(b) || b == mark);
                                Kind::Date
                            } else if mark == b'.' {
                                Kind::Number
                            } else {
                                Kind::Date
                            }
                        } else {
                            while_matches(&mut i, &|b| b.is_ascii_alphanumeric() || b == mark);
                            Kind::Date
                        }
                    }
                    _ => Kind::Number,
                }
            }
            b'.' => {
                i += 1;
                while_matches(&mut i, &digit);
                Kind::Number
            }
            b if b.is_ascii_alphabetic() => {
                while_matches(&mut i, &|b| b.is_ascii_alphabetic());
                let dated = match at(i) {
                    b'-' | b'/' | b'.' => true,
                    b if b == b'+' || digit(b) => !known(&text[start..i].to_ascii_lowercase()),
                    _ => false,
                };
                if dated {
                    i += 1;
                    while_matches(&mut i, &|b| b.is_ascii_alphanumeric() || b"+-/_.:".contains(&b));
                    Kind::Date
                } else {
                    Kind::Word
                }
            }
            b @ (b'+' | b'-') => {
                i += 1;
                while_matches(&mut i, &|b| b.is_ascii_whitespace() || b == 0x0b);
                sign = Some((b as char, i));
                if digit(at(i)) {
                    while_matches(&mut i, &|b| digit(b) || b":.-".contains(&b));
                    Kind::Zone
                } else if at(i).is_ascii_alphabetic() {
                    while_matches(&mut i, &|b| b.is_ascii_alphabetic());
                    Kind::Special
                } else {
                    return None;
                }
            }
            b if b.is_ascii_punctuation() => {
                i += 1;
                continue;
            }
            _ => return None,
        };
        let text = match sign {
            Some((sign, rest)) => format!("{sign}{}", text[rest..i].to_ascii_lowercase()),
            None => text[start..i].to_ascii_lowercase(),
        };
        used += text.len() + 1;
        if fields.len() >= MAX_FIELDS || used > limit {
            return None;
        }
        fields.push(Field { kind, text });
    }
    Some(fields)
}

/// The integer at the beginning of a text, and what follows it. An error if it does not fit 32
/// bits, as C's `int`.
pub(crate) fn leading_int(text: &str) -> Result<(i64, &str), ()> {
    let (value, rest) = leading_long(text)?;
    if i32::try_from(value).is_err() { Err(()) } else { Ok((value, rest)) }
}

/// The same for 64 bits. Without digits it is 0, as `strtol` has it.
pub(crate) fn leading_long(text: &str) -> Result<(i64, &str), ()> {
    let sign = usize::from(text.starts_with(['+', '-']));
    let digits = text.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Ok((0, text));
    }
    let (number, rest) = text.split_at(sign + digits);
    Ok((number.parse().map_err(|_| ())?, rest))
}

/// The fraction that a text beginning with a point is, all of it.
pub(crate) fn fraction(text: &str) -> Option<f64> {
    if text == "." {
        return Some(0.0);
    }
    if !text.starts_with('.') || !text.bytes().skip(1).all(|b| b.is_ascii_digit()) {
        return None;
    }
    format!("0{text}").parse().ok()
}
