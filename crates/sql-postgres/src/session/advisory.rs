//! Advisory locks: locks of the store on objects of their own, so that waits for them are in its log and
//! deadlocks with row locks are found.

use hobgoblin_core::{Key, Value};
use hobgoblin_front::{Answer, Mode, Request, Scope, Wait};

use super::core::Core;
use crate::error::{Result, Severity, SqlError, SqlState};
use hobgoblin_sql_schema::context::{Advisory, AdvisoryKey};

impl Core {
    /// Takes or lets go an advisory lock.
    pub(crate) fn advisory(&mut self, op: Advisory) -> Result<bool> {
        match op {
            Advisory::Lock { key: number, shared, wait, transaction } => {
                let (object, mode) = (object(self, number), mode(shared));
                let wait = if wait { Wait::Forever } else { Wait::Not };
                let scope = if transaction { Scope::Transaction } else { Scope::Session };
                let answer = self.ask(Request::hold(object, mode, scope, wait))?;
                Ok(!matches!(answer, Answer::Locked { .. }))
            }
            Advisory::Unlock { key, shared } => {
                let (object, mode) = (object(self, key), mode(shared));
                let answer = self.request(Request::let_go(object, mode))?;
                let held = answer == Answer::Value(Value::Bool(true));
                if !held {
                    let kind = if shared { "ShareLock" } else { "ExclusiveLock" };
                    let text = format!("you don't own a lock of type {kind}");
                    self.notice(SqlError::new(SqlState::WARNING, text).severity(Severity::Warning));
                }
                Ok(held)
            }
            Advisory::UnlockAll => {
                self.request(Request::LET_GO_ALL)?;
                Ok(true)
            }
        }
    }
}

/// Each database has locks of its own.
fn object(core: &Core, key: AdvisoryKey) -> Key {
    let keys = &core.catalog_ref().keys;
    Key::from(match key {
        AdvisoryKey::One(number) => format!("{keys}advisory lock {number}"),
        AdvisoryKey::Two(first, second) => format!("{keys}advisory lock {first},{second}"),
    })
}

/// The lock of an object's name, without what comes before the key.
pub(super) fn read_key(text: &str) -> Option<AdvisoryKey> {
    Some(match text.split_once(',') {
        None => AdvisoryKey::One(text.parse().ok()?),
        Some((first, second)) => AdvisoryKey::Two(first.parse().ok()?, second.parse().ok()?),
    })
}

fn mode(shared: bool) -> Mode {
    if shared { Mode::Share } else { Mode::Exclusive }
}
