//! Programs run unchanged on the mock store, and what they return there is what the explorer finds.

mod support;

use std::collections::BTreeSet;
use std::sync::Mutex;

use hobgoblin_core::{Key, Level, Rng, SessionId, Text, Value};
use hobgoblin_explore::{
    Database, End, ExploreError, Mode, Options, Outcome, Program, Stop, Transaction, explore,
};
use hobgoblin_oracle::program::Size;
use hobgoblin_store::{Answer, Config, Machine, Policy, Request};
use support::{LEVELS, counters, program, random_programs, scale};

type Outcomes = Vec<Vec<Outcome>>;

fn explored(program: &Program, level: Level) -> BTreeSet<Outcomes> {
    let all = Mutex::new(BTreeSet::new());
    let see = |end: &End<'_>| {
        let sessions = program.sessions().iter().enumerate();
        let outcomes = sessions.map(|(s, session)| {
            (0..session.txns.len()).map(|t| end.outcome(s, t).clone()).collect()
        });
        all.lock().expect("nobody panicked").insert(outcomes.collect());
    };
    let options = Options { mode: Mode::States, ..Options::new(level) };
    explore(program, &options, &see).expect("the program is good");
    all.into_inner().expect("nobody panicked")
}

/// An open transaction of a store.
struct Open<'a> {
    machine: &'a mut Machine,
    session: SessionId,
    refused: bool,
}

impl Open<'_> {
    fn ask(&mut self, request: &Request) -> Result<Value, Stop> {
        match self.machine.apply(self.session, request).expect("the request is good") {
            Answer::Value(value) => Ok(value),
            Answer::Aborted(_) => {
                self.refused = true;
                Err(Stop::Abort)
            }
            _ => Ok(Value::Null),
        }
    }
}

impl Database for Open<'_> {
    fn read(&mut self, key: &Key) -> Result<Value, Stop> {
        self.ask(&Request::get(key.clone()))
    }

    fn write(&mut self, key: &Key, value: &Value) -> Result<(), Stop> {
        self.ask(&Request::put(key.clone(), value.clone())).map(|_| ())
    }
}

/// Runs a program on a store, transactions in a random order; none when the store refused one.
fn performed(program: &Program, level: Level, seed: u64) -> Option<Outcomes> {
    let initial = program.initial().to_vec();
    let config =
        Config::default().level(level).seed(seed).initial_values(initial).policy(Policy::Uniform);
    let mut machine = Machine::new(config).expect("the configuration is good");
    let count = program.sessions().len();
    let connect = |_| machine.connect(None).expect("sessions connect");
    let sessions: Vec<SessionId> = (0..count).map(connect).collect();
    let mut locals: Vec<Vec<(Text, Value)>> = vec![Vec::new(); count];
    let mut outcomes: Outcomes = vec![Vec::new(); count];
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    loop {
        let left = |of: &usize| outcomes[*of].len() < program.sessions()[*of].txns.len();
        let ready: Vec<usize> = (0..count).filter(left).collect();
        let Some(&at) = rng.pick(&ready) else { return Some(outcomes) };
        let mut open = Open { machine: &mut machine, session: sessions[at], refused: false };
        open.ask(&Request::begin(None, None)).expect("nothing is open");
        let txn = outcomes[at].len();
        let outcome = program.perform(at, txn, &mut locals[at], &mut open).expect("it is good");
        if !open.refused {
            let end = if outcome == Outcome::Aborted { Request::ABORT } else { Request::COMMIT };
            let _ = open.ask(&end);
        }
        if open.refused {
            return None;
        }
        outcomes[at].push(outcome);
    }
}

#[test]
fn what_a_store_returns_is_what_the_explorer_finds() {
    for (_, text, _) in random_programs(Size::SMALL, 0, 500).take(40 * scale() as usize) {
        let program = program(&text, None);
        for level in LEVELS {
            let all = explored(&program, level);
            for outcomes in (0..30).filter_map(|seed| performed(&program, level, seed)) {
                assert!(all.contains(&outcomes), "{text}\nat {level}: {outcomes:?}");
            }
        }
    }
}

#[test]
fn a_store_comes_to_everything_the_explorer_finds() {
    for level in LEVELS {
        let program = counters(3);
        let shown: BTreeSet<Outcomes> =
            (0..2000).filter_map(|seed| performed(&program, level, seed)).collect();
        assert_eq!(shown, explored(&program, level), "{level}");
    }
}

/// Remembers what it holds.
#[derive(Default)]
struct Simple(Vec<(Key, Value)>);

impl Database for Simple {
    fn read(&mut self, key: &Key) -> Result<Value, Stop> {
        let held = self.0.iter().rev().find(|(name, _)| name == key);
        Ok(held.map_or(Value::Null, |(_, value)| value.clone()))
    }

    fn write(&mut self, key: &Key, value: &Value) -> Result<(), Stop> {
        self.0.push((key.clone(), value.clone()));
        Ok(())
    }
}

#[test]
fn faults_name_the_transaction() {
    let read = |t: &mut Transaction<'_>| t.read::<i64>("y");
    let wait = |_: &mut Transaction<'_>| Err::<(), Stop>(Stop::Pending);
    let program =
        Program::new().init("x", 0).session("s", |s| s.txn("read", read).txn("wait", wait));
    let run = |session: usize, txn: usize| {
        program.perform(session, txn, &mut Vec::new(), &mut Simple::default())
    };
    for (txn, name) in ["read", "wait"].into_iter().enumerate() {
        match run(0, txn) {
            Err(ExploreError::Program { session, txn, .. }) => {
                assert_eq!((&*session, &*txn), ("s", name));
            }
            odd => panic!("{odd:?}"),
        }
    }
    assert!(matches!(run(0, 2), Err(ExploreError::Options(_))));
    assert!(matches!(run(1, 0), Err(ExploreError::Options(_))));
}
