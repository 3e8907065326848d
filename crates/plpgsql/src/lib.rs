//! Reads the body of a PL/pgSQL function, procedure or `DO` block into a syntax tree.
//!
//! PL/pgSQL has statements of its own around those of SQL. Its reader does not understand SQL: it looks for the token
//! that ends a piece of it, and takes all up to there as text.
//!
//! ```text
//!     IF  balance < wanted  THEN  UPDATE t SET n = n + 1 RETURNING n INTO total  ;  END IF ;
//!         ----------------        ------------------------------    ----------
//!         fragment up to THEN     SQL statement up to the semicolon, with its INTO cut out
//! ```
//!
//! So does this crate. The tree says everything about PL/pgSQL, and has SQL as [`Fragment`]s: byte ranges of the source,
//! for whoever has a parser of SQL. Every node has its [`Span`]; [`Place::of`] has line and column of an offset.
//!
//! ```
//! use hobgoblin_plpgsql::{StatementKind, read};
//!
//! let source = "begin select n from t into strict total where id = 1; end";
//! let body = read(source).unwrap();
//! let StatementKind::Sql(sql) = &body.block.statements[0].kind else { panic!() };
//! assert_eq!(sql.text(source), "select n from t                   where id = 1");
//! let into = sql.into.as_ref().unwrap();
//! assert!(into.strict && into.targets[0].names[0].text == "total");
//! ```
//!
//! What is read is what PostgreSQL 15 reads [manual, chapter 43]; where its grammar asks what a name means, we cannot:
//! parameters are in the header of the function. A name that stands where a variable may is then taken to be one, and
//! [`tree`] says where that is seen. What needs no header is refused as PostgreSQL does: labels that do not match,
//! `EXIT` outside a loop, a name declared twice, a `RAISE` whose format wants another number of arguments.
//!
//! The source becomes tokens (`lexer`, `string`, `keyword`), which are read by recursive descent (`reader` has what all
//! parts need; then `block`, `declaration`, `statement`, `repeat`, `sql`, `raise`, `cursor`). Time and memory are
//! proportional to the source. Nesting is limited, so that no source overflows the stack.

mod block;
mod cursor;
mod declaration;
mod error;
mod keyword;
mod lexer;
mod place;
mod raise;
mod reader;
mod repeat;
mod sql;
mod statement;
mod string;
pub mod tree;

pub use error::{ReadError, Unclosed};
pub use place::{Place, Span};
pub use reader::DEPTH;
pub use tree::*;

/// Reads a body: what stands between the dollar quotes of `CREATE FUNCTION` or `DO`.
pub fn read(source: &str) -> Result<Body, ReadError> {
    reader::Reader::new(source)?.body()
}
