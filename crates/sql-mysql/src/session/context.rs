//! The session as functions see it.

use std::time::Duration;

use hobgoblin_core::Value;
use hobgoblin_front::{Answer, Request};
use hobgoblin_sql_schema::catalog::{Catalog, Definition};
use hobgoblin_sql_schema::context::{Advisory, Clock, Context, NameLock, SequenceOp};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError};

use super::activity::Stage;
use super::core::Core;

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
        match self.request(Request::RANDOM)? {
            // 63 bits come; the lowest is the only one that repeats.
            Answer::Value(Value::Int(bits)) => Ok((bits as u64) << 1 | (bits as u64 & 1)),
            _ => Ok(0),
        }
    }

    fn sequence(&mut self, op: SequenceOp) -> Result<i64> {
        Core::sequence(self, op)
    }

    fn advisory(&mut self, _op: Advisory) -> Result<bool> {
        Err(SqlError::unsupported("advisory locks by number"))
    }

    fn name_lock(&mut self, op: NameLock<'_>) -> Result<Option<i64>> {
        Core::name_lock(self, op)
    }

    fn setting(&self, name: &str) -> Option<String> {
        match name {
            "version" => self.variables.shown("version", &self.present()),
            "last_insert_id" => Some(self.counts.last_insert_id.to_string()),
            "row_count" => Some(self.counts.row_count.to_string()),
            "found_rows" => Some(self.counts.found_rows.to_string()),
            name => self.variables.raw(name, &self.present()),
        }
    }

    fn set_setting(&mut self, name: &str, value: Option<&str>, _local: bool) -> Result<String> {
        let value = value.unwrap_or_default();
        if name == "last_insert_id" {
            let id = value.parse().unwrap_or(0);
            self.counts.last_insert_id = id;
            self.counts.named = Some(id);
        }
        Ok(value.to_owned())
    }

    fn user(&self) -> &str {
        &self.user
    }

    fn database(&self) -> &str {
        self.database.as_deref().unwrap_or_default()
    }

    fn backend_pid(&self) -> i32 {
        i32::try_from(self.number).unwrap_or(i32::MAX)
    }

    fn blocking_pids(&self, _pid: i32) -> Vec<i32> {
        Vec::new()
    }

    fn transaction_number(&mut self) -> Result<i64> {
        let number = self.store.with_machine(|machine| machine.transaction_number(self.id));
        Ok(i64::from(number.unwrap_or(0)))
    }

    fn notify(&mut self, _channel: &str, _payload: &str) -> Result<()> {
        Err(SqlError::unsupported("notifications"))
    }

    fn channels(&self) -> Vec<String> {
        Vec::new()
    }

    fn unread(&self) -> usize {
        0
    }

    fn fence(&mut self) -> Result<()> {
        self.store.fence().map_err(|error| SqlError::internal(error.to_string()))
    }

    fn check_interrupts(&self) -> Result<()> {
        Core::check_interrupts(self)
    }

    fn sleep(&mut self, time: Duration) -> Result<()> {
        let before = self.backend.activity().stage;
        self.backend.update(|activity| activity.stage = Stage::Sleeping);
        self.backend.interrupts.sleep(time);
        self.backend.update(|activity| activity.stage = before);
        Core::check_interrupts(self)
    }

    fn interrupt(&mut self, _pid: i32, _terminate: bool) -> bool {
        false
    }

    fn definition(&self, _what: Definition) -> Result<Option<String>> {
        Ok(None)
    }
}
