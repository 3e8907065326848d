//! BEGIN, COMMIT, SAVEPOINT and the like.

use super::cursor::{Parser, Result};
use super::statement::Tree;
use crate::syntax::{Access, Chain, Special, TransactionStatement};

impl Parser<'_> {
    /// A statement about transactions.
    pub(super) fn transaction(&mut self) -> Result<Tree> {
        let words = ["BEGIN", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE"];
        let statement = match self.expect_one_of(&words)? {
            "BEGIN" => {
                if self.is_mariadb() && self.takes("NOT") {
                    self.expect("ATOMIC")?;
                    return self.anonymous_block();
                }
                let _ = self.takes("WORK");
                TransactionStatement::Begin { snapshot: false, access: None }
            }
            "START" => {
                if self.is_one_of(&["SLAVE", "REPLICA", "ALL", "GROUP_REPLICATION"]) {
                    return self.replication();
                }
                self.expect("TRANSACTION")?;
                self.started()?
            }
            "COMMIT" => {
                let _ = self.takes("WORK");
                TransactionStatement::Commit(self.chain()?)
            }
            "ROLLBACK" => {
                let _ = self.takes("WORK");
                if self.takes("TO") {
                    if self.is("SAVEPOINT") && self.is_name_ahead(1) {
                        self.advance();
                    }
                    TransactionStatement::RollbackTo(self.ident()?)
                } else {
                    TransactionStatement::Rollback(self.chain()?)
                }
            }
            "SAVEPOINT" => TransactionStatement::Savepoint(self.ident()?),
            _ => {
                self.expect("SAVEPOINT")?;
                TransactionStatement::Release(self.ident()?)
            }
        };
        Ok(Special::Transaction(statement).into())
    }

    /// What follows START TRANSACTION.
    fn started(&mut self) -> Result<TransactionStatement> {
        let (mut snapshot, mut access) = (false, None);
        while self.is_one_of(&["WITH", "READ"]) {
            if self.takes("WITH") {
                self.expect_all(&["CONSISTENT", "SNAPSHOT"])?;
                snapshot = true;
            } else {
                access = Some(self.access()?);
            }
            if !self.takes_sign(",") {
                break;
            }
            if !self.is_one_of(&["WITH", "READ"]) {
                return Err(self.unexpected());
            }
        }
        Ok(TransactionStatement::Begin { snapshot, access })
    }

    /// READ ONLY and READ WRITE.
    pub(super) fn access(&mut self) -> Result<Access> {
        self.expect("READ")?;
        Ok(match self.expect_one_of(&["ONLY", "WRITE"])? {
            "ONLY" => Access::ReadOnly,
            _ => Access::ReadWrite,
        })
    }

    fn chain(&mut self) -> Result<Chain> {
        let mut chain = Chain::default();
        if self.takes("AND") {
            chain.chain = Some(!self.takes("NO"));
            self.expect("CHAIN")?;
        }
        if self.takes("NO") {
            self.expect("RELEASE")?;
            chain.release = Some(false);
        } else if chain.chain != Some(true) && self.takes("RELEASE") {
            chain.release = Some(true);
        }
        Ok(chain)
    }
}
