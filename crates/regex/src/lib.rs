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
mod options;
mod parse;
mod program;
mod regex;
mod set;
mod tree;

pub use error::{Error, Interrupted};
pub use options::{Options, Syntax};
pub use program::Bounds;
pub use regex::{Matcher, Regex};

/// Whether a character is a letter to the C library.
pub fn is_alpha(c: char) -> bool {
    class::is_alpha(u32::from(c))
}

/// The lower case of a character, where that is one character.
pub fn lower(c: char) -> char {
    char::from_u32(class::lower(u32::from(c))).unwrap_or(c)
}
