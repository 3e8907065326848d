//! Runs a scenario on the mock store, and looks for a serial order that explains it.
//!
//! ```text
//!   scenario ──run──> observations, final state ──┐
//!                                                 ├── the same?  then the serial order explains it
//!   each order ──run serially──> the same ────────┘            none does: the anomaly is confirmed
//! ```
//!
//! What runs is the text of the file, by the parser and executor of the SQL front, so nothing that the analysis
//! misunderstood survives this. Each instance has a session of its own. They run one after the other in the order they are
//! arbitrated, and every read is forced to return the newest version among those its instance is said to see; the store
//! checks that the level allows it. At read committed instances take turns instead, on a store that reads and locks as
//! PostgreSQL does, where visibility follows from the order of statements.
//!
//! Then all serial orders are run, k! of them, each on a fresh database. An order explains the execution if every instance
//! observes the same in it and it leaves the same state: the state is what whoever comes later observes. An update that reads
//! what it overwrites observes nothing by itself, and its lost update is found by what it leaves.

mod database;
mod error;
mod observation;
mod run;
mod sequence;
mod setup;
mod text;
mod types;

use hobgoblin_core::{Level, SessionId};
use hobgoblin_front::Profile;

use crate::program::{Place, Program};
use crate::scenario::{Instance, Order, Scenario, Step, View};

pub use error::ReplayError;
pub use hobgoblin_sql_postgres::Postgres;
pub use observation::{Observation, Seen, State};

use database::Connection;
use run::{Run, Traced};
use sequence::{Given, MOST_GIVEN, ways};
use setup::{connect, prepared, setup_error, state};
use types::KnownTypes;

/// More instances have too many serial orders.
pub const MOST_INSTANCES: usize = 6;

/// What came of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// What each instance observed, in order.
    pub observations: Vec<Vec<Observation>>,
    /// Where the statements, conditions and values stand that each instance ran and that read or write tables, in order.
    pub ran: Vec<Vec<Place>>,
    /// What is left: the newest version of everything, in the order of arbitration or of commits.
    pub state: State,
    /// What sequences gave each instance, with the sequence.
    pub given: Vec<Vec<(String, i64)>>,
    /// Whether the database chose a value that neither the scenario nor a sequence gave, as the clock does. Then another run
    /// may differ though nothing is wrong.
    pub unforced: bool,
}

/// What came of a scenario. The orders are those of instances that run one after the other.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it did.
    pub executed: Executed,
    /// An order in which every instance observes the same and the same state is left.
    pub explained_by: Option<Vec<usize>>,
    /// An order in which every instance observes the same.
    pub observed_in: Option<Vec<usize>>,
    /// An order that leaves the same state.
    pub left_by: Option<Vec<usize>>,
}

impl Outcome {
    /// Whether no serial order explains what was observed and left: the anomaly is real. Where the database chose values
    /// by itself nothing is confirmed, since orders may differ by these alone.
    pub fn is_confirmed(&self) -> bool {
        self.explained_by.is_none() && !self.executed.unforced
    }

    /// Whether the instances themselves can tell that they did not run serially.
    pub fn is_observed(&self) -> bool {
        self.observed_in.is_none() && !self.executed.unforced
    }

    /// Whether the state that is left is one that a serial order leaves, too.
    pub fn is_harmless_to_the_state(&self) -> bool {
        self.left_by.is_some()
    }
}

/// Runs a scenario and compares it with all serial orders. The SQL is that of a `postgres` with functions, as
/// `hobgoblin_sql::POSTGRES`.
pub fn replay(
    program: &Program,
    scenario: &Scenario,
    postgres: &'static Postgres,
) -> Result<Outcome, ReplayError> {
    let count = scenario.instances.len();
    if count > MOST_INSTANCES {
        return Err(ReplayError::TooMany { count, most: MOST_INSTANCES });
    }
    let mut types = KnownTypes::default();
    let mut executed = execute_with(program, scenario, postgres, &mut types)?;
    let (mut explained_by, mut observed_in, mut left_by) = (None, None, None);
    let mut order: Vec<usize> = (0..count).collect();
    executed.unforced |= executed.given.iter().flatten().count() > MOST_GIVEN;
    let ways = if executed.unforced { vec![executed.given.clone()] } else { ways(&executed.given) };
    'orders: loop {
        for way in &ways {
            let serial = serially_with(program, scenario, postgres, (&order, way), &mut types)?;
            let observes = serial.observations == executed.observations;
            let leaves = serial.state == executed.state;
            executed.unforced |= serial.unforced;
            if observes {
                observed_in.get_or_insert_with(|| order.clone());
            }
            if leaves {
                left_by.get_or_insert_with(|| order.clone());
            }
            if observes && leaves {
                explained_by = Some(order);
                break 'orders;
            }
        }
        if !next_order(&mut order) {
            break;
        }
    }
    Ok(Outcome { executed, explained_by, observed_in, left_by })
}

