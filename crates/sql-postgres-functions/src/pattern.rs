//! Regular expressions as functions use them: their flags, compiled ones that are kept, and what happens
//! if a statement is to end while one matches.

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::HashMap;
use hobgoblin_regex::{Bounds, Options, Regex, Syntax};

use super::Context;
use crate::error::{Result, SqlError, SqlState};

/// How a pattern is read, from the letters of a `flags` argument.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub(super) options: Options,
    /// `g`: all matches; only some functions take it.
    pub(super) global: bool,
}

impl Flags {
    /// Reads the letters of a `flags` argument.
    pub(super) fn parse(text: &str) -> Result<Flags> {
        let mut flags = Flags::default();
        for c in text.chars() {
            match c {
                'g' => flags.global = true,
                // The manual has it as the extended syntax; PostgreSQL reads the basic one.
                'e' => flags.options.syntax = Syntax::Basic,
                c if flags.options.set(c) => {}
                c => {
                    return Err(SqlError::new(
                        SqlState::INVALID_PARAMETER_VALUE,
                        format!("invalid regular expression option: \"{c}\""),
                    ));
                }
            }
        }
        Ok(flags)
    }
}

/// The bounds of a match and of its groups.
pub(super) type Groups = Vec<Option<Bounds>>;

/// A pattern, ready to match for a session, whose interrupts it heeds.
pub(super) struct Pattern<'a> {
    regex: Rc<Regex>,
    cx: &'a dyn Context,
}

impl<'a> Pattern<'a> {
    /// Compiles a pattern, or finds it compiled.
    pub(super) fn new(cx: &'a dyn Context, pattern: &str, flags: Flags) -> Result<Pattern<'a>> {
        Ok(Pattern { regex: compile(pattern, flags.options)?, cx })
    }

    /// How many groups it has, the whole not counted.
    pub(super) fn groups(&self) -> usize {
        self.regex.groups()
    }

    fn with<T>(
        &self,
        text: &str,
        matching: impl FnOnce(hobgoblin_regex::Matcher<'_>) -> Result<T, hobgoblin_regex::Interrupted>,
    ) -> Result<T> {
        let interrupted = || self.cx.check_interrupts().is_err();
        matching(self.regex.matcher(text, &interrupted)).map_err(|_| {
            let canceled = "canceling statement due to user request";
            let why = self.cx.check_interrupts().err();
            why.unwrap_or_else(|| SqlError::new(SqlState::QUERY_CANCELED, canceled))
        })
    }

    /// Whether it matches anywhere.
    pub(super) fn is_match(&self, text: &str) -> Result<bool> {
        self.with(text, |matcher| matcher.is_match())
    }

    /// The first match at or after a place.
    pub(super) fn captures(&self, text: &str, from: usize) -> Result<Option<Groups>> {
        self.with(text, |matcher| matcher.captures(from))
    }

    /// All matches from a place on, none of which overlap.
    pub(super) fn all(&self, text: &str, from: usize) -> Result<Vec<Groups>> {
        self.with(text, |matcher| matcher.all(from))
    }
}

thread_local! {
    static CACHE: RefCell<HashMap<Options, HashMap<String, Rc<Regex>>>> = RefCell::default();
}

/// How many patterns a thread keeps, of each set of options.
const CACHED: usize = 64;

fn compile(pattern: &str, options: Options) -> Result<Rc<Regex>> {
    let known = |cache: &HashMap<Options, HashMap<String, Rc<Regex>>>| {
        cache.get(&options).and_then(|cache| cache.get(pattern)).cloned()
    };
    if let Some(found) = CACHE.with_borrow(known) {
        return Ok(found);
    }
    let made = Regex::new(pattern, options).map_err(|why| {
        let state = SqlState::INVALID_REGULAR_EXPRESSION;
        SqlError::new(state, format!("invalid regular expression: {why}"))
    })?;
    let made = Rc::new(made);
    CACHE.with_borrow_mut(|cache| {
        let cache = cache.entry(options).or_default();
        if cache.len() >= CACHED {
            cache.clear();
        }
        cache.insert(pattern.to_owned(), made.clone());
    });
    Ok(made)
}
