//! Sequences: counters of the store, which belong to no transaction, and what a session has had from them.

use hobgoblin_core::{Key, Value};
use hobgoblin_front::{Answer, Request};

use super::core::Core;
use crate::error::{Result, SqlError, SqlState};
use hobgoblin_sql_schema::context::SequenceOp;

/// Where the value is kept with which a sequence has not been called.
pub(super) fn uncalled_key(sequence: &crate::catalog::Sequence) -> Key {
    Key::from(format!("{} uncalled", sequence.prefix))
}

impl Core {
    pub(crate) fn sequence(&mut self, op: SequenceOp) -> Result<i64> {
        let oid = match op {
            SequenceOp::Next(oid)
            | SequenceOp::Current(oid)
            | SequenceOp::Coming(oid)
            | SequenceOp::Uncalled(oid)
            | SequenceOp::Set(oid, ..) => oid,
            SequenceOp::Last => {
                return self.last.ok_or_else(|| {
                    SqlError::new(
                        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "lastval is not yet defined in this session",
                    )
                });
            }
        };
        if matches!(op, SequenceOp::Next(_) | SequenceOp::Current(_) | SequenceOp::Set(..)) {
            self.lock_sequence(oid)?;
        }
        let Some(sequence) = self.catalog_ref().sequence(oid).cloned() else {
            let text = format!("could not open relation with OID {oid}");
            return Err(SqlError::new(SqlState::UNDEFINED_TABLE, text));
        };
        let key = Key::from(&*sequence.prefix);
        match op {
            SequenceOp::Next(_) => {
                let by = sequence.increment;
                let value = match self.request(Request::advance(key.clone(), by))? {
                    Answer::Value(Value::Int(value)) => value,
                    _ => sequence.start,
                };
                let ascending = by > 0;
                let beyond = if ascending { value > sequence.max } else { value < sequence.min };
                let value = match (beyond, sequence.cycle) {
                    (false, _) => value,
                    (true, true) => {
                        let first = if ascending { sequence.min } else { sequence.max };
                        let next = first.saturating_add(by);
                        self.request(Request::set_counter(key, next))?;
                        first
                    }
                    (true, false) => {
                        self.request(Request::set_counter(key, value))?;
                        let (which, limit) = match ascending {
                            true => ("maximum", sequence.max),
                            false => ("minimum", sequence.min),
                        };
                        let text = format!(
                            "nextval: reached {which} value of sequence \"{}\" ({limit})",
                            sequence.name
                        );
                        return Err(SqlError::new(SqlState::SEQUENCE_LIMIT_EXCEEDED, text));
                    }
                };
                self.current.insert(oid, value);
                self.last = Some(value);
                Ok(value)
            }
            SequenceOp::Current(_) => self.current.get(&oid).copied().ok_or_else(|| {
                let text = format!(
                    "currval of sequence \"{}\" is not yet defined in this session",
                    sequence.name
                );
                SqlError::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, text)
            }),
            SequenceOp::Set(_, value, called) => {
                if value < sequence.min || value > sequence.max {
                    let text = format!(
                        "setval: value {value} is out of bounds for sequence \"{}\" ({}..{})",
                        sequence.name, sequence.min, sequence.max
                    );
                    return Err(SqlError::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, text));
                }
                let next = if called { value.saturating_add(sequence.increment) } else { value };
                self.request(Request::set_counter(key, next))?;
                // What comes next after a value that was given is another one.
                self.request(Request::set_counter(uncalled_key(&sequence), value))?;
                if called {
                    self.current.insert(oid, value);
                    self.last = Some(value);
                }
                Ok(value)
            }
            SequenceOp::Coming(_) | SequenceOp::Uncalled(_) => {
                let key = match op {
                    SequenceOp::Uncalled(_) => uncalled_key(&sequence),
                    _ => key,
                };
                match self.request(Request::advance(key, 0))? {
                    Answer::Value(Value::Int(value)) => Ok(value),
                    _ => Ok(sequence.start),
                }
            }
            SequenceOp::Last => Ok(0),
        }
    }

    /// Forgets what `currval` and `lastval` know.
    pub(crate) fn discard_sequences(&mut self) {
        self.current.clear();
        self.last = None;
    }
}
