//! What the generator asks of a simulated store.

use crate::chooser::Chooser;
use crate::times::Times;
use crate::txn::GenTxn;
use hobgoblin_core::Rng;

/// A simulated store that runs random transactions, and takes in scripted ones between them.
pub(crate) trait Store {
    /// Runs random transactions until the next one ends.
    fn next(&mut self, txn: &mut GenTxn);

    /// Ends a transaction that has begun without beginning others; false if there is none.
    fn drain(&mut self, txn: &mut GenTxn) -> bool;

    /// The store's choices, for those who script.
    fn choose(&mut self) -> &mut Chooser;

    /// The store's clock, if it has one, with the chance it needs.
    fn times(&mut self) -> Option<(&mut Times, &mut Rng)>;

    /// A number for the next transaction.
    fn take_index(&mut self) -> u32;

    /// The newest value of a key, and the transaction that wrote it.
    fn newest(&self, key: u32) -> (i64, u32);

    /// Takes in the writes of a transaction that was scripted.
    fn append(&mut self, txn: &GenTxn);

    /// Lets everybody see all that has happened so far.
    fn quiesce(&mut self);
}
