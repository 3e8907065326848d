//! The sessions of a server and their transactions, as others see them: SHOW PROCESSLIST, INNODB_TRX and its kin.
//!
//! A session writes down what it does; whether it waits, and for whom, is asked of the store whenever somebody looks.

use std::time::{Duration, Instant};

use hobgoblin_core::{SessionId, Value};
use hobgoblin_front::{Answer, LockWait, Request};
use hobgoblin_sql_mysql_types::temporal::{Moment, from_utc};

use super::activity::{AtWork, Stage};
use super::choices::isolation_of;
use super::core::{Core, EPOCH};
use crate::catalog::information::{OpenTransaction, Process, RowWait};

/// Microseconds of a time that has passed.
fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

impl Core {
    /// The transaction has come to a table, from where on others see it.
    pub(super) fn note_at_work(&mut self) {
        if std::mem::replace(&mut self.transaction.shown, true) {
            return;
        }
        let usual = self.shared.usual_level(self.choices.isolation);
        let transaction = AtWork {
            since: Instant::now(),
            isolation: isolation_of(self.transaction.level.unwrap_or(usual)),
            read_only: self.transaction.read_only,
            lone_read: self.transaction.lone_read,
            checks_references: self.choices.checks_references,
        };
        self.backend.update(|activity| activity.transaction = Some(transaction));
    }

    /// The sessions, each with what it does.
    pub(super) fn all_processes(&self) -> Vec<Process> {
        let waits = self.store.lock_waits();
        let wait = |session: SessionId| waits.iter().find(|wait| wait.session == session);
        let all = self.shared.backends.all().into_iter();
        let processes = all.map(|(number, backend)| {
            let activity = backend.activity();
            let state = match (&activity.statement, wait(backend.session)) {
                (None, _) => "",
                (Some(_), Some(LockWait { key: None, .. }))
                    if activity.stage != Stage::TakingName =>
                {
                    "Waiting for table metadata lock"
                }
                (Some(_), _) => activity.stage.words(),
            };
            Process {
                id: number.unsigned_abs(),
                user: activity.user,
                host: if activity.host.is_empty() { "localhost".to_owned() } else { activity.host },
                database: activity.database,
                seconds: i64::try_from(activity.since.elapsed().as_secs()).unwrap_or(i64::MAX),
                state,
                statement: activity.statement,
            }
        });
        processes.collect()
    }

    /// The transactions that have come to a table, the newest first.
    pub(super) fn all_transactions(&self) -> Vec<OpenTransaction> {
        let waits = self.store.lock_waits();
        let all = self.shared.backends.all();
        let numbers: Vec<Option<u32>> = self.store.with_machine(|machine| {
            all.iter().map(|(_, backend)| machine.transaction_number(backend.session)).collect()
        });
        let number_of = |session: SessionId| {
            let at = all.iter().position(|(_, backend)| backend.session == session)?;
            numbers[at]
        };
        let mut shown = Vec::new();
        for ((connection, backend), number) in all.iter().zip(&numbers) {
            let activity = backend.activity();
            let (Some(transaction), Some(number)) = (activity.transaction, *number) else {
                continue;
            };
            let wait = waits.iter().find(|wait| wait.session == backend.session);
            let wait = wait.and_then(|wait| {
                let key = wait.key.as_ref()?;
                let blocker = |session: &SessionId| {
                    Some((number_of(*session)?, key.sharers.contains(session)))
                };
                Some(RowWait {
                    since: self.moment_of(wait.since),
                    key: key.key.to_string(),
                    shared: key.shared,
                    gap: key.gap,
                    inserts: activity.stage == Stage::Inserting,
                    blockers: wait.blockers.iter().filter_map(blocker).collect(),
                })
            });
            shown.push(OpenTransaction {
                number,
                connection: connection.unsigned_abs(),
                started: self.moment_of(transaction.since),
                wait,
                statement: activity.statement,
                isolation: transaction.isolation,
                read_only: transaction.read_only,
                lone_read: transaction.lone_read,
                checks_references: transaction.checks_references,
            });
        }
        shown.sort_by_key(|transaction| std::cmp::Reverse(transaction.number));
        shown
    }

    /// What a clock of the session's zone showed then.
    fn moment_of(&self, then: Instant) -> Moment {
        // The clock is asked once, so that what was at one time is told as one time.
        let began = *self.shared.began.get_or_init(|| {
            let now = match self.store.request(self.id, Request::CLOCK) {
                Ok(Answer::Value(Value::Int(time))) => time - EPOCH,
                _ => 0,
            };
            now - micros(self.shared.started.elapsed())
        });
        let utc = began + micros(then.saturating_duration_since(self.shared.started));
        let utc = Moment::of_number(utc - utc.rem_euclid(1_000_000)).unwrap_or_default();
        from_utc(utc, &self.settings.zone)
    }
}
