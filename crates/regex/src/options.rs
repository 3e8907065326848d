//! How a pattern is written and read.

/// How a pattern is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// PostgreSQL's own syntax, which it calls advanced.
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
