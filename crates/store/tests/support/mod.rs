//! What the tests of the store share: running programs on a machine, and asking whether a recorded
//! history keeps its levels.

#![allow(dead_code, reason = "every test uses its part")]
#![allow(unreachable_pub, reason = "as every shared module of tests")]

pub mod script;

use std::collections::BTreeMap;

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{
    History, Key, Level, SessionId, Source, Status, Target, TxnId, Value, Verdict,
};
use hobgoblin_oracle::brute;
use hobgoblin_oracle::program::{
    Ask, Cursor, From, Operation, Program, Run, Step, Trace, key_name, with_aborted,
};
use hobgoblin_store::{Answer, Config, Machine, Policy, Request};

/// The levels that a store serves by one definition each.
pub const LEVELS: [Level; 7] =
    [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER];

/// How many times the programs of `make test` to run: `HOB_FULL=1` runs the bars at full size.
pub fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// A store of a level in which the given keys hold 0, without a window. All versions have the same chance,
/// so that few seeds show all there is.
pub fn config(level: Level, keys: &[&str]) -> Config {
    let initial = keys.iter().map(|&key| (Key::from(key), Value::Int(0))).collect();
    Config::default().level(level).initial_values(initial).window(None).policy(Policy::Uniform)
}

pub fn begin() -> Request {
    Request::begin(None, None)
}

pub fn begin_at(level: Level) -> Request {
    Request::begin(Some(level), None)
}

pub fn get(key: &str) -> Request {
    Request::get(key)
}

pub fn put(key: &str, value: impl Into<Value>) -> Request {
    Request::put(key.into(), value.into())
}

/// How a run of a program on a machine ended.
pub enum Outcome {
    /// All transactions committed or aborted themselves.
    Ended(History),
    /// The store refused one.
    Refused(History),
}

/// The choices of a run: for each request those made, each with how many there were.
#[derive(Default)]
pub struct Path(Vec<Vec<(u32, u32)>>);

impl Path {
    /// Goes on to the next run, depth first; false when there is none.
    pub fn advance(&mut self) -> bool {
        while let Some(choices) = self.0.last_mut() {
            match choices.pop() {
                Some((choice, of)) if choice + 1 < of => {
                    choices.push((choice + 1, of));
                    return true;
                }
                Some(_) => {}
                None => {
                    self.0.pop();
                }
            }
        }
        false
    }
}

/// A machine on a path: it takes the choices of the path, and after them always the first.
struct Walker<'a> {
    machine: Machine,
    path: &'a mut Path,
    taken: usize,
}

impl Walker<'_> {
    fn ask(&mut self, session: SessionId, request: &Request) -> Answer {
        let answer = match self.path.0.get(self.taken) {
            // The newest version comes first, so a policy of the latest goes on with the first.
            None => self.machine.apply(session, request),
            Some(choices) => {
                let choices: Vec<u32> = choices.iter().map(|choice| choice.0).collect();
                self.machine.replay(session, request, &choices)
            }
        };
        let made = self.machine.last_choices().to_vec();
        match self.path.0.get_mut(self.taken) {
            None => self.path.0.push(made),
            Some(choices) => *choices = made,
        }
        self.taken += 1;
        answer.expect("programs make sense")
    }
}

/// Runs a program on a path, which is made longer as needed. Which session goes next is up to `schedule`,
/// which gets those that have something left; `whole` says whether with its whole transaction.
pub fn execute(
    program: &Program,
    config: &Config,
    whole: bool,
    mut schedule: impl FnMut(&[usize]) -> usize,
    path: &mut Path,
) -> Outcome {
    let config = config.clone().policy(Policy::Latest);
    let mut machine = Machine::new(config).expect("the configuration is good");
    let mut clients: Vec<Client<'_>> = Vec::new();
    for (number, txns) in program.sessions.iter().enumerate() {
        let session = machine.connect(Some(&format!("s{number}"))).expect("names differ");
        clients.push(Client { session, txns, open: None });
    }
    let mut walker = Walker { machine, path, taken: 0 };
    let mut refused = false;
    loop {
        let left = |n: &usize| clients[*n].open.is_some() || !clients[*n].txns.is_empty();
        let ready: Vec<usize> = (0..clients.len()).filter(left).collect();
        if ready.is_empty() {
            break;
        }
        let client = &mut clients[schedule(&ready)];
        loop {
            if let Answer::Aborted(_) = client.step(&mut walker) {
                (refused, client.open) = (true, None);
            }
            if !whole || client.open.is_none() {
                break;
            }
        }
    }
    let history = walker.machine.history();
    if refused { Outcome::Refused(history) } else { Outcome::Ended(history) }
}

struct Client<'a> {
    session: SessionId,
    txns: &'a [Vec<Operation>],
    open: Option<Cursor<'a>>,
}

impl Client<'_> {
    fn step(&mut self, walker: &mut Walker<'_>) -> Answer {
        let Some(cursor) = &mut self.open else {
            let (first, rest) = self.txns.split_first().expect("something is left");
            (self.txns, self.open) = (rest, Some(Cursor::new(first)));
            return walker.ask(self.session, &begin());
        };
        match cursor.ask() {
            Ask::Read(key) => {
                let answer = walker.ask(self.session, &get(key_name(key)));
                match answer {
                    Answer::Value(Value::Int(value)) => cursor.answer(value),
                    Answer::Aborted(_) => {}
                    ref odd => panic!("a read answered {odd:?}"),
                }
                answer
            }
            Ask::Write(key, value) => walker.ask(self.session, &put(key_name(key), value)),
            end => {
                self.open = None;
                let request = if end == Ask::Commit { Request::COMMIT } else { Request::ABORT };
                walker.ask(self.session, &request)
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
    assert_kept(history, level, label);
    assert_kept(&whole, level, &format!("{label}: with those that were aborted"));
    if whole.num_txns() <= 7 {
        assert!(brute::satisfies(&whole, target), "{label}: brute force\n{}", show(&whole));
    }
}

/// Panics unless every event has its place in the order of the log: in its transaction's time and in program order, at
/// a request of its own transaction, and a read after the end of the transaction it read from.
pub fn assert_placed(history: &History, label: &str) {
    let mut requests: BTreeMap<i64, TxnId> = BTreeMap::new();
    for txn in history.txns() {
        let begin = history.begin(txn).expect("every transaction has begun");
        let mut last = begin;
        for event in history.event_ids(txn) {
            let at = history.at(event).expect("every event has a place");
            assert!(last <= at, "{label}: {at} after {last}\n{}", show(history));
            last = at;
            let whose = *requests.entry(at).or_insert(txn);
            assert_eq!(whose, txn, "{label}: at {at}\n{}", show(history));
            if let Source::Txn(from) = history.source(event)
                && from != TxnId::INIT
            {
                let end = history.end(from).expect("what is read has committed");
                assert!(end < at, "{label}: {at} reads of {end}\n{}", show(history));
            }
        }
        let ended = history.end(txn).is_none_or(|end| last < end);
        assert!(ended, "{label}: {last} in {txn}\n{}", show(history));
    }
}

/// Panics unless the transactions of a history that committed keep its levels.
pub fn assert_kept(history: &History, level: Level, label: &str) {
    let verdict = check(history, Target::Mixed(level), &Limits::none());
    let holds = matches!(verdict, Verdict::Consistent(_));
    assert!(holds, "{label}: {verdict:?}\n{}", show(history));
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
