//! Where something stands in a source: byte ranges, and lines and columns for people.

use std::fmt;

/// A range of bytes of the source. It begins and ends between characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// From the beginning of this to the end of another that follows it.
    pub fn to(self, last: Span) -> Span {
        Span { start: self.start, end: last.end }
    }

    /// What the source has there; nothing, if it is another source.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or_default()
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A line and a column, both counted from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The line. As to PostgreSQL, `\n` ends one.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    /// The place of a byte of the source. An offset inside of a character is that character's, one behind the end is
    /// the end's.
    pub fn of(source: &str, offset: usize) -> Place {
        let mut offset = offset.min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &source[..offset];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Place { line, column: before[start..].chars().count() + 1 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn places_count_characters() {
        let source = "a\nöx\n";
        let place = |offset| Place::of(source, offset).to_string();
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6, 99].map(place),
            ["1:1", "1:2", "2:1", "2:1", "2:2", "2:3", "3:1", "3:1"]
        );
    }
}
