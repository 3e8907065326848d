//! Patterns to tokens: three syntaxes and literal text ([manual, 9.7.3]).
//!
//! What a character means depends on where it stands (in brackets, in a bound, …) and, in the basic
//! syntax, on the token before it, so the parser draws tokens one at a time.

use crate::class::{self, Class};
use crate::error::Error;
use crate::options::{Options, Syntax};

/// A piece of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// Before the first one.
    Start,
    End,
    Char(u32),
    /// A digit of a bound.
    Digit(u32),
    Backreference(u32),
    /// `[.`, `[=` and `[:` in brackets, and what ends them.
    OpenElement,
    OpenEquivalence,
    OpenClass,
    CloseName,
    Class(Class),
    NotClass(Class),
    /// `-` in brackets, where it may make a range.
    Dash,
    Look {
        ahead: bool,
        positive: bool,
    },
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordStart,
    WordEnd,
    WordEdge,
    NotWordEdge,
    /// Quantifiers, and whether they take as much as they can.
    Star(bool),
    Plus(bool),
    Question(bool),
    OpenBound,
    CloseBound(bool),
    Comma,
    /// `(`, and whether it captures.
    Open(bool),
    Close,
    Bar,
    /// `[`, and whether it lists members rather than others.
    OpenBracket(bool),
    CloseBracket,
    Dot,
}

/// Where the lexer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Pattern,
    Bound,
    Bracket,
    /// Between `[.` and `.]`, or its like; the character that ends it.
    Name(char),
}

pub(crate) struct Lexer {
    chars: Vec<char>,
    at: usize,
    place: Place,
    pub(crate) options: Options,
    pub(crate) token: Token,
}

