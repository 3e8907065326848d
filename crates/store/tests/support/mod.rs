//! What the tests of the store share: running programs on a machine, and asking whether a recorded
//! history keeps its levels.

#![allow(dead_code, reason = "every test uses its part")]
#![allow(unreachable_pub, reason = "as every shared module of tests")]

pub mod script;

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{
    History, Key, Level, SessionId, Source, Status, Target, TxnId, Value, Verdict,
};
use hobgoblin_oracle::brute;
use hobgoblin_oracle::program::{
    Ask, Cursor, From, Program, Run, Step, Trace, key_name, with_aborted,
};
use hobgoblin_store::{Answer, Config, Machine, Request, StoreError};

/// The levels that a store serves by one definition each.
pub const LEVELS: [Level; 7] =
    [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER];

/// How many times the programs of `make test` to run: `HOB_FULL=1` runs the bars at full size.
pub fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// A store of a level in which the given keys hold 0, without a window.
pub fn config(level: Level, keys: &[&str]) -> Config {
    let initial = keys.iter().map(|&key| (Key::from(key), Value::Int(0))).collect();
    Config { level, initial, window: None, ..Config::default() }
}

pub fn begin() -> Request {
    Request::Begin { level: None, policy: None }
}

pub fn begin_at(level: Level) -> Request {
    Request::Begin { level: Some(level), policy: None }
}

pub fn get(key: &str) -> Request {
    Request::Get { key: key.into(), policy: None, lock: None }
}

pub fn put(key: &str, value: impl Into<Value>) -> Request {
    Request::Put { key: key.into(), value: value.into() }
}

/// How a run of a program on a machine ended.
pub enum Outcome {
    /// All transactions committed or aborted themselves.
    Ended(History),
    /// The store refused one.
    Refused(History),
    /// There is no such choice; the choices end before it.
    NoSuchChoice,
}

/// Runs a program with these choices, and after them always the first, which is added to them. Which
/// session goes next, and whether with its whole transaction, is up to `schedule`: it gets the
/// sessions that have something left.
pub fn execute(
    program: &Program,
    config: &Config,
    whole: bool,
    mut schedule: impl FnMut(&[usize]) -> usize,
    choices: &mut Vec<u32>,
) -> Outcome {
    let mut machine = Machine::new(config.clone()).expect("the configuration is good");
    let mut clients: Vec<Client<'_>> = Vec::new();
    for (number, txns) in program.sessions.iter().enumerate() {
        let session = machine.connect(Some(&format!("s{number}"))).expect("names differ");
        clients.push(Client { session, txns, open: None, written: Vec::new() });
    }
    let (mut taken, mut refused) = (0, false);
    loop {
        let left = |n: &usize| clients[*n].open.is_some() || !clients[*n].txns.is_empty();
        let ready: Vec<usize> = (0..clients.len()).filter(left).collect();
        if ready.is_empty() {
            break;
        }
        let client = &mut clients[schedule(&ready)];
        loop {
            match client.step(&mut machine, choices, &mut taken) {
                Ok(Answer::Aborted(_)) => (refused, client.open) = (true, None),
                Ok(_) => {}
                Err(StoreError::Diverged { .. }) => {
                    choices.truncate(taken - 1);
                    return Outcome::NoSuchChoice;
                }
                Err(error) => panic!("{error} in {program}"),
            }
            if !whole || client.open.is_none() {
                break;
            }
        }
    }
    let history = machine.history();
    if refused { Outcome::Refused(history) } else { Outcome::Ended(history) }
}

struct Client<'a> {
    session: SessionId,
    txns: &'a [Vec<hobgoblin_oracle::program::Operation>],
    open: Option<Cursor<'a>>,
    /// The keys the open transaction wrote: reads of them have no choice.
    written: Vec<usize>,
}

