//! OPEN, FETCH, MOVE and CLOSE.

use crate::error::ReadError;
use crate::keyword::Reserved;
use crate::lexer::{SEMICOLON, Symbol, TokenKind};
use crate::place::Span;
use crate::reader::{Reader, UnitKind, Wanted};
use crate::tree::{CursorArgument, Direction, Fragment, HowMany, Opened, Query, StatementKind};

const FROM: TokenKind = TokenKind::Reserved(Reserved::From);
const IN: TokenKind = TokenKind::Reserved(Reserved::In);

impl Reader<'_> {
    /// Reads OPEN. A cursor of its own query has at most arguments.
    pub(crate) fn open(&mut self, _: Span) -> Result<StatementKind, ReadError> {
        self.skip();
        let cursor = self.path("a cursor")?;
        if matches!(self.kind(), SEMICOLON | TokenKind::Symbol(Symbol::Open)) {
            let of = Opened::Bound(self.cursor_arguments()?);
            self.semicolon()?;
            return Ok(StatementKind::Open { cursor, of });
        }
        let scroll = if self.takes("no") {
            // PostgreSQL reads NO without SCROLL, and then it says nothing.
            self.takes("scroll").then_some(false)
        } else {
            self.takes("scroll").then_some(true)
        };
        self.expect_token(TokenKind::Reserved(Reserved::For), "FOR, or arguments")?;
        let query = match self.takes_token(TokenKind::Reserved(Reserved::Execute)) {
            true => Query::Dynamic(self.dynamic(SEMICOLON, "USING or a semicolon")?),
            false => Query::Static(self.statement_of_sql()?),
        };
        Ok(StatementKind::Open { cursor, of: Opened::Unbound { scroll, query } })
    }

    /// Reads the arguments of a cursor in parentheses, if they are there.
    pub(crate) fn cursor_arguments(&mut self) -> Result<Vec<CursorArgument>, ReadError> {
        let mut arguments = Vec::new();
        if !self.takes_token(TokenKind::Symbol(Symbol::Open)) {
            return Ok(arguments);
        }
        let (comma, close) = (TokenKind::Symbol(Symbol::Comma), TokenKind::Symbol(Symbol::Close));
        loop {
            let named = self.peek().kind == UnitKind::Name
                && self.ahead(1).kind == TokenKind::Symbol(Symbol::ColonEquals);
            let name = if named { self.optional_name() } else { None };
            if named {
                self.skip();
            }
            let expected = "a comma or )";
            let (value, stop) = self.fragment(&[comma, close], expected, Wanted::Expression)?;
            arguments.push(CursorArgument { name, value });
            if stop == close {
                return Ok(arguments);
            }
        }
    }

    pub(crate) fn fetch(&mut self, at: Span) -> Result<StatementKind, ReadError> {
        self.skip();
        let direction = self.direction()?;
        let cursor = self.path("a cursor")?;
        let into = self.into(false)?;
        self.expect_token(SEMICOLON, "a comma or a semicolon")?;
        if direction.is_many() {
            return Err(ReadError::FetchManyRows { at });
        }
        Ok(StatementKind::Fetch { direction, cursor, into })
    }

    pub(crate) fn move_cursor(&mut self, _: Span) -> Result<StatementKind, ReadError> {
        self.skip();
        let direction = self.direction()?;
        let cursor = self.path("a cursor")?;
        self.semicolon()?;
        Ok(StatementKind::Move { direction, cursor })
    }

    pub(crate) fn close(&mut self, _: Span) -> Result<StatementKind, ReadError> {
        self.skip();
        let cursor = self.path("a cursor")?;
        self.semicolon()?;
        Ok(StatementKind::Close(cursor))
    }

    /// Reads a direction up to the cursor.
    fn direction(&mut self) -> Result<Direction, ReadError> {
        let direction = if self.takes("absolute") {
            return self.rows().map(Direction::Absolute);
        } else if self.takes("relative") {
            return self.rows().map(Direction::Relative);
        } else if self.takes("forward") {
            return self.how_many().map(Direction::Forward);
        } else if self.takes("backward") {
            return self.how_many().map(Direction::Backward);
        } else if self.takes("next") {
            Direction::Next
        } else if self.takes("prior") {
            Direction::Prior
        } else if self.takes("first") {
            Direction::First
        } else if self.takes("last") {
            Direction::Last
        } else if self.takes_token(TokenKind::Reserved(Reserved::All)) {
            Direction::All
        } else if self.takes_token(FROM) || self.takes_token(IN) || self.is_cursor() {
            return Ok(Direction::Unsaid);
        } else {
            return self.rows().map(Direction::Count);
        };
        self.from()?;
        Ok(direction)
    }

    /// Whether a name is next that is a cursor, and not the beginning of a number of rows.
    fn is_cursor(&self) -> bool {
        let unit = self.peek();
        let next = self.ahead(unit.length()).kind;
        !matches!(unit.kind, UnitKind::Token(_))
            && matches!(next, TokenKind::Reserved(Reserved::Into) | SEMICOLON)
    }

    fn from(&mut self) -> Result<(), ReadError> {
        match self.takes_token(FROM) || self.takes_token(IN) {
            true => Ok(()),
            false => Err(self.unexpected("FROM or IN")),
        }
    }

    /// Reads a number of rows, with FROM.
    fn rows(&mut self) -> Result<Fragment, ReadError> {
        Ok(self.fragment(&[FROM, IN], "FROM or IN", Wanted::Expression)?.0)
    }

    /// Reads what follows FORWARD or BACKWARD, with FROM.
    fn how_many(&mut self) -> Result<Option<HowMany>, ReadError> {
        if self.takes_token(FROM) || self.takes_token(IN) {
            return Ok(None);
        }
        if self.takes_token(TokenKind::Reserved(Reserved::All)) {
            self.from()?;
            return Ok(Some(HowMany::All));
        }
        self.rows().map(|count| Some(HowMany::Count(count)))
    }
}
