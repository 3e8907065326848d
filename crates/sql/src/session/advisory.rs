//! Advisory locks: locks of the store on keys of their own, so that waits for them are in its log and
//! deadlocks with row locks are found.
//!
//! Those of a transaction are locks that a read takes; where the store has none, and for those of a session,
//! it is the session that holds them.

use hobgoblin_core::{Key, Value};
use hobgoblin_front::{Answer, Lock, Request, Wait};

use super::core::Core;
use crate::error::{Result, Severity, SqlError, SqlState};
use crate::functions::Advisory;

pub(crate) fn perform(core: &mut Core, op: Advisory) -> Result<bool> {
    match op {
        Advisory::Lock { key: number, shared, wait, transaction } => {
            let (key, lock) = (key(core, number), strength(shared));
            let wait = if wait { Wait::Forever } else { Wait::Not };
            let request = match transaction && core.is_engine() {
                true => Request::Get { key, policy: None, lock: Some(lock), wait, latest: true },
                false => Request::Hold { key, lock, wait },
            };
            let got = !matches!(core.ask(request)?, Answer::Locked { .. });
            if got && transaction && !core.is_engine() {
                core.transaction.advisory.push((number, shared));
            }
            Ok(got)
        }
        Advisory::Unlock { key, shared } => {
            let held = unlock(core, key, shared)?;
            if !held {
                let kind = if shared { "ShareLock" } else { "ExclusiveLock" };
                let text = format!("you don't own a lock of type {kind}");
                core.notice(SqlError::new(SqlState::WARNING, text).severity(Severity::Warning));
            }
            Ok(held)
        }
        Advisory::UnlockAll => {
            core.request(Request::LetGoAll)?;
            Ok(true)
        }
    }
}

/// Lets a lock of the session go; whether it held it.
pub(super) fn unlock(core: &mut Core, number: i64, shared: bool) -> Result<bool> {
    let (key, lock) = (key(core, number), strength(shared));
    Ok(core.request(Request::LetGo { key, lock })? == Answer::Value(Value::Bool(true)))
}

/// Each database has locks of its own.
fn key(core: &Core, number: i64) -> Key {
    Key::from(format!("{}advisory lock {number}", core.catalog_ref().keys))
}

fn strength(shared: bool) -> Lock {
    if shared { Lock::Share } else { Lock::Update }
}
