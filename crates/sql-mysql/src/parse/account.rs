//! Accounts and privileges, which this database does not keep: their statements are read, to refuse what servers
//! refuse, and not carried out.

use super::cursor::{Parser, Result};
use super::statement::Tree;
use super::token::Kind;
use crate::syntax::Special;

impl Parser<'_> {
    /// `'name'@'host'`, `name`, CURRENT_USER.
    pub(super) fn account(&mut self) -> Result<()> {
        if self.takes_one_of(&["CURRENT_USER", "CURRENT_ROLE"]).is_some() {
            if self.takes_sign("(") {
                self.expect_sign(")")?;
            }
            return Ok(());
        }
        self.ident_or_text()?;
        if let Kind::At(_) = self.peek().kind {
            self.advance();
        }
        Ok(())
    }

    /// CREATE USER and CREATE ROLE.
    pub(super) fn create_account(&mut self) -> Result<Tree> {
        let word = self.expect_one_of(&["USER", "ROLE"])?;
        let _ = self.if_not_exists()?;
        match word {
            "USER" => {
                self.listed(Self::credentials)?;
                self.account_options()?;
                Ok(Special::Unsupported("CREATE USER").into())
            }
            _ => {
                self.listed(Self::account)?;
                if self.is_mariadb() && self.takes("WITH") {
                    self.expect("ADMIN")?;
                    self.account()?;
                }
                Ok(Special::Unsupported("CREATE ROLE").into())
            }
        }
    }

    /// ALTER USER, after USER.
    pub(super) fn alter_account(&mut self) -> Result<Tree> {
        let _ = self.if_exists()?;
        self.listed(Self::credentials)?;
        self.account_options()?;
        Ok(Special::Unsupported("ALTER USER").into())
    }

    /// An account and how it proves who it is.
    fn credentials(&mut self) -> Result<()> {
        self.account()?;
        if !self.takes("IDENTIFIED") {
            return Ok(());
        }
        if self.takes("BY") {
            let _ = self.is_mariadb() && self.takes("PASSWORD");
            let random = !self.is_mariadb() && self.takes("RANDOM");
            return if random { self.expect("PASSWORD") } else { self.string().map(drop) };
        }
        self.expect_one_of(&["WITH", "VIA"])?;
        loop {
            self.ident_or_text()?;
            if let Some(word) = self.takes_one_of(&["USING", "AS", "BY"]) {
                match self.is_mariadb() && word != "BY" && self.takes("PASSWORD") {
                    true => drop(self.in_parens(Self::string)?),
                    false => drop(self.string()?),
                }
            }
            if !(self.is_mariadb() && self.takes("OR")) {
                return Ok(());
            }
        }
    }

    /// REQUIRE, WITH, PASSWORD EXPIRE, ACCOUNT LOCK.
    fn account_options(&mut self) -> Result<()> {
        if !self.is_mariadb() && self.takes("DEFAULT") {
            self.expect("ROLE")?;
            self.listed(Self::account)?;
        }
        if self.takes("REQUIRE") && self.takes_one_of(&["NONE", "SSL", "X509"]).is_none() {
            loop {
                self.expect_one_of(&["ISSUER", "SUBJECT", "CIPHER"])?;
                self.string()?;
                let _ = self.takes("AND");
                if !self.is_one_of(&["ISSUER", "SUBJECT", "CIPHER"]) {
                    break;
                }
            }
        }
        if self.takes("WITH") {
            loop {
                self.expect_one_of(&[
                    "MAX_QUERIES_PER_HOUR",
                    "MAX_UPDATES_PER_HOUR",
                    "MAX_CONNECTIONS_PER_HOUR",
                    "MAX_USER_CONNECTIONS",
                    "MAX_STATEMENT_TIME",
                ])?;
                self.integer()?;
                if self.is_over()
                    || self.is_one_of(&["PASSWORD", "ACCOUNT", "COMMENT", "ATTRIBUTE"])
                {
                    break;
                }
            }
        }
        loop {
            if self.takes("PASSWORD") {
                self.expect("EXPIRE")?;
                if self.takes("INTERVAL") {
                    self.integer()?;
                    self.expect("DAY")?;
                } else {
                    let _ = self.takes_one_of(&["NEVER", "DEFAULT"]);
                }
            } else if self.takes("ACCOUNT") {
                self.expect_one_of(&["LOCK", "UNLOCK"])?;
            } else if !self.is_mariadb() && self.takes_one_of(&["COMMENT", "ATTRIBUTE"]).is_some() {
                self.string()?;
            } else {
                return Ok(());
            }
        }
    }

    /// GRANT and REVOKE.
    pub(super) fn grant(&mut self, revoke: bool) -> Result<Tree> {
        let to = if revoke { "FROM" } else { "TO" };
        let what = if revoke { "REVOKE" } else { "GRANT" };
        let all = self.takes("ALL");
        if all {
            let _ = self.takes("PRIVILEGES");
            if revoke && self.takes_sign(",") {
                self.expect_all(&["GRANT", "OPTION", "FROM"])?;
                self.listed(Self::account)?;
                return Ok(Special::Unsupported(what).into());
            }
        } else if self.takes("PROXY") {
            self.expect("ON")?;
            self.account()?;
            self.expect(to)?;
            self.listed(Self::credentials)?;
            self.grant_options(revoke)?;
            return Ok(Special::Unsupported(what).into());
        } else {
            self.listed(Self::privilege)?;
        }
        if !all && self.takes(to) {
            self.listed(Self::credentials)?;
            self.grant_options(revoke)?;
            return Ok(Special::Unsupported(what).into());
        }
        self.expect("ON")?;
        let _ = self.takes_one_of(&["TABLE", "FUNCTION", "PROCEDURE"]);
        if self.takes_sign("*") {
            if self.takes_sign(".") {
                self.expect_sign("*")?;
            }
        } else {
            self.ident()?;
            if self.takes_sign(".") && !self.takes_sign("*") {
                self.ident()?;
            }
        }
        self.expect(to)?;
        self.listed(Self::credentials)?;
        self.grant_options(revoke)?;
        Ok(Special::Unsupported(what).into())
    }

    fn grant_options(&mut self, revoke: bool) -> Result<()> {
        if revoke {
            return Ok(());
        }
        if self.are(&["WITH", "GRANT"]) || self.are(&["WITH", "ADMIN"]) {
            self.advance();
            self.advance();
            self.expect("OPTION")?;
            return Ok(());
        }
        self.account_options()
    }

    /// A privilege by its words, or a role.
    fn privilege(&mut self) -> Result<()> {
        const WORDS: &[&[&str]] = &[
            &["SELECT"],
            &["INSERT"],
            &["UPDATE"],
            &["REFERENCES"],
            &["DELETE"],
            &["USAGE"],
            &["INDEX"],
            &["ALTER", "ROUTINE"],
            &["ALTER"],
            &["CREATE", "TEMPORARY", "TABLES"],
            &["CREATE", "VIEW"],
            &["CREATE", "ROUTINE"],
            &["CREATE", "USER"],
            &["CREATE", "TABLESPACE"],
            &["CREATE", "ROLE"],
            &["CREATE"],
            &["DROP", "ROLE"],
            &["DROP"],
            &["EXECUTE"],
            &["RELOAD"],
            &["SHUTDOWN"],
            &["PROCESS"],
            &["FILE"],
            &["GRANT", "OPTION"],
            &["SHOW", "DATABASES"],
            &["SHOW", "VIEW"],
            &["SUPER"],
            &["LOCK", "TABLES"],
            &["REPLICATION", "SLAVE"],
            &["REPLICATION", "CLIENT"],
            &["EVENT"],
            &["TRIGGER"],
        ];
        if !WORDS.iter().any(|words| self.takes_all(words)) {
            return self.account();
        }
        if self.is_sign("(") {
            self.in_parens(|parser| parser.listed(Self::ident))?;
        }
        Ok(())
    }

    /// SET PASSWORD.
    pub(super) fn set_password(&mut self) -> Result<Tree> {
        self.expect("PASSWORD")?;
        if self.takes("FOR") {
            self.account()?;
        }
        self.expect_sign("=")?;
        match self.is_mariadb() && self.takes_one_of(&["PASSWORD", "OLD_PASSWORD"]).is_some() {
            true => drop(self.in_parens(Self::string)?),
            false => drop(self.string()?),
        }
        Ok(Special::Unsupported("SET PASSWORD").into())
    }

    /// SET ROLE and SET DEFAULT ROLE.
    pub(super) fn set_role(&mut self) -> Result<Tree> {
        let default = self.takes("DEFAULT");
        self.expect("ROLE")?;
        if self.takes_one_of(&["NONE", "ALL", "DEFAULT"]).is_none() {
            self.listed(Self::account)?;
        }
        if default && self.takes_one_of(&["FOR", "TO"]).is_some() {
            self.listed(Self::account)?;
        }
        Ok(Special::Unsupported("SET ROLE").into())
    }
}
