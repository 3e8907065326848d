//! What a program did, and all it could have done.

use std::collections::BTreeSet;

use hobgoblin_core::{
    EventInfo, History, HistoryBuilder, Kind, Level, Status, Target, TxnInfo, Value, Writer,
};

use super::{Ask, Cursor, KEYS, Program, key_name, with_aborted};
use crate::brute;

/// One history of a program: what each transaction of each session did.
pub type Run = Vec<Vec<Trace>>;

/// What a transaction did.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trace {
    /// The reads and writes it made, in order.
    pub steps: Vec<Step>,
    /// Whether it aborted.
    pub aborted: bool,
}

/// A read or write of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// It read a key.
    Read {
        /// The key, by number.
        key: usize,
        /// The value returned.
        value: i64,
        /// Who wrote it.
        from: From,
    },
    /// It wrote a key.
    Write {
        /// The key, by number.
        key: usize,
        /// The value written.
        value: i64,
    },
}

/// Whom a read read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum From {
    /// The initial value.
    Init,
    /// The transaction itself.
    Own,
    /// Another transaction of the program.
    Txn {
        /// The session of the transaction, by place.
        session: usize,
        /// Its place there.
        index: usize,
    },
}

impl Trace {
    /// What it wrote to a key last.
    pub fn written(&self, key: usize) -> Option<i64> {
        self.steps.iter().rev().find_map(|step| match step {
            Step::Write { key: k, value } if *k == key => Some(*value),
            _ => None,
        })
    }
}

/// Every history of a program in which `so` and `wr` have no cycle.
///
/// Such a history has an order of its transactions in which each reads only from earlier ones. So every
/// order is tried, and in each every read takes every value that a committed transaction wrote so far.
pub fn histories(program: &Program) -> BTreeSet<Run> {
    histories_within(program, usize::MAX).expect("no program is that large")
}

/// Every history of a program as [`histories`] gives them, or none when that takes more than so many runs,
/// whole ones and parts.
pub fn histories_within(program: &Program, max: usize) -> Option<BTreeSet<Run>> {
    let mut seen = 0;
    let mut open = BTreeSet::from([vec![Vec::new(); program.sessions.len()]]);
    let mut done = BTreeSet::new();
    while let Some(run) = open.pop_first() {
        seen += 1;
        if seen + open.len() > max {
            return None;
        }
        let mut ended = true;
        for (session, txns) in program.sessions.iter().enumerate() {
            if let Some(operations) = txns.get(run[session].len()) {
                ended = false;
                for trace in traces(&run, operations) {
                    let mut longer = run.clone();
                    longer[session].push(trace);
                    open.insert(longer);
                }
            }
        }
        if ended {
            done.insert(run);
        }
    }
    Some(done)
}

/// Everything a transaction can do after this run.
fn traces(run: &Run, operations: &[super::Operation]) -> Vec<Trace> {
    let mut done = Vec::new();
    let mut open = vec![(Cursor::new(operations), Trace::default())];
    while let Some((mut cursor, mut trace)) = open.pop() {
        match cursor.ask() {
            Ask::Write(key, value) => {
                trace.steps.push(Step::Write { key, value });
                open.push((cursor, trace));
            }
            Ask::Read(key) => {
                for (value, from) in sources(run, &trace, key) {
                    let (mut cursor, mut trace) = (cursor.clone(), trace.clone());
                    cursor.answer(value);
                    trace.steps.push(Step::Read { key, value, from });
                    open.push((cursor, trace));
                }
            }
            end => {
                trace.aborted = end == Ask::Abort;
                done.push(trace);
            }
        }
    }
    done
}

fn sources(run: &Run, own: &Trace, key: usize) -> Vec<(i64, From)> {
    if let Some(value) = own.written(key) {
        return vec![(value, From::Own)];
    }
    let mut sources = vec![(0, From::Init)];
    for (session, traces) in run.iter().enumerate() {
        for (index, trace) in traces.iter().enumerate().filter(|(_, trace)| !trace.aborted) {
            sources.extend(trace.written(key).map(|v| (v, From::Txn { session, index })));
        }
    }
    sources
}

/// Whether a run satisfies a level, the reads of aborted transactions included.
pub fn satisfies(run: &Run, level: Level) -> bool {
    brute::satisfies(&with_aborted(&history(run, |_, _| None)), Target::Level(level))
}

/// Whether a run satisfies a mix, which has a level for each transaction of each session.
pub fn satisfies_mix(run: &Run, mix: &[Vec<Level>]) -> bool {
    let history = history(run, |session, index| Some(mix[session][index]));
    brute::satisfies(&with_aborted(&history), Target::Mixed(Level::RU))
}

/// The run as a history in which transactions, by session and place, have these levels.
pub fn history(run: &Run, level: impl Fn(usize, usize) -> Option<Level>) -> History {
    let mut builder = HistoryBuilder::new();
    let name = |session: usize, index: usize| format!("s{session}t{index}");
    for key in 0..KEYS.len() {
        let key = builder.key_text(key_name(key));
        builder.initial(key, &Value::Int(0)).expect("once a key");
    }
    for (session, traces) in run.iter().enumerate() {
        let of = builder.session_int(session as i64);
        for (index, trace) in traces.iter().enumerate() {
            builder.begin(of);
            for step in &trace.steps {
                let (kind, key, value, from) = match *step {
                    Step::Read { key, value, from } => (Kind::Read, key, value, Some(from)),
                    Step::Write { key, value } => (Kind::Write, key, value, None),
                };
                let key = builder.key_text(key_name(key));
                let event = builder.event_int(kind, key, value);
                let writer = match from {
                    Some(From::Txn { session, index }) => Some(name(session, index)),
                    Some(From::Init) => Some("init".to_owned()),
                    Some(From::Own) | None => None,
                };
                let writer = writer.as_deref().map(Writer::Name);
                let info = EventInfo { writer, ..EventInfo::default() };
                builder.describe(event, info).expect("only reads name writers");
            }
            let status = if trace.aborted { Status::Aborted } else { Status::Committed };
            let name = name(session, index);
            let level = level(session, index);
            let info = TxnInfo { name: Some(&name), status, level, ..TxnInfo::default() };
            builder.end(info).expect("names are unique");
        }
    }
    builder.finish().expect("runs are well formed")
}
