//! The body, its options, and blocks.
//!
//! ```text
//!     #variable_conflict use_column
//!     <<label>>
//!     DECLARE
//!         declarations
//!     BEGIN
//!         statements
//!     EXCEPTION WHEN condition OR condition THEN
//!         statements
//!     END label;
//! ```

use crate::error::ReadError;
use crate::keyword::Reserved;
use crate::lexer::{SEMICOLON, Symbol, TokenKind};
use crate::reader::{Reader, Scope};
use crate::tree::{
    Block, Body, CompilerOption, CompilerOptionKind, Condition, Handler, Label, Literal,
    VariableConflict,
};

impl Reader<'_> {
    /// Reads all of the source.
    pub(crate) fn body(mut self) -> Result<Body, ReadError> {
        let options = self.options()?;
        let label = self.label()?;
        let block = self.block(label)?;
        // After the last END, the semicolon may be missing.
        self.takes_token(SEMICOLON);
        self.expect_token(TokenKind::End, "the end of the body")?;
        Ok(Body { options, block })
    }

    fn options(&mut self) -> Result<Vec<CompilerOption>, ReadError> {
        let mut options = Vec::new();
        loop {
            let start = self.here();
            if !self.takes_token(TokenKind::Symbol(Symbol::Hash)) {
                return Ok(options);
            }
            let kind = self.option()?;
            options.push(CompilerOption { span: self.since(start), kind });
        }
    }

    fn option(&mut self) -> Result<CompilerOptionKind, ReadError> {
        if self.takes("option") {
            self.expect("dump", "dump")?;
            return Ok(CompilerOptionKind::Dump);
        }
        if self.takes("print_strict_params") {
            let on = self.one_of(&[("on", true), ("off", false)]);
            let on = on.ok_or_else(|| self.unexpected("on or off"))?;
            return Ok(CompilerOptionKind::PrintStrictParams(on));
        }
        let expected = "option, print_strict_params or variable_conflict";
        self.expect("variable_conflict", expected)?;
        let found = self.one_of(&[
            ("error", VariableConflict::Error),
            ("use_variable", VariableConflict::UseVariable),
            ("use_column", VariableConflict::UseColumn),
        ]);
        let found = found.ok_or_else(|| self.unexpected("error, use_variable or use_column"))?;
        Ok(CompilerOptionKind::VariableConflict(found))
    }

    /// Reads a block whose label was read.
    pub(crate) fn block(&mut self, label: Option<Label>) -> Result<Block, ReadError> {
        let start = label.as_ref().map_or(self.here(), |label| label.span);
        let declares = self.kind() == TokenKind::Reserved(Reserved::Declare);
        let declarations = if declares { self.declarations()? } else { Vec::new() };
        self.expect_token(TokenKind::Reserved(Reserved::Begin), "BEGIN")?;
        let text = label.as_ref().map(|label| label.name.text.clone());
        self.around.push(Scope { label: text, is_loop: false });
        let statements = self.statements()?;
        let handlers = if self.takes("exception") { self.handlers()? } else { Vec::new() };
        self.around.pop();
        self.expect_token(TokenKind::Reserved(Reserved::End), "a statement or END")?;
        let end_label = self.optional_name();
        self.check_end_label(label.as_ref(), end_label.as_ref())?;
        let span = self.since(start);
        Ok(Block { span, label, declares, declarations, statements, handlers, end_label })
    }

    /// Reads what follows EXCEPTION.
    fn handlers(&mut self) -> Result<Vec<Handler>, ReadError> {
        let mut handlers = Vec::new();
        while handlers.is_empty() || self.kind() == TokenKind::Reserved(Reserved::When) {
            let start = self.here();
            self.expect_token(TokenKind::Reserved(Reserved::When), "WHEN")?;
            let mut conditions = vec![self.condition()?];
            while self.takes_token(TokenKind::Reserved(Reserved::Or)) {
                conditions.push(self.condition()?);
            }
            self.expect_token(TokenKind::Reserved(Reserved::Then), "OR or THEN")?;
            let statements = self.statements()?;
            handlers.push(Handler { span: self.since(start), conditions, statements });
        }
        Ok(handlers)
    }

    fn condition(&mut self) -> Result<Condition, ReadError> {
        let name = self.name("the name of a condition, or SQLSTATE")?;
        // Here, and only here, the word may be quoted.
        if name.text == "sqlstate" {
            return self.sqlstate().map(Condition::SqlState);
        }
        Ok(Condition::Named(name))
    }

    /// Reads the string after SQLSTATE.
    pub(crate) fn sqlstate(&mut self) -> Result<Literal, ReadError> {
        let state = self.literal()?;
        let good = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
        match state.text.len() == 5 && state.text.bytes().all(good) {
            true => Ok(state),
            false => Err(ReadError::SqlState { at: state.span }),
        }
    }
}
