//! A statement as it was written, and where in its text the places of its syntax tree are.

use sqlparser::tokenizer::{Location, Span};

use super::Clauses;

/// A statement's text beside what its syntax tree does not say.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// The text, from its first token to its last.
    pub text: &'a str,
    /// The place of the first token.
    pub start: Location,
    /// What the syntax tree has no place for.
    pub clauses: &'a Clauses,
}

impl<'a> Written<'a> {
    /// The text between two places.
    pub fn between(&self, span: Span) -> Option<&'a str> {
        let from = offset(self.text, self.start, span.start)?;
        let to = offset(self.text, self.start, span.end)?;
        self.text.get(from..to)
    }
}

/// A change of the schema that no statement asked for.
impl Default for Written<'_> {
    fn default() -> Self {
        static NONE: Clauses = Clauses::NONE;
        Written { text: "", start: Location::empty(), clauses: &NONE }
    }
}

/// The byte of a place in a text that begins at another. Lines and columns are counted from 1, columns in
/// characters.
pub fn offset(text: &str, start: Location, place: Location) -> Option<usize> {
    let lines = place.line.checked_sub(start.line)?;
    let mut from = 0;
    for _ in 0..lines {
        from += text.get(from..)?.find('\n')? + 1;
    }
    let first = if lines == 0 { start.column } else { 1 };
    let columns = usize::try_from(place.column.checked_sub(first)?).ok()?;
    let rest = text.get(from..)?;
    let within = rest.char_indices().map(|(at, _)| at).chain([rest.len()]).nth(columns)?;
    Some(from + within)
}
