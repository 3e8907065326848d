//! A concrete execution: what is there first, which transactions run with which parameters, and who sees whom.
//!
//! A solver that satisfies the formula of an anomaly gives one, as numbers; [`replay`](crate::replay) runs it. Instances are
//! given in the order they are arbitrated, which is the order of versions: of two writes to the same cell the later
//! instance's is the newer.
//!
//! ```text
//!     rows        accounts: (1, 2)
//!     instances   0: withdraw(1, 2)      sees nobody
//!                 1: withdraw(1, 1)      sees nobody          a lost update: 1 overwrites 0 unseen
//! ```

use hobgoblin_core::Level;

use crate::program::{TableId, Type};

/// A value that somebody else has chosen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Literal {
    /// NULL.
    Null,
    /// A whole number. Where the file has a date or time, it is so many days or seconds after the beginning of 2000.
    Int(i64),
    /// A ratio, whose denominator is not zero.
    Decimal(i64, i64),
    /// A truth value.
    Bool(bool),
    /// A text. Where the file has a UUID, it is one made of the text.
    Text(String),
    /// An array of whole numbers.
    IntArray(Vec<i64>),
}

impl Literal {
    /// A value of a type, always the same: what is chosen where nobody minds.
    pub fn any(ty: Type) -> Literal {
        match ty {
            Type::Int => Literal::Int(0),
            Type::Decimal => Literal::Decimal(0, 1),
            Type::Bool => Literal::Bool(false),
            Type::Text => Literal::Text(String::new()),
            Type::IntArray => Literal::IntArray(Vec::new()),
        }
    }
}

/// A run of a transaction.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its place among the transactions of the program.
    pub transaction: usize,
    /// Its parameters, in order.
    pub parameters: Vec<Literal>,
    /// What [`Choose`](crate::program::ExprKind::Choose) gives, each time one is met: statements as they run, and in each
    /// in the order of its tree. If there are too few, the rest is [`Literal::any`].
    pub choices: Vec<Literal>,
}

/// A concrete execution.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The rows that are there first, one value for each column.
    pub rows: Vec<(TableId, Vec<Literal>)>,
    /// What runs, in the order it is arbitrated.
    pub instances: Vec<Instance>,
    /// Who sees what.
    pub order: Order,
}

/// How instances come to see each other's writes.
#[derive(Clone, Debug)]
pub enum Order {
    /// All of an instance sees the same, one [`View`] for each instance.
    Views(Vec<View>),
    /// At read committed as databases have it, each statement sees what is committed when it begins: instances take turns
    /// by this list, which has them in full.
    Turns(Vec<(usize, Step)>),
}

/// What an instance sees.
#[derive(Clone, Debug)]
pub struct View {
    /// Its level. Eventual consistency has none of ours: it is replayed at RA, each instance in a session of its own.
    pub level: Level,
    /// The earlier instances that it sees, in order.
    pub sees: Vec<usize>,
}

/// What an instance does when its turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Begins with one snapshot for all its statements, which the first takes; at its commit it runs the others.
    Snapshot,
    /// Goes on until it has run one statement that reads or writes tables: a statement of SQL, the query of a loop, or a
    /// condition or value that has a query in it.
    Statement,
    /// Goes on to its end, without another such statement, and commits, or rolls back if it has failed.
    Commit,
}
