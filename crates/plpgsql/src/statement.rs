//! Statements, and those that decide.
//!
//! The first word says what a statement is, unless the next token makes it an assignment: `open c;` opens a cursor,
//! `open := c;` and `open[1] := c;` set a variable. A word that PL/pgSQL does not know begins a statement of SQL.

use crate::error::ReadError;
use crate::keyword::{Reserved, is_idle};
use crate::lexer::{COMMA, SEMICOLON, Symbol, TokenKind, USING};
use crate::place::Span;
use crate::reader::{Reader, Scope, Unit, UnitKind, Wanted};
use crate::tree::{
    Branch, DiagnosticsItem, DiagnosticsKind, Dynamic, Fragment, Leave, Query, Statement,
    StatementKind, Step, Target,
};

/// What GET DIAGNOSTICS can tell, and whether of the error that is handled; `None` if of both.
const DIAGNOSTICS: &[(&str, (DiagnosticsKind, Option<bool>))] = &[
    ("row_count", (DiagnosticsKind::RowCount, Some(false))),
    ("pg_context", (DiagnosticsKind::Context, None)),
    ("pg_exception_context", (DiagnosticsKind::ExceptionContext, Some(true))),
    ("pg_exception_detail", (DiagnosticsKind::ExceptionDetail, Some(true))),
    ("pg_exception_hint", (DiagnosticsKind::ExceptionHint, Some(true))),
    ("returned_sqlstate", (DiagnosticsKind::ReturnedSqlState, Some(true))),
    ("column_name", (DiagnosticsKind::ColumnName, Some(true))),
    ("constraint_name", (DiagnosticsKind::ConstraintName, Some(true))),
    ("pg_datatype_name", (DiagnosticsKind::DataTypeName, Some(true))),
    ("message_text", (DiagnosticsKind::MessageText, Some(true))),
    ("table_name", (DiagnosticsKind::TableName, Some(true))),
    ("schema_name", (DiagnosticsKind::SchemaName, Some(true))),
];

