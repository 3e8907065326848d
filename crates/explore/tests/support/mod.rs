//! What the tests of the explorer share: random programs as programs to explore, and the ends of an
//! exploration as runs that can be compared with brute force.

#![allow(dead_code, reason = "every test uses its part")]
#![allow(unreachable_pub, reason = "as every shared module of tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use hobgoblin_core::{History, Key, Level, Source, Status, TxnId, Value};
use hobgoblin_explore::{End, Found, Options, Program, Stop, Transaction, explore};
use hobgoblin_oracle::program::{
    self as oracle, Ask, Cursor, From, Operation, Run, Size, Step, Trace, histories_within,
    key_name, satisfies, satisfies_mix,
};
use hobgoblin_oracle::sample::Random;

/// The levels with an axiom of their own.
pub const LEVELS: [Level; 7] =
    [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER];

/// How many times the programs of `make test` to run: `HOB_FULL=1` runs the bars at full size.
pub fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// A level for each transaction of each session.
pub type Mix = Vec<Vec<Level>>;

/// A random mix for a program.
pub fn random_mix(program: &oracle::Program, seed: u64) -> Mix {
    let mut random = Random(seed);
    let mut level = || LEVELS[random.below(LEVELS.len())];
    let sessions = program.sessions.iter();
    sessions.map(|txns| txns.iter().map(|_| level()).collect()).collect()
}

/// A random program as one to explore. Each transaction returns the value it read last; the local `sum`
/// of a session adds them up, and nobody reads it.
pub fn program(text: &oracle::Program, mix: Option<&Mix>) -> Program {
    let keys = (0..4).map(key_name);
    let mut program = keys.fold(Program::new(), |program, key| program.init(key, 0));
    for (number, txns) in text.sessions.iter().enumerate() {
        program = program.session(&format!("s{number}"), |mut session| {
            for (index, operations) in txns.iter().enumerate() {
                let (name, body) = (format!("t{index}"), body(operations.clone()));
                session = match mix {
                    None => session.txn(&name, body),
                    Some(mix) => session.txn_at(&name, mix[number][index], body),
                };
            }
            session
        });
    }
    program
}

fn body(operations: Vec<Operation>) -> impl Fn(&mut Transaction<'_>) -> Result<i64, Stop> {
    move |t| {
        let mut cursor = Cursor::new(&operations);
        let mut last = 0;
        loop {
            match cursor.ask() {
                Ask::Read(key) => {
                    last = t.read(key_name(key))?;
                    cursor.answer(last);
                }
                Ask::Write(key, value) => t.write(key_name(key), value)?,
                Ask::Abort => return Err(t.abort()),
                Ask::Commit => {
                    let sum = match t.local("sum") {
                        Value::Int(sum) => sum,
                        _ => 0,
                    };
                    t.set_local("sum", sum + last);
                    return Ok(last);
                }
            }
        }
    }
}

/// A program from its text.
pub fn parse(text: &str) -> Program {
    program(&oracle::Program::parse(text), None)
}

/// n sessions that each count up the same key.
pub fn counters(n: usize) -> Program {
    parse(&vec!["r(x) w(x)=last+1"; n].join(" | "))
}

/// Everything at a level.
pub fn found(program: &Program, level: Level) -> Found {
    explore(program, &Options::new(level), &|_: &End<'_>| {}).expect("the program is good")
}

/// The runs of an exploration, each with how often it was there.
pub fn runs(program: &Program, options: &Options) -> (BTreeMap<Run, u64>, Found) {
    let runs = Mutex::new(BTreeMap::new());
    let sessions = program.sessions().len();
    let see = |end: &End<'_>| {
        let run = run_of(&end.history(), sessions);
        *runs.lock().expect("nobody panicked").entry(run).or_default() += 1;
    };
    let found = explore(program, options, &see).expect("the program is good");
    (runs.into_inner().expect("nobody panicked"), found)
}

/// Panics unless an exploration gives exactly these runs, each once.
pub fn assert_runs(shown: &BTreeMap<Run, u64>, allowed: &BTreeSet<Run>, label: &str) {
    if let Some((run, times)) = shown.iter().find(|(_, times)| **times > 1) {
        panic!("{label}: {times} times\n{}", show(run));
    }
    if let Some(run) = shown.keys().find(|&run| !allowed.contains(run)) {
        panic!("{label}: wrong\n{}", show(run));
    }
    if let Some(run) = allowed.iter().find(|&run| !shown.contains_key(run)) {
        panic!("{label}: missing ({} of {})\n{}", shown.len(), allowed.len(), show(run));
    }
}

