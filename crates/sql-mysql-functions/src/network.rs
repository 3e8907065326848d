//! Addresses of the internet: as texts, as numbers, as bytes.

use std::net::{Ipv4Addr, Ipv6Addr};

use hobgoblin_sql_mysql_types::{Coercibility, Collation, MyType};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;

use crate::entry::{Entry, Read, a_truth, an_unsigned, or_null, row, text_of};

/// The number of an address, of which parts may be left out: `1.2` is `1.0.0.2`.
fn number_of(text: &str) -> Option<i64> {
    let (mut whole, mut part, mut dots) = (0i64, 0i64, 0);
    let last = text.chars().next_back()?;
    for letter in text.chars() {
        match letter {
            '0'..='9' => {
                part = part * 10 + i64::from(u32::from(letter) - u32::from('0'));
                if part > 255 {
                    return None;
                }
            }
            '.' => {
                dots += 1;
                whole = (whole << 8) + part;
                part = 0;
            }
            _ => return None,
        }
    }
    if last == '.' {
        return None;
    }
    let left_out = match dots {
        1 => 16,
        2 => 8,
        _ => 0,
    };
    Some((whole << left_out << 8) + part)
}

fn inet_aton(call: &mut Call<'_>) -> Result<Datum> {
    or_null(number_of(&call.as_text(0)).map(Datum::Int))
}

fn inet_ntoa(call: &mut Call<'_>) -> Result<Datum> {
    let number = u32::try_from(call.as_integer(0)).ok();
    or_null(number.map(|number| call.texts(Ipv4Addr::from(number).to_string())))
}

/// The bytes of an address of the old kind; its parts may begin with zeros.
fn v4(text: &str) -> Option<[u8; 4]> {
    let parts: Vec<&str> = text.split('.').collect();
    let parts: [&str; 4] = parts.try_into().ok()?;
    let mut bytes = [0; 4];
    for (byte, part) in bytes.iter_mut().zip(parts) {
        let digits = (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        *byte = digits.then(|| part.parse().ok()).flatten()?;
    }
    Some(bytes)
}

/// An address of either kind, as its bytes.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    match v4(text) {
        Some(bytes) => Some(bytes.to_vec()),
        None => text.parse::<Ipv6Addr>().ok().map(|address| address.octets().to_vec()),
    }
}

fn inet6_aton(call: &mut Call<'_>) -> Result<Datum> {
    or_null(bytes_of(&call.as_text(0)).map(|bytes| Datum::Bytes(bytes.into())))
}

/// The first of the longest runs of zero groups is `::`, a single one too; the last groups of an IPv4 address are that.
fn text_of_v6(bytes: [u8; 16]) -> String {
    let groups = Ipv6Addr::from(bytes).segments();
    let (mut start, mut longest) = (0, 0);
    let mut at = 0;
    while at < groups.len() {
        let run = groups[at..].iter().take_while(|group| **group == 0).count();
        if run > longest {
            (start, longest) = (at, run);
        }
        at += run.max(1);
    }
    let v4 = start == 0 && longest < 8 && (longest == 6 || longest == 5 && groups[5] == 0xffff);
    let mut out = String::new();
    let mut at = 0;
    while at < groups.len() {
        if longest > 0 && at == start {
            out.push_str(if at == 0 { "::" } else { ":" });
            at += longest;
            continue;
        }
        if v4 && at == 6 {
            let last = [bytes[12], bytes[13], bytes[14], bytes[15]];
            return out + &Ipv4Addr::from(last).to_string();
        }
        out.push_str(&format!("{:x}", groups[at]));
        at += 1;
        if at < groups.len() {
            out.push(':');
        }
    }
    out
}

fn inet6_ntoa(call: &mut Call<'_>) -> Result<Datum> {
    if !call.my(0).is_bytes() && !matches!(call.arg(0), Datum::Bytes(_)) {
        return Ok(Datum::Null);
    }
    let bytes = call.as_bytes(0).into_owned();
    let text = match (<[u8; 4]>::try_from(&*bytes), <[u8; 16]>::try_from(&*bytes)) {
        (Ok(bytes), _) => Some(Ipv4Addr::from(bytes).to_string()),
        (_, Ok(bytes)) => Some(text_of_v6(bytes)),
        _ => None,
    };
    or_null(text.map(|text| call.texts(text)))
}

/// What is no address, and NULL, is none.
fn is(call: &Call<'_>, test: fn(&str) -> bool) -> Datum {
    Datum::Bool(!call.null(0) && test(&call.as_text(0)))
}

/// Whether bytes are an address of the new kind that begins so and goes on with one of the old.
fn begins(call: &Call<'_>, head: [u8; 12]) -> Datum {
    if call.null(0) {
        return Datum::Bool(false);
    }
    let bytes = call.as_bytes(0);
    // The address of nobody, and of this host, are none of the old.
    let small = head == [0; 12] && bytes.len() == 16 && bytes[12..15] == [0; 3] && bytes[15] < 2;
    Datum::Bool(bytes.len() == 16 && bytes[..12] == head && !small)
}

const MAPPED: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

fn short(_: &[MyType]) -> Result<MyType> {
    Ok(text_of(31, Collation::DEFAULT, Coercibility::Literal))
}

fn long(_: &[MyType]) -> Result<MyType> {
    Ok(text_of(39, Collation::DEFAULT, Coercibility::Literal))
}

fn sixteen(_: &[MyType]) -> Result<MyType> {
    Ok(MyType::bytes(16))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("inet_aton", 1..=1, an_unsigned, inet_aton),
    row("inet_ntoa", 1..=1, short, inet_ntoa),
    row("inet6_aton", 1..=1, sixteen, inet6_aton),
    row("inet6_ntoa", 1..=1, long, inet6_ntoa),
    row("is_ipv4", 1..=1, a_truth, |c| Ok(is(c, |text| v4(text).is_some()))).with_nulls(),
    row("is_ipv6", 1..=1, a_truth, |c| Ok(is(c, |text| text.parse::<Ipv6Addr>().is_ok())))
        .with_nulls(),
    row("is_ipv4_compat", 1..=1, a_truth, |c| Ok(begins(c, [0; 12]))).with_nulls(),
    row("is_ipv4_mapped", 1..=1, a_truth, |c| Ok(begins(c, MAPPED))).with_nulls(),
];
