//! Classes of characters and their upper and lower case.
//!
//! PostgreSQL asks its C library. `classes.txt` has the answers of glibc 2.36 for the locale C.UTF-8, as
//! ranges in hexadecimal; the other classes follow from these four.

use std::sync::LazyLock;

use crate::set::CharSet;

/// A class of characters, as `[[:alpha:]]` or `\w` name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Alnum,
    Alpha,
    Ascii,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    Xdigit,
}

const NAMES: [(&str, Class); 14] = [
    ("alnum", Class::Alnum),
    ("alpha", Class::Alpha),
    ("ascii", Class::Ascii),
    ("blank", Class::Blank),
    ("cntrl", Class::Cntrl),
    ("digit", Class::Digit),
    ("graph", Class::Graph),
    ("lower", Class::Lower),
    ("print", Class::Print),
    ("punct", Class::Punct),
    ("space", Class::Space),
    ("upper", Class::Upper),
    ("word", Class::Word),
    ("xdigit", Class::Xdigit),
];

/// The sets that `classes.txt` lists, and what is made of them.
struct Tables {
    alpha: CharSet,
    alnum: CharSet,
    word: CharSet,
    graph: CharSet,
    punct: CharSet,
    print: CharSet,
    lower: CharSet,
    upper: CharSet,
    space: CharSet,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let alpha = listed("alpha:");
    let graph = listed("graph:");
    let alnum = alpha.union(&CharSet::range(0x30, 0x39));
    let space = CharSet::from_ranges(vec![
        (9, 13),
        (0x20, 0x20),
        (0x1680, 0x1680),
        (0x2000, 0x2006),
        (0x2008, 0x200a),
        (0x2028, 0x2029),
        (0x205f, 0x205f),
        (0x3000, 0x3000),
    ]);
    let unprinted = CharSet::from_ranges(vec![(0, 0x1f), (0x2028, 0x2029)]);
    Tables {
        word: alnum.union(&CharSet::one(0x5f)),
        punct: graph.minus(&alnum),
        print: graph.union(&space.minus(&unprinted)),
        lower: listed("lower:"),
        upper: listed("upper:"),
        alpha,
        alnum,
        graph,
        space,
    }
});

fn listed(name: &str) -> CharSet {
    let lines = include_str!("classes.txt").lines();
    let lines = lines.skip_while(|&line| line != name).skip(1);
    let words = lines.take_while(|line| !line.ends_with(':')).flat_map(str::split_whitespace);
    let number = |text: &str| u32::from_str_radix(text, 16).ok();
    let range = |word: &str| {
        let (low, high) = word.split_once('-').unwrap_or((word, word));
        Some((number(low)?, number(high)?))
    };
    CharSet::from_ranges(words.filter_map(range).collect())
}

impl Class {
    pub(crate) fn named(name: &str) -> Option<Class> {
        NAMES.iter().find(|(known, _)| *known == name).map(|&(_, class)| class)
    }

