//! `to_char` and `to_number` of numbers: templates such as `FM9,990.00S`.
//!
//! A template is read once into its parts: digits before and after the point, where separators and signs stand, roman
//! numerals, exponents. Printing fills it from the digits of the number; what does not fit becomes `#`, as PostgreSQL
//! shows it. Reading goes through the same parts and takes what the text has for them.

use super::super::args::{error, text};
use super::super::table::*;
use super::super::{Call, Function};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{Datum, Numeric};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Nine,
    Zero,
    Point,
    Group,
    Sign,
    Minus,
    Plus,
    Signed,
    Bracket,
    Currency,
    Roman(bool),
    Ordinal(bool),
    Shift,
    Scientific,
    Fill,
    /// `B`, which PostgreSQL reads and forgets.
    Blank,
    Other(char),
}

/// Keywords, the longer before the shorter that begin them.
const WORDS: &[(&str, Part)] = &[
    ("EEEE", Part::Scientific),
    ("FM", Part::Fill),
    ("MI", Part::Minus),
    ("PL", Part::Plus),
    ("PR", Part::Bracket),
    ("RN", Part::Roman(true)),
    ("SG", Part::Signed),
    ("TH", Part::Ordinal(true)),
    ("th", Part::Ordinal(false)),
    ("rn", Part::Roman(false)),
    (",", Part::Group),
    (".", Part::Point),
    ("0", Part::Zero),
    ("9", Part::Nine),
    ("B", Part::Blank),
    ("D", Part::Point),
    ("G", Part::Group),
    ("L", Part::Currency),
    ("S", Part::Sign),
    ("V", Part::Shift),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignPlace {
    Before,
    After,
}

/// A template, and what its parts say together.
#[derive(Default)]
struct Template {
    parts: Vec<Part>,
    before: usize,
    after: usize,
    zero_start: usize,
    zero_end: usize,
    sign_at: usize,
    shift: usize,
    sign: Option<SignPlace>,
    point: bool,
    zero: bool,
    fill: bool,
    minus: bool,
    plus: bool,
    bracket: bool,
    roman: bool,
    shifted: bool,
    scientific: bool,
}

fn syntax<T>(message: &str) -> Result<T> {
    error(SqlState::SYNTAX_ERROR, message)
}

fn word(rest: &str) -> Option<(usize, Part)> {
    let upper: String = rest.chars().take(4).map(|c| c.to_ascii_uppercase()).collect();
    for &(name, part) in WORDS {
        let hit = match part {
            Part::Ordinal(_) | Part::Roman(_) => rest.starts_with(name),
            _ => upper.starts_with(name),
        };
        if hit {
            return Some((name.len(), part));
        }
    }
    None
}

impl Template {
    fn parse(source: &str) -> Result<Template> {
        let mut template = Template::default();
        let mut rest = source;
        while let Some(c) = rest.chars().next() {
            if c == '"' {
                rest = template.quoted(rest.get(1..).unwrap_or_default());
                continue;
            }
            match word(rest) {
                Some((length, part)) => {
                    template.take(part)?;
                    rest = rest.get(length..).unwrap_or_default();
                }
                None => {
                    template.parts.push(Part::Other(c));
                    rest = rest.get(c.len_utf8()..).unwrap_or_default();
                }
            }
        }
        Ok(template)
    }

    fn quoted<'a>(&mut self, rest: &'a str) -> &'a str {
        let mut chars = rest.chars();
        while let Some(c) = chars.next() {
            match c {
                '"' => break,
                '\\' => self.parts.extend(chars.next().map(Part::Other)),
                c => self.parts.push(Part::Other(c)),
            }
        }
        chars.as_str()
    }

    fn take(&mut self, part: Part) -> Result<()> {
        if self.scientific && part != Part::Scientific {
            return syntax("\"EEEE\" must be the last pattern used");
        }
        match part {
            Part::Nine if self.bracket => return syntax("\"9\" must be ahead of \"PR\""),
            Part::Nine if self.shifted => self.shift += 1,
            Part::Nine if self.point => self.after += 1,
            Part::Nine => self.before += 1,
            Part::Zero if self.bracket => return syntax("\"0\" must be ahead of \"PR\""),
            Part::Zero => {
                if !self.zero && !self.point {
                    self.zero = true;
                    self.zero_start = self.before;
                }
                if self.point {
                    self.after += 1;
                } else {
                    self.before += 1;
                }
                self.zero_end = self.before + self.after;
            }
            Part::Point if self.point => return syntax("multiple decimal points"),
            Part::Point if self.shifted => {
                return syntax("cannot use \"V\" and decimal point together");
            }
            Part::Point => self.point = true,
            Part::Fill => self.fill = true,
            Part::Sign if self.sign.is_some() => return syntax("cannot use \"S\" twice"),
            Part::Sign if self.plus || self.minus || self.bracket => {
                return syntax("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together");
            }
            Part::Sign if self.point => self.sign = Some(SignPlace::After),
            Part::Sign => {
                self.sign = Some(SignPlace::Before);
                self.sign_at = self.before;
            }
            Part::Minus | Part::Plus | Part::Signed if self.sign.is_some() => {
                return syntax(match part {
                    Part::Minus => "cannot use \"S\" and \"MI\" together",
                    Part::Plus => "cannot use \"S\" and \"PL\" together",
                    _ => "cannot use \"S\" and \"SG\" together",
                });
            }
            Part::Minus => self.minus = true,
            Part::Plus => self.plus = true,
            Part::Signed => (self.minus, self.plus) = (true, true),
            Part::Bracket if self.sign.is_some() || self.plus || self.minus => {
                return syntax("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together");
            }
            Part::Bracket => self.bracket = true,
            Part::Roman(_) => self.roman = true,
            Part::Shift if self.point => {
                return syntax("cannot use \"V\" and decimal point together");
            }
            Part::Shift => self.shifted = true,
            Part::Scientific if self.scientific => return syntax("cannot use \"EEEE\" twice"),
            Part::Scientific => {
                if self.zero
                    || self.sign.is_some()
                    || self.bracket
                    || self.minus
                    || self.plus
                    || self.roman
                    || self.shifted
                    || self.fill
                {
                    return syntax("\"EEEE\" is incompatible with other formats").map_err(
                        |e: SqlError| {
                            e.detail("\"EEEE\" may only be used together with digit and decimal point patterns.")
                        },
                    );
                }
                self.scientific = true;
            }
            Part::Group | Part::Currency | Part::Ordinal(_) | Part::Blank | Part::Other(_) => {}
        }
        self.parts.push(part);
        Ok(())
    }
}

