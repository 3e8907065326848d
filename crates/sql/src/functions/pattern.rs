//! PostgreSQL's regular expressions on the `regex` crate.
//!
//! The language is translated ([manual, 9.7.3]): escapes and classes have other names there, `{` and `[`
//! other rules. What a finite automaton cannot do (back references, look-around) is refused.
//!
//! PostgreSQL prefers the longest match where alternatives differ, the crate the first alternative. Where
//! a pattern has alternatives, [`Pattern::captures`] therefore looks for the longest end itself.

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::HashMap;
use regex::{Captures, Regex, RegexBuilder};

use crate::error::{Result, SqlError, SqlState};

/// How a pattern is read, from the letters of a `flags` argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Flags {
    /// `i`: case does not matter.
    pub(super) ignore_case: bool,
    /// `g`: all matches; only some functions take it.
    pub(super) global: bool,
    /// `n`: `.` and `[^…]` stop at newlines, `^` and `$` stand at them.
    pub(super) newline_dot: bool,
    pub(super) newline_anchor: bool,
    /// `x`: blanks and comments do not count.
    pub(super) expanded: bool,
    /// `q`: the pattern is the text itself.
    pub(super) literal: bool,
}

impl Flags {
    /// Reads the letters.
    pub(super) fn parse(text: &str) -> Result<Flags> {
        let mut flags = Flags::default();
        for c in text.chars() {
            flags.set(c)?;
        }
        Ok(flags)
    }

    fn set(&mut self, c: char) -> Result<()> {
        match c {
            'g' => self.global = true,
            'i' => self.ignore_case = true,
            'c' => self.ignore_case = false,
            'n' | 'm' => (self.newline_dot, self.newline_anchor) = (true, true),
            'p' => (self.newline_dot, self.newline_anchor) = (true, false),
            'w' => (self.newline_dot, self.newline_anchor) = (false, true),
            's' => (self.newline_dot, self.newline_anchor) = (false, false),
            'x' => self.expanded = true,
            't' => self.expanded = false,
            'q' => self.literal = true,
            'e' => {}
            'b' => return Err(SqlError::unsupported("the basic regular expression syntax")),
            _ => {
                return Err(SqlError::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("invalid regular expression option: \"{c}\""),
                ));
            }
        }
        Ok(())
    }
}

/// A pattern, ready to match.
pub(super) struct Pattern {
    regex: Regex,
    /// The same pattern that must take all of its text, if the longest match has to be looked for.
    whole: Option<Regex>,
}

impl Pattern {
    /// Whether it matches anywhere.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// How many groups it has, the whole not counted.
    pub(super) fn groups(&self) -> usize {
        self.regex.captures_len() - 1
    }

    /// The first match at or after a place: the bounds of the whole and of each group.
    pub(super) fn captures(&self, text: &str, from: usize) -> Option<Vec<Option<(usize, usize)>>> {
        let found = self.regex.captures_at(text, from)?;
        let all = found.get(0)?;
        if let Some(whole) = &self.whole {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            let mut ends: Vec<usize> = ends.filter(|&at| at > all.end()).collect();
            while let Some(end) = ends.pop() {
                let part = text.get(all.start()..end)?;
                if let Some(longer) = whole.captures(part) {
                    return Some(bounds(&longer, all.start()));
                }
            }
        }
        Some(bounds(&found, 0))
    }

    /// All matches, none of which overlap; an empty one does not follow another match at once.
    pub(super) fn all(&self, text: &str, from: usize) -> Vec<Vec<Option<(usize, usize)>>> {
        let mut found = Vec::new();
        let mut at = from;
        while at <= text.len()
            && let Some(groups) = self.captures(text, at)
            && let Some(&Some((start, end))) = groups.first()
        {
            at = if end > start { end } else { next(text, end) };
            found.push(groups);
        }
        found
    }
}

