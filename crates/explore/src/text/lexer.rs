//! Text to tokens.
//!
//! Blanks separate, `#` begins a comment, and line ends matter only between statements: every token knows
//! whether a line ended before it.

use hobgoblin_core::Text;

use super::error::{Mistake, Parsed, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    /// A name or a keyword.
    Name(Text),
    /// An integer.
    Int(i64),
    /// A string, its escapes resolved.
    Text(Text),
    /// An operator or bracket.
    Sym(&'static str),
    /// The end of the file.
    End,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) tok: Tok,
    pub(super) at: Span,
    /// Whether a line ended before it.
    pub(super) on_new_line: bool,
    /// Whether nothing is between it and the token before it.
    pub(super) adjacent: bool,
}

/// Longest first, so that `<=` is not `<` and `=`.
const SYMBOLS: [&str; 23] = [
    "==", "!=", "<=", ">=", "<", ">", "=", "+", "-", "*", "/", "%", "!", "(", ")", "[", "]", "{",
    "}", ",", ";", ":", ".",
];

/// The tokens of a file whose first byte has this place; the last one is the end.
pub(super) fn tokens(text: &str, first: u32) -> Parsed<Vec<Token>> {
    let mut lexer = Lexer { text, first, at: 0 };
    let mut tokens = Vec::new();
    loop {
        let before = lexer.at;
        let on_new_line = lexer.skip_blanks() || before == 0;
        let start = lexer.at;
        let tok = lexer.token()?;
        let at = lexer.span(start, lexer.at);
        let adjacent = before == start && start > 0;
        let done = tok == Tok::End;
        tokens.push(Token { tok, at, on_new_line, adjacent });
        if done {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    first: u32,
    at: usize,
}

impl Lexer<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span { start: self.first + start as u32, end: self.first + end as u32 }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Steps over characters and gives them.
    fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c| !holds(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Steps over blanks and comments; whether a line ended in them.
    fn skip_blanks(&mut self) -> bool {
        let start = self.at;
        loop {
            self.take_while(char::is_whitespace);
            if self.peek() != Some('#') {
                break;
            }
            self.take_while(|c| c != '\n');
        }
        self.text[start..self.at].contains('\n')
    }

    fn token(&mut self) -> Parsed<Tok> {
        let start = self.at;
        let Some(c) = self.peek() else { return Ok(Tok::End) };
        if c.is_alphabetic() || c == '_' {
            return Ok(Tok::Name(self.take_while(|c| c.is_alphanumeric() || c == '_').into()));
        }
        if c.is_ascii_digit() {
            let digits = self.take_while(|c| c.is_ascii_digit()).parse();
            let at = self.span(start, self.at);
            let help = "integers have 64 bits";
            return digits
                .map(Tok::Int)
                .map_err(|_| Mistake::at(at, "this integer is too large", help));
        }
        if c == '"' {
            return self.string();
        }
        let rest = &self.text[start..];
        match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol) => {
                self.at += symbol.len();
                Ok(Tok::Sym(symbol))
            }
            None => {
                let at = self.span(start, start + c.len_utf8());
                let help = match c {
                    '\'' => "strings are in double quotes",
                    '&' | '|' => "write `and` and `or`",
                    _ => "remove it; comments begin with `#`",
                };
                Err(Mistake::at(at, format!("{c:?} has no meaning here"), help))
            }
        }
    }

    fn string(&mut self) -> Parsed<Tok> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|c| !matches!(c, '"' | '\\' | '\n')));
            let at = self.span(self.at, self.at + 1);
            match self.peek() {
                Some('"') => {
                    self.at += 1;
                    return Ok(Tok::Text(text.into()));
                }
                Some('\\') => {
                    self.at += 1;
                    text.push(match self.peek() {
                        Some('n') => '\n',
                        Some('t') => '\t',
                        Some(c @ ('"' | '\\')) => c,
                        _ => {
                            let help = r#"there are \" \\ \n and \t"#;
                            return Err(Mistake::at(at, "this escape has no meaning", help));
                        }
                    });
                    self.at += 1;
                }
                _ => {
                    let at = self.span(start, self.at);
                    let help = r#"end it with `"` on the same line"#;
                    return Err(Mistake::at(at, "this string does not end", help));
                }
            }
        }
    }
}
