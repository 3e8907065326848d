//! Integers in text, both ways, without the generality of the standard library.

/// The integer at the beginning of `text` and how many bytes it takes, if it has at most 18 digits.
/// A sign alone is no integer.
#[inline]
pub(crate) fn parse(text: &[u8]) -> Option<(i64, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut n = 0i64;
    let mut at = start;
    while let Some(digit) = text.get(at).map(|b| b.wrapping_sub(b'0'))
        && digit < 10
    {
        if at - start == 18 {
            return None;
        }
        n = n * 10 + i64::from(digit);
        at += 1;
    }
    (at > start).then_some((if negative { -n } else { n }, at))
}

/// The integer that `text` is when written the usual way: no sign but `-`, no leading zero.
pub(crate) fn canonical(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let usual = match digits.as_bytes() {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', ..] => true,
        _ => false,
    };
    if usual { text.parse().ok() } else { None }
}

/// Appends an integer in decimal.
#[inline]
pub(crate) fn push(out: &mut Vec<u8>, n: i64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = n.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_survive_both_ways() {
        for n in [0, 1, -1, 9, 10, 999_999_999_999_999_999, i64::MAX, i64::MIN] {
            let mut out = Vec::new();
            push(&mut out, n);
            assert_eq!(out, n.to_string().into_bytes());
            let expect = (n.unsigned_abs() < 10u64.pow(18)).then_some((n, out.len()));
            assert_eq!(parse(&out), expect);
            assert_eq!(canonical(&n.to_string()), Some(n));
        }
        assert_eq!(parse(b"12,3"), Some((12, 2)));
        assert_eq!(parse(b"-"), None);
        for text in ["", "-", "01", "-0", "+1", "1 ", "99999999999999999999"] {
            assert_eq!(canonical(text), None, "{text:?}");
        }
    }
}