/// A run for people.
pub fn show(run: &Run) -> String {
    let mut text = String::new();
    for (session, traces) in run.iter().enumerate() {
        for (index, trace) in traces.iter().enumerate() {
            text += &format!("  s{session}t{index}:");
            for step in &trace.steps {
                text += &match step {
                    Step::Write { key, value } => format!(" w({})={value}", key_name(*key)),
                    Step::Read { key, value, from } => {
                        let from = match from {
                            From::Init => "init".to_owned(),
                            From::Own => "own".to_owned(),
                            From::Txn { session, index } => format!("s{session}t{index}"),
                        };
                        format!(" r({})={value}<-{from}", key_name(*key))
                    }
                };
            }
            text += if trace.aborted { " abort\n" } else { "\n" };
        }
    }
    text
}

/// What a history of sessions s0, s1 and so on is as a run; other sessions are left out.
pub fn run_of(history: &History, sessions: usize) -> Run {
    let number = |txn: TxnId| -> Option<usize> {
        let name = history.session(history.session_of(txn)?).to_string();
        name.strip_prefix('s').and_then(|n| n.parse().ok())
    };
    let mut run = vec![Vec::new(); sessions];
    for txn in history.txns() {
        let Some(session) = number(txn) else { continue };
        let step = |event| {
            let key = key_of(history.key(history.event(event).key()));
            let Value::Int(value) = history.value(event) else { panic!("values are numbers") };
            let from = match history.source(event) {
                Source::Write => return Step::Write { key, value },
                Source::Internal => From::Own,
                Source::Txn(TxnId::INIT) => From::Init,
                Source::Txn(t) => {
                    let session = number(t).expect("a session of the program");
                    From::Txn { session, index: history.position(t) }
                }
                odd => panic!("a read of an end has source {odd:?}"),
            };
            Step::Read { key, value, from }
        };
        let steps = history.event_ids(txn).map(step).collect();
        let aborted = history.status(txn) != Status::Committed;
        run[session].push(Trace { steps, aborted });
    }
    run
}

fn key_of(name: &Key) -> usize {
    (0..4).find(|&key| *name == Key::from(key_name(key))).expect("a known key")
}

/// Programs with fewer histories have hardly a choice.
const FEWEST: usize = 3;

/// Random programs of a size, each with all its histories, at most `max` whole and partial ones.
pub fn random_programs(
    size: Size,
    first: u64,
    max: usize,
) -> impl Iterator<Item = (u64, oracle::Program, BTreeSet<Run>)> {
    let programs = (first..).map(move |seed| (seed, oracle::Program::random(&size, seed)));
    let listed = programs.filter_map(move |(seed, program)| {
        histories_within(&program, max).map(|all| (seed, program, all))
    });
    listed.filter(|(_, _, all)| all.len() >= FEWEST)
}

/// The runs each level allows.
pub fn allowed(all: &BTreeSet<Run>) -> BTreeMap<Level, BTreeSet<Run>> {
    let mut allowed: BTreeMap<Level, BTreeSet<Run>> =
        LEVELS.map(|level| (level, BTreeSet::new())).into();
    for run in all {
        let mut failed: Vec<Level> = Vec::new();
        for level in LEVELS {
            if failed.iter().any(|&weaker| level.implies(weaker)) || !satisfies(run, level) {
                failed.push(level);
            } else {
                allowed.get_mut(&level).expect("one a level").insert(run.clone());
            }
        }
    }
    allowed
}

/// The runs a mix allows.
pub fn allowed_mix(all: &BTreeSet<Run>, mix: &Mix) -> BTreeSet<Run> {
    all.iter().filter(|run| satisfies_mix(run, mix)).cloned().collect()
}

/// Programs whose histories tell the levels apart.
pub const KNOWN: [&str; 14] = [
    // Lost update, write skew, long fork, causality, atomic visibility, the paper's lost history.
    "r(x) w(x)=last+1 | r(x) w(x)=last+1",
    "r(x) w(x)=last+1 | r(x) w(x)=last+1 | r(x) w(x)=last+1",
    "r(x) r(y) w(x)=1 | r(x) r(y) w(y)=1",
    "w(x)=1 | w(y)=1 | r(x) r(y) | r(y) r(x)",
    "w(x)=1 | r(x) w(y)=1 | r(y) r(x)",
    "w(x)=1 w(y)=1 | w(x)=2 w(y)=2 | r(x) r(y)",
    "r(y) r(x) | w(x)=1; w(y)=1 | w(x)=2",
    "w(x)=1; r(x) | w(x)=2; r(x)",
    "r(x) r(x) | w(x)=1 | w(x)=2",
    // Aborted readers, reads of own writes, conditions, writes that go away.
    "r(x) r(y) abort | w(x)=1 w(y)=1 | w(x)=2",
    "w(x)=1 abort; r(x) w(y)=3 | r(y) odd?w(x)=5",
    "w(x)=1 r(x) w(x)=last+1 r(x) | r(x); r(x)",
    "r(x) even?w(y)=1 | r(y) even?w(x)=1 | r(x) r(y)",
    "r(x) odd?abort w(x)=1 | r(x) odd?w(x)=2 even?w(y)=1 | r(y) odd?w(x)=3",
];