impl Reader<'_> {
    /// Reads statements up to a word that begins none.
    pub(crate) fn statements(&mut self) -> Result<Vec<Statement>, ReadError> {
        self.nested(|reader| {
            let mut statements = Vec::new();
            while !reader.ends_statements() {
                statements.push(reader.statement()?);
            }
            Ok(statements)
        })
    }

    /// Whether a word is next that ends a list of statements. If it is not the one that the list ends with, whoever
    /// reads on refuses it.
    fn ends_statements(&self) -> bool {
        let unit = self.peek();
        match unit.kind {
            UnitKind::Token(
                TokenKind::End
                | TokenKind::Reserved(Reserved::End | Reserved::Else | Reserved::When),
            ) => true,
            UnitKind::Name => {
                let words = ["elsif", "elseif", "exception"];
                words.iter().any(|word| self.is(unit, word)) && !self.assigns(unit)
            }
            _ => false,
        }
    }

    /// Whether a name at the beginning of a statement is what is assigned to.
    fn assigns(&self, unit: Unit) -> bool {
        let next = self.ahead(unit.length()).kind;
        unit.kind == UnitKind::Dotted
            || unit.kind == UnitKind::Name
                && matches!(
                    next,
                    TokenKind::Symbol(
                        Symbol::Equals | Symbol::ColonEquals | Symbol::OpenBracket | Symbol::Dot
                    )
                )
    }

    fn statement(&mut self) -> Result<Statement, ReadError> {
        let start = self.here();
        let unit = self.peek();
        let kind = match unit.kind {
            UnitKind::Name | UnitKind::Dotted if self.assigns(unit) => self.assign(),
            UnitKind::Name => self.word_statement(unit),
            _ => self.reserved_statement(),
        }?;
        Ok(Statement { span: self.since(start), kind })
    }

    /// Reads a statement that begins with a reserved word or a label.
    fn reserved_statement(&mut self) -> Result<StatementKind, ReadError> {
        let label = self.label()?;
        match self.kind() {
            TokenKind::Reserved(Reserved::Declare | Reserved::Begin) => {
                let block = self.block(label)?;
                self.semicolon()?;
                Ok(StatementKind::Block(Box::new(block)))
            }
            TokenKind::Reserved(
                Reserved::Loop | Reserved::While | Reserved::For | Reserved::Foreach,
            ) => self.repeat(label),
            _ if label.is_some() => Err(self.unexpected("a block or a loop")),
            TokenKind::Reserved(Reserved::If) => self.decide(),
            TokenKind::Reserved(Reserved::Case) => self.case(),
            TokenKind::Reserved(Reserved::Execute) => self.execute(),
            TokenKind::Reserved(Reserved::Null) => {
                self.skip();
                self.semicolon()?;
                Ok(StatementKind::Null)
            }
            _ => Err(self.unexpected("a statement")),
        }
    }

    /// Reads a statement that begins with a word that is not reserved.
    fn word_statement(&mut self, unit: Unit) -> Result<StatementKind, ReadError> {
        // Only a plain word is a keyword, so one in quotes is SQL. Its text keeps the quotes.
        let word = self.text(unit).to_ascii_lowercase();
        let read: fn(&mut Self, Span) -> Result<StatementKind, ReadError> = match &*word {
            "assert" => Reader::assertion,
            "call" => |reader, _| reader.statement_of_sql().map(StatementKind::Call),
            "do" => |reader, _| reader.statement_of_sql().map(StatementKind::Do),
            "close" => Reader::close,
            "commit" => |reader, _| Ok(StatementKind::Commit { chain: reader.chain()? }),
            "rollback" => |reader, _| Ok(StatementKind::Rollback { chain: reader.chain()? }),
            "continue" => |reader, at| reader.leave(Leave::Continue, at),
            "exit" => |reader, at| reader.leave(Leave::Exit, at),
            "fetch" => Reader::fetch,
            "move" => Reader::move_cursor,
            "open" => Reader::open,
            "get" => Reader::diagnostics,
            "perform" => Reader::perform,
            "raise" => Reader::raise,
            "return" => Reader::returns,
            word if is_idle(word) => return Err(self.unexpected("a statement")),
            _ => |reader, _| reader.sql().map(StatementKind::Sql),
        };
        read(self, unit.span)
    }

    fn assign(&mut self) -> Result<StatementKind, ReadError> {
        let start = self.here();
        let variable = self.path("a variable")?;
        let mut steps = Vec::new();
        loop {
            if self.takes_token(TokenKind::Symbol(Symbol::Dot)) {
                steps.push(Step::Field(self.any_word()?));
            } else if self.takes_token(TokenKind::Symbol(Symbol::OpenBracket)) {
                let inside = self.here();
                let bracket = TokenKind::Symbol(Symbol::CloseBracket);
                self.skip_to(&[bracket], "]")?;
                let empty = self.here() == inside;
                let fragment = Fragment { span: self.since(inside) };
                steps.push(Step::Subscript((!empty).then_some(fragment)));
                self.skip();
            } else {
                break;
            }
        }
        let target = Target { span: self.since(start), variable, steps };
        if !self.takes_token(TokenKind::Symbol(Symbol::ColonEquals)) {
            self.expect_token(TokenKind::Symbol(Symbol::Equals), ":= or =")?;
        }
        let value = self.optional_expression()?;
        Ok(StatementKind::Assign { target, value })
    }

    /// Reads IF.
    fn decide(&mut self) -> Result<StatementKind, ReadError> {
        let mut branches = Vec::new();
        // IF, then each ELSIF.
        while branches.is_empty() || self.sees("elsif") || self.sees("elseif") {
            branches.push(self.branch()?);
        }
        let otherwise = self.otherwise()?;
        self.expect_token(TokenKind::Reserved(Reserved::End), "a statement or END IF")?;
        self.expect_token(TokenKind::Reserved(Reserved::If), "IF")?;
        self.semicolon()?;
        Ok(StatementKind::If { branches, otherwise })
    }

    fn case(&mut self) -> Result<StatementKind, ReadError> {
        self.skip();
        let when = TokenKind::Reserved(Reserved::When);
        let start = self.here();
        self.skip_to(&[when], "WHEN")?;
        let subject = (self.here() != start).then(|| Fragment { span: self.since(start) });
        let mut branches = Vec::new();
        while self.kind() == when {
            branches.push(self.branch()?);
        }
        let otherwise = self.otherwise()?;
        self.expect_token(TokenKind::Reserved(Reserved::End), "a statement or END CASE")?;
        self.expect_token(TokenKind::Reserved(Reserved::Case), "CASE")?;
        self.semicolon()?;
        Ok(StatementKind::Case { subject, branches, otherwise })
    }

    /// Reads a word, a condition, THEN, and statements.
    fn branch(&mut self) -> Result<Branch, ReadError> {
        let start = self.here();
        self.skip();
        let condition = self.expression(TokenKind::Reserved(Reserved::Then), "THEN")?;
        let statements = self.statements()?;
        Ok(Branch { span: self.since(start), condition, statements })
    }

    fn otherwise(&mut self) -> Result<Option<Vec<Statement>>, ReadError> {
        match self.takes_token(TokenKind::Reserved(Reserved::Else)) {
            true => self.statements().map(Some),
            false => Ok(None),
        }
    }

    fn leave(&mut self, leave: Leave, at: Span) -> Result<StatementKind, ReadError> {
        self.skip();
        let label = self.optional_name();
        let when = if self.takes_token(TokenKind::Reserved(Reserved::When)) {
            Some(self.expression(SEMICOLON, "a semicolon")?)
        } else {
            self.expect_token(SEMICOLON, "WHEN or a semicolon")?;
            None
        };
        let statement = match leave {
            Leave::Exit => "EXIT",
            Leave::Continue => "CONTINUE",
        };
        let Some(label) = label else {
            return match self.around.iter().any(|scope| scope.is_loop) {
                true => Ok(StatementKind::Leave { leave, label: None, when }),
                false => Err(ReadError::OutsideLoop { at, statement }),
            };
        };
        // The label of EXIT may be the name of the function, which is not here. It is not one of a loop.
        let named = |scope: &&Scope| scope.label.as_ref() == Some(&label.text);
        let is_loop = self.around.iter().rev().find(named).is_some_and(|scope| scope.is_loop);
        if leave == Leave::Continue && !is_loop {
            return Err(ReadError::NoSuchLoop { at: label.span, label: label.text });
        }
        Ok(StatementKind::Leave { leave, label: Some(label), when })
    }

    fn returns(&mut self, _: Span) -> Result<StatementKind, ReadError> {
        self.skip();
        // These words win over variables of their names, as they do to PostgreSQL.
        if self.takes("next") {
            return self.optional_expression().map(StatementKind::ReturnNext);
        }
        if !self.takes("query") {
            return self.optional_expression().map(StatementKind::Return);
        }
        if self.takes_token(TokenKind::Reserved(Reserved::Execute)) {
            let dynamic = self.dynamic(SEMICOLON, "USING or a semicolon")?;
            return Ok(StatementKind::ReturnQuery(Query::Dynamic(dynamic)));
        }
        let query = self.statement_of_sql()?;
        Ok(StatementKind::ReturnQuery(Query::Static(query)))
    }

    /// Reads an expression, if there is one, and a semicolon.
    fn optional_expression(&mut self) -> Result<Option<Fragment>, ReadError> {
        match self.takes_token(SEMICOLON) {
            true => Ok(None),
            false => self.expression(SEMICOLON, "a semicolon").map(Some),
        }
    }

    /// Reads a statement of SQL that has no INTO of ours, up to the semicolon.
    pub(crate) fn statement_of_sql(&mut self) -> Result<Fragment, ReadError> {
        Ok(self.fragment(&[SEMICOLON], "a semicolon", Wanted::Statement)?.0)
    }

    /// Reads the rest of EXECUTE up to a token, and that token.
    pub(crate) fn dynamic(
        &mut self,
        end: TokenKind,
        expected: &'static str,
    ) -> Result<Dynamic, ReadError> {
        let (text, stop) = self.fragment(&[end, USING], expected, Wanted::Expression)?;
        let using = match stop {
            USING => self.expressions(&[COMMA, end], expected)?.0,
            _ => Vec::new(),
        };
        Ok(Dynamic { text, using })
    }

    fn assertion(&mut self, _: Span) -> Result<StatementKind, ReadError> {
        self.skip();
        let stops = [COMMA, SEMICOLON];
        let expected = "a comma or a semicolon";
        let (condition, stop) = self.fragment(&stops, expected, Wanted::Expression)?;
        let message = match stop {
            COMMA => Some(self.expression(SEMICOLON, "a semicolon")?),
            _ => None,
        };
        Ok(StatementKind::Assert { condition, message })
    }

    fn perform(&mut self, _: Span) -> Result<StatementKind, ReadError> {
        self.skip();
        let start = self.here();
        self.skip_to(&[SEMICOLON], "a semicolon")?;
        let query = (self.here() != start).then(|| Fragment { span: self.since(start) });
        self.skip();
        Ok(StatementKind::Perform(query))
    }

    /// Reads the rest of COMMIT or ROLLBACK.
    fn chain(&mut self) -> Result<Option<bool>, ReadError> {
        self.skip();
        let chain = if self.takes("and") {
            let chain = !self.takes("no");
            self.expect("chain", "CHAIN")?;
            Some(chain)
        } else {
            None
        };
        self.semicolon()?;
        Ok(chain)
    }

    fn diagnostics(&mut self, _: Span) -> Result<StatementKind, ReadError> {
        self.skip();
        let stacked = self.one_of(&[("current", false), ("stacked", true)]).unwrap_or(false);
        self.expect("diagnostics", "CURRENT, STACKED or DIAGNOSTICS")?;
        let mut items = Vec::new();
        loop {
            let target = self.path("a variable")?;
            if !self.takes_token(TokenKind::Symbol(Symbol::ColonEquals)) {
                self.expect_token(TokenKind::Symbol(Symbol::Equals), "= or :=")?;
            }
            let span = self.here();
            let found = self.one_of(DIAGNOSTICS);
            let (kind, of) = found.ok_or_else(|| self.unexpected("an item of diagnostics"))?;
            if of.is_some_and(|of| of != stacked) {
                let area = if stacked { "STACKED" } else { "CURRENT" };
                return Err(ReadError::DiagnosticsArea { at: span, area });
            }
            items.push(DiagnosticsItem { target, span, kind });
            if !self.takes_token(COMMA) {
                break;
            }
        }
        self.expect_token(SEMICOLON, "a comma or a semicolon")?;
        Ok(StatementKind::GetDiagnostics { stacked, items })
    }
}