/// The ending of an ordinal number.
pub(super) fn ordinal(digits: &str, upper: bool) -> &'static str {
    let tail = digits.as_bytes();
    let last = tail.last().copied().unwrap_or(b'0');
    let teen = tail.len() > 1 && tail.get(tail.len() - 2) == Some(&b'1');
    match (last, teen, upper) {
        (b'1', false, true) => "ST",
        (b'2', false, true) => "ND",
        (b'3', false, true) => "RD",
        (b'1', false, false) => "st",
        (b'2', false, false) => "nd",
        (b'3', false, false) => "rd",
        (_, _, true) => "TH",
        (_, _, false) => "th",
    }
}

fn roman(mut n: u32) -> String {
    const STEPS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut out = String::new();
    for (value, digits) in STEPS {
        while n >= value {
            out.push_str(digits);
            n -= value;
        }
    }
    out
}

/// The writing of one number.
struct Writer<'a> {
    template: &'a Template,
    /// The digits of the absolute value, with a point if it has a fraction.
    number: &'a [u8],
    at: usize,
    negative: bool,
    /// Slots before the first digit.
    spaces: usize,
    slots: usize,
    current: usize,
    sign_done: bool,
    digits_begun: bool,
    bracket: bool,
    sign: Option<SignPlace>,
    /// The last digit that fill mode keeps.
    last: Option<usize>,
    out: String,
}

