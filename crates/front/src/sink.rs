//! Where ended transactions and the log go as they happen, so that they survive a kill and memory stays
//! flat.

use std::io;

use hobgoblin_core::{History, Schema};
use hobgoblin_format::{Header, TxnRecord};
use hobgoblin_store::{Entry, Log};

/// Takes what happens in a store, in order. A store forgets what its sink has taken.
pub trait Sink: Send {
    /// The store starts. `log` has its setup and no entries.
    fn start(&mut self, header: &Header, log: &Log) -> io::Result<()>;

    /// Something became known of tables and indexes.
    fn schema(&mut self, schema: &Schema) -> io::Result<()> {
        let _ = schema;
        Ok(())
    }

    /// Takes a transaction that has ended.
    fn txn(&mut self, txn: &TxnRecord) -> io::Result<()>;

    /// A request was served.
    fn entry(&mut self, entry: &Entry) -> io::Result<()>;

    /// Makes sure that all so far survives the end of the process. Called after every few requests.
    fn flush(&mut self) -> io::Result<()>;

    /// The history taken so far; `None` when it cannot be had back.
    fn history(&mut self) -> io::Result<Option<History>> {
        Ok(None)
    }

    /// The log taken so far; `None` when it cannot be had back.
    fn log(&mut self) -> io::Result<Option<Log>> {
        Ok(None)
    }
}
