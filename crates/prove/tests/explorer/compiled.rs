//! A tree as a program of the explorer: each instance a session, each cell a key.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use hobgoblin_core::{Key, Level, Value};
use hobgoblin_explore::{End, Options, Outcome, Program, Stop, Transaction, explore};

use crate::executions::Execution;
use crate::run::{Cells, Instance, Layout, Log, Writer, run};
use crate::tree;

/// What instances read from whom, and what they observed: an instance each.
pub(crate) type Seen = Vec<String>;

fn seen(log: &Log) -> String {
    let observed: Vec<_> = log.observed().collect();
    format!("{:?} {observed:?}", log.reads)
}

/// A version in one number: nobody writes numbers of more than twenty bits.
fn version(writer: Writer, value: Option<i64>) -> i64 {
    let value = value.map_or(0, |value| value + (1 << 20));
    ((writer as i64) << 32) | value
}

struct Keys<'t, 'a> {
    transaction: &'t mut Transaction<'a>,
    own: Writer,
}

impl Cells for Keys<'_, '_> {
    type Stop = Stop;

    fn get(&mut self, cell: usize) -> Result<(Writer, Option<i64>), Stop> {
        let held = self.transaction.get(Key::Int(cell as i64))?;
        let held = held.as_i64().ok_or_else(|| Stop::fault("every key holds a version"))?;
        let value = held & 0xffff_ffff;
        Ok(((held >> 32) as usize, (value != 0).then_some(value - (1 << 20))))
    }

    fn put(&mut self, cell: usize, value: Option<i64>) -> Result<(), Stop> {
        self.transaction.put(Key::Int(cell as i64), Value::Int(version(self.own, value)))
    }
}

/// What all executions of instances that all commit look like at a level, by the explorer.
pub(crate) fn explored(
    program: &Arc<tree::Program>,
    layout: &Arc<Layout>,
    instances: &[Instance],
    initial: &[Option<i64>],
    level: Level,
) -> BTreeSet<Seen> {
    let mut compiled = Program::new();
    for (cell, &value) in initial.iter().enumerate() {
        compiled = compiled.init(Key::Int(cell as i64), Value::Int(version(0, value)));
    }
    for (at, instance) in instances.iter().enumerate() {
        let (program, layout) = (Arc::clone(program), Arc::clone(layout));
        let instance = instance.clone();
        let body = move |transaction: &mut Transaction<'_>| {
            let mut keys = Keys { transaction, own: at + 1 };
            match run(&program, &layout, &instance, &mut keys)? {
                Some(log) => Ok(seen(&log)),
                None => Err(Stop::Abort),
            }
        };
        compiled = compiled.session(&format!("s{at}"), |session| session.txn("t", body));
    }
    let all = Mutex::new(BTreeSet::new());
    let found = explore(&compiled, &Options::new(level), &|end: &End<'_>| {
        let outcomes = (0..instances.len()).map(|at| match end.outcome(at, 0) {
            Outcome::Committed(Value::Text(text)) => Some(text.to_string()),
            _ => None,
        });
        if let Some(seen) = outcomes.collect::<Option<Seen>>() {
            all.lock().expect("nobody panics").insert(seen);
        }
    });
    assert!(found.expect("the program can be explored").complete);
    all.into_inner().expect("nobody panics")
}

/// The same of executions that were found otherwise.
pub(crate) fn seen_in<'e>(executions: impl IntoIterator<Item = &'e Execution>) -> BTreeSet<Seen> {
    let all = executions.into_iter();
    all.map(|execution| execution.logs.iter().map(seen).collect()).collect()
}
