//! What follows DECLARE.
//!
//! ```text
//!     total CONSTANT numeric(10, 2) COLLATE "C" NOT NULL := 0;
//!     row_of t%ROWTYPE;   other t.n%TYPE;   first ALIAS FOR $1;
//!     c NO SCROLL CURSOR (k int) FOR SELECT * FROM t WHERE n = k;
//! ```
//!
//! A type is SQL: it goes on to whatever may follow it. Only `%TYPE` and `%ROWTYPE` are PL/pgSQL's, and they end it.

use std::collections::BTreeSet;

use crate::error::ReadError;
use crate::keyword::Reserved;
use crate::lexer::{SEMICOLON, Symbol, TokenKind};
use crate::reader::{Reader, UnitKind};
use crate::tree::{CursorParameter, DataType, Declaration, DeclarationKind, Fragment, Name, Path};

impl Reader<'_> {
    /// Reads DECLARE and what follows. The word may be repeated.
    pub(crate) fn declarations(&mut self) -> Result<Vec<Declaration>, ReadError> {
        let mut known = BTreeSet::new();
        let mut declarations = Vec::new();
        loop {
            let start = self.here();
            match self.kind() {
                TokenKind::Reserved(Reserved::Declare) => self.skip(),
                TokenKind::Reserved(Reserved::Begin) => return Ok(declarations),
                TokenKind::Symbol(Symbol::LessLess) => {
                    self.label()?;
                    return Err(ReadError::LabelAfterDeclare { at: self.since(start) });
                }
                _ => {
                    let name = self.name("a declaration or BEGIN")?;
                    check_new(&name, &mut known)?;
                    let kind = self.declared(&name)?;
                    declarations.push(Declaration { span: self.since(start), name, kind });
                }
            }
        }
    }

    /// Reads what follows the name of a declaration.
    fn declared(&mut self, name: &Name) -> Result<DeclarationKind, ReadError> {
        if self.takes("alias") {
            self.expect_token(TokenKind::Reserved(Reserved::For), "FOR")?;
            let of = self.path("a variable")?;
            self.semicolon()?;
            return Ok(DeclarationKind::Alias(of));
        }
        let scroll = if self.takes("no") {
            self.expect("scroll", "SCROLL")?;
            Some(false)
        } else {
            self.takes("scroll").then_some(true)
        };
        if self.takes("cursor") {
            return self.cursor(scroll);
        }
        if scroll.is_some() {
            return Err(self.unexpected("CURSOR"));
        }
        self.variable(name)
    }

    fn variable(&mut self, name: &Name) -> Result<DeclarationKind, ReadError> {
        let constant = self.takes("constant");
        let ty = self.data_type()?;
        let collation = if self.takes("collate") { Some(self.path("a collation")?) } else { None };
        let not_null = self.takes_token(TokenKind::Reserved(Reserved::Not));
        if not_null {
            self.expect_token(TokenKind::Reserved(Reserved::Null), "NULL")?;
        }
        let assigned = self.takes_token(TokenKind::Symbol(Symbol::ColonEquals))
            || self.takes_token(TokenKind::Symbol(Symbol::Equals))
            || self.takes("default");
        let default = if assigned {
            Some(self.expression(SEMICOLON, "a semicolon")?)
        } else {
            let expected = "COLLATE, NOT NULL, :=, DEFAULT or a semicolon";
            self.expect_token(SEMICOLON, expected)?;
            None
        };
        if not_null && default.is_none() {
            return Err(ReadError::NoDefault { at: name.span, name: name.text.clone() });
        }
        Ok(DeclarationKind::Variable { constant, ty, collation, not_null, default })
    }

    /// Reads what follows CURSOR.
    fn cursor(&mut self, scroll: Option<bool>) -> Result<DeclarationKind, ReadError> {
        let mut parameters = Vec::new();
        if self.takes_token(TokenKind::Symbol(Symbol::Open)) {
            let mut known = BTreeSet::new();
            loop {
                let name = self.name("the name of an argument")?;
                check_new(&name, &mut known)?;
                let ty = self.data_type()?;
                parameters.push(CursorParameter { name, ty });
                if !self.takes_token(TokenKind::Symbol(Symbol::Comma)) {
                    break;
                }
            }
            self.expect_token(TokenKind::Symbol(Symbol::Close), "a comma or )")?;
        }
        if !self.takes("is") {
            self.expect_token(TokenKind::Reserved(Reserved::For), "FOR or IS")?;
        }
        let query = self.statement_of_sql()?;
        Ok(DeclarationKind::Cursor { scroll, parameters, query })
    }

    /// Reads a type up to what may follow it, which is not read.
    fn data_type(&mut self) -> Result<DataType, ReadError> {
        let start = self.here();
        if let Some(ty) = self.type_of() {
            return Ok(ty);
        }
        let mut open = 0_usize;
        let mut empty = true;
        loop {
            let unit = self.peek();
            let ends = self.is(unit, "collate") || self.is(unit, "default");
            match unit.kind {
                _ if ends => break,
                UnitKind::Token(TokenKind::End) if open > 0 => {
                    return Err(ReadError::Parentheses { at: unit.span });
                }
                UnitKind::Token(TokenKind::End) => {
                    return Err(self.unexpected("a type and a semicolon"));
                }
                UnitKind::Token(
                    TokenKind::Reserved(Reserved::Not)
                    | TokenKind::Symbol(Symbol::Semicolon | Symbol::Equals | Symbol::ColonEquals),
                ) => break,
                UnitKind::Token(TokenKind::Symbol(Symbol::Comma | Symbol::Close)) if open == 0 => {
                    break;
                }
                UnitKind::Token(TokenKind::Symbol(Symbol::Open)) => open += 1,
                UnitKind::Token(TokenKind::Symbol(Symbol::Close)) => open -= 1,
                _ => {}
            }
            empty = false;
            self.next();
        }
        match empty {
            true => Err(self.unexpected("a type")),
            false => Ok(DataType::Named(Fragment { span: self.since(start) })),
        }
    }

    /// Reads `path%TYPE` or `path%ROWTYPE`, if it is that.
    fn type_of(&mut self) -> Option<DataType> {
        let unit = self.peek();
        let length = match unit.kind {
            UnitKind::Name => 1,
            UnitKind::Dotted => unit.length(),
            UnitKind::Token(_) => return None,
        };
        if self.ahead(length).kind != TokenKind::Symbol(Symbol::Percent) {
            return None;
        }
        let make = self.word_ahead(
            length + 1,
            &[("type", DataType::TypeOf as fn(Path) -> DataType), ("rowtype", DataType::RowTypeOf)],
        )?;
        let path = self.path("a type").ok()?;
        self.skip();
        self.skip();
        Some(make(path))
    }
}

/// Checks that names which are declared together differ.
fn check_new(name: &Name, known: &mut BTreeSet<String>) -> Result<(), ReadError> {
    match known.insert(name.text.clone()) {
        true => Ok(()),
        false => Err(ReadError::DeclaredTwice { at: name.span, name: name.text.clone() }),
    }
}