/// The place after the character at a place.
fn next(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

fn bounds(captures: &Captures<'_>, shift: usize) -> Vec<Option<(usize, usize)>> {
    let groups = captures.iter();
    groups.map(|group| group.map(|m| (m.start() + shift, m.end() + shift))).collect()
}

thread_local! {
    static CACHE: RefCell<HashMap<(String, Flags), Rc<Pattern>>> = RefCell::default();
}

/// How many patterns a thread keeps.
const CACHED: usize = 256;

/// Compiles a pattern, or finds it compiled.
pub(super) fn compile(pattern: &str, flags: Flags) -> Result<Rc<Pattern>> {
    let flags = Flags { global: false, ..flags };
    let key = (pattern.to_owned(), flags);
    if let Some(found) = CACHE.with_borrow(|cache| cache.get(&key).cloned()) {
        return Ok(found);
    }
    let made = Rc::new(build(pattern, flags)?);
    CACHE.with_borrow_mut(|cache| {
        if cache.len() >= CACHED {
            cache.clear();
        }
        cache.insert(key, made.clone());
    });
    Ok(made)
}

fn invalid(what: &str) -> SqlError {
    SqlError::new(
        SqlState::INVALID_REGULAR_EXPRESSION,
        format!("invalid regular expression: {what}"),
    )
}

fn build(pattern: &str, mut flags: Flags) -> Result<Pattern> {
    let mut rest = pattern;
    if let Some(after) = rest.strip_prefix("***=") {
        flags.literal = true;
        rest = after;
    } else if let Some(after) = rest.strip_prefix("***:") {
        rest = after;
    }
    if !flags.literal
        && let Some(after) = rest.strip_prefix("(?")
        && let Some(close) = after.find(')')
        && let Some(letters) = after.get(..close)
        && !letters.is_empty()
        && letters.chars().all(|c| c.is_ascii_lowercase())
    {
        for c in letters.chars() {
            flags.set(c).map_err(|_| invalid("invalid embedded option"))?;
        }
        rest = after.get(close + 1..).unwrap_or_default();
    }
    let mut translator = Translator {
        chars: rest.chars().collect(),
        at: 0,
        out: String::with_capacity(rest.len() + 8),
        flags,
        alternatives: false,
        lazy: false,
        depth: 0,
    };
    if flags.literal {
        translator.out = regex::escape(rest);
    } else {
        translator.run()?;
    }
    let compile = |source: &str| {
        RegexBuilder::new(source)
            .case_insensitive(flags.ignore_case)
            .dot_matches_new_line(!flags.newline_dot)
            .multi_line(flags.newline_anchor)
            .size_limit(4 << 20)
            .build()
            .map_err(|e| match e {
                regex::Error::CompiledTooBig(_) => invalid("regular expression is too complex"),
                _ => invalid("invalid character range"),
            })
    };
    let source = &translator.out;
    let whole = if translator.alternatives && !translator.lazy {
        Some(compile(&format!("\\A(?:{source})\\z"))?)
    } else {
        None
    };
    Ok(Pattern { regex: compile(source)?, whole })
}

struct Translator {
    chars: Vec<char>,
    at: usize,
    out: String,
    flags: Flags,
    alternatives: bool,
    lazy: bool,
    depth: usize,
}

impl Translator {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn literal(&mut self, c: char) {
        let mut buffer = [0; 4];
        self.out.push_str(&regex::escape(c.encode_utf8(&mut buffer)));
    }

    fn run(&mut self) -> Result<()> {
        // Whether a quantifier may follow.
        let mut atom = false;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '*' | '+' | '?' => {
                    self.quantifier(atom, &c.to_string())?;
                    atom = false;
                }
                '{' if self.peek(0).is_some_and(|c| c.is_ascii_digit()) => {
                    let count = self.repetition()?;
                    self.quantifier(atom, &count)?;
                    atom = false;
                }
                '{' => {
                    self.out.push_str("\\{");
                    atom = true;
                }
                '(' => {
                    self.open()?;
                    atom = false;
                }
                ')' if self.depth > 0 => {
                    self.depth -= 1;
                    self.out.push(')');
                    atom = true;
                }
                ')' => return Err(invalid("parentheses () not balanced")),
                '|' => {
                    self.alternatives = true;
                    self.out.push('|');
                    atom = false;
                }
                '[' => atom = self.bracket()?,
                '\\' => atom = self.escape()?,
                '^' => {
                    self.out.push('^');
                    atom = false;
                }
                '$' => {
                    self.out.push_str(if self.flags.newline_anchor { "$" } else { "\\z" });
                    atom = false;
                }
                '.' => {
                    self.out.push('.');
                    atom = true;
                }
                '#' if self.flags.expanded => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                c if self.flags.expanded && c.is_whitespace() => {}
                c => {
                    self.literal(c);
                    atom = true;
                }
            }
        }
        if self.depth > 0 { Err(invalid("parentheses () not balanced")) } else { Ok(()) }
    }

    fn quantifier(&mut self, atom: bool, text: &str) -> Result<()> {
        if !atom {
            return Err(invalid("quantifier operand invalid"));
        }
        self.out.push_str(text);
        if self.peek(0) == Some('?') {
            self.at += 1;
            self.lazy = true;
            self.out.push('?');
        }
        Ok(())
    }

    /// `{m}`, `{m,}` or `{m,n}`, with counts up to 255.
    fn repetition(&mut self) -> Result<String> {
        let bad = || invalid("invalid repetition count(s)");
        let mut text = String::from("{");
        let low = self.count().filter(|&n| n <= 255).ok_or_else(bad)?;
        text += &low.to_string();
        if self.peek(0) == Some(',') {
            self.at += 1;
            text.push(',');
            if self.peek(0).is_some_and(|c| c.is_ascii_digit()) {
                let high = self.count().filter(|&n| n <= 255 && n >= low).ok_or_else(bad)?;
                text += &high.to_string();
            }
        }
        if self.peek(0) != Some('}') {
            return Err(if self.peek(0).is_none() {
                invalid("braces {} not balanced")
            } else {
                bad()
            });
        }
        self.at += 1;
        text.push('}');
        Ok(text)
    }

    fn count(&mut self) -> Option<u32> {
        let mut value: u32 = 0;
        while let Some(digit) = self.peek(0).and_then(|c| c.to_digit(10)) {
            value = value.checked_mul(10)?.checked_add(digit)?;
            self.at += 1;
        }
        Some(value)
    }

    fn open(&mut self) -> Result<()> {
        self.depth += 1;
        if self.peek(0) != Some('?') {
            self.out.push('(');
            return Ok(());
        }
        match self.peek(1) {
            Some(':') => {
                self.at += 2;
                self.out.push_str("(?:");
                Ok(())
            }
            Some('=' | '!' | '<') => {
                Err(SqlError::unsupported("look-around in regular expressions"))
            }
            Some('#') => {
                while let Some(c) = self.peek(0) {
                    self.at += 1;
                    if c == ')' {
                        self.depth -= 1;
                        return Ok(());
                    }
                }
                Err(invalid("parentheses () not balanced"))
            }
            _ => Err(invalid("quantifier operand invalid")),
        }
    }

    /// An escape outside brackets; whether a quantifier may follow it.
    fn escape(&mut self) -> Result<bool> {
        let Some(c) = self.peek(0) else {
            return Err(invalid("invalid escape \\ sequence"));
        };
        let (text, atom) = match c {
            'd' => ("[0-9]", true),
            'D' => ("[^0-9]", true),
            'w' => ("\\w", true),
            'W' => ("\\W", true),
            's' => ("\\s", true),
            'S' => ("\\S", true),
            'm' => ("\\b{start}", false),
            'M' => ("\\b{end}", false),
            'y' => ("\\b", false),
            'Y' => ("\\B", false),
            'A' => ("\\A", false),
            'Z' => ("\\z", false),
            '1'..='9' => {
                return Err(SqlError::unsupported("a back reference in a regular expression"));
            }
            _ => {
                let c = self.character()?;
                self.literal(c);
                return Ok(true);
            }
        };
        self.at += 1;
        self.out.push_str(text);
        Ok(atom)
    }

    /// The character an escape stands for, the backslash already read.
    fn character(&mut self) -> Result<char> {
        let bad = || invalid("invalid escape \\ sequence");
        let c = self.peek(0).ok_or_else(bad)?;
        self.at += 1;
        Ok(match c {
            'a' => '\x07',
            'b' => '\x08',
            'B' => '\\',
            'c' => {
                let letter = self.peek(0).ok_or_else(bad)?;
                self.at += 1;
                char::from_u32(u32::from(letter) & 0x1f).ok_or_else(bad)?
            }
            'e' => '\x1b',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            'u' => self.code(4, 4, 16)?,
            'U' => self.code(8, 8, 16)?,
            'x' => self.code(1, 255, 16)?,
            '0' => {
                self.at -= 1;
                self.code(1, 3, 8)?
            }
            c if c.is_alphanumeric() => return Err(bad()),
            c => c,
        })
    }

    fn code(&mut self, least: usize, most: usize, base: u32) -> Result<char> {
        let bad = || invalid("invalid escape \\ sequence");
        let (mut value, mut n) = (0u32, 0);
        while n < most
            && let Some(digit) = self.peek(0).and_then(|c| c.to_digit(base))
        {
            value = value.checked_mul(base).and_then(|v| v.checked_add(digit)).ok_or_else(bad)?;
            self.at += 1;
            n += 1;
        }
        if n < least { Err(bad()) } else { char::from_u32(value).ok_or_else(bad) }
    }

    /// A bracket expression, the `[` already read; whether it is an atom.
    fn bracket(&mut self) -> Result<bool> {
        let rest: String = self.chars.get(self.at..).unwrap_or_default().iter().take(6).collect();
        for (written, meant) in [("[:<:]]", "\\b{start}"), ("[:>:]]", "\\b{end}")] {
            if rest == written {
                self.at += 6;
                self.out.push_str(meant);
                return Ok(false);
            }
        }
        let unbalanced = || invalid("brackets [] not balanced");
        self.out.push('[');
        let negated = self.peek(0) == Some('^');
        if negated {
            self.at += 1;
            self.out.push('^');
            if self.flags.newline_dot {
                self.out.push_str("\\n");
            }
        }
        let mut first = true;
        loop {
            match self.peek(0).ok_or_else(unbalanced)? {
                ']' if !first => {
                    self.at += 1;
                    self.out.push(']');
                    return Ok(true);
                }
                '[' if self.peek(1) == Some(':') => self.class()?,
                '\\' if self.peek(1).is_some_and(|c| "dwsDWS".contains(c)) => {
                    let text = match self.peek(1) {
                        Some('d') => "0-9",
                        Some('D') => "[^0-9]",
                        Some('w') => "\\w",
                        Some('W') => "\\W",
                        Some('s') => "\\s",
                        _ => "\\S",
                    };
                    self.at += 2;
                    self.out.push_str(text);
                }
                _ => self.range()?,
            }
            first = false;
        }
    }

    /// `[:alpha:]` and its like.
    fn class(&mut self) -> Result<()> {
        let mut name = String::new();
        self.at += 2;
        while let Some(c) = self.peek(0).filter(|c| c.is_ascii_lowercase()) {
            name.push(c);
            self.at += 1;
        }
        if self.peek(0) != Some(':') || self.peek(1) != Some(']') {
            return Err(invalid("brackets [] not balanced"));
        }
        self.at += 2;
        self.out.push_str(match name.as_str() {
            "alpha" => "\\p{Alphabetic}",
            "upper" => "\\p{Uppercase}",
            "lower" => "\\p{Lowercase}",
            "alnum" => "\\p{Alphabetic}0-9",
            "digit" => "0-9",
            "xdigit" => "0-9A-Fa-f",
            "space" => "\\s",
            "blank" => " \\t",
            "punct" => "[:punct:]",
            "cntrl" => "[:cntrl:]",
            "print" => "[:print:][^\\x00-\\x7f]",
            "graph" => "[:graph:][^\\x00-\\x7f]",
            "word" => "\\w",
            _ => return Err(invalid("invalid character class")),
        });
        Ok(())
    }

    /// A character or a range of them inside brackets.
    fn range(&mut self) -> Result<()> {
        let low = self.member()?;
        let mut high = low;
        if self.peek(0) == Some('-') && self.peek(1).is_some_and(|c| c != ']') {
            self.at += 1;
            high = self.member()?;
            if high < low {
                return Err(invalid("invalid character range"));
            }
        }
        self.out += &format!("\\x{{{:x}}}", u32::from(low));
        if high != low {
            self.out += &format!("-\\x{{{:x}}}", u32::from(high));
        }
        Ok(())
    }

    fn member(&mut self) -> Result<char> {
        let unbalanced = || invalid("brackets [] not balanced");
        let c = self.peek(0).ok_or_else(unbalanced)?;
        self.at += 1;
        match c {
            '\\' => self.character(),
            '[' if matches!(self.peek(0), Some('.' | '=')) => {
                let (mark, inner) = (self.peek(0), self.peek(1).ok_or_else(unbalanced)?);
                if self.peek(2) != mark || self.peek(3) != Some(']') {
                    return Err(invalid("invalid collating element"));
                }
                self.at += 4;
                Ok(inner)
            }
            c => Ok(c),
        }
    }
}
