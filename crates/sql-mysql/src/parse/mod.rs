//! Text to statements.
//!
//! Queries and changes of rows become `sqlparser`'s trees, which binding and running share with other dialects; all
//! else becomes a tree of [`syntax`](crate::syntax). The trees are `sqlparser`'s, its parser is not: that one decides
//! on tokens before anybody is asked (`||`, `/*!99999`, `0b01`), reads clauses of every dialect in a query, and goes
//! back where it is in doubt, so that it no longer knows which token a server would complain of.
//!
//! ```text
//!     text -- lex.rs --> tokens -- cursor.rs, and a file for each part of the grammar --> tree
//! ```
//!
//! | what | where |
//! | --- | --- |
//! | bytes of a client that are no text | `bytes.rs` |
//! | strings, comments, numbers, variables | `lex.rs`, `literal.rs`, `keywords.rs` |
//! | operators and how close they bind | `expression.rs` |
//! | operands, calls, types, units of time | `operand.rs`, `call.rs`, `aggregate.rs`, `data_type.rs`, `unit.rs` |
//! | SELECT, joins, windows, JSON_TABLE | `query.rs`, `source.rs`, `window.rs`, `json_table.rs` |
//! | INSERT, REPLACE, UPDATE, DELETE | `change.rs` |
//! | tables, indexes, views, databases | `create_table.rs`, `table_option.rs`, `alter_table.rs`, `schema.rs` |
//! | SET, SHOW, transactions, the rest | `setting.rs`, `show.rs`, `transaction.rs`, `utility.rs` |
//! | what is known and missing here | `account.rs`, `program.rs`, `missing.rs` |
//!
//! **Invariant:** an item of a SELECT that has no name is called by its text, and is in the tree as if that had been
//! written after AS. So are parameters as numbers: `?` is `$1`, and the next one `$2`.

mod account;
mod aggregate;
mod alter_table;
mod bytes;
mod call;
mod change;
mod charset;
mod create_table;
mod cursor;
mod data_type;
mod error;
mod expression;
mod function_tree;
mod json_table;
mod keywords;
mod lex;
mod literal;
mod missing;
mod operand;
mod program;
mod query;
mod reading;
mod schema;
mod setting;
mod show;
mod source;
mod statement;
mod table_option;
mod token;
mod transaction;
mod unit;
mod utility;
mod version;
mod window;

use std::sync::Arc;

use hobgoblin_core::Text;
use hobgoblin_sql_schema::roomy::roomy;
use hobgoblin_sql_schema::syntax::{Clauses, Written};
use sqlparser::ast;
use sqlparser::tokenizer::Location;

pub use bytes::text_of;
pub use data_type::{ColumnType, TextOptions};
pub use error::ParseError;
pub(crate) use function_tree::function;
pub use hobgoblin_sql_mysql_types::Version;
pub use reading::Reading;

use self::cursor::Parser;
use self::token::Kind;
use crate::syntax::{Aside, Special};

/// A parsed statement with its text.
#[derive(Clone, Debug)]
pub struct Statement {
    /// As written, without what surrounds it.
    pub text: Text,
    /// Where the text begins, as the places in the syntax tree are counted.
    pub start: Location,
    /// A query or a change of rows; nothing where `special` is something.
    pub ast: Option<Arc<ast::Statement>>,
    /// What the tree has no place for, by the place of a token of it.
    pub clauses: Clauses,
    /// What the statement says beside the tree.
    pub aside: Aside,
    /// Any other statement.
    pub special: Option<Arc<Special>>,
    /// How many parameters it has.
    pub parameters: usize,
}

impl Statement {
    /// As it was written.
    pub fn written(&self) -> Written<'_> {
        Written { text: &self.text, start: self.start, clauses: &self.clauses }
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        let ast = self.ast.take().and_then(Arc::into_inner);
        let special = self.special.take().and_then(Arc::into_inner);
        let clauses = std::mem::take(&mut self.clauses);
        // A tree is as high as its text is long, and goes as deep when it is dropped.
        roomy(&self.text, || drop((ast, special, clauses)));
    }
}

/// The first statement of a text, and the byte where the next one begins, if there is another.
///
/// Statements are read one after the other since each may change how the next is to be read.
pub fn parse_first(text: &str, reading: Reading) -> Result<(Statement, Option<usize>), ParseError> {
    parse_at(text, 0, reading)
}

/// The statement that begins at a byte of a text.
pub fn parse_at(
    text: &str,
    from: usize,
    reading: Reading,
) -> Result<(Statement, Option<usize>), ParseError> {
    // Blanks and semicolons at the end are no statements.
    let text = text.trim_end_matches(|c: char| c == ';' || c.is_ascii_whitespace());
    let from = (from..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    roomy(&text[from..], || {
        let mut parser = Parser::new(text, from, reading);
        read(&mut parser)
    })
}

fn read(parser: &mut Parser<'_>) -> Result<(Statement, Option<usize>), ParseError> {
    if parser.is_over() {
        return Err(ParseError::Empty);
    }
    let first = parser.peek().clone();
    let (ast, special) = match parser.statement()? {
        statement::Tree::Ast(ast) => (Some(Arc::new(*ast)), None),
        statement::Tree::Special(special) => (None, Some(Arc::new(*special))),
    };
    if !parser.is_over() {
        return Err(parser.unexpected());
    }
    let text = Text::from(&parser.text[first.start..parser.end()]);
    let next = match parser.peek().kind {
        Kind::End => None,
        _ => Some(parser.advance().end),
    };
    let clauses = std::mem::take(&mut parser.clauses);
    let aside = std::mem::take(&mut parser.aside);
    let parameters = parser.parameters();
    Ok((Statement { text, start: first.place, ast, clauses, aside, special, parameters }, next))
}

/// The statements of a text that are all read the same way.
pub fn parse(text: &str, reading: Reading) -> Result<Vec<Statement>, ParseError> {
    roomy(text, || {
        let (mut statements, mut from) = (Vec::new(), Some(0));
        while let Some(at) = from {
            let (statement, next) = parse_at(text, at, reading)?;
            statements.push(statement);
            from = next;
        }
        Ok(statements)
    })
}
