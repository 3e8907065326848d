//! Statements of few words: USE, LOCK TABLES, prepared statements by name, KILL, FLUSH.

use sqlparser::ast::Expr;

use super::cursor::{Parser, Result};
use super::statement::Tree;
use super::token::Kind;
use crate::syntax::{Killed, Maintenance, Special, TableLock};

impl Parser<'_> {
    /// USE.
    pub(super) fn use_database(&mut self) -> Result<Tree> {
        self.expect("USE")?;
        Ok(Special::Use(self.ident()?).into())
    }

    /// LOCK TABLES.
    pub(super) fn lock_tables(&mut self) -> Result<Tree> {
        self.expect("LOCK")?;
        if !self.is_mariadb() && self.takes("INSTANCE") {
            self.expect_all(&["FOR", "BACKUP"])?;
            return Ok(Special::Unsupported("LOCK INSTANCE").into());
        }
        self.expect_one_of(&["TABLES", "TABLE"])?;
        let locks = self.listed(|parser| {
            let table = parser.table_name()?;
            let alias = match parser.takes("AS") || parser.is_name() {
                true => Some(parser.ident()?),
                false => None,
            };
            let word = parser.expect_one_of(&["READ", "WRITE", "LOW_PRIORITY"])?;
            match word {
                "READ" => drop(parser.takes("LOCAL")),
                "WRITE" => drop(parser.is_mariadb() && parser.takes("CONCURRENT")),
                _ => parser.expect("WRITE")?,
            }
            Ok(TableLock { table, alias, write: word != "READ" })
        })?;
        if self.is_mariadb() {
            self.table_wait()?;
        }
        Ok(Special::LockTables(locks).into())
    }

    /// UNLOCK TABLES.
    pub(super) fn unlock_tables(&mut self) -> Result<Tree> {
        self.expect("UNLOCK")?;
        self.expect_one_of(&["TABLES", "TABLE"])?;
        Ok(Special::UnlockTables.into())
    }

    /// PREPARE: the text is a string or what a variable holds; MariaDB takes any expression.
    pub(super) fn prepare(&mut self) -> Result<Tree> {
        self.expect("PREPARE")?;
        let name = self.ident()?;
        self.expect("FROM")?;
        let text = self.prepared_text()?;
        Ok(Special::Prepare(name, text).into())
    }

    fn prepared_text(&mut self) -> Result<Expr> {
        if self.is_mariadb() {
            return self.expr();
        }
        match self.peek().kind {
            Kind::Text(_) => self.text_literal(),
            Kind::At(_) => Ok(self.simple()?.expr),
            _ => Err(self.unexpected()),
        }
    }

    /// EXECUTE and EXECUTE IMMEDIATE.
    pub(super) fn execute(&mut self) -> Result<Tree> {
        self.expect("EXECUTE")?;
        if self.is_mariadb()
            && self.is("IMMEDIATE")
            && !self.is_ahead(1, "USING")
            && self.ahead(1).kind != Kind::End
        {
            self.advance();
            let text = self.expr()?;
            return Ok(Special::ExecuteImmediate(text, self.using_values()?).into());
        }
        let name = self.ident()?;
        Ok(Special::Execute(name, self.using_values()?).into())
    }

    /// USING and the values of parameters.
    fn using_values(&mut self) -> Result<Vec<Expr>> {
        if !self.takes("USING") {
            return Ok(Vec::new());
        }
        self.listed(|parser| match (parser.is_mariadb(), &parser.peek().kind) {
            (true, _) => parser.expr_or_default(),
            (false, Kind::At(_)) => Ok(parser.simple()?.expr),
            (false, _) => Err(parser.unexpected()),
        })
    }

    /// DEALLOCATE PREPARE, and DROP PREPARE.
    pub(super) fn deallocate(&mut self) -> Result<Tree> {
        self.expect_one_of(&["DEALLOCATE", "DROP"])?;
        self.expect("PREPARE")?;
        Ok(Special::Deallocate(self.ident()?).into())
    }

    /// DO.
    pub(super) fn do_exprs(&mut self) -> Result<Tree> {
        self.expect("DO")?;
        let exprs = self.listed(|parser| {
            let expr = parser.expr()?;
            if !parser.is_mariadb() && (parser.takes("AS") || parser.is_name()) {
                parser.ident_or_text()?;
            }
            Ok(expr)
        })?;
        Ok(Special::Do(exprs).into())
    }

    /// CALL.
    pub(super) fn call_procedure(&mut self) -> Result<Tree> {
        self.expect("CALL")?;
        let name = match self.is_mariadb() {
            true => self.column_name()?,
            false => self.table_name()?,
        };
        let args = match self.is_sign("(") {
            true => self.in_parens(|parser| match parser.is_sign(")") {
                true => Ok(Vec::new()),
                false => parser.listed(Self::expr),
            })?,
            false => Vec::new(),
        };
        Ok(Special::Call(name, args).into())
    }

    /// KILL.
    pub(super) fn kill(&mut self) -> Result<Tree> {
        self.expect("KILL")?;
        if self.is_mariadb() {
            let _ = self.takes_one_of(&["HARD", "SOFT"]);
        }
        let what = match self.takes_one_of(&["CONNECTION", "QUERY"]) {
            Some("QUERY") => Killed::Query,
            _ => Killed::Connection,
        };
        if self.is_mariadb() {
            let _ = what == Killed::Query && self.takes("ID");
            if self.takes("USER") {
                self.account()?;
                return Ok(Special::Unsupported("KILL USER").into());
            }
        }
        Ok(Special::Kill(what, self.expr()?).into())
    }

    /// ANALYZE TABLE and its kin, and MariaDB's ANALYZE of a statement.
    pub(super) fn maintain(&mut self) -> Result<Tree> {
        let words = ["ANALYZE", "CHECK", "CHECKSUM", "OPTIMIZE", "REPAIR"];
        let word = self.expect_one_of(&words)?;
        let what = match word {
            "ANALYZE" => Maintenance::Analyze,
            "CHECK" => Maintenance::Check,
            "CHECKSUM" => Maintenance::Checksum,
            "OPTIMIZE" => Maintenance::Optimize,
            _ => Maintenance::Repair,
        };
        if matches!(what, Maintenance::Analyze | Maintenance::Optimize | Maintenance::Repair) {
            let _ = self.takes_one_of(&["NO_WRITE_TO_BINLOG", "LOCAL"]);
        }
        if what == Maintenance::Analyze
            && self.is_mariadb()
            && !self.is_one_of(&["TABLE", "TABLES"])
        {
            if self.takes("FORMAT") {
                self.expect_sign("=")?;
                self.ident_or_text()?;
            }
            let known = self.is_one_of(&["INSERT", "REPLACE", "UPDATE", "DELETE"]);
            if !known && !self.begins_query_ahead(0) && !self.is_sign("(") {
                return Err(self.unexpected());
            }
            self.statement()?;
            return Ok(Special::Unsupported("ANALYZE of a statement").into());
        }
        if self.is_mariadb()
            && matches!(what, Maintenance::Check | Maintenance::Repair)
            && self.is("VIEW")
        {
            self.advance();
        } else {
            self.expect_one_of(&["TABLE", "TABLES"])?;
        }
        let tables = self.listed(Self::table_name)?;
        let options: &[&str] = match what {
            Maintenance::Check => &["QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED", "FOR"],
            Maintenance::Repair => &["QUICK", "EXTENDED", "USE_FRM"],
            Maintenance::Checksum => &["QUICK", "EXTENDED"],
            Maintenance::Analyze | Maintenance::Optimize => &[],
        };
        while let Some(option) = self.takes_one_of(options) {
            if option == "FOR" {
                self.expect("UPGRADE")?;
            }
        }
        if what == Maintenance::Analyze && self.is_mariadb() && self.takes("PERSISTENT") {
            self.expect_all(&["FOR", "ALL"])?;
        }
        Ok(Special::Maintain(what, tables).into())
    }

    /// FLUSH.
    pub(super) fn flush(&mut self) -> Result<Tree> {
        self.expect("FLUSH")?;
        let _ = self.takes_one_of(&["NO_WRITE_TO_BINLOG", "LOCAL"]);
        if self.takes_one_of(&["TABLES", "TABLE"]).is_some() {
            if self.is_name() {
                self.listed(Self::table_name)?;
            }
            if self.takes("WITH") {
                self.expect_all(&["READ", "LOCK"])?;
            } else if self.takes("FOR") {
                self.expect("EXPORT")?;
            }
            return Ok(Special::Flush.into());
        }
        self.listed(|parser| {
            let kinds: &[&[&str]] = &[
                &["PRIVILEGES"],
                &["STATUS"],
                &["GLOBAL", "STATUS"],
                &["SESSION", "STATUS"],
                &["HOSTS"],
                &["LOGS"],
                &["BINARY", "LOGS"],
                &["ENGINE", "LOGS"],
                &["ERROR", "LOGS"],
                &["GENERAL", "LOGS"],
                &["SLOW", "LOGS"],
                &["RELAY", "LOGS"],
                &["USER_RESOURCES"],
                &["QUERY", "CACHE"],
                &["DES_KEY_FILE"],
                &["MASTER"],
                &["SSL"],
                &["OPTIMIZER_COSTS"],
                &["CLIENT_STATISTICS"],
                &["INDEX_STATISTICS"],
                &["TABLE_STATISTICS"],
                &["USER_STATISTICS"],
            ];
            match kinds.iter().any(|kind| parser.takes_all(kind)) {
                true => Ok(()),
                false => Err(parser.unexpected()),
            }
        })?;
        Ok(Special::Flush.into())
    }
}
