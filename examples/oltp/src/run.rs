//! One run: load, sessions, assertions.

use hobgoblin_core::{Level, Rng};
use hobgoblin_front::{Config, Policy, Store};
use hobgoblin_sql::session::Database;

use crate::benchmark::{Assertion, Benchmark};
use crate::client::Client;
use crate::connection::Connection;
use crate::error::Error;
use crate::local::Local;
use crate::schedule::{Going, Schedule};

/// How often a weak read of the final state is tried for each assertion, as MonkeyDB's checker did.
pub const TRIES: u32 = 5;

/// How a run is done.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The level of the sessions.
    pub level: Level,
    /// How many sessions there are.
    pub sessions: u32,
    /// How many transactions each runs; `None` for what the benchmark says.
    pub transactions: Option<u32>,
    /// Whether transactions overlap at the boundaries of statements, or run one after another.
    pub overlap: bool,
    /// Whether reads that OLTP-Bench marks FOR UPDATE are.
    pub for_update: bool,
    /// How reads of the sessions choose; `None` for what the benchmark says.
    pub policy: Option<Policy>,
    /// How reads of the weak checker choose.
    pub checker: Policy,
    /// The seed of the store, the schedule, and the transactions.
    pub seed: u64,
}

impl Plan {
    /// A run at a level: transactions overlap, FOR UPDATE is sent.
    pub fn new(level: Level, sessions: u32, seed: u64) -> Plan {
        Plan {
            level,
            sessions,
            transactions: None,
            overlap: true,
            for_update: true,
            policy: None,
            checker: Policy::Uniform,
            seed,
        }
    }
}

/// How the transactions of a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// How many transactions committed.
    pub committed: u64,
    /// The database refused them.
    pub refused: u64,
    /// The application rolled them back.
    pub rolled_back: u64,
    /// The statements they sent.
    pub statements: u64,
}

impl std::iter::Sum for Ends {
    fn sum<I: Iterator<Item = Ends>>(all: I) -> Ends {
        all.fold(Ends::default(), |a, b| Ends {
            committed: a.committed + b.committed,
            refused: a.refused + b.refused,
            rolled_back: a.rolled_back + b.rolled_back,
            statements: a.statements + b.statements,
        })
    }
}

/// What a run showed, by assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Whether the final state, read serializably, breaks it.
    pub corrupt: Vec<bool>,
    /// Whether a client of the level sees it broken in one of its tries.
    pub seen: Vec<bool>,
    /// How the transactions ended.
    pub ends: Ends,
}

/// Does a run on a fresh store in this process.
pub fn run(benchmark: &Benchmark, plan: &Plan) -> Result<Found, Error> {
    let config = Config::default()
        .level(plan.level)
        .policy(plan.policy.or(Some(benchmark.policy)))
        .seed(plan.seed)
        .history(false)
        .log(false);
    run_on(benchmark, plan, &open(config)?)
}

/// A database over a store of this configuration.
pub fn open(config: Config) -> Result<Database, Error> {
    let store = Store::new(config).map_err(|error| Error::Broken(error.to_string()))?;
    Ok(hobgoblin_sql::open(store, None))
}

/// Does a run on a database that is empty.
pub fn run_on(benchmark: &Benchmark, plan: &Plan, database: &Database) -> Result<Found, Error> {
    load(benchmark, &mut Local::new(database)?)?;
    database.store().fence().map_err(|error| Error::Broken(error.to_string()))?;
    let connect = |_| Ok(Box::new(Local::new(database)?) as Box<dyn Client>);
    let clients = (0..plan.sessions).map(connect).collect::<Result<Vec<_>, Error>>()?;
    let ends = work(benchmark, plan, clients)?;
    let corrupt = corrupt(benchmark.assertions, &mut Local::new(database)?)?;
    let mut checker = Local::new(database)?;
    checker.batch(&format!("SET hob.reads = '{}'", plan.checker))?;
    let seen = seen(benchmark.assertions, &mut checker)?;
    Ok(Found { corrupt, seen, ends })
}

