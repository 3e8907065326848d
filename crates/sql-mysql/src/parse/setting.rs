//! SET.

use sqlparser::ast::{Expr, Ident};

use super::cursor::{Parser, Result};
use super::error::ParseError;
use super::statement::Tree;
use super::token::Kind;
use crate::syntax::{Isolation, Scope, SetTransaction, Setting, Special, Target, Variable};

/// The scopes that a variable may be set in, by their words.
const SCOPES: &[&str] = &["GLOBAL", "SESSION", "LOCAL", "PERSIST", "PERSIST_ONLY"];

impl Parser<'_> {
    /// A SET of all kinds.
    pub(super) fn set(&mut self) -> Result<Tree> {
        self.expect("SET")?;
        if self.is_mariadb() && self.is("STATEMENT") && !self.is_sign_ahead(1, "=") {
            return self.set_statement();
        }
        if self.is("PASSWORD") && !self.is_sign_ahead(1, ".") {
            return self.set_password();
        }
        if self.is("DEFAULT") && self.is_ahead(1, "ROLE")
            || self.is("ROLE") && !self.is_sign_ahead(1, "=")
        {
            return self.set_role();
        }
        if self.is("RESOURCE") && !self.is_mariadb() {
            return Err(ParseError::Unsupported("SET RESOURCE GROUP"));
        }
        let scope = self.scope_ahead(0);
        if self.is_ahead(usize::from(scope.is_some()), "TRANSACTION")
            && !self.is_sign_ahead(1 + usize::from(scope.is_some()), "=")
        {
            let _ = self.takes_one_of(SCOPES);
            let transaction = self.set_transaction(scope)?;
            return Ok(Special::Set(vec![Setting::Transaction(transaction)]).into());
        }
        let settings = self.listed(Self::setting)?;
        Ok(Special::Set(settings).into())
    }

    fn scope_ahead(&mut self, by: usize) -> Option<Scope> {
        let mysql = !self.is_mariadb();
        let known = if mysql { SCOPES } else { &SCOPES[..3] };
        let word = known.iter().find(|word| self.is_ahead(by, word))?;
        Scope::named(word)
    }

    fn setting(&mut self) -> Result<Setting> {
        if self.is("NAMES") && !self.is_sign_ahead(1, "=") && !self.is_sign_ahead(1, ":=") {
            self.advance();
            return self.names();
        }
        if self.is_charset() && !self.is_sign_ahead(1, "=") {
            self.charset_words()?;
            let charset = match self.takes("DEFAULT") {
                true => None,
                false => Some(self.charset_name()?.value),
            };
            return Ok(Setting::Charset(charset));
        }
        let target = self.target()?;
        if !self.takes_sign("=") {
            self.expect_sign(":=")?;
        }
        let user = matches!(target, Target::User(_));
        let value = match user {
            true => Some(self.expr()?),
            false => self.setting_value()?,
        };
        let value = value.map(Box::new);
        Ok(Setting::Assign { target, value })
    }

    /// What is set.
    pub(super) fn target(&mut self) -> Result<Target> {
        match self.peek().kind.clone() {
            Kind::At(name) => {
                self.advance();
                return Ok(Target::User(name));
            }
            Kind::AtAt => match self.system_name()? {
                Variable::System { scope, name } => {
                    return Ok(Target::System { scope, name, marked: true });
                }
                Variable::User(name) => return Ok(Target::User(name)),
            },
            _ => {}
        }
        let scope = self.scope_ahead(0).filter(|_| self.is_name_ahead(1));
        if scope.is_some() {
            self.advance();
        }
        let mut name = vec![self.variable_name()?];
        if self.takes_sign(".") {
            name.push(self.ident()?);
        }
        Ok(Target::System { scope, name, marked: false })
    }

    fn variable_name(&mut self) -> Result<Ident> {
        // MariaDB's default key cache is called by a reserved word.
        let default = self.is("DEFAULT") && self.is_sign_ahead(1, ".");
        if default { Ok(self.taken_ident()) } else { self.ident() }
    }

    /// The value of a system variable: an expression, a word, or DEFAULT.
    fn setting_value(&mut self) -> Result<Option<Expr>> {
        if self.is("DEFAULT") && !self.is_sign_ahead(1, "(") {
            self.advance();
            return Ok(None);
        }
        let word = ["ON", "ALL", "BINARY", "ROW", "SYSTEM"].iter().any(|word| self.is(word));
        let alone = self.ahead(1).kind == Kind::End
            || self.is_sign_ahead(1, ",")
            || self.is_sign_ahead(1, ";")
            || self.is_ahead(1, "FOR");
        match word && alone {
            true => Ok(Some(Expr::Identifier(self.taken_ident()))),
            false => self.expr().map(Some),
        }
    }

    fn names(&mut self) -> Result<Setting> {
        if self.takes("DEFAULT") {
            return Ok(Setting::Names { charset: None, collation: None });
        }
        let charset = Some(self.charset_name()?.value);
        let collation = match self.takes("COLLATE") {
            true => match self.takes("DEFAULT") {
                true => None,
                false => Some(self.collation_name()?.value),
            },
            false => None,
        };
        Ok(Setting::Names { charset, collation })
    }

    /// SET TRANSACTION, from its second word on.
    fn set_transaction(&mut self, scope: Option<Scope>) -> Result<SetTransaction> {
        self.expect("TRANSACTION")?;
        let mut set = SetTransaction { scope, isolation: None, access: None };
        loop {
            if set.isolation.is_none() && self.takes("ISOLATION") {
                self.expect("LEVEL")?;
                set.isolation = Some(self.isolation()?);
            } else if set.access.is_none() && self.is("READ") {
                set.access = Some(self.access()?);
            } else {
                return Err(self.unexpected());
            }
            let more = set.isolation.is_none() || set.access.is_none();
            if !more || !self.takes_sign(",") {
                return Ok(set);
            }
        }
    }

    fn isolation(&mut self) -> Result<Isolation> {
        Ok(match self.expect_one_of(&["READ", "REPEATABLE", "SERIALIZABLE"])? {
            "READ" => match self.expect_one_of(&["COMMITTED", "UNCOMMITTED"])? {
                "COMMITTED" => Isolation::ReadCommitted,
                _ => Isolation::ReadUncommitted,
            },
            "REPEATABLE" => {
                self.expect("READ")?;
                Isolation::RepeatableRead
            }
            _ => Isolation::Serializable,
        })
    }

    /// MariaDB's SET STATEMENT a = b FOR another statement.
    fn set_statement(&mut self) -> Result<Tree> {
        self.expect("STATEMENT")?;
        let settings = self.listed(|parser| {
            let target = parser.target()?;
            parser.expect_sign("=")?;
            let value = parser.setting_value()?.map(Box::new);
            Ok(Setting::Assign { target, value })
        })?;
        self.expect("FOR")?;
        let tree = self.deeper(Self::statement)?;
        // Those of a statement within come after these.
        self.aside.settings.splice(0..0, settings);
        Ok(tree)
    }
}