impl Client<'_> {
    fn step(
        &mut self,
        machine: &mut Machine,
        choices: &mut Vec<u32>,
        taken: &mut usize,
    ) -> Result<Answer, StoreError> {
        let Some(cursor) = &mut self.open else {
            let (first, rest) = self.txns.split_first().expect("something is left");
            (self.txns, self.open) = (rest, Some(Cursor::new(first)));
            self.written.clear();
            return machine.replay(self.session, &begin(), &[]);
        };
        match cursor.ask() {
            Ask::Read(key) => {
                let mut choice = Vec::new();
                if !self.written.contains(&key) {
                    if *taken == choices.len() {
                        choices.push(0);
                    }
                    choice.push(choices[*taken]);
                    *taken += 1;
                }
                let answer = machine.replay(self.session, &get(key_name(key)), &choice)?;
                match answer {
                    Answer::Value(Value::Int(value)) => cursor.answer(value),
                    Answer::Aborted(_) => {}
                    ref odd => panic!("a read answered {odd:?}"),
                }
                Ok(answer)
            }
            Ask::Write(key, value) => {
                self.written.push(key);
                machine.replay(self.session, &put(key_name(key), value), &[])
            }
            end => {
                self.open = None;
                let request = if end == Ask::Commit { Request::Commit } else { Request::Abort };
                machine.replay(self.session, &request, &[])
            }
        }
    }
}

/// What a history of a program's sessions, named s0, s1 and so on, is as a run.
pub fn run_of(history: &History, sessions: usize) -> Run {
    let number = |txn: TxnId| -> usize {
        let session = history.session_of(txn).expect("init has no session");
        let name = history.session(session).to_string();
        name.strip_prefix('s').and_then(|n| n.parse().ok()).expect("sessions are s0, s1")
    };
    let key = |name: &Key| (0..4).find(|&k| *name == Key::from(key_name(k))).expect("a known key");
    let mut run = vec![Vec::new(); sessions];
    for txn in history.txns() {
        let step = |event| {
            let (key, value) = (key(history.key(history.event(event).key())), history.value(event));
            let Value::Int(value) = value else { panic!("values are numbers, not {value}") };
            let from = match history.source(event) {
                Source::Write => return Step::Write { key, value },
                Source::Internal => From::Own,
                Source::Txn(TxnId::INIT) => From::Init,
                Source::Txn(t) => From::Txn { session: number(t), index: history.position(t) },
                odd => panic!("a read of the store has source {odd:?}"),
            };
            Step::Read { key, value, from }
        };
        let steps = history.event_ids(txn).map(step).collect();
        let aborted = history.status(txn) != Status::Committed;
        run[number(txn)].push(Trace { steps, aborted });
    }
    run
}

/// Panics unless the history keeps its levels, the reads of all its transactions included.
pub fn assert_sound(history: &History, level: Level, label: &str) {
    for txn in history.txns() {
        for event in history.event_ids(txn) {
            if let Source::Fault(fault) = history.source(event) {
                panic!("{label}: {fault:?}\n{}", show(history));
            }
        }
    }
    let whole = with_aborted(history);
    let target = Target::Mixed(level);
    for (history, which) in [(history, "committed"), (&whole, "all")] {
        let verdict = check(history, target, &Limits::none());
        if !matches!(verdict, Verdict::Consistent(_)) {
            panic!("{label}: {which} transactions: {verdict:?}\n{}", show(history));
        }
    }
    if whole.num_txns() <= 7 {
        assert!(brute::satisfies(&whole, target), "{label}: brute force\n{}", show(&whole));
    }
}

/// A history as text, for failures.
pub fn show(history: &History) -> String {
    let mut text = String::new();
    for t in history.txns() {
        let session = history.session(history.session_of(t).expect("not init"));
        let (name, status, level) = (history.name(t), history.status(t), history.level(t));
        text += &format!("{session}: {name} {status:?} {level:?} ");
        text += &format!("{:?}..{:?} {{", history.begin(t), history.end(t));
        for e in history.event_ids(t) {
            let event = history.event(e);
            let (key, value) = (history.key(event.key()), history.value(e));
            let lock = if history.is_locking(e) { "!" } else { "" };
            text += &match history.source(e) {
                Source::Write => format!(" w({key})={value}"),
                Source::Internal => format!(" r({key})={value}"),
                Source::Txn(from) => format!(" r{lock}({key})={value}<-{}", history.name(from)),
                odd => format!(" r{lock}({key})={value}<-{odd:?}"),
            };
        }
        text += " }\n";
    }
    text
}
