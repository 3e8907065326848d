//! The session as functions see it.

use std::time::Duration;

use hobgoblin_core::{Key, Value};
use hobgoblin_front::KeyRange;

use super::Exec;
use crate::catalog::{Catalog, Definition};
use crate::error::Result;
use crate::functions::{Advisory, Clock, Context, SequenceOp};
use crate::types::{Datum, Oid, TypeEnv};

impl Context for Exec<'_> {
    fn types(&self) -> TypeEnv<'_> {
        self.core.env()
    }

    fn catalog(&self) -> &Catalog {
        self.core.catalog_ref()
    }

    fn clock(&mut self, clock: Clock) -> Result<i64> {
        self.core.clock(clock)
    }

    fn random(&mut self) -> Result<u64> {
        self.core.random()
    }

    fn sequence(&mut self, op: SequenceOp) -> Result<i64> {
        self.core.sequence(op)
    }

    fn stored_bytes(&self, prefix: &str) -> i64 {
        let rows = self.core.newest_in(&KeyRange::prefix(prefix));
        let size = |(key, value): &(Key, Value)| {
            let key = if let Key::Text(key) = key { key.len() } else { 8 };
            let value = match value {
                Value::Text(text) | Value::Json(text) => text.len(),
                Value::Null | Value::Bool(_) | Value::Int(_) => 8,
            };
            (key + value + 24) as i64
        };
        rows.iter().map(size).sum()
    }

    fn current_of(&self, cursor: &str, table: Oid) -> Result<Datum> {
        self.core.current_of(cursor, table)
    }

    fn temporary(&self) -> &str {
        &self.core.temporary
    }

    fn advisory(&mut self, op: Advisory) -> Result<bool> {
        self.core.advisory(op)
    }

    fn setting(&self, name: &str) -> Option<String> {
        self.core.setting(name)
    }

    fn set_setting(&mut self, name: &str, value: Option<&str>, local: bool) -> Result<String> {
        self.core.set_setting(name, value, local)
    }

    fn user(&self) -> &str {
        self.core.user()
    }

    fn database(&self) -> &str {
        self.core.database_name()
    }

    fn backend_pid(&self) -> i32 {
        self.core.pid
    }

    fn blocking_pids(&self, pid: i32) -> Vec<i32> {
        self.core.blocking_pids(pid)
    }

    fn transaction_number(&mut self) -> Result<i64> {
        self.core.transaction_number()
    }

    fn notify(&mut self, channel: &str, payload: &str) -> Result<()> {
        self.core.transaction.notify(channel.to_owned(), payload.to_owned());
        Ok(())
    }

    fn channels(&self) -> Vec<String> {
        self.core.shared.channels(self.core.pid)
    }

    fn unread(&self) -> usize {
        self.core.shared.unread()
    }

    fn check_interrupts(&self) -> Result<()> {
        self.core.check_interrupts()
    }

    fn sleep(&mut self, time: Duration) -> Result<()> {
        self.core.backend.interrupts.sleep(time)
    }

    fn interrupt(&mut self, pid: i32, terminate: bool) -> bool {
        self.core.interrupt(pid, terminate)
    }

    fn fence(&mut self) -> Result<()> {
        self.core.fence()
    }

    fn definition(&self, what: Definition) -> Result<Option<String>> {
        self.core.definition(what)
    }
}
