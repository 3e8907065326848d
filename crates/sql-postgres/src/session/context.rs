//! The session as functions see it.

use std::time::Duration;

use hobgoblin_core::{Key, Value};
use hobgoblin_front::KeyRange;

use super::core::Core;
use super::interrupted;
use crate::catalog::{Catalog, Definition};
use crate::error::Result;
use crate::types::{Datum, Oid, TypeEnv};
use hobgoblin_sql_schema::context::{Advisory, Clock, Context, SequenceOp};

impl Context for Core {
    fn types(&self) -> TypeEnv<'_> {
        self.env()
    }

    fn catalog(&self) -> &Catalog {
        self.catalog_ref()
    }

    fn clock(&mut self, clock: Clock) -> Result<i64> {
        Core::clock(self, clock)
    }

    fn random(&mut self) -> Result<u64> {
        Core::random(self)
    }

    fn sequence(&mut self, op: SequenceOp) -> Result<i64> {
        Core::sequence(self, op)
    }

    fn stored_bytes(&self, prefix: &str) -> i64 {
        let rows = self.store.newest_in(&KeyRange::prefix(prefix));
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
        Core::current_of(self, cursor, table)
    }

    fn temporary(&self) -> &str {
        &self.temporary
    }

    fn advisory(&mut self, op: Advisory) -> Result<bool> {
        Core::advisory(self, op)
    }

    fn setting(&self, name: &str) -> Option<String> {
        Core::setting(self, name)
    }

    fn set_setting(&mut self, name: &str, value: Option<&str>, local: bool) -> Result<String> {
        Core::set_setting(self, name, value, local)
    }

    fn user(&self) -> &str {
        Core::user(self)
    }

    fn database(&self) -> &str {
        self.database_name()
    }

    fn backend_pid(&self) -> i32 {
        self.pid
    }

    fn blocking_pids(&self, pid: i32) -> Vec<i32> {
        Core::blocking_pids(self, pid)
    }

    fn transaction_number(&mut self) -> Result<i64> {
        Core::transaction_number(self)
    }

    fn notify(&mut self, channel: &str, payload: &str) -> Result<()> {
        self.transaction.notify(channel.to_owned(), payload.to_owned());
        Ok(())
    }

    fn channels(&self) -> Vec<String> {
        self.shared.channels(self.pid)
    }

    fn unread(&self) -> usize {
        self.shared.unread()
    }

    fn check_interrupts(&self) -> Result<()> {
        Core::check_interrupts(self)
    }

    fn sleep(&mut self, time: Duration) -> Result<()> {
        interrupted::sleep(&self.backend.interrupts, time)
    }

    fn interrupt(&mut self, pid: i32, terminate: bool) -> bool {
        Core::interrupt(self, pid, terminate)
    }

    fn fence(&mut self) -> Result<()> {
        Core::fence(self)
    }

    fn definition(&self, what: Definition) -> Result<Option<String>> {
        Core::definition(self, what)
    }
}
