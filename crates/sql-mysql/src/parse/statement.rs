//! Which statement a text is, by its first words.

use sqlparser::ast;

use super::cursor::{Parser, Result};
use crate::syntax::Special;

/// What a text was read to.
pub(super) enum Tree {
    /// A query or a change of rows.
    Ast(Box<ast::Statement>),
    /// Any other statement.
    Special(Box<Special>),
}

impl From<Special> for Tree {
    fn from(special: Special) -> Tree {
        Tree::Special(Box::new(special))
    }
}

impl From<ast::Statement> for Tree {
    fn from(ast: ast::Statement) -> Tree {
        Tree::Ast(Box::new(ast))
    }
}

impl Parser<'_> {
    /// One statement.
    pub(super) fn statement(&mut self) -> Result<Tree> {
        if self.begins_query_ahead(0) || self.is_sign("(") {
            return self.query_statement();
        }
        for (word, read) in STATEMENTS {
            if self.is(word) {
                return read(self);
            }
        }
        if self.is_mariadb() && self.is_one_of(&["IF", "CASE", "LOOP", "WHILE", "REPEAT", "FOR"]) {
            return self.compound();
        }
        self.missing()
    }

    /// Whether a word is next that statements of this table, or queries, begin with.
    pub(super) fn begins_known(&mut self) -> bool {
        self.begins_query_ahead(0) || STATEMENTS.iter().any(|(word, _)| self.is(word))
    }

    /// A query; MySQL has WITH before UPDATE and DELETE, too.
    fn query_statement(&mut self) -> Result<Tree> {
        let with = self.with()?;
        let change = if self.is_mariadb() || with.is_none() {
            None
        } else if self.is("UPDATE") {
            Some(ast::SetExpr::Update(self.update()?))
        } else if self.is("DELETE") {
            Some(ast::SetExpr::Delete(self.delete()?))
        } else {
            None
        };
        let query = match change {
            Some(body) => super::change::plain_query(with, body),
            None => self.query_with(with)?,
        };
        Ok(ast::Statement::Query(Box::new(query)).into())
    }
}

type Read = fn(&mut Parser<'_>) -> Result<Tree>;

/// The statements by their first words.
const STATEMENTS: &[(&str, Read)] = &[
    ("INSERT", |parser| parser.insert().map(Tree::from)),
    ("REPLACE", |parser| parser.insert().map(Tree::from)),
    ("UPDATE", |parser| parser.update().map(Tree::from)),
    ("DELETE", |parser| parser.delete().map(Tree::from)),
    ("BEGIN", |parser| parser.transaction()),
    ("START", |parser| parser.transaction()),
    ("COMMIT", |parser| parser.transaction()),
    ("ROLLBACK", |parser| parser.transaction()),
    ("SAVEPOINT", |parser| parser.transaction()),
    ("RELEASE", |parser| parser.transaction()),
    ("SET", |parser| parser.set()),
    ("SHOW", |parser| parser.show()),
    ("DESCRIBE", |parser| parser.describe()),
    ("DESC", |parser| parser.describe()),
    ("EXPLAIN", |parser| parser.describe()),
    ("CREATE", |parser| parser.create()),
    ("ALTER", |parser| parser.alter()),
    ("DROP", |parser| parser.drop()),
    ("RENAME", |parser| parser.rename()),
    ("TRUNCATE", |parser| parser.truncate()),
    ("USE", |parser| parser.use_database()),
    ("LOCK", |parser| parser.lock_tables()),
    ("UNLOCK", |parser| parser.unlock_tables()),
    ("PREPARE", |parser| parser.prepare()),
    ("EXECUTE", |parser| parser.execute()),
    ("DEALLOCATE", |parser| parser.deallocate()),
    ("DO", |parser| parser.do_exprs()),
    ("CALL", |parser| parser.call_procedure()),
    ("KILL", |parser| parser.kill()),
    ("ANALYZE", |parser| parser.maintain()),
    ("CHECK", |parser| parser.maintain()),
    ("CHECKSUM", |parser| parser.maintain()),
    ("OPTIMIZE", |parser| parser.maintain()),
    ("REPAIR", |parser| parser.maintain()),
    ("FLUSH", |parser| parser.flush()),
];
