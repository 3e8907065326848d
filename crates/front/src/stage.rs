//! Whether a transaction goes on.
//!
//! When the store aborts a transaction, the program may not have noticed: it goes on asking, and to the store
//! these would be transactions of their own. So a transaction remembers why it ended, and says it again.

use hobgoblin_store::Answer;

use crate::error::Error;

/// Where a transaction is.
#[derive(Debug)]
pub(crate) enum Stage {
    Open,
    /// The store ended it, and the program has not yet.
    Ended(Error),
    /// The program ended it.
    Over,
}

impl Stage {
    /// Why nothing can be asked any more.
    pub(crate) fn refused(&self) -> Option<Error> {
        match self {
            Stage::Ended(error) => Some(error.clone()),
            Stage::Open | Stage::Over => None,
        }
    }

    /// Notices an answer that ends the transaction.
    pub(crate) fn notice(&mut self, answer: &Result<Answer, Error>) {
        if let Err(error) = answer
            && error.ends_transaction()
        {
            *self = Stage::Ended(error.clone());
        }
    }

    /// Whether the store aborted it, and it should be run again.
    pub(crate) fn is_aborted(&self) -> bool {
        matches!(self, Stage::Ended(error) if error.is_abort())
    }
}
