//! What the applications are made of: where each breaks, how its clients run, and what they came to.

use std::cell::RefCell;

use hobgoblin::{Key, Level, Value};

use crate::schedule::Schedule;
use crate::session::{Session, Stop};
use crate::{App, Seen};

/// An application, and where it breaks.
#[derive(Clone, Copy, Debug)]
pub struct Everyday {
    /// How it is run, and what it asserts.
    pub app: App,
    /// The levels at which its assertion can fail.
    pub breaks: &'static [Level],
    /// Whether clients give up unless they see their own earlier writes.
    pub guarded: bool,
}

/// A lost update is enough.
pub(super) const LOST_UPDATE: &[Level] = &[Level::RC, Level::RA, Level::CC, Level::PC];

/// A write skew is enough.
pub(super) const WRITE_SKEW: &[Level] =
    &[Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI];

/// What somebody saw is not seen by who saw its effect.
pub(super) const NO_CAUSES: &[Level] = &[Level::RC, Level::RA];

/// Two saw independent writes in opposite orders.
pub(super) const LONG_FORK: &[Level] = &[Level::RC, Level::RA, Level::CC, Level::PSI];

/// Runs one client in each session, to their ends; what each came to, in the order of the sessions.
pub(super) fn clients<T: Clone + Default>(
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
pub(super) fn numbers<const N: usize>(pairs: [(&str, i64); N]) -> Vec<(Key, Value)> {
    pairs.into_iter().map(|(key, number)| (Key::from(key), Value::Int(number))).collect()
}

/// What clients that each did something or not came to.
pub(super) fn at_most<T: Clone + Into<i64>>(
    most: i64,
    done: &[T],
    what: &str,
) -> Result<Seen, Stop> {
    let total: i64 = done.iter().cloned().map(Into::into).sum();
    Ok(Seen { told: format!("{total} {what}, {most} are right"), violated: total > most })
}

/// Whether an assertion over what was seen failed.
pub(super) fn never(violated: bool, told: String) -> Result<Seen, Stop> {
    Ok(Seen { told, violated })
}
