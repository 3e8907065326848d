//! What SET sets.

use sqlparser::ast::{Expr, Ident};

use super::transaction::Access;
use super::variable::Scope;

/// What a value is given to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// `@name`.
    User(String),
    /// A system variable, or a variable of a stored program where no scope is said.
    System {
        /// Whose it is, if that is said.
        scope: Option<Scope>,
        /// Its name, of one part or two.
        name: Vec<Ident>,
        /// Whether it is written with `@@`, which makes no difference but to the level of transactions.
        marked: bool,
    },
}

/// One thing that a SET does.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// `a = b`.
    Assign {
        /// What is set.
        target: Target,
        /// The value; nothing for DEFAULT. A word alone is an identifier.
        value: Option<Box<Expr>>,
    },
    /// NAMES.
    Names {
        /// The character set; nothing for DEFAULT.
        charset: Option<String>,
        /// COLLATE.
        collation: Option<String>,
    },
    /// CHARACTER SET; nothing for DEFAULT.
    Charset(Option<String>),
    /// TRANSACTION.
    Transaction(SetTransaction),
}

/// SET TRANSACTION.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetTransaction {
    /// Whose; without one, that of the next transaction.
    pub scope: Option<Scope>,
    /// ISOLATION LEVEL.
    pub isolation: Option<Isolation>,
    /// READ ONLY and READ WRITE.
    pub access: Option<Access>,
}

/// A level by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Isolation {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}