impl Writer<'_> {
    fn leading_zero_hidden(&self) -> bool {
        !self.template.zero
            && self.at == 0
            && self.number.first() == Some(&b'0')
            && self.template.after != 0
    }

    fn last_is_point(&self) -> bool {
        self.last.is_some_and(|last| self.number.get(last) == Some(&b'.'))
    }

    fn write_sign(&mut self) {
        let zero_here = self.template.zero && self.template.zero_start == self.current;
        let reached = self.current >= self.spaces || zero_here;
        if self.sign_done || !reached || (self.leading_zero_hidden() && !self.last_is_point()) {
            return;
        }
        match self.sign {
            Some(SignPlace::Before) => {
                self.out.push(if self.negative { '-' } else { '+' });
                self.sign_done = true;
            }
            Some(SignPlace::After) => {}
            None if self.bracket => {
                self.out.push(if self.negative { '<' } else { ' ' });
                self.sign_done = true;
            }
            None => {
                if self.negative {
                    self.out.push('-');
                } else if !self.template.fill {
                    self.out.push(' ');
                }
                self.sign_done = true;
            }
        }
    }

    fn digit(&mut self, part: Part) {
        if self.template.roman {
            return;
        }
        self.write_sign();
        let fill = self.template.fill;
        let before = self.current < self.spaces;
        if before && (self.template.zero_start > self.current || !self.template.zero) {
            if !fill {
                self.out.push(' ');
            }
        } else if before && self.template.zero {
            self.out.push('0');
            self.digits_begun = true;
        } else {
            match self.number.get(self.at) {
                Some(b'.') => {
                    if !self.last_is_point() || fill {
                        self.out.push('.');
                    }
                }
                found => {
                    if self.last.is_some_and(|last| self.at > last) && part != Part::Zero {
                        // Fill mode drops it.
                    } else if self.leading_zero_hidden() {
                        if !fill {
                            self.out.push(' ');
                        } else if self.last_is_point() {
                            self.out.push('0');
                        }
                    } else if let Some(&digit) = found {
                        self.out.push(char::from(digit));
                        self.digits_begun = true;
                    }
                }
            }
            if self.at < self.number.len() {
                self.at += 1;
            }
        }
        let mut end = self.slots + usize::from(self.spaces > 0) + usize::from(self.template.point);
        if self.last.is_some_and(|last| last == self.at) {
            end = self.current;
        }
        if self.current + 1 == end {
            if self.sign_done && self.bracket {
                self.out.push(if self.negative { '>' } else { ' ' });
            } else if self.sign == Some(SignPlace::After) {
                self.out.push(if self.negative { '-' } else { '+' });
            }
        }
        self.current += 1;
    }

    fn run(mut self, roman_of: impl Fn(bool) -> String) -> String {
        let fill = self.template.fill;
        for &part in &self.template.parts {
            match part {
                Part::Nine | Part::Zero | Part::Point => self.digit(part),
                Part::Group if self.digits_begun => self.out.push(','),
                Part::Group if !fill => self.out.push(' '),
                Part::Currency => self.out.push(' '),
                Part::Minus if self.negative => self.out.push('-'),
                Part::Plus if !self.negative => self.out.push('+'),
                Part::Minus | Part::Plus if !fill => self.out.push(' '),
                Part::Signed => self.out.push(if self.negative { '-' } else { '+' }),
                Part::Roman(upper) => {
                    let roman = roman_of(upper);
                    if !fill {
                        self.out
                            .extend(std::iter::repeat_n(' ', 15usize.saturating_sub(roman.len())));
                    }
                    self.out.push_str(&roman);
                }
                Part::Ordinal(upper) => {
                    let hidden = self.template.roman
                        || self.number.first() == Some(&b'#')
                        || self.negative
                        || self.template.point;
                    if !hidden {
                        let digits = String::from_utf8_lossy(self.number);
                        self.out.push_str(ordinal(&digits, upper));
                    }
                }
                Part::Other(c) => self.out.push(c),
                _ => {}
            }
        }
        self.out
    }
}

