//! RAISE.
//!
//! ```text
//!     RAISE;                                            the error that is handled, again
//!     RAISE NOTICE 'got % of %', a, b USING HINT = c;   a message: as many arguments as there are `%`
//!     RAISE division_by_zero;                           an error by its name
//!     RAISE SQLSTATE '22012' USING MESSAGE = m;         or by its code
//!     RAISE USING ERRCODE = e, MESSAGE = m;             or by options alone
//! ```

use crate::error::ReadError;
use crate::lexer::{COMMA, SEMICOLON, Symbol, TokenKind, USING};
use crate::place::Span;
use crate::reader::{Reader, Wanted};
use crate::tree::{
    Condition, Raise, RaiseLevel, RaiseOption, RaiseOptionKind, Raised, StatementKind,
};

const LEVELS: &[(&str, RaiseLevel)] = &[
    ("exception", RaiseLevel::Exception),
    ("warning", RaiseLevel::Warning),
    ("notice", RaiseLevel::Notice),
    ("info", RaiseLevel::Info),
    ("log", RaiseLevel::Log),
    ("debug", RaiseLevel::Debug),
];

const OPTIONS: &[(&str, RaiseOptionKind)] = &[
    ("errcode", RaiseOptionKind::ErrCode),
    ("message", RaiseOptionKind::Message),
    ("detail", RaiseOptionKind::Detail),
    ("hint", RaiseOptionKind::Hint),
    ("column", RaiseOptionKind::Column),
    ("constraint", RaiseOptionKind::Constraint),
    ("datatype", RaiseOptionKind::DataType),
    ("table", RaiseOptionKind::Table),
    ("schema", RaiseOptionKind::Schema),
];

impl Reader<'_> {
    pub(crate) fn raise(&mut self, at: Span) -> Result<StatementKind, ReadError> {
        self.skip();
        let level = self.one_of(LEVELS);
        let mut raise = Raise { level, what: None, options: Vec::new() };
        // A level alone is not enough.
        if level.is_none() && self.takes_token(SEMICOLON) {
            return Ok(StatementKind::Raise(Box::new(raise)));
        }
        let mut stop = self.kind();
        if stop == TokenKind::String {
            let (message, end) = self.message(at)?;
            raise.what = Some(message);
            stop = end;
        } else if stop != USING {
            raise.what = Some(Raised::Condition(self.raised_condition()?));
            stop = self.kind();
            if !matches!(stop, USING | SEMICOLON) {
                return Err(self.unexpected("USING or a semicolon"));
            }
            self.skip();
        } else {
            self.skip();
        }
        if stop == USING {
            raise.options = self.raise_options()?;
        }
        Ok(StatementKind::Raise(Box::new(raise)))
    }

    /// Reads a format, its arguments, and the token that ends them.
    fn message(&mut self, at: Span) -> Result<(Raised, TokenKind), ReadError> {
        let format = self.literal()?;
        let mut arguments = Vec::new();
        let mut stop = self.kind();
        if !matches!(stop, COMMA | SEMICOLON | USING) {
            return Err(self.unexpected("a comma, USING or a semicolon"));
        }
        self.skip();
        if stop == COMMA {
            let expected = "a comma, USING or a semicolon";
            (arguments, stop) = self.expressions(&[COMMA, SEMICOLON, USING], expected)?;
        }
        let wanted = placeholders(&format.text);
        if wanted != arguments.len() {
            return Err(ReadError::RaiseArguments { at, wanted, found: arguments.len() });
        }
        Ok((Raised::Message { format, arguments }, stop))
    }

    fn raised_condition(&mut self) -> Result<Condition, ReadError> {
        if self.takes("sqlstate") {
            return self.sqlstate().map(Condition::SqlState);
        }
        let expected = "a string, the name of a condition, SQLSTATE or USING";
        if self.kind() == TokenKind::Parameter {
            return Err(self.unexpected(expected));
        }
        self.name(expected).map(Condition::Named)
    }

    /// Reads what follows USING, with the semicolon.
    fn raise_options(&mut self) -> Result<Vec<RaiseOption>, ReadError> {
        let mut options = Vec::new();
        loop {
            let span = self.here();
            let kind = self.one_of(OPTIONS).ok_or_else(|| self.unexpected("an option of RAISE"))?;
            if !self.takes_token(TokenKind::Symbol(Symbol::Equals)) {
                self.expect_token(TokenKind::Symbol(Symbol::ColonEquals), "=")?;
            }
            let expected = "a comma or a semicolon";
            let stops = [COMMA, SEMICOLON];
            let (value, stop) = self.fragment(&stops, expected, Wanted::Expression)?;
            options.push(RaiseOption { span, kind, value });
            if stop == SEMICOLON {
                return Ok(options);
            }
        }
    }
}

/// How many `%` a format has that are not doubled.
fn placeholders(format: &str) -> usize {
    let mut bytes = format.bytes().peekable();
    let mut count = 0;
    while let Some(byte) = bytes.next() {
        if byte == b'%' && bytes.next_if_eq(&b'%').is_none() {
            count += 1;
        }
    }
    count
}
