//! Statements of SQL, and those that are made as they run.
//!
//! A statement of SQL goes to the semicolon. Its first INTO, wherever it stands, is PL/pgSQL's and is cut out. As
//! PostgreSQL has it, only three are not: `INSERT INTO`, `MERGE INTO`, and any in `IMPORT FOREIGN SCHEMA`. Parentheses
//! do not hide one, and neither does `CREATE TABLE … AS SELECT … INTO`.
//!
//! A semicolon ends the statement unless it stands in parentheses, as in `CREATE RULE … DO (a; b)`, or in the body of
//! `CREATE FUNCTION … BEGIN ATOMIC a; b; END`.

use crate::error::ReadError;
use crate::keyword::Reserved;
use crate::lexer::{COMMA, SEMICOLON, Symbol, TokenKind, USING};
use crate::place::Span;
use crate::reader::{Reader, Unit, UnitKind, Wanted};
use crate::tree::{Dynamic, Fragment, Into, SqlStatement, StatementKind};

const INTO: TokenKind = TokenKind::Reserved(Reserved::Into);

/// How much of `CREATE [OR REPLACE] {FUNCTION | PROCEDURE}` was seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Routine {
    Create,
    Or,
    Replace,
    /// All of it.
    Body,
    /// It is another statement.
    Not,
}

impl Reader<'_> {
    /// Reads a statement of SQL and its semicolon.
    pub(crate) fn sql(&mut self) -> Result<SqlStatement, ReadError> {
        let start = self.here();
        let first = self.next();
        let imports = self.is(first, "import");
        let create = first.kind == UnitKind::Name && self.meaning(first) == "create";
        let mut routine = if create { Routine::Create } else { Routine::Not };
        let mut previous = first;
        let (mut open, mut blocks) = (0_usize, 0_usize);
        let mut cut: Option<(Fragment, Into, Span)> = None;
        loop {
            let unit = self.peek();
            routine = self.routine(routine, unit);
            match unit.kind {
                UnitKind::Token(SEMICOLON) if open == 0 && blocks == 0 => break,
                UnitKind::Token(TokenKind::End) => {
                    return Err(self.unexpected("a semicolon"));
                }
                UnitKind::Token(TokenKind::Symbol(Symbol::Open)) => open += 1,
                UnitKind::Token(TokenKind::Symbol(Symbol::Close)) => open = open.saturating_sub(1),
                UnitKind::Token(TokenKind::Reserved(word))
                    if routine == Routine::Body && open == 0 =>
                {
                    match word {
                        // CASE has an END, too.
                        Reserved::Begin | Reserved::Case => blocks += 1,
                        Reserved::End => blocks = blocks.saturating_sub(1),
                        _ => {}
                    }
                }
                _ => {}
            }
            let ours = !imports && !self.is(previous, "insert") && !self.is(previous, "merge");
            previous = unit;
            if unit.kind == UnitKind::Token(INTO) && ours {
                if cut.is_some() {
                    return Err(ReadError::IntoTwice { at: unit.span });
                }
                let before = Fragment { span: self.since(start) };
                let into = self.into(true)?;
                cut = Some((before, into, self.here()));
            } else {
                self.next();
            }
        }
        let statement = match cut {
            None => SqlStatement {
                before: Fragment { span: self.since(start) },
                into: None,
                after: None,
            },
            Some((before, into, after)) => {
                let empty = self.here() == after;
                let after = (!empty).then(|| Fragment { span: self.since(after) });
                SqlStatement { before, into: Some(into), after }
            }
        };
        self.skip();
        Ok(statement)
    }

    /// What is known about a routine after another unit.
    fn routine(&self, routine: Routine, unit: Unit) -> Routine {
        let word = match unit.kind {
            UnitKind::Name => self.meaning(unit),
            UnitKind::Token(TokenKind::Reserved(Reserved::Or)) => "or".to_owned(),
            _ => String::new(),
        };
        match (routine, &*word) {
            (Routine::Body, _) => Routine::Body,
            (Routine::Create | Routine::Replace, "function" | "procedure") => Routine::Body,
            (Routine::Create, "or") => Routine::Or,
            (Routine::Or, "replace") => Routine::Replace,
            _ => Routine::Not,
        }
    }

    /// Reads `INTO [STRICT] targets`, with STRICT if it may be there.
    pub(crate) fn into(&mut self, may_be_strict: bool) -> Result<Into, ReadError> {
        let start = self.here();
        self.expect_token(INTO, "INTO")?;
        let strict = may_be_strict && self.takes_token(TokenKind::Reserved(Reserved::Strict));
        let targets = self.paths()?;
        Ok(Into { span: self.since(start), strict, targets })
    }

    /// Reads EXECUTE, whose INTO and USING come in either order.
    pub(crate) fn execute(&mut self) -> Result<StatementKind, ReadError> {
        self.skip();
        let expected = "INTO, USING or a semicolon";
        let (text, mut stop) =
            self.fragment(&[INTO, USING, SEMICOLON], expected, Wanted::Expression)?;
        let mut into = None;
        let mut using = Vec::new();
        loop {
            let at = self.last();
            match stop {
                INTO if into.is_some() => return Err(ReadError::IntoTwice { at }),
                USING if !using.is_empty() => return Err(ReadError::UsingTwice { at }),
                INTO => {
                    self.back();
                    into = Some(self.into(true)?);
                    stop = self.kind();
                    if !matches!(stop, INTO | USING | SEMICOLON) {
                        return Err(self.unexpected("USING or a semicolon"));
                    }
                    self.skip();
                }
                USING => {
                    let expected = "a comma, INTO or a semicolon";
                    (using, stop) = self.expressions(&[COMMA, SEMICOLON, INTO], expected)?;
                }
                _ => break,
            }
        }
        Ok(StatementKind::Execute { dynamic: Dynamic { text, using }, into })
    }
}
