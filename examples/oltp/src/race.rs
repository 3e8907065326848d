//! Sessions that race: each has a connection and a thread, and nobody says who goes next.
//!
//! What a run shows is up to the server and the machine, so that a seed says which transactions there are and not how
//! they meet. Afterwards the assertions are checked as in any run: on the final state, read serializably, and as a new
//! session of the level sees it.

use std::time::{Duration, Instant};

use hobgoblin_core::Rng;

use crate::benchmark::Benchmark;
use crate::client::Client;
use crate::connection::Connection;
use crate::error::Error;
use crate::run::{Ends, corrupt, one_transaction, renew, seen};
use crate::schedule::alone;
use crate::target::Target;

/// How a race is run.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// The level of the sessions, as SQL names it; `None` for the server's.
    pub level: Option<&'static str>,
    /// How many sessions there are.
    pub sessions: u32,
    /// How long they begin transactions.
    pub time: Duration,
    /// How many transactions each begins at most.
    pub transactions: u32,
    /// How long a session waits before each statement.
    pub think: Duration,
    /// Whether reads that OLTP-Bench marks FOR UPDATE are.
    pub for_update: bool,
    /// The seed of the transactions.
    pub seed: u64,
}

/// What a race showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raced {
    /// By assertion, whether the final state breaks it.
    pub corrupt: Vec<bool>,
    /// Whether a new session of the level sees it broken in one of its tries.
    pub seen: Vec<bool>,
    /// How the transactions ended.
    pub ends: Ends,
}

/// Makes the tables anew at a server, races, and checks.
pub fn race(benchmark: &Benchmark, target: &Target, race: &Race) -> Result<Raced, Error> {
    let mut judge = target.connect()?;
    renew(benchmark, &mut *judge)?;
    let connect = || {
        let mut client = target.connect()?;
        if let Some(level) = race.level {
            client.batch(&client.dialect().set_level(level))?;
        }
        Ok(client)
    };
    // They connect in their order, so that a replay knows who is who.
    let clients: Vec<_> = (0..race.sessions).map(|_| connect()).collect::<Result<_, Error>>()?;
    let mut seeds = Rng::new(race.seed);
    let until = Instant::now() + race.time;
    let ends = std::thread::scope(|scope| {
        let start = |client| {
            let rng = Rng::new(seeds.next_u64());
            scope.spawn(move || session(benchmark, race, client, rng, until))
        };
        let sessions: Vec<_> = clients.into_iter().map(start).collect();
        let end = |session: std::thread::ScopedJoinHandle<'_, Result<Ends, Error>>| {
            session.join().unwrap_or_else(|_| Err(Error::Broken("a session panicked".to_owned())))
        };
        sessions.into_iter().map(end).sum::<Result<Ends, Error>>()
    })?;
    let corrupt = corrupt(benchmark.assertions, &mut *judge)?;
    let seen = seen(benchmark.assertions, &mut *connect()?)?;
    Ok(Raced { corrupt, seen, ends })
}

fn session(
    benchmark: &Benchmark,
    race: &Race,
    client: Box<dyn Client + Send>,
    mut rng: Rng,
    until: Instant,
) -> Result<Ends, Error> {
    let mut db = Connection::new(client);
    db.think = race.think;
    db.for_update = race.for_update;
    let mut ends = Ends::default();
    for _ in 0..race.transactions {
        if Instant::now() >= until {
            break;
        }
        alone(Box::pin(one_transaction(benchmark, &mut db, &mut rng, &mut ends)))?;
    }
    ends.statements = db.statements;
    Ok(ends)
}
