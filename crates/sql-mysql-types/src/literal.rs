//! Constants.
//!
//! | written | type |
//! | --- | --- |
//! | `12`, `18446744073709551615` | INT, BIGINT, BIGINT UNSIGNED, and beyond that DECIMAL |
//! | `1.50`, `.5` | DECIMAL with the digits as written |
//! | `1e3` | DOUBLE |
//! | `'abc'` | VARCHAR of the connection's collation; NULL alone has the unknown type |
//! | `0x41`, `0b01` | bytes that are a number where one is asked for |
//! | `x'41'`, `b'01'` | `x'…'` is bytes and nothing else in MariaDB, `b'…'` is as `0b…` |
//! | `DATE'2024-01-05'`, `TIME'…'`, `TIMESTAMP'…'` | that, and 1525 if it is none |

use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, Numeric, TypeId};

use crate::collation::Collation;
use crate::error::error;
use crate::my_type::{Coercibility, Kind, MyType};
use crate::number;
use crate::settings::Settings;
use crate::temporal::{read_moment, read_time};

/// A number as written, a sign before it included.
pub fn number(text: &str) -> Result<(Datum, TypeId)> {
    let bad = || SqlError::syntax(format!("near '{text}'"));
    if text.contains(['e', 'E']) {
        let value: f64 = text.parse().map_err(|_| bad())?;
        if value.is_infinite() {
            return Err(error(1367, format!("Illegal double '{text}' value found during parsing")));
        }
        let length = text.len().min(255) as u32 + 1;
        return Ok((Datum::Float(value), MyType { length, ..MyType::DOUBLE }.id()));
    }
    let digits = text.trim_start_matches('-');
    if let Some((whole, fraction)) = digits.split_once('.') {
        let value: Numeric = text.parse().map_err(|_| bad())?;
        let precision = (whole.trim_start_matches('0').len() + fraction.len()).max(1);
        let ty = MyType::decimal(precision as u32, fraction.len() as u32);
        let (value, _) = number::fit(&value, ty.length, u32::from(ty.scale));
        return Ok((Datum::Numeric(value), ty.id()));
    }
    let count = digits.len() as u32;
    let Ok(value) = text.parse::<i128>() else {
        let value: Numeric = text.parse().map_err(|_| bad())?;
        let (value, _) = number::fit(&value, 65, 0);
        return Ok((Datum::Numeric(value), MyType::decimal(count, 0).id()));
    };
    let signed = (i128::from(i64::MIN)..=i128::from(i64::MAX)).contains(&value);
    let ty = match (signed, u64::try_from(value).is_ok()) {
        (true, _) => {
            let kind = if count < 10 { Kind::Int } else { Kind::BigInt };
            MyType { length: count + 1, ..MyType::new(kind) }
        }
        (false, true) => MyType::UNSIGNED,
        (false, false) => MyType::decimal(count, 0),
    };
    Ok((number::integer(value), ty.id()))
}

/// A text in quotes.
pub fn text(text: &str, collation: Collation) -> (Datum, TypeId) {
    let length = text.chars().count().min(0xffff) as u32;
    (Datum::text(text), MyType::text(length, collation).id())
}

/// A text as `_binary'…'`.
pub fn binary_text(text: &str) -> (Datum, TypeId) {
    let length = text.len().min(0xffff) as u32;
    (Datum::Bytes(text.as_bytes().into()), MyType::bytes(length).id())
}

fn bytes(bytes: Vec<u8>, hybrid: bool) -> (Datum, TypeId) {
    let length = bytes.len().min(0xffff) as u32;
    let ty = match hybrid {
        true => {
            let coercibility = Coercibility::Literal;
            MyType { length: length.min(0x3ff), coercibility, ..MyType::new(Kind::Hex) }
        }
        false => MyType::bytes(length),
    };
    // The hold of a constant is not kept with its kind; what is packed is what counts.
    (Datum::Bytes(bytes.into()), MyType::of(ty.id()).id())
}

/// The digits of `0x41`, or of `x'41'` if `quoted`.
pub fn hexadecimal(digits: &str, quoted: bool) -> Result<(Datum, TypeId)> {
    let padded = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_owned() };
    let pairs = padded.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    });
    let found = pairs.collect::<Option<Vec<u8>>>();
    let found = found.filter(|_| !quoted || digits.len().is_multiple_of(2));
    Ok(bytes(found.ok_or_else(|| SqlError::syntax(format!("near '{digits}'")))?, !quoted))
}

/// The digits of `0b01` or `b'01'`.
pub fn bits(digits: &str) -> Result<(Datum, TypeId)> {
    let padded = format!("{}{digits}", "0".repeat((8 - digits.len() % 8) % 8));
    let eights = padded.as_bytes().chunks(8).map(|eight| {
        let eight = std::str::from_utf8(eight).ok()?;
        u8::from_str_radix(eight, 2).ok()
    });
    let found = eights.collect::<Option<Vec<u8>>>();
    Ok(bytes(found.ok_or_else(|| SqlError::syntax(format!("near '{digits}'")))?, true))
}

/// How many digits of a second a text has, six at most.
pub fn written_digits(text: &str) -> u8 {
    let fraction = text.rsplit_once('.').map_or("", |(_, fraction)| fraction);
    fraction.bytes().take_while(u8::is_ascii_digit).count().min(6) as u8
}

/// `DATE'…'`, `TIME'…'` or `TIMESTAMP'…'`.
pub fn moment(kind: Kind, text: &str, settings: &Settings) -> Result<(Datum, TypeId)> {
    let whole = kind != Kind::Date;
    let name = match kind {
        Kind::Date => "DATE",
        Kind::Time => "TIME",
        _ => "DATETIME",
    };
    let bad = || error(1525, format!("Incorrect {name} value: '{text}'"));
    if kind == Kind::Time {
        let found = read_time(text).filter(|found| !found.cut).ok_or_else(bad)?;
        return Ok((Datum::Time(found.moment), MyType::moment(kind, written_digits(text)).id()));
    }
    let found = read_moment(text, whole).filter(|found| !found.cut).ok_or_else(bad)?;
    if !found.moment.day.is_allowed(settings.mode) || (kind == Kind::Date && found.timed) {
        return Err(bad());
    }
    Ok(match kind {
        Kind::Date => (Datum::Date(found.moment.day.packed()), MyType::DATE.id()),
        _ => {
            let ty = MyType::moment(Kind::DateTime, written_digits(text));
            (found.moment.datum(), ty.id())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::type_name;
    use hobgoblin_sql_schema::names::NoNames;

    #[test]
    fn numbers_have_the_type_of_their_digits() {
        let cases = [
            ("1", "int(2)"),
            ("999999999", "int(10)"),
            ("2147483647", "bigint(11)"),
            ("9223372036854775807", "bigint(20)"),
            ("9223372036854775808", "bigint(20) unsigned"),
            ("18446744073709551616", "decimal(20,0)"),
            ("1.50", "decimal(3,2)"),
            ("0.5", "decimal(1,1)"),
            ("1e3", "double"),
            ("-9223372036854775808", "bigint(20)"),
        ];
        for (text, wanted) in cases {
            let (_, ty) = number(text).expect("it is a number");
            assert_eq!(type_name(ty, &NoNames), wanted, "{text}");
        }
        assert!(number("1e999").is_err() && hexadecimal("4", true).is_err());
    }
}