/// Makes the tables and fills them.
pub fn load(benchmark: &Benchmark, client: &mut dyn Client) -> Result<(), Error> {
    client.batch(benchmark.schema)?;
    client.begin()?;
    (benchmark.load)(client)?;
    client.commit()
}

/// Makes the tables anew at a server, and fills them. All who connect later see them.
pub fn renew(benchmark: &Benchmark, client: &mut dyn Client) -> Result<(), Error> {
    let tables: Vec<&str> = benchmark.schema.split("CREATE TABLE ").skip(1).collect();
    // They come after those they refer to.
    for table in tables.iter().rev() {
        let name = table.split([' ', '(']).next().unwrap_or_default();
        client.batch(&format!("DROP TABLE IF EXISTS {name}"))?;
    }
    load(benchmark, client)?;
    match client.query("SELECT hob_fence()", &[]) {
        // Only ours has it, and no other needs it.
        Ok(_) | Err(Error::Statement { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Runs the sessions, one over each client, interleaved by the seed.
pub fn work(
    benchmark: &Benchmark,
    plan: &Plan,
    clients: Vec<Box<dyn Client>>,
) -> Result<Ends, Error> {
    let mut seeds = Rng::new(plan.seed);
    let mut schedule = Schedule::new(seeds.next_u64());
    let mut sessions: Vec<(Connection, Rng, Ends)> = clients
        .into_iter()
        .map(|client| {
            let mut connection = Connection::new(client);
            connection.overlap = plan.overlap;
            connection.for_update = plan.for_update;
            (connection, Rng::new(seeds.next_u64()), Ends::default())
        })
        .collect();
    let count = plan.transactions.unwrap_or(benchmark.transactions);
    let mut going: Vec<Going<'_, ()>> = Vec::with_capacity(sessions.len());
    for (db, rng, ends) in &mut sessions {
        going.push(Box::pin(session(benchmark, db, rng, count, ends)));
    }
    schedule.run(going)?;
    Ok(sessions.iter().map(|(_, _, ends)| *ends).sum())
}

/// Runs so many transactions and counts how they end.
pub(crate) async fn session(
    benchmark: &Benchmark,
    db: &mut Connection,
    rng: &mut Rng,
    count: u32,
    ends: &mut Ends,
) -> Result<(), Error> {
    for _ in 0..count {
        one_transaction(benchmark, db, rng, ends).await?;
    }
    ends.statements = db.statements;
    Ok(())
}

/// Runs one transaction and counts how it ends.
pub(crate) async fn one_transaction(
    benchmark: &Benchmark,
    db: &mut Connection,
    rng: &mut Rng,
    ends: &mut Ends,
) -> Result<(), Error> {
    match (benchmark.work)(db, rng).await {
        Ok(()) => ends.committed += 1,
        Err(Error::RolledBack(_)) => ends.rolled_back += 1,
        Err(error) if error.is_expected() => ends.refused += 1,
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Which assertions the final state breaks.
pub fn corrupt(assertions: &[Assertion], client: &mut dyn Client) -> Result<Vec<bool>, Error> {
    let broken = |assertion: &Assertion| {
        client.begin_serializable()?;
        let holds = (assertion.holds)(client)?;
        client.rollback()?;
        Ok(!holds)
    };
    assertions.iter().map(broken).collect()
}

/// Which assertions a client of the level sees broken.
pub fn seen(assertions: &[Assertion], client: &mut dyn Client) -> Result<Vec<bool>, Error> {
    let sees = |assertion: &Assertion| {
        for _ in 0..TRIES {
            client.begin()?;
            let holds = (assertion.holds)(client)?;
            client.rollback()?;
            if !holds {
                return Ok(true);
            }
        }
        Ok(false)
    };
    assertions.iter().map(sees).collect()
}
