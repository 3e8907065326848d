//! Stored programs: procedures, functions, triggers, events, and what else is created and not kept here.
//!
//! Their bodies are read so that a text ends where the servers say it does: a semicolon inside a body ends a statement
//! of it, and not the whole.

use super::cursor::{Parser, Result};
use super::error::ParseError;
use super::statement::Tree;
use super::token::Kind;
use crate::syntax::Special;

fn unsupported(what: &'static str) -> Result<Tree> {
    Ok(Special::Unsupported(what).into())
}

impl Parser<'_> {
    /// CREATE of what is no table, view, index or database.
    pub(super) fn create_program(&mut self, or_replace: bool) -> Result<Tree> {
        if or_replace && !self.is_mariadb() {
            return Err(self.unexpected());
        }
        let aggregate = self.takes("AGGREGATE");
        let mut words = vec!["PROCEDURE", "FUNCTION", "TRIGGER", "EVENT", "SERVER", "TABLESPACE"];
        if self.is_mariadb() {
            words.push("SEQUENCE");
        }
        if aggregate {
            words = vec!["FUNCTION"];
        }
        match self.expect_one_of(&words)? {
            "PROCEDURE" => self.create_procedure(),
            "FUNCTION" => self.create_function(),
            "TRIGGER" => self.create_trigger(),
            "EVENT" => self.create_event(),
            "SEQUENCE" => self.create_sequence(),
            _ => Err(ParseError::Unsupported("CREATE SERVER")),
        }
    }

    /// ALTER of the same.
    pub(super) fn alter_program(&mut self) -> Result<Tree> {
        let mut words =
            vec!["USER", "PROCEDURE", "FUNCTION", "EVENT", "SERVER", "TABLESPACE", "INSTANCE"];
        if self.is_mariadb() {
            words.push("SEQUENCE");
        }
        match self.expect_one_of(&words)? {
            "USER" => self.alter_account(),
            "PROCEDURE" | "FUNCTION" => {
                self.table_name()?;
                self.characteristics()?;
                unsupported("ALTER PROCEDURE")
            }
            "EVENT" => {
                self.table_name()?;
                self.event_parts(true)?;
                unsupported("ALTER EVENT")
            }
            _ => Err(ParseError::Unsupported("ALTER SERVER")),
        }
    }

    /// DROP of the same.
    pub(super) fn drop_other(&mut self) -> Result<Tree> {
        let mut words =
            vec!["PREPARE", "USER", "ROLE", "PROCEDURE", "FUNCTION", "TRIGGER", "EVENT", "SERVER"];
        if self.is_mariadb() {
            words.push("SEQUENCE");
        }
        match self.expect_one_of(&words)? {
            "PREPARE" => Ok(Special::Deallocate(self.ident()?).into()),
            "USER" | "ROLE" => {
                let _ = self.if_exists()?;
                self.listed(Self::account)?;
                unsupported("DROP USER")
            }
            "SERVER" => {
                let _ = self.if_exists()?;
                self.ident_or_text()?;
                unsupported("DROP SERVER")
            }
            "SEQUENCE" => {
                let _ = self.if_exists()?;
                self.listed(Self::table_name)?;
                unsupported("DROP SEQUENCE")
            }
            _ => {
                let _ = self.if_exists()?;
                self.table_name()?;
                unsupported("DROP PROCEDURE")
            }
        }
    }

    fn create_procedure(&mut self) -> Result<Tree> {
        let _ = self.if_not_exists()?;
        self.table_name()?;
        self.in_parens(|parser| match parser.is_sign(")") {
            true => Ok(Vec::new()),
            false => parser.listed(|parser| {
                let _ = parser.takes_one_of(&["IN", "OUT", "INOUT"]);
                parser.ident()?;
                parser.column_type().map(drop)
            }),
        })?;
        self.characteristics()?;
        self.body()?;
        unsupported("CREATE PROCEDURE")
    }

    fn create_function(&mut self) -> Result<Tree> {
        let _ = self.if_not_exists()?;
        self.table_name()?;
        if self.takes("RETURNS") {
            self.expect_one_of(&["STRING", "INTEGER", "INT", "REAL", "DECIMAL"])?;
            self.expect("SONAME")?;
            self.string()?;
            return unsupported("CREATE FUNCTION … SONAME");
        }
        self.in_parens(|parser| match parser.is_sign(")") {
            true => Ok(Vec::new()),
            false => parser.listed(|parser| {
                if parser.is_mariadb() {
                    let _ = parser.takes_one_of(&["IN", "OUT", "INOUT"]);
                }
                parser.ident()?;
                parser.column_type().map(drop)
            }),
        })?;
        self.expect("RETURNS")?;
        self.column_type()?;
        if self.takes("COLLATE") {
            self.collation_name()?;
        }
        self.characteristics()?;
        self.body()?;
        unsupported("CREATE FUNCTION")
    }

    /// DETERMINISTIC, READS SQL DATA and the like.
    fn characteristics(&mut self) -> Result<()> {
        loop {
            if self.takes("COMMENT") {
                self.string()?;
            } else if self.takes("LANGUAGE") {
                self.expect("SQL")?;
            } else if self.takes("NOT") {
                self.expect("DETERMINISTIC")?;
            } else if self.takes("CONTAINS") || self.takes("NO") {
                self.expect("SQL")?;
            } else if self.takes_one_of(&["READS", "MODIFIES"]).is_some() {
                self.expect_all(&["SQL", "DATA"])?;
            } else if self.takes("SQL") {
                self.expect("SECURITY")?;
                self.expect_one_of(&["DEFINER", "INVOKER"])?;
            } else if !self.takes("DETERMINISTIC") {
                return Ok(());
            }
        }
    }

    fn create_trigger(&mut self) -> Result<Tree> {
        let _ = self.if_not_exists()?;
        self.table_name()?;
        self.expect_one_of(&["BEFORE", "AFTER"])?;
        self.expect_one_of(&["INSERT", "UPDATE", "DELETE"])?;
        self.expect("ON")?;
        self.table_name()?;
        self.expect_all(&["FOR", "EACH", "ROW"])?;
        if self.takes_one_of(&["FOLLOWS", "PRECEDES"]).is_some() {
            self.ident()?;
        }
        self.body()?;
        unsupported("CREATE TRIGGER")
    }

    fn create_event(&mut self) -> Result<Tree> {
        let _ = self.if_not_exists()?;
        self.table_name()?;
        self.event_parts(false)?;
        unsupported("CREATE EVENT")
    }

    fn event_parts(&mut self, alter: bool) -> Result<()> {
        if self.is("ON") && self.is_ahead(1, "SCHEDULE") || !alter {
            self.expect_all(&["ON", "SCHEDULE"])?;
            if self.takes("EVERY") {
                let value = self.expr()?;
                self.interval(value)?;
                if self.takes("STARTS") {
                    self.expr()?;
                }
                if self.takes("ENDS") {
                    self.expr()?;
                }
            } else {
                self.expect("AT")?;
                self.expr()?;
            }
        }
        if self.takes("ON") {
            self.expect("COMPLETION")?;
            let _ = self.takes("NOT");
            self.expect("PRESERVE")?;
        }
        if alter && self.takes("RENAME") {
            self.expect("TO")?;
            self.table_name()?;
        }
        if self.takes("DISABLE") {
            if self.takes("ON") {
                self.expect_one_of(&["SLAVE", "REPLICA"])?;
            }
        } else {
            let _ = self.takes("ENABLE");
        }
        if self.takes("COMMENT") {
            self.string()?;
        }
        if !alter || self.is("DO") {
            self.expect("DO")?;
            self.body()?;
        }
        Ok(())
    }

    fn create_sequence(&mut self) -> Result<Tree> {
        let _ = self.if_not_exists()?;
        self.table_name()?;
        loop {
            let more = self
                .takes_one_of(&["CYCLE", "NOCYCLE", "NOCACHE", "NOMINVALUE", "NOMAXVALUE"])
                .is_some()
                || match self.takes_one_of(&[
                    "START",
                    "INCREMENT",
                    "MINVALUE",
                    "MAXVALUE",
                    "CACHE",
                    "NO",
                ]) {
                    Some("NO") => {
                        self.expect_one_of(&["MINVALUE", "MAXVALUE", "CYCLE", "CACHE"])?;
                        true
                    }
                    Some(_) => {
                        let _ =
                            self.takes_one_of(&["WITH", "BY"]).is_some() || self.takes_sign("=");
                        let _ = self.takes_sign("-");
                        self.integer()?;
                        true
                    }
                    None => false,
                };
            if !more {
                break;
            }
        }
        self.table_options()?;
        unsupported("CREATE SEQUENCE")
    }

    /// MariaDB's BEGIN NOT ATOMIC, after those words.
    pub(super) fn anonymous_block(&mut self) -> Result<Tree> {
        self.bodies += 1;
        self.block()?;
        self.bodies -= 1;
        unsupported("BEGIN NOT ATOMIC")
    }

    /// MariaDB's IF, LOOP and the like outside of programs.
    pub(super) fn compound(&mut self) -> Result<Tree> {
        self.body()?;
        unsupported("statements of programs outside of them")
    }

    /// One statement of a stored program.
    fn body(&mut self) -> Result<()> {
        self.bodies += 1;
        let done = self.deeper(Self::program_statement);
        self.bodies -= 1;
        done
    }

    fn program_statement(&mut self) -> Result<()> {
        let labelled = self.is_name() && self.is_sign_ahead(1, ":");
        if labelled {
            self.advance();
            self.advance();
        }
        if self.is("BEGIN") && (labelled || !self.is_ahead(1, "WORK")) {
            self.advance();
            if self.is_mariadb() && self.takes("NOT") {
                self.expect("ATOMIC")?;
            }
            self.block()?;
            return self.end_label(labelled);
        }
        if let Some(word) = self.takes_one_of(&["LOOP", "WHILE", "REPEAT"]) {
            self.looped(word)?;
            return self.end_label(labelled);
        }
        if labelled {
            return Err(self.unexpected());
        }
        if self.is_mariadb() && self.takes("FOR") {
            self.counted_loop()?;
            return self.end_label(labelled);
        }
        let words = ["IF", "CASE", "RETURN", "LEAVE", "ITERATE", "OPEN", "FETCH", "CLOSE"];
        match self.takes_one_of(&words) {
            Some("IF") => self.branches("IF"),
            Some("CASE") => {
                if !self.is("WHEN") {
                    self.expr()?;
                }
                self.expect("WHEN")?;
                self.branches("CASE")
            }
            Some("RETURN") => self.expr().map(drop),
            Some("LEAVE" | "ITERATE" | "OPEN" | "CLOSE") => self.ident().map(drop),
            Some(_) => {
                if self.takes("NEXT") {
                    self.expect("FROM")?;
                } else {
                    let _ = self.takes("FROM");
                }
                self.ident()?;
                self.expect("INTO")?;
                self.listed(Self::ident).map(drop)
            }
            // The name of a block, without its colon.
            None if self.is_name() && !self.begins_statement() => {
                self.advance();
                Err(self.unexpected())
            }
            None => self.statement().map(drop),
        }
    }

    /// The name of a block, after its end.
    fn end_label(&mut self, labelled: bool) -> Result<()> {
        if labelled && self.is_name() {
            self.ident()?;
        }
        Ok(())
    }

    /// DECLARE and statements up to END.
    fn block(&mut self) -> Result<()> {
        while self.takes("DECLARE") {
            self.declaration()?;
            self.expect_sign(";")?;
        }
        self.until(&["END"])?;
        self.expect("END")
    }

    /// Statements, each with its semicolon, up to a word.
    fn until(&mut self, ends: &[&str]) -> Result<()> {
        while !self.is_one_of(ends) {
            self.deeper(Self::program_statement)?;
            self.expect_sign(";")?;
        }
        Ok(())
    }

    fn looped(&mut self, word: &str) -> Result<()> {
        match word {
            "LOOP" => self.until(&["END"])?,
            "WHILE" => {
                self.expr()?;
                self.expect("DO")?;
                self.until(&["END"])?;
            }
            _ => {
                self.until(&["UNTIL"])?;
                self.expect("UNTIL")?;
                self.expr()?;
            }
        }
        self.expect("END")?;
        self.expect(if word == "LOOP" {
            "LOOP"
        } else if word == "WHILE" {
            "WHILE"
        } else {
            "REPEAT"
        })
    }

    /// MariaDB's `FOR a IN 1 .. 3 DO` and `FOR a IN (SELECT …) DO`, after FOR.
    fn counted_loop(&mut self) -> Result<()> {
        self.ident()?;
        self.expect("IN")?;
        if self.opens_query() {
            self.subquery()?;
        } else {
            let _ = self.takes("REVERSE");
            self.expr()?;
            if self.takes_sign(".") {
                self.expect_sign(".")?;
                self.expr()?;
            }
        }
        self.expect("DO")?;
        self.until(&["END"])?;
        self.expect_all(&["END", "FOR"])
    }

    /// Conditions with THEN, from the first condition on.
    fn branches(&mut self, word: &'static str) -> Result<()> {
        let next = if word == "IF" { "ELSEIF" } else { "WHEN" };
        loop {
            self.expr()?;
            self.expect("THEN")?;
            self.until(&[next, "ELSE", "END"])?;
            if !self.takes(next) {
                break;
            }
        }
        if self.takes("ELSE") {
            self.until(&["END"])?;
        }
        self.expect("END")?;
        self.expect(word)
    }

    fn declaration(&mut self) -> Result<()> {
        if self.takes_one_of(&["CONTINUE", "EXIT"]).is_some() {
            self.expect_all(&["HANDLER", "FOR"])?;
            self.listed(|parser| {
                if parser.takes_one_of(&["SQLWARNING", "SQLEXCEPTION"]).is_some() {
                    return Ok(());
                }
                if parser.takes("NOT") {
                    return parser.expect("FOUND");
                }
                parser.condition()
            })?;
            return self.deeper(Self::program_statement);
        }
        self.listed(Self::ident)?;
        if self.takes("CURSOR") {
            self.expect("FOR")?;
            return self.query().map(drop);
        }
        if self.takes("CONDITION") {
            self.expect("FOR")?;
            return self.condition();
        }
        self.column_type()?;
        if self.takes("COLLATE") {
            self.collation_name()?;
        }
        if self.takes("DEFAULT") {
            self.expr()?;
        }
        Ok(())
    }

    fn condition(&mut self) -> Result<()> {
        if self.takes("SQLSTATE") {
            let _ = self.takes("VALUE");
            return self.string().map(drop);
        }
        match self.peek().kind {
            Kind::Integer => self.integer().map(drop),
            _ => self.ident().map(drop),
        }
    }
}
