//! Initial transactions that foreign files write out.
//!
//! Several tools have no initial values in their formats' definitions but a transaction in the files: the first
//! of a session, which writes 0 to every key. What their own programs do:
//!
//! | program | reads | writes |
//! | --- | --- | --- |
//! | Plume's generator | its text, keys start as 0 | session 0, transaction 0 |
//! | PolySI | adds one that writes 0 to text and to DBCop's files | writes it into DBCop's files and Cobra's |
//! | AWDIT | adds one that writes 0 to Plume's, DBCop's and Cobra's files | the last session of what it converts to |
//! | DBCop, Cobra | know the initial version by itself | never |
//!
//! So a transaction that only writes, and writes 0 to every key of the file, is the initial one
//! ([`HistoryBuilder::make_initial`]). Cobra's logs are in [`cobra`](crate::cobra), since a value is not
//! what tells versions there.

use hobgoblin_core::{History, HistoryBuilder, HistoryError, KeyId, TxnId, Value};

/// Makes what writes 0 to every key the initial transaction.
pub(crate) fn recognise(builder: &mut HistoryBuilder) -> Result<(), HistoryError> {
    for txn in builder.find_initial(&Value::Int(0))? {
        builder.make_initial(txn);
    }
    Ok(())
}

/// The keys whose initial values a transaction is to write out: all, if it is an initial one.
pub(crate) fn keys(history: &History, txn: TxnId) -> impl ExactSizeIterator<Item = KeyId> + use<> {
    let is_initial = history.initial_txns().contains(&txn);
    let count = if is_initial { history.num_keys() } else { 0 };
    (0..count).map(KeyId::new)
}