/// `number` are the digits of the absolute value at the template's scale.
fn write(template: &Template, number: &str, negative: bool, roman_of: Option<u32>) -> String {
    let before = template.before + template.shift;
    let whole = number.find('.').unwrap_or(number.len());
    let overflow: String;
    let (number, spaces) = if whole > before {
        let hashes = "#".repeat(before);
        overflow = if template.after > 0 || template.point {
            format!("{hashes}.{}", "#".repeat(template.after))
        } else {
            hashes
        };
        (overflow.as_str(), 0)
    } else {
        (number, before - whole)
    };
    let bytes = number.as_bytes();
    let mut last = None;
    if template.fill && template.point {
        last = bytes
            .iter()
            .position(|&b| b == b'.')
            .map(|point| bytes.iter().rposition(|&b| b != b'0').map_or(point, |at| at.max(point)));
        if let Some(kept) = last
            && template.zero_end > spaces
        {
            let zero = (bytes.len().saturating_sub(1)).min(template.zero_end - spaces);
            last = Some(kept.max(zero));
        }
    }
    let bracket = template.bracket && (negative || !template.fill);
    let mut sign = template.sign;
    let sign_done = if template.plus || template.minus {
        !template.plus || template.minus
    } else {
        if sign == Some(SignPlace::Before) && before == template.sign_at {
            sign = Some(SignPlace::After);
        }
        !negative && template.fill && sign.is_none()
    };
    let mut slots = (template.after + before).saturating_sub(1);
    if !sign_done && spaces == 0 {
        slots += 1;
    }
    let writer = Writer {
        template,
        number: bytes,
        at: 0,
        negative,
        spaces,
        slots,
        current: 0,
        sign_done,
        digits_begun: false,
        bracket,
        sign,
        last,
        out: String::new(),
    };
    writer.run(|upper| match roman_of {
        Some(n @ 1..=3999) => {
            let roman = roman(n);
            if upper { roman } else { roman.to_ascii_lowercase() }
        }
        _ => "#".repeat(15),
    })
}

/// A number in scientific notation: one digit, a fraction, an exponent of two digits at least.
fn scientific(value: &Numeric, places: usize) -> Result<String> {
    if !value.is_finite() {
        return Ok(format!(
            "{}#.{}####",
            if value.signum() < 0 { '-' } else { ' ' },
            "#".repeat(places)
        ));
    }
    let printed = value.abs().to_string();
    let point = printed.find('.').unwrap_or(printed.len());
    let digits: String = printed.chars().filter(char::is_ascii_digit).collect();
    let lead = digits.find(|c| c != '0');
    let exponent = lead.map_or(0, |lead| point as i64 - lead as i64 - 1);
    let significant = lead.and_then(|lead| digits.get(lead..)).unwrap_or("0");
    let (first, rest) = significant.split_at_checked(1).unwrap_or(("0", ""));
    let rounded = format!("{first}.{rest}0").parse::<Numeric>()?.round(places as i32);
    // Rounding up to 10 is not brought to the next power, as in PostgreSQL.
    let mantissa = rounded.to_string();
    let sign = if value.signum() < 0 { '-' } else { ' ' };
    let way = if exponent < 0 { '-' } else { '+' };
    Ok(format!("{sign}{mantissa}e{way}{:02}", exponent.abs()))
}

fn numeric_to_char(call: &mut Call<'_>) -> Result<Datum> {
    let value = match call.arg(0) {
        Datum::Int(value) => Numeric::from(*value),
        Datum::Float(value) => Numeric::from_f64(*value),
        _ => call.numeric(0)?.clone(),
    };
    let template = Template::parse(call.text(1)?)?;
    if template.parts.is_empty() {
        return text("");
    }
    if template.scientific {
        return text(scientific(&value, template.after)?);
    }
    let mut after = template.after;
    if let Datum::Float(float) = call.arg(0) {
        // A double has 15 digits; what lies behind them is not shown.
        let whole = float.abs().trunc().to_string().len();
        after = if whole >= 15 { 0 } else { after.min(15 - whole) };
    }
    let mut value = value;
    if template.shifted {
        let factor = Numeric::from(10).power(&Numeric::from(template.shift as i64))?;
        value = value.mul(&factor)?;
    }
    let rounded = value.round(after as i32);
    let mut digits = rounded.abs().to_string();
    if after < template.after && rounded.is_finite() {
        if !digits.contains('.') {
            digits.push('.');
        }
        digits.extend(std::iter::repeat_n('0', template.after - after));
    }
    let whole = value.round(0).to_i32().and_then(|n| u32::try_from(n).ok());
    text(write(&template, &digits, rounded.signum() < 0, whole))
}

