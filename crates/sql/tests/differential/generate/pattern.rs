//! Regular expressions and texts from a seed.
//!
//! A pattern is of one kind: plain, with back references, with look-around, or read with flags about
//! newlines. Letters are few, so that about half of the patterns match.

use super::random::Random;

/// What a pattern may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    References,
    Looks,
    Newlines,
}

const KINDS: [Kind; 4] = [Kind::Plain, Kind::References, Kind::Looks, Kind::Newlines];

struct PatternWriter<'a> {
    random: &'a mut Random,
    kind: Kind,
    /// How many groups have begun, and which have ended.
    begun: usize,
    ended: Vec<usize>,
}

/// Statements that each match so many patterns.
pub(crate) fn session(seed: u64, statements: usize, patterns: usize) -> Vec<String> {
    let mut random = Random::new(seed ^ 0x7061_7474);
    let mut statement = || {
        let rows: Vec<String> = (0..patterns).map(|number| row(&mut random, number)).collect();
        format!(
            "SELECT k, t ~ p, regexp_match(t, p, f), regexp_replace(t, p, '<\\1>', f || 'g'), \
             ARRAY(SELECT array_to_string(m, ',', '-') FROM regexp_matches(t, p, f || 'g') AS r(m)) \
             FROM (VALUES {}) AS v(k, t, p, f)",
            rows.join(", ")
        )
    };
    (0..statements).map(|_| statement()).collect()
}

fn row(random: &mut Random, number: usize) -> String {
    let kind = *random.pick(&KINDS);
    let letters = if kind == Kind::Newlines { "aab\n" } else { "aaabbbc c" };
    let letters: Vec<char> = letters.chars().collect();
    let text: String = (0..random.below(9)).map(|_| *random.pick(&letters)).collect();
    let flags = match kind {
        Kind::Newlines => *random.pick(&["", "i", "n", "p", "w", "s", "nx"]),
        _ if random.once_in(10) => "i",
        _ => "",
    };
    let mut writer = PatternWriter { random, kind, begun: 0, ended: Vec::new() };
    let pattern = loop {
        writer.begun = 0;
        writer.ended.clear();
        let pattern = writer.alternatives(3);
        if pattern.len() < 60 {
            break pattern;
        }
    };
    format!("({number}, '{text}', '{pattern}', '{flags}')")
}

impl PatternWriter<'_> {
    fn alternatives(&mut self, depth: usize) -> String {
        let count = *self.random.pick(&[1, 1, 1, 2, 3]);
        let branches: Vec<String> = (0..count).map(|_| self.branch(depth)).collect();
        branches.join("|")
    }

    fn branch(&mut self, depth: usize) -> String {
        let count = *self.random.pick(&[1, 1, 1, 2, 2, 2, 3, 3, 4, 0]);
        let mut out = String::new();
        for _ in 0..count {
            if self.random.once_in(8) {
                out += &self.condition(depth);
            }
            out += &self.atom(depth);
            out += self.quantifier();
        }
        out
    }

    fn condition(&mut self, depth: usize) -> String {
        if self.kind == Kind::Looks && depth > 0 && !self.random.once_in(3) {
            let opening = *self.random.pick(&["(?=", "(?!", "(?<=", "(?<!"]);
            let (begun, ended) = (self.begun, std::mem::take(&mut self.ended));
            let inner = self.alternatives(depth.min(2) - 1);
            // What is in there captures nothing.
            (self.begun, self.ended) = (begun, ended);
            return format!("{opening}{inner})");
        }
        let simple = ["^", "$", "\\m", "\\M", "\\y", "\\Y", "\\A", "\\Z", "[[:<:]]", "[[:>:]]"];
        (*self.random.pick(&simple)).to_owned()
    }

    fn atom(&mut self, depth: usize) -> String {
        match self.random.below(20) {
            0..=5 if depth > 0 => {
                self.begun += 1;
                let number = self.begun;
                let inner = self.alternatives(depth - 1);
                self.ended.push(number);
                format!("({inner})")
            }
            6 | 7 if depth > 0 => format!("(?:{})", self.alternatives(depth - 1)),
            8 | 9 if self.kind == Kind::References && !self.ended.is_empty() => {
                let group = *self.random.pick(&self.ended);
                if group < 10 { format!("\\{group}") } else { "a".to_owned() }
            }
            10 | 11 => {
                let sets = [".", "[ab]", "[^a]", "\\w", "[[:alpha:]]", "\\s", "\\W", "[^\\W]"];
                (*self.random.pick(&sets)).to_owned()
            }
            _ => (*self.random.pick(&["a", "a", "b", "b", "c"])).to_owned(),
        }
    }

    fn quantifier(&mut self) -> &'static str {
        let greedy =
            ["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "{0,2}", "{1}", "{1,1}", "{0}"];
        let lazy = ["*?", "+?", "??", "{1,2}?", "{0,1}?", "{2,}?", "{0,2}?", "{1,1}?", "{2}?"];
        match self.random.below(20) {
            0..=8 => "",
            9..=15 => greedy[self.random.below(greedy.len())],
            _ => lazy[self.random.below(lazy.len())],
        }
    }
}
