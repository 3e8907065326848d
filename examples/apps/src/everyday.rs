//! Applications of every day, unlike those of the paper: what is found on them nothing was fitted to.
//!
//! The constants of [`Policy::Adverse`](hobgoblin::Policy) were chosen on the applications of [`APPS`](crate::APPS).
//! Whether a policy is good in general shows elsewhere, and these are elsewhere: they check before they
//! insert, reserve, count in shards, answer what they read, log in and out. Some are *plain*: their bug is one
//! or two stale reads away. Some are *guarded*: a client gives up unless it sees its own earlier writes, and so
//! a store that forgets them too often never gets to the bug.
//!
//! Each is a fixed program as those of the paper are, with one more thing known: the levels at which its
//! assertion can fail. [`contest`](mod@crate::contest) compares policies on them.

mod causes;
mod claims;
mod guarded;
mod limits;
mod money;

use std::cell::RefCell;

use hobgoblin::{Key, Level, Value};

use crate::schedule::Schedule;
use crate::session::{Session, Stop};
use crate::{App, Seen};

/// An application, and where it breaks.
#[derive(Clone, Copy, Debug)]
pub struct Everyday {
    /// The application.
    pub app: App,
    /// The levels at which its assertion can fail.
    pub breaks: &'static [Level],
    /// Whether clients give up unless they see their own earlier writes.
    pub guarded: bool,
}

/// Every application of every day.
pub const EVERYDAY: [Everyday; 19] = [
    claims::SIGN_UP,
    claims::PAYMENT,
    claims::QUEUE,
    limits::RESERVATION,
    limits::SHARDS,
    limits::QUOTA,
    limits::ON_CALL,
    causes::REPLY,
    causes::BLOCKED,
    causes::LOGOUT,
    causes::SCOREBOARD,
    money::AUDIT,
    money::PENALTY,
    guarded::LEASE,
    guarded::WIZARD,
    guarded::CHAT,
    guarded::UPLOAD,
    guarded::PASSWORD,
    guarded::HANDOVER,
];

/// A lost update is enough.
const LOST_UPDATE: &[Level] = &[Level::RC, Level::RA, Level::CC, Level::PC];

/// A write skew is enough.
const WRITE_SKEW: &[Level] = &[Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI];

/// What somebody saw is not seen by who saw its effect.
const NO_CAUSES: &[Level] = &[Level::RC, Level::RA];

/// Two saw independent writes in opposite orders.
const LONG_FORK: &[Level] = &[Level::RC, Level::RA, Level::CC, Level::PSI];

/// Runs one client in each session, to their ends; what each came to, in the order of the sessions.
fn clients<T: Clone + Default>(
    sessions: &[Session],
    schedule: &mut Schedule,
    client: impl AsyncFn(usize, &Session) -> Result<T, Stop>,
) -> Result<Vec<T>, Stop> {
    let ends = RefCell::new(vec![T::default(); sessions.len()]);
    let one = async |number: usize| {
        let end = client(number, &sessions[number]).await?;
        ends.borrow_mut()[number] = end;
        Ok(())
    };
    schedule.run((0..sessions.len()).map(|number| Box::pin(one(number)) as _).collect())?;
    Ok(ends.into_inner())
}

/// Keys with numbers, as data to begin with.
fn numbers<const N: usize>(pairs: [(&str, i64); N]) -> Vec<(Key, Value)> {
    pairs.into_iter().map(|(key, number)| (Key::from(key), Value::Int(number))).collect()
}

/// What clients that each did something or not came to.
fn at_most<T: Clone + Into<i64>>(most: i64, done: &[T], what: &str) -> Result<Seen, Stop> {
    let total: i64 = done.iter().cloned().map(Into::into).sum();
    Ok(Seen { told: format!("{total} {what}, {most} are right"), violated: total > most })
}

/// Whether an assertion over what was seen failed.
fn never(violated: bool, told: String) -> Result<Seen, Stop> {
    Ok(Seen { told, violated })
}
