//! Advisory locks.
//!
//! Those of a transaction are locks of the store on a key of their own, so that deadlocks with row locks
//! are found. Those of a session outlive transactions and are kept beside the store.

use hobgoblin_core::Key;
use hobgoblin_front::{Answer, Lock, Request, Wait};

use super::core::Core;
use crate::error::{Result, Severity, SqlError, SqlState};
use crate::functions::Advisory;

pub(crate) fn perform(core: &mut Core, op: Advisory) -> Result<bool> {
    match op {
        Advisory::Lock { key, shared, wait, transaction } => {
            if transaction && core.is_engine() {
                let lock = Some(if shared { Lock::Share } else { Lock::Update });
                let wait = if wait { Wait::Forever } else { Wait::Not };
                let key = Key::from(format!("advisory lock {key}"));
                let answer =
                    core.ask(Request::Get { key, policy: None, lock, wait, latest: true })?;
                return Ok(!matches!(answer, Answer::Locked { .. }));
            }
            let cancel = std::sync::Arc::clone(&core.cancel);
            let cancelled = move || cancel.load(std::sync::atomic::Ordering::Relaxed);
            let got = core.shared.lock_advisory(core.pid, key, shared, wait, &cancelled)?;
            if got && transaction {
                core.transaction.advisory.push((key, shared));
            }
            Ok(got)
        }
        Advisory::Unlock { key, shared } => {
            let held = core.shared.unlock_advisory(core.pid, key, shared);
            if !held {
                let kind = if shared { "ShareLock" } else { "ExclusiveLock" };
                let text = format!("you don't own a lock of type {kind}");
                core.notice(SqlError::new(SqlState::WARNING, text).severity(Severity::Warning));
            }
            Ok(held)
        }
        Advisory::UnlockAll => {
            core.shared.unlock_all(core.pid);
            Ok(true)
        }
    }
}