/// Runs a scenario as it says.
pub fn execute(
    program: &Program,
    scenario: &Scenario,
    postgres: &'static Postgres,
) -> Result<Executed, ReplayError> {
    execute_with(program, scenario, postgres, &mut KnownTypes::default())
}

fn execute_with(
    program: &Program,
    scenario: &Scenario,
    postgres: &'static Postgres,
    types: &mut KnownTypes,
) -> Result<Executed, ReplayError> {
    match &scenario.order {
        Order::Views(views) => execute_views(program, scenario, views, postgres, types),
        Order::Turns(turns) => execute_turns(program, scenario, turns, postgres, types),
    }
}

/// Runs the instances of a scenario one after the other in this order, each seeing all before it. The observations are in
/// the order of the scenario.
pub fn serially(
    program: &Program,
    scenario: &Scenario,
    order: &[usize],
    postgres: &'static Postgres,
) -> Result<Executed, ReplayError> {
    let given = vec![Vec::new(); scenario.instances.len()];
    serially_with(program, scenario, postgres, (order, &given), &mut KnownTypes::default())
}

fn serially_with(
    program: &Program,
    scenario: &Scenario,
    postgres: &'static Postgres,
    (order, given): (&[usize], &[Vec<Given>]),
    types: &mut KnownTypes,
) -> Result<Executed, ReplayError> {
    let (database, _setup) = prepared(program, scenario, postgres, (Profile::Spec, Level::SER))?;
    let mut observations = vec![Vec::new(); scenario.instances.len()];
    let mut ran = vec![Vec::new(); scenario.instances.len()];
    let mut unforced = false;
    for &number in order {
        let connection = connect(&database, &session_name(number))?;
        let instance = &scenario.instances[number];
        let own = Some(&given[number][..]);
        let traced = run_whole(program, number, instance, connection, own, types)?;
        observations[number] = traced.observations;
        ran[number] = traced.ran;
        unforced |= traced.unforced;
    }
    let state = state(program, &mut connect(&database, "check")?)?;
    let given = given.to_vec();
    Ok(Executed { observations, ran, state, given, unforced })
}

fn execute_views(
    program: &Program,
    scenario: &Scenario,
    views: &[View],
    postgres: &'static Postgres,
    types: &mut KnownTypes,
) -> Result<Executed, ReplayError> {
    check_views(scenario, views)?;
    let (database, setup) = prepared(program, scenario, postgres, (Profile::Spec, Level::RA))?;
    let mut sessions: Vec<SessionId> = Vec::new();
    let (mut observations, mut ran, mut unforced) = (Vec::new(), Vec::new(), false);
    let mut given = Vec::new();
    for ((number, instance), view) in scenario.instances.iter().enumerate().zip(views) {
        let connection = connect(&database, &session_name(number))?;
        let others = view.sees.iter().map(|&other| sessions[other]);
        let sees: Vec<SessionId> = others.chain([setup.id]).collect();
        let confined = database.confine(&connection, view.level, &sees);
        confined.map_err(|message| ReplayError::Refused { instance: number, message })?;
        sessions.push(connection.id);
        let traced = run_whole(program, number, instance, connection, None, types)?;
        observations.push(traced.observations);
        ran.push(traced.ran);
        given.push(traced.given);
        unforced |= traced.unforced;
    }
    let mut check = connect(&database, "check")?;
    let sees: Vec<SessionId> = sessions.iter().copied().chain([setup.id]).collect();
    let confined = database.confine(&check, Level::RA, &sees);
    confined.map_err(|message| setup_error("the state after", message))?;
    let state = state(program, &mut check)?;
    Ok(Executed { observations, ran, state, given, unforced })
}