impl Lexer {
    /// Reads the prefixes of a pattern, and its first token.
    pub(crate) fn new(pattern: &str, options: Options) -> Result<Lexer, Error> {
        let chars = pattern.chars().collect();
        let mut lexer = Lexer { chars, at: 0, place: Place::Pattern, options, token: Token::Start };
        lexer.prefixes()?;
        lexer.next(0)?;
        Ok(lexer)
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek(0) == Some(c);
        self.at += usize::from(found);
        found
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.peek(i) == Some(c))
    }

    /// `***=`, `***:` and `(?letters)`.
    fn prefixes(&mut self) -> Result<(), Error> {
        if self.options.syntax == Syntax::Literal {
            return Ok(());
        }
        if self.starts("***") {
            match self.peek(3) {
                Some('?') => return Err(Error::Version),
                Some('=') => {
                    self.at += 4;
                    self.options = Options {
                        syntax: Syntax::Literal,
                        ignore_case: self.options.ignore_case,
                        ..Options::default()
                    };
                    return Ok(());
                }
                Some(':') => {
                    self.at += 4;
                    self.options.syntax = Syntax::Advanced;
                }
                Some(_) => return Err(Error::Quantifier),
                None => {}
            }
        }
        if self.options.syntax != Syntax::Advanced
            || !self.starts("(?")
            || !self.peek(2).is_some_and(|c| class::is_alpha(u32::from(c)))
        {
            return Ok(());
        }
        self.at += 2;
        while let Some(c) = self.peek(0).filter(|&c| class::is_alpha(u32::from(c))) {
            if !self.options.set(c) {
                return Err(Error::Option);
            }
            self.at += 1;
        }
        if !self.eat(')') {
            return Err(Error::Option);
        }
        if self.options.syntax == Syntax::Literal {
            let ignore_case = self.options.ignore_case;
            self.options = Options { syntax: Syntax::Literal, ignore_case, ..Options::default() };
        }
        Ok(())
    }

    /// Skips blanks and comments of the expanded syntax.
    fn skip(&mut self) {
        loop {
            while self.peek(0).is_some_and(|c| class::is_space(u32::from(c))) {
                self.at += 1;
            }
            if self.peek(0) != Some('#') {
                return;
            }
            while self.peek(0).is_some_and(|c| c != '\n') {
                self.at += 1;
            }
        }
    }

    /// Draws the next token. `groups` is how many groups have begun, on which some escapes depend.
    pub(crate) fn next(&mut self, groups: u32) -> Result<(), Error> {
        let last = self.token;
        self.token = loop {
            if self.options.expanded && matches!(self.place, Place::Pattern | Place::Bound) {
                self.skip();
            }
            let Some(c) = self.peek(0) else {
                break match self.place {
                    Place::Pattern => Token::End,
                    Place::Bound => return Err(Error::Braces),
                    Place::Bracket | Place::Name(_) => return Err(Error::Brackets),
                };
            };
            self.at += 1;
            break match (self.place, self.options.syntax) {
                (Place::Bound, _) => self.bound(c)?,
                (Place::Bracket, _) => self.bracket(c, last, groups)?,
                (Place::Name(mark), _) if c == mark && self.eat(']') => {
                    self.place = Place::Bracket;
                    Token::CloseName
                }
                (Place::Name(_), _) | (Place::Pattern, Syntax::Literal) => {
                    Token::Char(u32::from(c))
                }
                (Place::Pattern, Syntax::Basic) => self.basic(c, last)?,
                (Place::Pattern, _) => match self.extended(c, groups)? {
                    Some(token) => token,
                    None => continue,
                },
            };
        };
        Ok(())
    }

    /// Up to the end of `[.name.]` and its like, which the current token began.
    pub(crate) fn name(&mut self, groups: u32) -> Result<String, Error> {
        let mut name = String::new();
        self.next(groups)?;
        while let Token::Char(c) = self.token {
            name.extend(char::from_u32(c));
            self.next(groups)?;
        }
        self.next(groups)?;
        Ok(name)
    }

    fn bound(&mut self, c: char) -> Result<Token, Error> {
        let basic = self.options.syntax == Syntax::Basic;
        match c {
            '0'..='9' => Ok(Token::Digit(u32::from(c) - u32::from('0'))),
            ',' => Ok(Token::Comma),
            '}' if !basic => {
                self.place = Place::Pattern;
                Ok(Token::CloseBound(!self.lazy()))
            }
            '\\' if basic && self.eat('}') => {
                self.place = Place::Pattern;
                Ok(Token::CloseBound(true))
            }
            _ => Err(Error::Repetition),
        }
    }

    /// Whether a `?` makes a quantifier take as little as it can.
    fn lazy(&mut self) -> bool {
        self.options.syntax == Syntax::Advanced && self.eat('?')
    }

    fn bracket(&mut self, c: char, last: Token, groups: u32) -> Result<Token, Error> {
        let first = matches!(last, Token::OpenBracket(_));
        Ok(match c {
            ']' if !first => {
                self.place = Place::Pattern;
                Token::CloseBracket
            }
            '\\' if self.options.syntax == Syntax::Advanced => {
                let escape = self.escape(groups)?;
                match escape {
                    Token::Char(_) | Token::Class(_) | Token::NotClass(_) => escape,
                    _ => return Err(Error::Escape),
                }
            }
            '-' if !first && self.peek(0) != Some(']') => Token::Dash,
            '[' => {
                let Some(mark) = self.peek(0) else { return Err(Error::Brackets) };
                let token = match mark {
                    '.' => Token::OpenElement,
                    '=' => Token::OpenEquivalence,
                    ':' => Token::OpenClass,
                    _ => return Ok(Token::Char(u32::from(c))),
                };
                self.at += 1;
                self.place = Place::Name(mark);
                token
            }
            c => Token::Char(u32::from(c)),
        })
    }

    /// `[`, which may begin `[[:<:]]` or `[[:>:]]`.
    fn open_bracket(&mut self) -> Token {
        for (written, token) in [("[:<:]]", Token::WordStart), ("[:>:]]", Token::WordEnd)] {
            if self.starts(written) {
                self.at += 6;
                return token;
            }
        }
        self.place = Place::Bracket;
        Token::OpenBracket(!self.eat('^'))
    }

    /// A token of the extended or advanced syntax; a comment is none.
    fn extended(&mut self, c: char, groups: u32) -> Result<Option<Token>, Error> {
        let advanced = self.options.syntax == Syntax::Advanced;
        Ok(Some(match c {
            '|' => Token::Bar,
            '*' => Token::Star(!self.lazy()),
            '+' => Token::Plus(!self.lazy()),
            '?' => Token::Question(!self.lazy()),
            '{' => {
                if self.options.expanded {
                    self.skip();
                }
                if self.peek(0).is_some_and(|c| c.is_ascii_digit()) {
                    self.place = Place::Bound;
                    Token::OpenBound
                } else {
                    Token::Char(u32::from(c))
                }
            }
            '(' if advanced && self.eat('?') => return self.special(),
            '(' => Token::Open(true),
            ')' => Token::Close,
            '[' => self.open_bracket(),
            '.' => Token::Dot,
            '^' => Token::LineStart,
            '$' => Token::LineEnd,
            '\\' if advanced => self.escape(groups)?,
            '\\' => {
                let c = self.peek(0).ok_or(Error::Escape)?;
                self.at += 1;
                Token::Char(u32::from(c))
            }
            c => Token::Char(u32::from(c)),
        }))
    }

    /// What `(?` begins.
    fn special(&mut self) -> Result<Option<Token>, Error> {
        let c = self.peek(0).ok_or(Error::Quantifier)?;
        self.at += 1;
        Ok(Some(match c {
            ':' => Token::Open(false),
            '#' => {
                while self.peek(0).is_some_and(|c| c != ')') {
                    self.at += 1;
                }
                self.eat(')');
                return Ok(None);
            }
            '=' => Token::Look { ahead: true, positive: true },
            '!' => Token::Look { ahead: true, positive: false },
            '<' if self.eat('=') => Token::Look { ahead: false, positive: true },
            '<' if self.eat('!') => Token::Look { ahead: false, positive: false },
            _ => return Err(Error::Quantifier),
        }))
    }

    /// An escape of the advanced syntax, its backslash already read.
    fn escape(&mut self, groups: u32) -> Result<Token, Error> {
        let c = self.peek(0).ok_or(Error::Escape)?;
        self.at += 1;
        let code = match c {
            'A' => return Ok(Token::TextStart),
            'Z' => return Ok(Token::TextEnd),
            'm' => return Ok(Token::WordStart),
            'M' => return Ok(Token::WordEnd),
            'y' => return Ok(Token::WordEdge),
            'Y' => return Ok(Token::NotWordEdge),
            'd' => return Ok(Token::Class(Class::Digit)),
            'D' => return Ok(Token::NotClass(Class::Digit)),
            's' => return Ok(Token::Class(Class::Space)),
            'S' => return Ok(Token::NotClass(Class::Space)),
            'w' => return Ok(Token::Class(Class::Word)),
            'W' => return Ok(Token::NotClass(Class::Word)),
            'a' => 7,
            'b' => 8,
            'B' => u32::from('\\'),
            'c' => {
                let letter = self.peek(0).ok_or(Error::Escape)?;
                self.at += 1;
                u32::from(letter) & 0x1f
            }
            'e' => 0x1b,
            'f' => 0x0c,
            'n' => 0x0a,
            'r' => 0x0d,
            't' => 0x09,
            'v' => 0x0b,
            'u' => self.code(4, 4)?,
            'U' => self.code(8, 8)?,
            'x' => self.code(1, 255)?,
            '0'..='9' => return self.number(groups),
            c if c.is_ascii_alphanumeric() => return Err(Error::Escape),
            c => u32::from(c),
        };
        Ok(Token::Char(code))
    }

    /// Digits of a base, as a number that wraps around as PostgreSQL's does; and how many there were.
    fn digits(&mut self, base: u32, most: usize) -> (u32, usize) {
        let (mut value, mut count) = (0u32, 0);
        while count < most
            && let Some(digit) = self.peek(0).and_then(|c| c.to_digit(base))
        {
            value = value.wrapping_mul(base).wrapping_add(digit);
            self.at += 1;
            count += 1;
        }
        (value, count)
    }

    fn code(&mut self, least: usize, most: usize) -> Result<u32, Error> {
        let (value, count) = self.digits(16, most);
        if count < least || value > 0x7fff_fffe { Err(Error::Escape) } else { Ok(value) }
    }

    /// `\1`: a back reference, or an octal number if it has more digits than there are groups.
    fn number(&mut self, groups: u32) -> Result<Token, Error> {
        self.at -= 1;
        let first = self.at;
        let (value, count) = self.digits(10, 255);
        let zero = self.chars.get(first) == Some(&'0');
        if !zero && (count == 1 || (value > 0 && value <= groups)) {
            return Ok(Token::Backreference(value));
        }
        self.at = first;
        let (value, count) = self.digits(8, 3);
        if count == 0 {
            return Err(Error::Escape);
        }
        if value > 0xff {
            self.at -= 1;
            return Ok(Token::Char(value >> 3));
        }
        Ok(Token::Char(value))
    }

    fn basic(&mut self, c: char, last: Token) -> Result<Token, Error> {
        let first = matches!(last, Token::Start | Token::Open(_));
        Ok(match c {
            '*' if first || last == Token::LineStart => Token::Char(u32::from(c)),
            '*' => Token::Star(true),
            '[' => self.open_bracket(),
            '.' => Token::Dot,
            '^' if first => Token::LineStart,
            '$' => {
                if self.options.expanded {
                    self.skip();
                }
                if self.peek(0).is_none() || self.starts("\\)") {
                    Token::LineEnd
                } else {
                    Token::Char(u32::from(c))
                }
            }
            '\\' => {
                let c = self.peek(0).ok_or(Error::Escape)?;
                self.at += 1;
                match c {
                    '{' => {
                        self.place = Place::Bound;
                        Token::OpenBound
                    }
                    '(' => Token::Open(true),
                    ')' => Token::Close,
                    '<' => Token::WordStart,
                    '>' => Token::WordEnd,
                    '1'..='9' => Token::Backreference(u32::from(c) - u32::from('0')),
                    c => Token::Char(u32::from(c)),
                }
            }
            c => Token::Char(u32::from(c)),
        })
    }
}