    /// Its members. Where case does not matter, the cases are one class of letters.
    pub(crate) fn set(self, ignore_case: bool) -> CharSet {
        match self {
            Class::Lower | Class::Upper if ignore_case => TABLES.alpha.clone(),
            Class::Alnum => TABLES.alnum.clone(),
            Class::Alpha => TABLES.alpha.clone(),
            Class::Ascii => CharSet::range(0, 0x7f),
            Class::Blank => CharSet::one(9).union(&CharSet::one(0x20)),
            Class::Cntrl => CharSet::from_ranges(vec![(0, 0x1f), (0x7f, 0x9f)]),
            Class::Digit => CharSet::range(0x30, 0x39),
            Class::Graph => TABLES.graph.clone(),
            Class::Lower => TABLES.lower.clone(),
            Class::Print => TABLES.print.clone(),
            Class::Punct => TABLES.punct.clone(),
            Class::Space => TABLES.space.clone(),
            Class::Upper => TABLES.upper.clone(),
            Class::Word => TABLES.word.clone(),
            Class::Xdigit => CharSet::from_ranges(vec![(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
        }
    }
}

/// Whether expanded syntax skips it.
pub(crate) fn is_space(c: u32) -> bool {
    TABLES.space.contains(c)
}

/// Whether it may be the letter of an embedded option.
pub(crate) fn is_alpha(c: u32) -> bool {
    TABLES.alpha.contains(c)
}

fn only(mut chars: impl Iterator<Item = char>, otherwise: u32) -> u32 {
    match (chars.next(), chars.next()) {
        (Some(c), None) => u32::from(c),
        _ => otherwise,
    }
}

/// The lower case of a character, where that is one character.
pub(crate) fn lower(c: u32) -> u32 {
    match c {
        0x130 => 0x69,
        _ => char::from_u32(c).map_or(c, |letter| only(letter.to_lowercase(), c)),
    }
}

/// The upper case of a character, where that is one character. Greek letters with an iota below have the
/// title case for it.
pub(crate) fn upper(c: u32) -> u32 {
    match c {
        0x1f80..=0x1f87 | 0x1f90..=0x1f97 | 0x1fa0..=0x1fa7 => c + 8,
        0x1fb3 | 0x1fc3 | 0x1ff3 => c + 9,
        _ => char::from_u32(c).map_or(c, |letter| only(letter.to_uppercase(), c)),
    }
}

/// A range of characters; with the other cases of its members if case does not matter. A character alone
/// then stands for its two cases.
pub(crate) fn range(low: u32, high: u32, ignore_case: bool) -> CharSet {
    if !ignore_case {
        return CharSet::range(low, high);
    }
    let mut ranges = vec![(low, high)];
    for c in low..=high.min(crate::set::LAST) {
        for other in [lower(c), upper(c)] {
            if other < low || other > high {
                ranges.push((other, other));
            }
        }
    }
    CharSet::from_ranges(ranges)
}

/// A character, or its two cases.
pub(crate) fn cases(c: u32, ignore_case: bool) -> CharSet {
    if ignore_case {
        CharSet::one(lower(c)).union(&CharSet::one(upper(c)))
    } else {
        CharSet::one(c)
    }
}

/// The names of POSIX for characters, as in `[[.hyphen.]]`.
const ELEMENTS: [(&str, u8); 95] = [
    ("NUL", 0),
    ("SOH", 1),
    ("STX", 2),
    ("ETX", 3),
    ("EOT", 4),
    ("ENQ", 5),
    ("ACK", 6),
    ("BEL", 7),
    ("alert", 7),
    ("BS", 8),
    ("backspace", 8),
    ("HT", 9),
    ("tab", 9),
    ("LF", 10),
    ("newline", 10),
    ("VT", 11),
    ("vertical-tab", 11),
    ("FF", 12),
    ("form-feed", 12),
    ("CR", 13),
    ("carriage-return", 13),
    ("SO", 14),
    ("SI", 15),
    ("DLE", 16),
    ("DC1", 17),
    ("DC2", 18),
    ("DC3", 19),
    ("DC4", 20),
    ("NAK", 21),
    ("SYN", 22),
    ("ETB", 23),
    ("CAN", 24),
    ("EM", 25),
    ("SUB", 26),
    ("ESC", 27),
    ("IS4", 28),
    ("FS", 28),
    ("IS3", 29),
    ("GS", 29),
    ("IS2", 30),
    ("RS", 30),
    ("IS1", 31),
    ("US", 31),
    ("space", b' '),
    ("exclamation-mark", b'!'),
    ("quotation-mark", b'"'),
    ("number-sign", b'#'),
    ("dollar-sign", b'$'),
    ("percent-sign", b'%'),
    ("ampersand", b'&'),
    ("apostrophe", b'\''),
    ("left-parenthesis", b'('),
    ("right-parenthesis", b')'),
    ("asterisk", b'*'),
    ("plus-sign", b'+'),
    ("comma", b','),
    ("hyphen", b'-'),
    ("hyphen-minus", b'-'),
    ("period", b'.'),
    ("full-stop", b'.'),
    ("slash", b'/'),
    ("solidus", b'/'),
    ("zero", b'0'),
    ("one", b'1'),
    ("two", b'2'),
    ("three", b'3'),
    ("four", b'4'),
    ("five", b'5'),
    ("six", b'6'),
    ("seven", b'7'),
    ("eight", b'8'),
    ("nine", b'9'),
    ("colon", b':'),
    ("semicolon", b';'),
    ("less-than-sign", b'<'),
    ("equals-sign", b'='),
    ("greater-than-sign", b'>'),
    ("question-mark", b'?'),
    ("commercial-at", b'@'),
    ("left-square-bracket", b'['),
    ("backslash", b'\\'),
    ("reverse-solidus", b'\\'),
    ("right-square-bracket", b']'),
    ("circumflex", b'^'),
    ("circumflex-accent", b'^'),
    ("underscore", b'_'),
    ("low-line", b'_'),
    ("grave-accent", b'`'),
    ("left-brace", b'{'),
    ("left-curly-bracket", b'{'),
    ("vertical-line", b'|'),
    ("right-brace", b'}'),
    ("right-curly-bracket", b'}'),
    ("tilde", b'~'),
    ("DEL", 127),
];

/// The character of a collating element.
pub(crate) fn element(name: &str) -> Option<u32> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(u32::from(c));
    }
    ELEMENTS.iter().find(|(known, _)| *known == name).map(|&(_, code)| u32::from(code))
}