fn check_views(scenario: &Scenario, views: &[View]) -> Result<(), ReplayError> {
    let wrong = |what: String| Err(ReplayError::Scenario { what });
    if views.len() != scenario.instances.len() {
        return wrong("there is not one view for each instance".to_owned());
    }
    for (number, view) in views.iter().enumerate() {
        if let Some(later) = view.sees.iter().find(|&&other| other >= number) {
            return wrong(format!("instance {number} sees {later}, which is not before it"));
        }
    }
    Ok(())
}

fn execute_turns(
    program: &Program,
    scenario: &Scenario,
    turns: &[(usize, Step)],
    postgres: &'static Postgres,
    types: &mut KnownTypes,
) -> Result<Executed, ReplayError> {
    let wrong = |what: String| ReplayError::Scenario { what };
    let (database, _setup) = prepared(program, scenario, postgres, (Profile::Postgres, Level::RC))?;
    let mut runs: Vec<Option<Run<'_>>> = scenario.instances.iter().map(|_| None).collect();
    let mut ended = vec![false; runs.len()];
    let snapshots: Vec<usize> = turns
        .iter()
        .filter(|(_, step)| *step == Step::Snapshot)
        .map(|&(number, _)| number)
        .collect();
    for &(number, step) in turns {
        let instance = scenario.instances.get(number);
        let instance = instance.ok_or_else(|| wrong(format!("there is no instance {number}")))?;
        if ended[number] {
            return Err(wrong(format!("instance {number} goes on after its commit")));
        }
        if runs[number].is_none() {
            let mut connection = connect(&database, &session_name(number))?;
            // Whoever would wait, waits in vain: the others have their turns on this thread.
            let sql = "SET lock_timeout = '1ms'";
            connection.run(sql).map_err(|error| setup_error(sql, error.message()))?;
            let begin = match snapshots.contains(&number) {
                true => "BEGIN ISOLATION LEVEL REPEATABLE READ",
                false => "BEGIN ISOLATION LEVEL READ COMMITTED",
            };
            let begin = (begin, &mut *types);
            runs[number] = Some(Run::begin(program, number, instance, connection, begin)?);
        }
        let run = runs[number].as_mut().expect("it has begun");
        match step {
            Step::Statement if !run.step()? => {
                return Err(wrong(format!("instance {number} has no statement left")));
            }
            Step::Statement | Step::Snapshot => {}
            Step::Commit => {
                if snapshots.contains(&number) {
                    while run.step()? {}
                }
                run.finish()?;
                run.end()?;
                ended[number] = true;
            }
        }
    }
    if let Some(open) = ended.iter().position(|ended| !ended) {
        return Err(wrong(format!("instance {open} does not commit")));
    }
    let (mut observations, mut ran, mut unforced) = (Vec::new(), Vec::new(), false);
    let mut given = Vec::new();
    for traced in runs.into_iter().flatten().map(Run::into_traced) {
        observations.push(traced.observations);
        ran.push(traced.ran);
        given.push(traced.given);
        unforced |= traced.unforced;
    }
    let state = state(program, &mut connect(&database, "check")?)?;
    Ok(Executed { observations, ran, state, given, unforced })
}

/// Runs all of an instance.
fn run_whole(
    program: &Program,
    number: usize,
    instance: &Instance,
    connection: Connection,
    given: Option<&[Given]>,
    types: &mut KnownTypes,
) -> Result<Traced, ReplayError> {
    let mut run = Run::begin(program, number, instance, connection, ("BEGIN", types))?;
    if let Some(given) = given {
        run.give(given);
    }
    while run.step()? {}
    run.end()?;
    Ok(run.into_traced())
}

fn session_name(number: usize) -> String {
    format!("instance {number}")
}

/// The next order by its numbers; false after the last.
fn next_order(order: &mut [usize]) -> bool {
    let Some(at) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let larger = order.iter().rposition(|&number| number > order[at]);
    order.swap(at, larger.expect("the next one is larger"));
    order[at + 1..].reverse();
    true
}
