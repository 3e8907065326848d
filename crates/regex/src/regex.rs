//! Patterns from outside: compile one, match texts.

use std::cell::RefCell;

use crate::error::{Error, Interrupted};
use crate::matcher::{Automata, Run};
use crate::options::Options;
use crate::program::{Bounds, Program};

/// A compiled pattern.
#[derive(Debug)]
pub struct Regex {
    program: Program,
    automata: RefCell<Automata>,
}

impl Regex {
    /// Compiles a pattern.
    pub fn new(pattern: &str, options: Options) -> Result<Regex, Error> {
        let program = Program::new(pattern, options)?;
        Ok(Regex { program, automata: RefCell::default() })
    }

    /// How many groups it has.
    pub fn groups(&self) -> usize {
        self.program.groups as usize
    }

    /// Matches a text. `interrupted` is asked now and then whether to give up.
    pub fn matcher<'a>(&'a self, text: &'a str, interrupted: &'a dyn Fn() -> bool) -> Matcher<'a> {
        Matcher { regex: self, text, interrupted }
    }
}

/// A pattern and a text. See [`Regex::matcher`].
pub struct Matcher<'a> {
    regex: &'a Regex,
    text: &'a str,
    interrupted: &'a dyn Fn() -> bool,
}

impl Matcher<'_> {
    fn with<T>(&self, f: impl FnOnce(&mut Run<'_>) -> T) -> T {
        let mut own = Automata::default();
        let mut shared = self.regex.automata.try_borrow_mut();
        let automata = shared.as_deref_mut().unwrap_or(&mut own);
        let done = f(&mut Run::new(&self.regex.program, automata, self.text, self.interrupted));
        automata.trim();
        done
    }

    /// Whether the pattern matches anywhere.
    pub fn is_match(&self) -> Result<bool, Interrupted> {
        self.with(|run| run.is_match())
    }

    /// The bounds of the first match that begins at a place or later.
    pub fn find(&self, from: usize) -> Result<Option<Bounds>, Interrupted> {
        self.with(|run| run.find(from))
    }

    /// The same, with those of its groups.
    pub fn captures(&self, from: usize) -> Result<Option<Vec<Option<Bounds>>>, Interrupted> {
        self.with(|run| run.captures(from))
    }

    /// All matches from a place on, with their groups. The next one begins where one ends, or after a
    /// character if that was empty.
    pub fn all(&self, from: usize) -> Result<Vec<Vec<Option<Bounds>>>, Interrupted> {
        self.with(|run| {
            let (mut found, mut at) = (Vec::new(), Some(from));
            while let Some(from) = at
                && let Some(groups) = run.captures(from)?
            {
                let Some(&Some((begin, end))) = groups.first() else { break };
                at = if end > begin { Some(end) } else { run.next(end) };
                found.push(groups);
            }
            Ok(found)
        })
    }
}
