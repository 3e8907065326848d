//! Regular expressions by PostgreSQL's rules ([manual, 9.7.3]).
//!
//! PostgreSQL matches as POSIX wants it, and not as Perl: of all matches it takes the one that begins
//! first, and of these the longest, or the shortest if the expression prefers that. `foo|foobar` finds all
//! of `foobar`. The same rule divides a match among groups. Its advanced syntax adds look-around, back
//! references, and quantifiers that prefer short matches.
//!
//! ```
//! use hobgoblin_regex::{Options, Regex};
//!
//! let regex = Regex::new("a(b|bc)(c?)", Options::default()).unwrap();
//! let found = regex.matcher("xabc", &|| false).captures(0).unwrap().unwrap();
//! assert_eq!(found, [Some((1, 4)), Some((2, 4)), Some((4, 4))]);
//! ```
//!
//! A pattern is read token by token (`lex`) into a tree (`parse`, `tree`). Automata made of it (`nfa`,
//! `dfa`) find where a match begins and ends (`matcher`); `divide` finds its groups. The time is
//! proportional to the text for most patterns, its square for some, and may be exponential with back
//! references. A match therefore asks now and then whether it is to be given up.

mod class;
mod colors;
mod dfa;
mod divide;
mod error;
mod lex;
mod matcher;
mod nfa;
mod parse;
mod set;
mod tree;

use std::cell::RefCell;

use memchr::memmem::Finder;

pub use error::{Error, Interrupted};

/// Whether a character is a letter to the C library.
pub fn is_alpha(c: char) -> bool {
    class::is_alpha(u32::from(c))
}

/// The lower case of a character, where that is one character.
pub fn lower(c: char) -> char {
    char::from_u32(class::lower(u32::from(c))).unwrap_or(c)
}

use colors::Colors;
use matcher::{Automata, Run};
use tree::{Assert, Expr, ExprId, NodeId, Traits, Tree};

/// Where something begins, and where it ends, in bytes.
pub type Bounds = (usize, usize);

/// How a pattern is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// PostgreSQL's own.
    #[default]
    Advanced,
    /// That of `egrep`.
    Extended,
    /// That of `ed`.
    Basic,
    /// The pattern is the text itself.
    Literal,
}

/// How a pattern is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// How it is written.
    pub syntax: Syntax,
    /// Case does not matter.
    pub ignore_case: bool,
    /// `.` and `[^…]` do not match newlines.
    pub newline_stop: bool,
    /// `^` and `$` also match after and before newlines.
    pub newline_anchor: bool,
    /// Blanks and comments in the pattern do not count.
    pub expanded: bool,
}

impl Options {
    /// Sets an option by its letter; whether there is one.
    pub fn set(&mut self, letter: char) -> bool {
        match letter {
            'b' => self.syntax = Syntax::Basic,
            'e' => self.syntax = Syntax::Extended,
            'q' => self.syntax = Syntax::Literal,
            'c' => self.ignore_case = false,
            'i' => self.ignore_case = true,
            'n' | 'm' => (self.newline_stop, self.newline_anchor) = (true, true),
            'p' => (self.newline_stop, self.newline_anchor) = (true, false),
            'w' => (self.newline_stop, self.newline_anchor) = (false, true),
            's' => (self.newline_stop, self.newline_anchor) = (false, false),
            't' => self.expanded = false,
            'x' => self.expanded = true,
            _ => return false,
        }
        true
    }
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Regex {
    program: Program,
    automata: RefCell<Automata>,
}

/// What does not change while a pattern matches.
#[derive(Debug)]
struct Program {
    tree: Tree,
    top: NodeId,
    groups: u32,
    colors: Colors,
    ignore_case: bool,
    /// Whether there are back references.
    refers: bool,
    /// Whether it matches at the beginning of a text only.
    anchored: bool,
    /// What every match begins with.
    prefix: Option<Finder<'static>>,
    /// Whether that is all of it.
    literal: bool,
}

impl Regex {
    /// Compiles a pattern.
    pub fn new(pattern: &str, options: Options) -> Result<Regex, Error> {
        let parsed = parse::parse(pattern, options)?;
        let tree = parsed.tree;
        let conditions = tree.exprs.iter().any(|expr| matches!(expr, Expr::Assert(_)));
        let colors = Colors::new(&tree.sets, conditions);
        let top = tree.node(parsed.top);
        let mut prefix = String::new();
        let whole = literal_prefix(&tree, top.expr, &mut prefix);
        let messy = top.traits.has(Traits::CAPTURES.with(Traits::REFERS));
        let program = Program {
            top: parsed.top,
            groups: parsed.groups,
            colors,
            ignore_case: parsed.lexer_options.ignore_case,
            refers: parsed.refers,
            anchored: is_anchored(&tree, top.expr),
            literal: whole && !messy && !prefix.is_empty(),
            prefix: (!prefix.is_empty()).then(|| Finder::new(&prefix).into_owned()),
            tree,
        };
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

impl Run<'_> {
    fn captures(&mut self, from: usize) -> Result<Option<Vec<Option<Bounds>>>, Interrupted> {
        let Some((begin, end)) = self.find(from)? else { return Ok(None) };
        let program = self.program;
        if !program.refers && program.groups > 0 {
            self.divide(program.top, begin, end)?;
        }
        let mut groups = std::mem::take(&mut self.groups);
        groups[0] = Some((begin, end));
        Ok(Some(groups))
    }
}

/// Collects what every match begins with; whether that is all of it.
fn literal_prefix(tree: &Tree, expr: ExprId, prefix: &mut String) -> bool {
    match tree.expr(expr) {
        Expr::Empty => true,
        Expr::Set(set) => match tree.sets[*set as usize].single() {
            Some(c) => {
                prefix.push(c);
                true
            }
            None => false,
        },
        Expr::Concat(parts) => parts.iter().all(|&part| {
            stacker::maybe_grow(64 << 10, 1 << 20, || literal_prefix(tree, part, prefix))
        }),
        Expr::Repeat { inner, min, .. } if *min > 0 => {
            stacker::maybe_grow(64 << 10, 1 << 20, || literal_prefix(tree, *inner, prefix));
            false
        }
        _ => false,
    }
}

fn is_anchored(tree: &Tree, mut expr: ExprId) -> bool {
    loop {
        match tree.expr(expr) {
            Expr::Assert(Assert::TextStart) => return true,
            Expr::Concat(parts) if !parts.is_empty() => expr = parts[0],
            _ => return false,
        }
    }
}