/// Reads a number: signs and brackets wherever the template has them, group separators skipped.
fn to_number(call: &mut Call<'_>) -> Result<Datum> {
    let source = call.text(0)?;
    let template = Template::parse(call.text(1)?)?;
    if template.parts.is_empty() {
        return Ok(Datum::Null);
    }
    if template.roman {
        return Err(SqlError::unsupported("\"RN\" for input"));
    }
    if template.scientific {
        return Err(SqlError::unsupported("\"EEEE\" for input"));
    }
    let mut rest = source.chars().peekable();
    let (mut digits, mut negative, mut point) = (String::new(), false, false);
    let mut sign = |rest: &mut std::iter::Peekable<std::str::Chars<'_>>| {
        while rest.peek() == Some(&' ') {
            rest.next();
        }
        match rest.peek() {
            Some('-' | '<') => {
                negative = true;
                rest.next();
            }
            Some('+') => {
                rest.next();
            }
            _ => {}
        }
    };
    for part in &template.parts {
        if rest.peek().is_none() {
            break;
        }
        match part {
            Part::Nine | Part::Zero => {
                if digits.is_empty() {
                    sign(&mut rest);
                }
                match rest.peek() {
                    Some(c) if c.is_ascii_digit() => digits.extend(rest.next()),
                    Some('.') if template.point && !point => {
                        point = true;
                        digits.push('.');
                        rest.next();
                    }
                    _ => {}
                }
            }
            Part::Point => {
                if !point && rest.peek() == Some(&'.') {
                    point = true;
                    digits.push('.');
                    rest.next();
                }
            }
            Part::Group => {
                if rest.peek() == Some(&',') {
                    rest.next();
                }
            }
            Part::Sign | Part::Minus | Part::Plus | Part::Signed => sign(&mut rest),
            Part::Bracket | Part::Fill | Part::Shift => {}
            Part::Currency => {
                if rest.peek().is_some_and(|c| !c.is_ascii_digit() && !"+-.,".contains(*c)) {
                    rest.next();
                }
            }
            Part::Ordinal(_) => {
                rest.next();
                rest.next();
            }
            Part::Roman(_) | Part::Scientific | Part::Blank => {}
            Part::Other(_) => {
                rest.next();
            }
        }
    }
    if template.sign == Some(SignPlace::After) || template.sign == Some(SignPlace::Before) {
        sign(&mut rest);
    }
    if !digits.contains(|c: char| c.is_ascii_digit()) {
        return error(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!(
                "invalid input syntax for type numeric: \"{}\"",
                if digits.is_empty() { " " } else { &digits }
            ),
        );
    }
    let mut value: Numeric = digits.parse()?;
    if negative {
        value = value.neg();
    }
    if template.shifted {
        let factor = Numeric::from(10).power(&Numeric::from(template.shift as i64))?;
        value = value.div(&factor)?;
    }
    Ok(Datum::Numeric(value))
}

pub(super) static FUNCTIONS: &[Function] = &[
    function("to_char", &[NUMERIC, TEXT], TEXT, numeric_to_char).stable(),
    function("to_char", &[INT4, TEXT], TEXT, numeric_to_char).stable(),
    function("to_char", &[INT8, TEXT], TEXT, numeric_to_char).stable(),
    function("to_char", &[FLOAT4, TEXT], TEXT, numeric_to_char).stable(),
    function("to_char", &[FLOAT8, TEXT], TEXT, numeric_to_char).stable(),
    function("to_number", &[TEXT, TEXT], NUMERIC, to_number).stable(),
];
