//! Counts, durations, sizes and ranges as people write them.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::time::Duration;

/// `1 history`, `2 histories`, `2 calls`.
pub(crate) fn counted<N: PartialEq + From<u8> + Display>(count: N, what: &str) -> String {
    match (count == N::from(1), what.strip_suffix('y')) {
        (true, _) => format!("1 {what}"),
        (false, Some(stem)) => format!("{count} {stem}ies"),
        (false, None) => format!("{count} {what}s"),
    }
}

/// Seconds, or a number with a unit: `500ms`, `10s`, `1.5m`, `2h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a time such as 500ms, 10s, 5m or 2h".to_owned();
    let (number, unit) = split(text).ok_or_else(expected)?;
    let scale = match unit.as_str() {
        "ms" => 1e-3,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected()),
    };
    Duration::try_from_secs_f64(number * scale).map_err(|_| "that time is too long".to_owned())
}

/// Bytes, or a number with a unit: `500MB`, `2GiB`, `1.5G`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let expected = || "expected a size such as 500MB or 2GiB".to_owned();
    let (number, unit) = split(text).ok_or_else(expected)?;
    let scale = match unit.as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err(expected()),
    };
    Ok((number * scale) as u64)
}

/// A number of something, or the least and the greatest: `8`, `4..12`.
pub(crate) fn range(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str| count(text.trim()).and_then(|n| u32::try_from(n).ok());
    let parsed = match text.split_once("..") {
        None => number(text).map(|n| (n, n)),
        Some((low, high)) => number(low).zip(number(high.trim_start_matches('='))),
    };
    parsed.ok_or_else(|| "expected a number or a range such as 4..12".to_owned())
}

/// A number that may be large: `10000000`, `10_000_000`, `10M`, `500k`.
pub(crate) fn number(text: &str) -> Result<u64, String> {
    count(text).ok_or_else(|| "expected a number such as 5000, 500k or 10M".to_owned())
}

/// As [`number`], where 32 bits are plenty.
pub(crate) fn number32(text: &str) -> Result<u32, String> {
    u32::try_from(number(text)?).map_err(|_| "that number is too large".to_owned())
}

/// A number of threads.
pub(crate) fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a number from 1 up".to_owned())
}

/// What the type itself can parse.
pub(crate) fn parsed<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T, String> {
    text.parse()
}

fn count(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1_000,
        "m" => 1_000_000,
        _ => return None,
    };
    digits.replace('_', "").parse::<u64>().ok()?.checked_mul(scale)
}

/// A number from 0 to 1, or a percentage.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let parsed = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse().map(|n: f64| n / 100.0),
        None => text.parse(),
    };
    let within = parsed.ok().filter(|share| (0.0..=1.0).contains(share));
    within.ok_or_else(|| "expected a share from 0 to 1, or a percentage".to_owned())
}

/// A number that is not negative, and the unit after it in lower case.
fn split(text: &str) -> Option<(f64, String)> {
    let text = text.trim();
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let number: f64 = text[..at].trim().replace('_', "").parse().ok()?;
    (number.is_finite() && number >= 0.0).then(|| (number, text[at..].to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(counted(1_u64, "history"), "1 history");
        assert_eq!(counted(0_u32, "history"), "0 histories");
        assert_eq!(counted(2_usize, "call"), "2 calls");
    }

    #[test]
    fn durations() {
        for (text, millis) in [("10", 10_000), ("500ms", 500), ("1.5m", 90_000), ("2 H", 7_200_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "-1s", "1 day", "1e400", "nan", "inf"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [("7", 7), ("2GiB", 2 << 30), ("1.5k", 1536), ("500MB", 500_000_000)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        assert!(size("2 bytes").is_err() && size("-1").is_err());
    }

    #[test]
    fn numbers_and_ranges() {
        assert_eq!(number("10M"), Ok(10_000_000));
        assert_eq!(number("1_000"), Ok(1000));
        assert!(number("").is_err() && number("ten").is_err() && number("1e3").is_err());
        assert_eq!(range("8"), Ok((8, 8)));
        assert_eq!(range("4..12"), Ok((4, 12)));
        assert_eq!(range("4..=12"), Ok((4, 12)));
        assert!(range("4..").is_err() && range("..").is_err());
        assert!(number32("5000M").is_err());
    }

    #[test]
    fn shares() {
        assert_eq!((share("0.25"), share("25%")), (Ok(0.25), Ok(0.25)));
        assert!(share("1.5").is_err() && share("-1%").is_err() && share("half").is_err());
    }
}
