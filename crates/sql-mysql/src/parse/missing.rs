//! Statements that servers have and this database has not: replication, XA, files, handlers, plugins.

use super::cursor::{Parser, Result};
use super::error::ParseError;
use super::statement::Tree;
use super::token::Kind;
use crate::syntax::Special;

/// What they begin with.
const WORDS: &[&str] = &[
    "GRANT",
    "REVOKE",
    "HANDLER",
    "LOAD",
    "XA",
    "GET",
    "SIGNAL",
    "RESIGNAL",
    "CHANGE",
    "STOP",
    "RESET",
    "PURGE",
    "INSTALL",
    "UNINSTALL",
    "SHUTDOWN",
    "HELP",
    "BINLOG",
    "CACHE",
    "BACKUP",
    "RESTART",
];

fn unsupported(what: &'static str) -> Result<Tree> {
    Ok(Special::Unsupported(what).into())
}

impl Parser<'_> {
    /// What begins with none of the words of statements that are known.
    pub(super) fn missing(&mut self) -> Result<Tree> {
        match self.takes_one_of(WORDS) {
            Some("GRANT") => self.grant(false),
            Some("REVOKE") => self.grant(true),
            Some("HANDLER") => self.handler(),
            Some("LOAD") => self.load(),
            Some("XA") => self.xa(),
            Some("GET") => self.diagnostics(),
            Some("SIGNAL") => self.signal(true),
            Some("RESIGNAL") => self.signal(false),
            Some("SHUTDOWN") => unsupported("SHUTDOWN"),
            Some("RESTART") if !self.is_mariadb() => unsupported("RESTART"),
            Some("HELP") => {
                self.ident_or_text()?;
                unsupported("HELP")
            }
            Some("BINLOG") => {
                self.string()?;
                unsupported("BINLOG")
            }
            Some("INSTALL" | "UNINSTALL") => {
                self.expect_one_of(&["PLUGIN", "SONAME", "COMPONENT"])?;
                self.words();
                unsupported("INSTALL PLUGIN")
            }
            Some("RESET") => {
                self.expect_one_of(&["MASTER", "SLAVE", "REPLICA", "QUERY", "BINARY", "PERSIST"])?;
                self.words();
                unsupported("RESET")
            }
            Some("PURGE") => {
                self.expect_one_of(&["BINARY", "MASTER"])?;
                self.expect("LOGS")?;
                self.expect_one_of(&["TO", "BEFORE"])?;
                self.expr()?;
                unsupported("PURGE BINARY LOGS")
            }
            Some("CHANGE" | "STOP") => self.replication(),
            Some("CACHE") => {
                self.expect("INDEX")?;
                self.words();
                unsupported("CACHE INDEX")
            }
            Some("BACKUP") if self.is_mariadb() => {
                self.expect_one_of(&["STAGE", "LOCK", "UNLOCK"])?;
                self.words();
                unsupported("BACKUP")
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Whether a word is next that statements begin with.
    pub(super) fn begins_statement(&mut self) -> bool {
        self.begins_known() || self.is_one_of(WORDS)
    }

    /// Passes over the rest of a statement whose grammar is of no use here.
    fn words(&mut self) {
        while !self.is_over() && self.peek().kind != Kind::Bad {
            self.advance();
        }
    }

    /// START SLAVE and its kin.
    pub(super) fn replication(&mut self) -> Result<Tree> {
        self.expect_one_of(&[
            "SLAVE",
            "REPLICA",
            "ALL",
            "GROUP_REPLICATION",
            "MASTER",
            "REPLICATION",
        ])?;
        self.words();
        unsupported("replication")
    }

    fn handler(&mut self) -> Result<Tree> {
        self.table_name()?;
        match self.expect_one_of(&["OPEN", "CLOSE", "READ"])? {
            "OPEN" => drop(self.table_alias()?),
            "CLOSE" => {}
            _ => {
                if self.is_name() && !self.is_one_of(&["FIRST", "NEXT"]) {
                    self.ident()?;
                    let sign = ["=", ">=", "<=", ">", "<"].iter().any(|sign| self.takes_sign(sign));
                    match sign {
                        true => drop(self.row()?),
                        false => drop(self.expect_one_of(&["FIRST", "NEXT", "PREV", "LAST"])?),
                    }
                } else {
                    self.expect_one_of(&["FIRST", "NEXT"])?;
                }
                if self.takes("WHERE") {
                    self.expr()?;
                }
                if self.takes("LIMIT") {
                    self.limit_value()?;
                    if self.takes_sign(",") || self.takes("OFFSET") {
                        self.limit_value()?;
                    }
                }
            }
        }
        unsupported("HANDLER")
    }

    /// LOAD DATA and LOAD XML.
    fn load(&mut self) -> Result<Tree> {
        if self.takes("INDEX") {
            self.expect_all(&["INTO", "CACHE"])?;
            self.words();
            return unsupported("LOAD INDEX");
        }
        self.expect_one_of(&["DATA", "XML"])?;
        let _ = self.takes_one_of(&["LOW_PRIORITY", "CONCURRENT"]);
        let _ = self.takes("LOCAL");
        self.expect("INFILE")?;
        self.string()?;
        let _ = self.takes_one_of(&["REPLACE", "IGNORE"]);
        self.expect_all(&["INTO", "TABLE"])?;
        self.table_name()?;
        if self.takes("PARTITION") {
            self.in_parens(|parser| parser.listed(Self::ident))?;
        }
        if self.is_charset() {
            self.charset_clause()?;
        }
        if self.takes("ROWS") {
            self.expect_all(&["IDENTIFIED", "BY"])?;
            self.string()?;
        }
        self.file_format()?;
        if self.takes("IGNORE") {
            self.integer()?;
            self.expect_one_of(&["LINES", "ROWS"])?;
        }
        if self.is_sign("(") {
            self.in_parens(|parser| match parser.is_sign(")") {
                true => Ok(Vec::new()),
                false => parser.listed(|parser| match parser.peek().kind {
                    Kind::At(_) => {
                        parser.advance();
                        Ok(())
                    }
                    _ => parser.column_name().map(drop),
                }),
            })?;
        }
        if self.takes("SET") {
            self.assignments()?;
        }
        unsupported("LOAD DATA")
    }

    /// FIELDS and LINES of a file.
    pub(super) fn file_format(&mut self) -> Result<()> {
        if self.takes_one_of(&["FIELDS", "COLUMNS"]).is_some() {
            let mut any = false;
            while let Some(word) =
                self.takes_one_of(&["TERMINATED", "OPTIONALLY", "ENCLOSED", "ESCAPED"])
            {
                if word == "OPTIONALLY" {
                    self.expect("ENCLOSED")?;
                }
                self.expect("BY")?;
                self.bytes()?;
                any = true;
            }
            if !any {
                return Err(self.unexpected());
            }
        }
        if self.takes("LINES") {
            let mut any = false;
            while self.takes_one_of(&["TERMINATED", "STARTING"]).is_some() {
                self.expect("BY")?;
                self.bytes()?;
                any = true;
            }
            if !any {
                return Err(self.unexpected());
            }
        }
        Ok(())
    }

    fn bytes(&mut self) -> Result<()> {
        match self.peek().kind {
            Kind::Text(_) | Kind::Hex(_) | Kind::HexNumber(_) | Kind::Bits(_) => {
                self.advance();
                Ok(())
            }
            _ => Err(self.unexpected()),
        }
    }

    fn xa(&mut self) -> Result<Tree> {
        let words = ["START", "BEGIN", "END", "PREPARE", "COMMIT", "ROLLBACK", "RECOVER"];
        let word = self.expect_one_of(&words)?;
        if word == "RECOVER" {
            if self.takes("FORMAT") {
                self.expect_sign("=")?;
                self.ident_or_text()?;
            } else if !self.is_mariadb() && self.takes("CONVERT") {
                self.expect("XID")?;
            }
            return unsupported("XA");
        }
        self.bytes()?;
        if self.takes_sign(",") {
            self.bytes()?;
            if self.takes_sign(",") {
                self.integer()?;
            }
        }
        match word {
            "START" | "BEGIN" => drop(self.takes_one_of(&["JOIN", "RESUME"])),
            "END" if self.takes("SUSPEND") && self.takes("FOR") => self.expect("MIGRATE")?,
            "COMMIT" if self.takes("ONE") => self.expect("PHASE")?,
            _ => {}
        }
        unsupported("XA")
    }

    /// GET DIAGNOSTICS.
    pub(super) fn diagnostics(&mut self) -> Result<Tree> {
        let _ = self.takes("CURRENT") || !self.is_mariadb() && self.takes("STACKED");
        self.expect("DIAGNOSTICS")?;
        const OF_STATEMENTS: &[&str] = &["NUMBER", "ROW_COUNT"];
        const OF_CONDITIONS: &[&str] = &[
            "CLASS_ORIGIN",
            "SUBCLASS_ORIGIN",
            "CONSTRAINT_CATALOG",
            "CONSTRAINT_SCHEMA",
            "CONSTRAINT_NAME",
            "CATALOG_NAME",
            "SCHEMA_NAME",
            "TABLE_NAME",
            "COLUMN_NAME",
            "CURSOR_NAME",
            "MESSAGE_TEXT",
            "MYSQL_ERRNO",
            "RETURNED_SQLSTATE",
            "ROW_NUMBER",
        ];
        let items = match self.takes("CONDITION") {
            true => {
                self.simple()?;
                OF_CONDITIONS
            }
            false => OF_STATEMENTS,
        };
        self.listed(|parser| {
            let program = parser.bodies > 0;
            match parser.peek().kind {
                Kind::At(_) => drop(parser.advance()),
                _ if program => drop(parser.ident()?),
                _ => return Err(ParseError::UndeclaredVariable(parser.ident()?.value)),
            }
            parser.expect_sign("=")?;
            parser.expect_one_of(items)
        })?;
        unsupported("GET DIAGNOSTICS")
    }

    /// SIGNAL and RESIGNAL.
    pub(super) fn signal(&mut self, named: bool) -> Result<Tree> {
        if self.takes("SQLSTATE") {
            let _ = self.takes("VALUE");
            self.string()?;
        } else if named || self.is_name() {
            self.ident()?;
        }
        if self.takes("SET") {
            self.listed(|parser| {
                parser.ident()?;
                parser.expect_sign("=")?;
                parser.expr()
            })?;
        }
        unsupported("SIGNAL")
    }
}
