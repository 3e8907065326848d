//! The order of keys: integers, then strings; strings byte by byte, but numbers inside brackets as numbers.
//!
//! Rows of SQL tables are keys such as `order_line[1,2,15]`, their cells `order_line[1,2,15].amount`, the
//! entries of an index `by_name['abc',7]`. A scan should see row 2 before row 15, and the rows of a range of
//! numbers next to each other. So a run of digits that directly follows `[` or `,`, or one of these and a
//! minus sign, is compared as the number it is. So is one after `#`, which rows without a primary key have:
//!
//! ```text
//!     t[#2] < t[#15] < t['a'] < t[-15] < t[-2] < t[2] < t[2,7] < t[15]
//! ```
//!
//! Between the quotes of a text that begins inside the brackets all is bytes again, so that texts sort as
//! texts whatever commas they have.
//!
//! What a byte is part of depends only on the bytes before it. So the keys are a tree of bytes and numbers
//! in which the branches of each node are ordered, and any two keys compare as the branches where they part:
//! a total order. Numbers that differ only in leading zeros are one branch; keys that are equal but for
//! such zeros are told apart by their bytes.

use std::cmp::Ordering;

use hobgoblin_core::Key;

/// Compares two keys in the order of scans.
pub(crate) fn compare(a: &Key, b: &Key) -> Ordering {
    match (a, b) {
        (Key::Text(a), Key::Text(b)) => compare_texts(a.as_bytes(), b.as_bytes()),
        _ => a.cmp(b),
    }
}

fn compare_texts(a: &[u8], b: &[u8]) -> Ordering {
    // Where the comparison stands; the places differ once equal numbers had different zeros in front.
    let (mut at_a, mut at_b) = (0, 0);
    loop {
        let (rest_a, rest_b) = (&a[at_a..], &b[at_b..]);
        let same = common(rest_a, rest_b);
        // Where the digits around the place at which they part begin.
        let back = rest_a[..same].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let start = same - back;
        let (number_a, number_b) = (digits(&rest_a[start..]), digits(&rest_b[start..]));
        let both = !number_a.is_empty() && !number_b.is_empty();
        let Some(sign) = both.then(|| number_at(&a[..at_a + start])).flatten() else {
            return rest_a.get(same).cmp(&rest_b.get(same)).then_with(|| a.cmp(b));
        };
        match (compare_numbers(number_a, number_b), sign) {
            (Ordering::Equal, _) => {}
            (order, Sign::Plus) => return order,
            (order, Sign::Minus) => return order.reverse(),
        }
        (at_a, at_b) = (at_a + start + number_a.len(), at_b + start + number_b.len());
    }
}

/// How many bytes two texts have in common from the beginning, found eight at a time.
fn common(a: &[u8], b: &[u8]) -> usize {
    let (eights_a, eights_b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    let mut at = 0;
    for (x, y) in eights_a.iter().zip(eights_b) {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 {
            return at + differ.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + a[at..].iter().zip(&b[at..]).take_while(|(a, b)| a == b).count()
}

/// The digits a text begins with.
fn digits(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    &text[..end.unwrap_or(text.len())]
}

/// Compares runs of digits of any length as numbers.
fn compare_numbers(a: &[u8], b: &[u8]) -> Ordering {
    let significant = |digits: &[u8]| {
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        zeros..digits.len()
    };
    let (a, b) = (&a[significant(a)], &b[significant(b)]);
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

/// Whether digits after this text are a number, and of which sign.
fn number_at(before: &[u8]) -> Option<Sign> {
    let sign = match before {
        [.., b'[' | b','] | [.., b'[' | b',', b'#'] => Sign::Plus,
        [.., b'[' | b',', b'-'] => Sign::Minus,
        _ => return None,
    };
    let bracket = before.iter().position(|&byte| byte == b'[').unwrap_or(before.len());
    let quotes = before[bracket..].iter().filter(|&&byte| byte == b'\'').count();
    (quotes % 2 == 0).then_some(sign)
}

/// Whether some of a text is compared as a number.
pub(crate) fn has_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts = |at: usize| bytes[at].is_ascii_digit() && number_at(&bytes[..at]).is_some();
    (0..bytes.len()).any(starts)
}

/// A text without the number at its end, if there is one; more digits could still follow that.
pub(crate) fn without_number(text: &str) -> &str {
    let stem = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let ends = stem.len() < text.len() && number_at(stem.as_bytes()).is_some();
    if ends { stem } else { text }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(text: &str) -> Key {
        Key::from(text)
    }

    #[test]
    fn numbers_in_brackets_are_numbers() {
        let ordered = [
            "",
            "[2]",
            "[15]",
            "a",
            "t",
            "t10",
            "t2",
            "t[",
            "t[#2]",
            "t[#15]",
            "t[#x15]",
            "t[#x2]",
            "t['#15']",
            "t['#2']",
            "t['a,15']",
            "t['a,2']",
            "t['it''s',2]",
            "t['it''s',15]",
            "t['x',#2]",
            "t['x',#15]",
            "t[-15]",
            "t[-2]",
            "t[/",
            "t[0]",
            "t[2",
            "t[2,",
            "t[2,-10]",
            "t[2,-9]",
            "t[2,7]",
            "t[2,15]",
            "t[2]",
            "t[02].b",
            "t[2].b",
            "t[2].c10",
            "t[2].c2",
            "t[02].d",
            "t[15]",
            "t[99999999999999999999]",
            "t[100000000000000000000]",
            "t[:",
            "t[x2]",
            "u",
        ];
        for (at, a) in ordered.iter().enumerate() {
            for (other, b) in ordered.iter().enumerate() {
                assert_eq!(compare(&key(a), &key(b)), at.cmp(&other), "{a} {b}");
            }
        }
        assert_eq!(compare(&Key::Int(9), &key("")), Ordering::Less);
    }

    /// Texts of few characters, so that the rules meet.
    fn text() -> impl Strategy<Value = Key> {
        "[\\[,'#019a.\\]-]{0,9}".prop_map(Key::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn the_order_is_total(a in text(), b in text(), c in text()) {
            let order = compare(&a, &b);
            prop_assert_eq!(order, compare(&b, &a).reverse());
            prop_assert_eq!(order == Ordering::Equal, a == b);
            let mut three = [&a, &b, &c];
            three.sort_by(|x, y| compare(x, y));
            prop_assert!(compare(three[0], three[2]) != Ordering::Greater);
            prop_assert!(compare(three[0], three[1]) != Ordering::Greater);
            prop_assert!(compare(three[1], three[2]) != Ordering::Greater);
        }

        #[test]
        fn rows_come_in_the_order_of_their_numbers(a: [i64; 3], b: [i64; 3]) {
            let row = |[x, y, z]: [i64; 3]| Key::from(format!("t[{x},{y},{z}]"));
            prop_assert_eq!(compare(&row(a), &row(b)), a.cmp(&b));
        }
    }
}
