//! Answers of PostgreSQL 15, written down.

use hobgoblin_regex::{Error, Options, Regex};

/// The match and its groups, `-` for one that is not set; or no match.
fn found(pattern: &str, text: &str) -> String {
    let regex = Regex::new(pattern, Options::default()).unwrap();
    match regex.matcher(text, &|| false).captures(0).unwrap() {
        None => "no".to_owned(),
        Some(groups) => {
            let group = |bounds: Option<(usize, usize)>| bounds.map_or("-", |(a, b)| &text[a..b]);
            groups.into_iter().map(group).collect::<Vec<_>>().join("|")
        }
    }
}

#[test]
fn matches() {
    for (pattern, text, expect) in [
        ("foo|foobar", "a foobar", "foobar"),
        ("(?:a|ab)(?:c|bcd)(d*)", "abcd", "abcd|"),
        ("(a|ab)(c|bcd)(d*)", "abcd", "abcd|ab|c|d"),
        ("Y*([0-9]{1,3})", "XY1234Z", "Y123|123"),
        ("Y*?([0-9]{1,3})", "XY1234Z", "Y1|1"),
        ("(.*?)(x*)", "aax", "||"),
        ("([[:alpha:]]+)@(.*)", "me@there", "me@there|me|there"),
        ("(a)\\1", "xaay", "aa|a"),
        ("(.)(.)\\2\\1", "xabbay", "abba|a|b"),
        ("foo(?!bar)", "foobar foobaz", "foo"),
        ("(?<=-)\\d+", "12-34", "34"),
        ("(?<!-)\\d", "-12", "2"),
        ("\\mb\\w*", "abc bcd", "bcd"),
        ("(a*)*", "aab", "aa|aa"),
        ("(a*)+", "b", "|"),
        ("(a|b)*", "abx", "ab|b"),
        ("(?:(a)|b)*", "ab", "ab|-"),
        ("((a)|(b))*", "ab", "ab|b|-|b"),
        ("(?i)STRASSE", "straSSe", "straSSe"),
        ("***=a.c", "abc a.c", "a.c"),
        ("a{2}?", "aaa", "aa"),
        ("a{2,3}?", "aaa", "aa"),
        ("(a{2,3})", "aaaa", "aaa|aaa"),
        ("(a){0}\\1", "aa", "no"),
        ("()*\\1", "a", "|"),
        ("", "a", ""),
        ("a||b", "b", "b"),
        ("a||b", "c", ""),
    ] {
        assert_eq!(found(pattern, text), expect, "{pattern} on {text}");
    }
}

#[test]
fn refusals() {
    for (pattern, error) in [
        ("(", Error::Parentheses),
        (")", Error::Parentheses),
        ("[a", Error::Brackets),
        ("a{1", Error::Braces),
        ("a{2,1}", Error::Repetition),
        ("a{256}", Error::Repetition),
        ("a**", Error::Quantifier),
        ("*a", Error::Quantifier),
        ("^*", Error::Quantifier),
        ("(?<a)", Error::Quantifier),
        ("\\1", Error::Backreference),
        ("(a\\1)", Error::Backreference),
        ("(a)(?=\\1)", Error::Backreference),
        ("\\q", Error::Escape),
        ("\\", Error::Escape),
        ("[z-a]", Error::Range),
        ("[a-\\d]", Error::Range),
        ("[[:no:]]", Error::CharacterClass),
        ("[[.no.]]", Error::CollatingElement),
        ("(?z)", Error::Option),
        ("***?", Error::Version),
        ("((a{255}){255}){255}", Error::TooComplex),
    ] {
        assert_eq!(Regex::new(pattern, Options::default()).err(), Some(error), "{pattern}");
    }
    let deep = "(".repeat(100_000);
    assert_eq!(Regex::new(&deep, Options::default()).err(), Some(Error::TooComplex));
}

#[test]
fn a_match_can_be_given_up() {
    let regex = Regex::new("^(a+)(a+)(a+)(a+)b\\1\\2\\3\\4\\4c", Options::default()).unwrap();
    let text = format!("{}b{}c", "a".repeat(200), "a".repeat(150));
    let asked = std::cell::Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 2
    };
    let begun = std::time::Instant::now();
    assert!(regex.matcher(&text, &stop).is_match().is_err());
    assert!(begun.elapsed().as_secs() < 5);
}

/// A pattern of many groups and a deep one neither fail nor take all of the stack.
#[test]
fn large_patterns() {
    let text = "a".repeat(500);
    assert_eq!(found(&"(a)".repeat(500), &text).len(), 500 + 2 * 500);
    let deep = format!("{}a{}", "(".repeat(3000), ")".repeat(3000));
    assert_eq!(found(&deep, "a").len(), 1 + 2 * 3000);
}
