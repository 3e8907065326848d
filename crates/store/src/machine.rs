//! The store as a state machine: one request in, one answer out, nothing else happens.

use hobgoblin_core::{History, Key, SessionId, Value};
use hobgoblin_format::{Header, TxnRecord};

use crate::config::Config;
use crate::log::Entry;
use crate::request::{Answer, Request, StoreError};

/// Counters of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Requests served.
    pub requests: u64,
    /// Transactions committed.
    pub committed: u64,
    /// Transactions their sessions aborted.
    pub aborted: u64,
    /// Transactions the store refused.
    pub refused: u64,
    /// Reads that had more than one version to choose from.
    pub open_reads: u64,
    /// External reads.
    pub reads: u64,
    /// External reads that did not return the newest committed version.
    pub stale_reads: u64,
    /// Transactions open now.
    pub open: u32,
    /// Sessions connected now.
    pub sessions: u32,
    /// Keys known now.
    pub keys: u32,
    /// Versions kept now.
    pub versions: u32,
}

/// A store.
#[derive(Debug)]
pub struct Machine {
    config: Config,
}

impl Machine {
    /// A store that holds what the configuration says.
    pub fn new(config: Config) -> Result<Machine, StoreError> {
        Ok(Machine { config })
    }

    /// How it is set up.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Connects a session.
    pub fn connect(&mut self, _name: Option<&str>) -> Result<SessionId, StoreError> {
        todo!()
    }

    /// Closes a session; its open transaction is aborted.
    pub fn disconnect(&mut self, _session: SessionId) -> Result<(), StoreError> {
        todo!()
    }

    /// The name of a session: what it connected with, else its number from 1.
    pub fn session_name(&self, _session: SessionId) -> Result<Key, StoreError> {
        todo!()
    }

    /// Serves one request.
    pub fn apply(&mut self, _session: SessionId, _request: &Request) -> Result<Answer, StoreError> {
        todo!()
    }

    /// Serves one request with the choices of a log instead of new ones.
    pub fn replay(
        &mut self,
        _session: SessionId,
        _request: &Request,
        _choices: &[u32],
    ) -> Result<Answer, StoreError> {
        todo!()
    }

    /// Lets time pass; it never goes back.
    pub fn tick(&mut self, _now: u64) {
        todo!()
    }

    /// The sessions that were blocked and may ask again, in the order they were blocked.
    pub fn ready(&self) -> Vec<SessionId> {
        todo!()
    }

    /// Whether a session has an open transaction.
    pub fn in_transaction(&self, _session: SessionId) -> Result<bool, StoreError> {
        todo!()
    }

    /// The history so far, as far as it was not taken; open transactions have unknown status.
    pub fn history(&self) -> History {
        todo!()
    }

    /// What a history file says first: the initial values.
    pub fn header(&self) -> Header {
        todo!()
    }

    /// Takes the transactions that ended since the last call out of the history, for a file.
    pub fn take_ended(&mut self) -> Vec<TxnRecord> {
        todo!()
    }

    /// The log since it was last taken.
    pub fn log(&self) -> &[Entry] {
        todo!()
    }

    /// Takes the log since the last call.
    pub fn take_log(&mut self) -> Vec<Entry> {
        todo!()
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        todo!()
    }

    /// What the keys hold after all that committed, in commit order; absent keys are left out.
    pub fn snapshot(&self) -> Vec<(Key, Value)> {
        todo!()
    }
}
