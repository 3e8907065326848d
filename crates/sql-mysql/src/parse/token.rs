//! What texts consist of.

use sqlparser::tokenizer::{Location, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A word without quotes; a keyword wherever the grammar has one.
    Word,
    /// A word without quotes that is a name whatever it says: it stands beside a dot.
    Name,
    /// A name in quotes, without them.
    Quoted(String),
    /// A string, without its quotes and escapes.
    Text(String),
    /// `N'…'`.
    National(String),
    /// The digits of `x'…'`, an even number of them.
    Hex(String),
    /// The digits of `0x…`, an even number of them: bytes that are a number where one is asked for.
    HexNumber(String),
    /// The digits of `b'…'` or `0b…`.
    Bits(String),
    /// `_utf8mb4` and its kin: the character set of the literal that follows.
    Introducer,
    /// Digits.
    Integer,
    /// Digits with a dot.
    Decimal,
    /// A number with an exponent.
    Float,
    /// `@name`, or `@` before the host of an account.
    At(String),
    /// `@@`; the name of a system variable follows at once.
    AtAt,
    /// `?`, and how many came before it.
    Parameter(usize),
    /// `\N`.
    Null,
    /// An operator or a bracket.
    Sign(&'static str),
    /// What begins no token, or never ends.
    Bad,
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Its first byte in the text.
    pub(super) start: usize,
    /// The byte after its last.
    pub(super) end: usize,
    /// Its line and column, from 1; columns count characters.
    pub(super) place: Location,
    /// The place after its last character.
    pub(super) until: Location,
    /// The line as the server counts: line ends in strings do not.
    pub(super) line: u32,
}

impl Token {
    /// Where it stands, as trees say it.
    pub(super) fn span(&self) -> Span {
        Span { start: self.place, end: self.until }
    }
}
