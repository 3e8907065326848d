//! How fast a benchmark runs: in this process, or over connections from a thread each.

use std::time::{Duration, Instant};

use hobgoblin_core::Rng;
use hobgoblin_front::Config;

use crate::benchmark::Benchmark;
use crate::client::Client;
use crate::connection::Connection;
use crate::error::Error;
use crate::local::Local;
use crate::run::{Ends, Plan, load, open, session, work};
use crate::schedule::alone;
use crate::target::Target;

/// What was measured.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// How the transactions ended.
    pub ends: Ends,
    /// How long they took, without the load.
    pub took: Duration,
}

impl Speed {
    /// Statements in a second.
    pub fn statements(&self) -> f64 {
        self.ends.statements as f64 / self.took.as_secs_f64()
    }

    /// Committed transactions in a second.
    pub fn transactions(&self) -> f64 {
        self.ends.committed as f64 / self.took.as_secs_f64()
    }
}

/// Measures sessions in this process, interleaved on one thread.
pub fn local(benchmark: &Benchmark, plan: &Plan, config: Config) -> Result<Speed, Error> {
    let database = open(config)?;
    load(benchmark, &mut Local::new(&database)?)?;
    database.store().fence().map_err(|error| Error::Broken(error.to_string()))?;
    let connect = |_| Ok(Box::new(Local::new(&database)?) as Box<dyn Client>);
    let clients = (0..plan.sessions).map(connect).collect::<Result<Vec<_>, Error>>()?;
    let start = Instant::now();
    let ends = work(benchmark, plan, clients)?;
    Ok(Speed { ends, took: start.elapsed() })
}

/// Measures sessions that have a connection and a thread each; the tables must be there. What the database
/// refuses is tried again.
pub fn remote(benchmark: &Benchmark, plan: &Plan, target: &Target) -> Result<Speed, Error> {
    let count = plan.transactions.unwrap_or(benchmark.transactions);
    let start = Instant::now();
    let one = |number: u32| -> Result<Ends, Error> {
        let mut db = Connection::new(target.connect()?);
        db.for_update = plan.for_update;
        db.retries = 10;
        let mut rng = Rng::new(plan.seed.wrapping_add(u64::from(number)));
        let mut ends = Ends::default();
        alone(Box::pin(session(benchmark, &mut db, &mut rng, count, &mut ends)))?;
        Ok(ends)
    };
    let all = std::thread::scope(|scope| {
        let one = &one;
        let threads: Vec<_> =
            (0..plan.sessions).map(|number| scope.spawn(move || one(number))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<Ends, Error>>| {
            thread.join().unwrap_or_else(|_| Err(Error::Broken("a session panicked".to_owned())))
        };
        threads.into_iter().map(join).collect::<Result<Vec<Ends>, Error>>()
    })?;
    let took = start.elapsed();
    Ok(Speed { ends: all.into_iter().sum(), took })
}
