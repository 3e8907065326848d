//! AUTO_INCREMENT: counters of the store, which belong to no transaction.

use hobgoblin_core::{Key, Value};
use hobgoblin_front::{Answer, Request};
use hobgoblin_sql_mysql_types::error;
use hobgoblin_sql_schema::context::SequenceOp;
use hobgoblin_sql_schema::{Problem, Result, SqlError};

use super::core::Core;

impl Core {
    pub(crate) fn sequence(&mut self, op: SequenceOp) -> Result<i64> {
        let oid = match op {
            SequenceOp::Next(oid)
            | SequenceOp::Current(oid)
            | SequenceOp::Coming(oid)
            | SequenceOp::Uncalled(oid)
            | SequenceOp::Set(oid, ..) => oid,
            SequenceOp::Last => return Err(SqlError::unsupported("sequences")),
        };
        let Some(sequence) = self.catalog_ref().sequence(oid).cloned() else {
            return Err(Problem::RelationGone(oid).into());
        };
        let key = Key::from(&*sequence.prefix);
        let advanced = |core: &mut Core, by| match core.request(Request::advance(key.clone(), by)) {
            Ok(Answer::Value(Value::Int(value))) => Ok(value),
            Ok(_) => Ok(sequence.start),
            Err(error) => Err(error),
        };
        match op {
            SequenceOp::Next(_) => {
                // SET insert_id says the number, once.
                if let Some(id) = self.variables.take_insert_id() {
                    let id = i64::try_from(id).unwrap_or(i64::MAX);
                    self.counts.given.get_or_insert(id.unsigned_abs());
                    return self.sequence(SequenceOp::Set(oid, id, true));
                }
                let (step, offset) = self.variables.effects().auto_increment;
                let value = match (i64::try_from(step), i64::try_from(offset)) {
                    (Ok(step @ 2..), Ok(offset)) => {
                        // The first number from the counter on that is the offset and some steps; an offset beyond the
                        // first step does not count.
                        let offset = if offset > step { 0 } else { offset };
                        let mut value = advanced(self, 1)?;
                        while (value - offset) % step != 0 {
                            value = advanced(self, 1)?;
                        }
                        advanced(self, step - 1)?;
                        value
                    }
                    _ => advanced(self, sequence.increment)?,
                };
                if value > sequence.max {
                    self.request(Request::set_counter(key.clone(), value))?;
                    let text = "Failed to read auto-increment value from storage engine";
                    return Err(error::error(1467, text));
                }
                if let Ok(id) = u64::try_from(value) {
                    self.counts.given.get_or_insert(id);
                }
                Ok(value)
            }
            // Whoever brings a number of their own raises the counter.
            SequenceOp::Set(_, value, called) => {
                let next = if called { value.saturating_add(sequence.increment) } else { value };
                if next > advanced(self, 0)? {
                    self.request(Request::set_counter(key.clone(), next))?;
                }
                Ok(value)
            }
            SequenceOp::Current(_)
            | SequenceOp::Coming(_)
            | SequenceOp::Uncalled(_)
            | SequenceOp::Last => advanced(self, 0),
        }
    }
}
