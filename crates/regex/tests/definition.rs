//! Matches beside the definition: random patterns on short texts.
//!
//! Which strings match is decided here by trying everything, from the meaning of each construct. What is
//! preferred is read from the rules of the manual, 9.7.3.5: a quantified atom prefers what its quantifier
//! says; a branch, what its first atom with a preference does; alternatives, the longest. Of matches that
//! begin first, the whole takes the longest or the shortest. Groups in a row take, one after the other,
//! the longest or shortest text after which the rest can still match.

use std::collections::BTreeSet;

use hobgoblin_regex::{Options, Regex};

#[derive(Clone, Debug)]
enum Part {
    Char(char),
    Any,
    Except(char),
    Start,
    End,
    WordEdge,
    Group(Vec<Branch>),
    Plain(Vec<Branch>),
    Look { ahead: bool, positive: bool, inner: Vec<Branch> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wants {
    Long,
    Short,
    Nothing,
}

#[derive(Clone, Debug)]
struct Quantified {
    part: Part,
    min: usize,
    max: Option<usize>,
    wants: Wants,
    written: &'static str,
}

type Branch = Vec<Quantified>;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

const QUANTIFIERS: [(usize, Option<usize>, Wants, &str); 14] = [
    (0, None, Wants::Long, "*"),
    (0, None, Wants::Short, "*?"),
    (1, None, Wants::Long, "+"),
    (1, None, Wants::Short, "+?"),
    (0, Some(1), Wants::Long, "?"),
    (0, Some(1), Wants::Short, "??"),
    (2, Some(2), Wants::Nothing, "{2}"),
    (1, Some(2), Wants::Long, "{1,2}"),
    (1, Some(2), Wants::Short, "{1,2}?"),
    (2, None, Wants::Long, "{2,}"),
    (0, Some(2), Wants::Short, "{0,2}?"),
    (1, Some(1), Wants::Long, "{1,1}"),
    (1, Some(1), Wants::Short, "{1,1}?"),
    (2, Some(3), Wants::Long, "{2,3}"),
];

const ONCE: (usize, Option<usize>, Wants, &str) = (1, Some(1), Wants::Nothing, "");

fn branches(random: &mut Random, depth: usize) -> Vec<Branch> {
    let count = [1, 1, 1, 2, 3][random.below(5)];
    (0..count).map(|_| branch(random, depth)).collect()
}

fn branch(random: &mut Random, depth: usize) -> Branch {
    let count = [1, 1, 2, 2, 3, 0][random.below(6)];
    (0..count).map(|_| quantified(random, depth)).collect()
}

fn quantified(random: &mut Random, depth: usize) -> Quantified {
    let part = match random.below(24) {
        0..=3 if depth > 0 => Part::Group(branches(random, depth - 1)),
        4 | 5 if depth > 0 => Part::Plain(branches(random, depth - 1)),
        6 if depth > 0 => Part::Look {
            ahead: random.below(2) == 0,
            positive: random.below(2) == 0,
            inner: branches(random, depth - 1),
        },
        7 => Part::Start,
        8 => Part::End,
        9 => Part::WordEdge,
        10 => Part::Any,
        11 => Part::Except('a'),
        n => Part::Char(['a', 'b', ' '][n % 3]),
    };
    let place = matches!(part, Part::Look { .. } | Part::Start | Part::End | Part::WordEdge);
    let (min, max, wants, written) = match random.below(2) {
        0 if !place => QUANTIFIERS[random.below(QUANTIFIERS.len())],
        _ => ONCE,
    };
    Quantified { part, min, max, wants, written }
}

fn write(branches: &[Branch]) -> String {
    let item = |item: &Quantified| {
        let part = match &item.part {
            Part::Char(c) => c.to_string(),
            Part::Any => ".".to_owned(),
            Part::Except(c) => format!("[^{c}]"),
            Part::Start => "^".to_owned(),
            Part::End => "$".to_owned(),
            Part::WordEdge => "\\y".to_owned(),
            Part::Group(inner) => format!("({})", write(inner)),
            Part::Plain(inner) => format!("(?:{})", write(inner)),
            Part::Look { ahead, positive, inner } => {
                let behind = if *ahead { "" } else { "<" };
                let mark = if *positive { '=' } else { '!' };
                format!("(?{behind}{mark}{})", write(inner))
            }
        };
        part + item.written
    };
    let branch = |branch: &Branch| branch.iter().map(item).collect::<String>();
    branches.iter().map(branch).collect::<Vec<_>>().join("|")
}

/// Where matches of branches that begin at a place may end.
fn ends(branches: &[Branch], text: &[char], from: usize) -> BTreeSet<usize> {
    branches.iter().flat_map(|branch| branch_ends(branch, text, from)).collect()
}

fn branch_ends(branch: &[Quantified], text: &[char], from: usize) -> BTreeSet<usize> {
    branch.iter().fold(BTreeSet::from([from]), |places, item| {
        places.iter().flat_map(|&at| item_ends(item, text, at)).collect()
    })
}

fn item_ends(item: &Quantified, text: &[char], from: usize) -> BTreeSet<usize> {
    let mut places = BTreeSet::from([from]);
    let mut found = BTreeSet::new();
    // More rounds than this give nothing new.
    for round in 0..=item.max.unwrap_or(item.min + text.len() + 1) {
        if round >= item.min {
            found.extend(&places);
        }
        places = places.iter().flat_map(|&at| part_ends(&item.part, text, at)).collect();
    }
    found
}

fn part_ends(part: &Part, text: &[char], at: usize) -> BTreeSet<usize> {
    let word =
        |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(|c| c.is_alphanumeric());
    let next = |yes: bool| if yes { BTreeSet::from([at + 1]) } else { BTreeSet::new() };
    let here = |yes: bool| if yes { BTreeSet::from([at]) } else { BTreeSet::new() };
    match part {
        Part::Char(c) => next(text.get(at) == Some(c)),
        Part::Any => next(at < text.len()),
        Part::Except(c) => next(text.get(at).is_some_and(|found| found != c)),
        Part::Start => here(at == 0),
        Part::End => here(at == text.len()),
        Part::WordEdge => here(word(at.checked_sub(1)) != word(Some(at))),
        Part::Group(inner) | Part::Plain(inner) => ends(inner, text, at),
        Part::Look { ahead: true, positive, inner } => {
            here(ends(inner, text, at).is_empty() != *positive)
        }
        Part::Look { ahead: false, positive, inner } => {
            here((0..=at).any(|from| ends(inner, text, from).contains(&at)) == *positive)
        }
    }
}

/// What branches prefer.
fn prefers(branches: &[Branch]) -> Wants {
    match branches {
        [branch] => {
            let wants = branch.iter().map(item_prefers).find(|&wants| wants != Wants::Nothing);
            wants.unwrap_or(Wants::Nothing)
        }
        _ => Wants::Long,
    }
}

fn item_prefers(item: &Quantified) -> Wants {
    match (&item.part, item.wants) {
        (Part::Group(inner) | Part::Plain(inner), Wants::Nothing) => prefers(inner),
        (_, wants) => wants,
    }
}

fn choose(ends: &BTreeSet<usize>, wants: Wants) -> Option<usize> {
    if wants == Wants::Short { ends.first().copied() } else { ends.last().copied() }
}

#[test]
fn the_whole_match_is_that_of_the_definition() {
    let mut random = Random(7);
    let mut matched = 0;
    for _ in 0..20_000 {
        let pattern = branches(&mut random, 2);
        let written = write(&pattern);
        let count = random.below(7);
        let text: Vec<char> = (0..count).map(|_| ['a', 'b', ' '][random.below(3)]).collect();
        let string: String = text.iter().collect();
        let expect = (0..=text.len()).find_map(|from| {
            let end = choose(&ends(&pattern, &text, from), prefers(&pattern))?;
            Some((from, end))
        });
        let regex = Regex::new(&written, Options::default()).unwrap();
        let matcher = regex.matcher(&string, &|| false);
        assert_eq!(matcher.find(0).unwrap(), expect, "{written:?} on {string:?}");
        assert_eq!(matcher.is_match().unwrap(), expect.is_some(), "{written:?} on {string:?}");
        matched += usize::from(expect.is_some());
    }
    assert!(matched > 5_000 && matched < 19_000, "{matched} of 20000 matched");
}

#[test]
fn groups_in_a_row_are_those_of_the_definition() {
    let mut random = Random(8);
    let mut matched = 0;
    for _ in 0..20_000 {
        // Groups without groups in them, each once: `(a|ab)(c*?)(.b)`.
        let count = 1 + random.below(4);
        let group = |random: &mut Random| Quantified {
            part: Part::Group(branches(random, 0)),
            min: 1,
            max: Some(1),
            wants: Wants::Nothing,
            written: "",
        };
        let pattern: Branch = (0..count).map(|_| group(&mut random)).collect();
        let written = write(std::slice::from_ref(&pattern));
        let count = random.below(7);
        let text: Vec<char> = (0..count).map(|_| ['a', 'b', ' '][random.below(3)]).collect();
        let string: String = text.iter().collect();
        let whole = std::slice::from_ref(&pattern);
        let bounds = (0..=text.len())
            .find_map(|from| Some((from, choose(&ends(whole, &text, from), prefers(whole))?)));
        let expect = bounds.map(|(begin, end)| {
            let mut found = vec![Some((begin, end))];
            let mut at = begin;
            for (i, item) in pattern.iter().enumerate() {
                let mut possible = item_ends(item, &text, at);
                possible.retain(|&to| branch_ends(&pattern[i + 1..], &text, to).contains(&end));
                let to = choose(&possible, item_prefers(item)).unwrap();
                found.push(Some((at, to)));
                at = to;
            }
            found
        });
        let regex = Regex::new(&written, Options::default()).unwrap();
        let found = regex.matcher(&string, &|| false).captures(0).unwrap();
        assert_eq!(found, expect, "{written:?} on {string:?}");
        matched += usize::from(found.is_some());
    }
    assert!(matched > 5_000, "{matched} of 20000 matched");
}
