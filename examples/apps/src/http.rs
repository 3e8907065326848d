//! One iteration against a store that `hob test` or `hob serve` started.

use std::process::ExitCode;

use hobgoblin::{Key, Value};
use hobgoblin_server::client::{self, Client, ClientError};

use crate::schedule::Schedule;
use crate::session::{Connection, Granularity, Session, Stop};
use crate::{App, Seen};

/// A connection over HTTP.
struct Http(client::Session);

fn stop(error: ClientError) -> Stop {
    if error.is_abort() { Stop::Refused } else { Stop::Failed(error.to_string()) }
}

impl Connection for Http {
    fn statement(&mut self, name: &str) -> Result<(), Stop> {
        self.0.statement(name).map_err(stop)
    }

    fn begin(&mut self) -> Result<(), Stop> {
        self.0.begin().map_err(stop)
    }

    fn get(&mut self, key: &Key) -> Result<Value, Stop> {
        let value = self.0.get(key).map_err(stop)?;
        serde_json::from_value(value).map_err(|error| Stop::Failed(error.to_string()))
    }

    fn put(&mut self, key: &Key, value: &Value) -> Result<(), Stop> {
        let value = serde_json::to_value(value);
        let value = value.map_err(|error| Stop::Failed(error.to_string()))?;
        self.0.put(key, value).map_err(stop)
    }

    fn commit(&mut self) -> Result<(), Stop> {
        self.0.commit().map_err(stop)
    }

    fn abort(&mut self) -> Result<(), Stop> {
        self.0.abort().map_err(stop)
    }
}

/// Runs an application once against the store at `HOB_HTTP_URL`, in the schedule of `HOB_SEED`. The data
/// is put first, and a fence after it, so that every session sees it. Tells what the clients saw; the
/// exit code is 1 when the assertion failed and 2 when something else did. With `--single` every get and
/// put is a transaction of its own.
pub fn main(app: &App) -> ExitCode {
    let single = std::env::args().skip(1).any(|arg| arg == "--single");
    let granularity = if single { Granularity::Single } else { Granularity::Operation };
    let seed = std::env::var("HOB_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    match run(app, granularity, seed) {
        Ok(seen) if seen.violated => {
            eprintln!("{}: {}", app.claim, seen.told);
            ExitCode::from(1)
        }
        Ok(seen) => {
            eprintln!("{}", seen.told);
            ExitCode::SUCCESS
        }
        Err(Stop::Refused) => {
            eprintln!("the store refused a single get or put; run again");
            ExitCode::from(2)
        }
        Err(Stop::Failed(problem)) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn run(app: &App, granularity: Granularity, seed: u64) -> Result<Seen, Stop> {
    let client = Client::from_env().map_err(stop)?;
    let connect = |name: &str| client.session_named(name).map_err(stop);
    let setup = Session::new(Http(connect("setup")?), Granularity::Operation);
    setup.operation("set up", |session| {
        (app.initial)().iter().try_for_each(|(key, value)| session.put_key(key, value))
    })?;
    client.fence().map_err(stop)?;
    let session = |number| {
        let connection = Http(connect(&format!("client-{number}"))?);
        Ok(Session::new(connection, granularity))
    };
    let sessions = (1..=app.sessions).map(session).collect::<Result<Vec<_>, Stop>>()?;
    (app.run)(&sessions, &mut Schedule::new(seed))
}
