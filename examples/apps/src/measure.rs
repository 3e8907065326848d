//! How many iterations until an assertion fails.

use hobgoblin::Store;
use hobgoblin::store::Config;

use crate::schedule::Schedule;
use crate::session::{Granularity, Local, Session, Stop};
use crate::{App, Seen};

/// Runs one iteration on a fresh store in this process. The store's level and policy are the
/// configuration's, its data the application's, and its seed also that of the schedule.
pub fn iteration(
    app: &App,
    config: &Config,
    granularity: Granularity,
    seed: u64,
) -> Result<Seen, Stop> {
    let config = config.clone().seed(seed).initial_values((app.initial)());
    let store = Store::new(config).map_err(|error| Stop::Failed(error.to_string()))?;
    let session = |_| Ok(Session::new(Local::new(&store)?, granularity));
    let sessions = (0..app.sessions).map(session).collect::<Result<Vec<_>, Stop>>()?;
    (app.run)(&sessions, &mut Schedule::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// How often an assertion failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// How many iterations were run.
    pub iterations: u64,
    /// Those in which the assertion failed.
    pub failures: u64,
}

impl Count {
    /// The average number of iterations to a failure.
    pub fn average(&self) -> f64 {
        self.iterations as f64 / self.failures as f64
    }
}

/// Runs iterations until this many failed, and at most so many in all.
pub fn count(
    app: &App,
    config: &Config,
    granularity: Granularity,
    failures: u64,
    most: u64,
) -> Result<Count, Stop> {
    let mut count = Count { iterations: 0, failures: 0 };
    while count.failures < failures && count.iterations < most {
        let seen = iteration(app, config, granularity, count.iterations)?;
        count.iterations += 1;
        count.failures += u64::from(seen.violated);
    }
    Ok(count)
}
