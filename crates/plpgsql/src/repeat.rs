//! Loops.
//!
//! What a FOR goes over is only known when its LOOP is found: `..` outside of parentheses makes it one over integers, a
//! name alone or one with arguments makes it one over a cursor, and all else is a query.

use crate::error::ReadError;
use crate::keyword::Reserved;
use crate::lexer::{Symbol, TokenKind};
use crate::place::Span;
use crate::reader::{Reader, Scope, UnitKind, Wanted};
use crate::tree::{Label, Loop, LoopControl, Path, Query, Slice, StatementKind};

const LOOP: TokenKind = TokenKind::Reserved(Reserved::Loop);
const DOT_DOT: TokenKind = TokenKind::Symbol(Symbol::DotDot);

impl Reader<'_> {
    /// Reads a loop whose label was read.
    pub(crate) fn repeat(&mut self, label: Option<Label>) -> Result<StatementKind, ReadError> {
        let word = self.kind();
        self.skip();
        let control = match word {
            TokenKind::Reserved(Reserved::While) => {
                LoopControl::While(self.expression(LOOP, "LOOP")?)
            }
            TokenKind::Reserved(Reserved::For) => self.rounds()?,
            TokenKind::Reserved(Reserved::Foreach) => self.elements()?,
            _ => LoopControl::Forever,
        };
        let text = label.as_ref().map(|label| label.name.text.clone());
        self.around.push(Scope { label: text, is_loop: true });
        let statements = self.statements()?;
        self.around.pop();
        self.expect_token(TokenKind::Reserved(Reserved::End), "a statement or END LOOP")?;
        self.expect_token(LOOP, "LOOP")?;
        let end_label = self.optional_name();
        self.check_end_label(label.as_ref(), end_label.as_ref())?;
        self.semicolon()?;
        Ok(StatementKind::Loop(Box::new(Loop { label, control, statements, end_label })))
    }

    /// Reads what follows FOR, up to LOOP.
    fn rounds(&mut self) -> Result<LoopControl, ReadError> {
        let targets = self.paths()?;
        self.expect_token(TokenKind::Reserved(Reserved::In), "IN")?;
        if self.takes_token(TokenKind::Reserved(Reserved::Execute)) {
            let dynamic = self.dynamic(LOOP, "USING or LOOP")?;
            return Ok(LoopControl::Rows { targets, query: Query::Dynamic(dynamic) });
        }
        if self.names_cursor() {
            let variable = only(targets)?;
            let cursor = self.path("a cursor")?;
            let arguments = self.cursor_arguments()?;
            self.expect_token(LOOP, "LOOP")?;
            return Ok(LoopControl::Cursor { variable, cursor, arguments });
        }
        let reverse = self.here();
        let is_reverse = self.takes("reverse");
        let expected = ".. or LOOP";
        let (first, stop) = self.fragment(&[DOT_DOT, LOOP], expected, Wanted::Expression)?;
        if stop == LOOP {
            return match is_reverse {
                true => Err(ReadError::ReverseQuery { at: reverse }),
                false => Ok(LoopControl::Rows { targets, query: Query::Static(first) }),
            };
        }
        let by = TokenKind::Reserved(Reserved::By);
        let (to, stop) = self.fragment(&[LOOP, by], "BY or LOOP", Wanted::Expression)?;
        let by = if stop == by { Some(self.expression(LOOP, "LOOP")?) } else { None };
        let variable = only(targets)?;
        Ok(LoopControl::Integers { variable, reverse: is_reverse, from: first, to, by })
    }

    /// Whether what follows IN is `cursor LOOP` or `cursor (…) LOOP`. A query may look like that with one of two words.
    fn names_cursor(&self) -> bool {
        let unit = self.peek();
        let is_name = matches!(unit.kind, UnitKind::Name | UnitKind::Dotted);
        if !is_name || self.is(unit, "select") || self.is(unit, "values") {
            return false;
        }
        match self.ahead(unit.length()).kind {
            LOOP => return true,
            TokenKind::Symbol(Symbol::Open) => {}
            _ => return false,
        }
        let mut open = 0_usize;
        for by in unit.length().. {
            match self.ahead(by).kind {
                TokenKind::Symbol(Symbol::Open | Symbol::OpenBracket) => open += 1,
                TokenKind::Symbol(Symbol::Close | Symbol::CloseBracket) => open -= 1,
                TokenKind::End | TokenKind::Symbol(Symbol::Semicolon) => return false,
                _ => {}
            }
            if open == 0 {
                return self.ahead(by + 1).kind == LOOP;
            }
        }
        false
    }

    /// Reads what follows FOREACH, up to LOOP.
    fn elements(&mut self) -> Result<LoopControl, ReadError> {
        let targets = self.paths()?;
        let slice = if self.takes("slice") {
            let (span, dimensions) = self.integer()?;
            Some(Slice { span, dimensions })
        } else {
            None
        };
        self.expect_token(TokenKind::Reserved(Reserved::In), "IN")?;
        self.expect("array", "ARRAY")?;
        let array = self.expression(LOOP, "LOOP")?;
        Ok(LoopControl::Elements { targets, slice, array })
    }
}

/// The variable of a loop that has one.
fn only(targets: Vec<Path>) -> Result<Path, ReadError> {
    let at = |all: &[Path]| match all {
        [first, .., last] => first.span.to(last.span),
        [one] => one.span,
        [] => Span { start: 0, end: 0 },
    };
    let one = <[Path; 1]>::try_from(targets);
    one.map(|[one]| one).map_err(|all| ReadError::ManyLoopVariables { at: at(&all) })
}
