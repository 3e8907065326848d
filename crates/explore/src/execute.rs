//! Runs the body of a transaction with the answers its reads got before.

use std::sync::atomic::Ordering;

use hobgoblin_core::{Key, Kind, Value};

use crate::compiled::Compiled;
use crate::error::ExploreError;
use crate::locals::Locals;
use crate::record::{Done, Next, Outcome, Read, RunEvent};
use crate::script::Declared;
use crate::transaction::{Source, Stop, Transaction};

impl Compiled<'_> {
    /// Runs a transaction from its beginning. The first times it ends, it is run once more: what it does
    /// after its last read shows only then whether it is deterministic.
    pub(crate) fn run(
        &self,
        txn: u8,
        locals: &Locals,
        reads: &[Read],
    ) -> Result<Next, ExploreError> {
        let next = self.run_with(txn, locals, reads, None)?;
        if let Next::End(done) = &next {
            self.touched.note(txn, reads, &done.writes, |key| self.key_name(key));
        }
        let repeated = &self.txns[txn as usize].repeated;
        if let Next::End(done) = &next
            && repeated.load(Ordering::Relaxed) < REPEATS
        {
            repeated.fetch_add(1, Ordering::Relaxed);
            match self.run_with(txn, locals, reads, None)? {
                Next::End(again) if again == *done => {}
                _ => return Err(self.fault(txn, UNSTEADY)),
            }
        }
        Ok(next)
    }

    /// The events of a transaction that ended.
    pub(crate) fn events(
        &self,
        txn: u8,
        locals: &Locals,
        reads: &[Read],
    ) -> Result<Vec<RunEvent>, ExploreError> {
        let mut events = Vec::new();
        self.run_with(txn, locals, reads, Some(&mut events))?;
        Ok(events)
    }

    fn run_with(
        &self,
        txn: u8,
        locals: &Locals,
        reads: &[Read],
        events: Option<&mut Vec<RunEvent>>,
    ) -> Result<Next, ExploreError> {
        let mut answers = Answers {
            compiled: self,
            reads,
            used: 0,
            writes: Vec::new(),
            trace: 0,
            pending: None,
            events,
            row: None,
        };
        let mut transaction = Transaction::new(&mut answers, locals);
        let ran = self.txns[txn as usize].body.run(&mut transaction);
        let changed = transaction.changed();
        if let Some((key, trace)) = answers.pending {
            return match ran {
                Err(Stop::Pending) => Ok(Next::Read { key, trace }),
                Err(Stop::Fault(text)) => Err(self.fault(txn, text)),
                _ => Err(self.fault(
                    txn,
                    "goes on after a read that failed; pass the error of every read on with `?`",
                )),
            };
        }
        if answers.used < reads.len() && !matches!(ran, Err(Stop::Fault(_))) {
            return Err(self.fault(txn, UNSTEADY));
        }
        let (writes, outcome) = match ran {
            Ok(value) => (answers.writes, Outcome::Committed(value)),
            Err(Stop::Abort) => (Vec::new(), Outcome::Aborted),
            Err(Stop::Fault(text)) => return Err(self.fault(txn, text)),
            Err(Stop::Pending) => return Err(self.fault(txn, "stops for a read it did not make")),
        };
        let changed = changed.filter(|changed| **changed != **locals);
        let locals = changed.map_or_else(|| locals.clone(), |changed| Locals::new(&changed));
        Ok(Next::End(Done { writes, outcome, locals }))
    }
}

/// How often a transaction that ended is run again.
const REPEATS: u32 = 16;

const UNSTEADY: &str = "is not deterministic: with the same reads it did something else the second \
     time; it may depend on what it read and on locals, not on clocks or random numbers";

/// Answers reads from those that were answered before.
struct Answers<'a, 'p> {
    compiled: &'a Compiled<'p>,
    reads: &'a [Read],
    used: usize,
    writes: Vec<(u32, Value)>,
    trace: u64,
    pending: Option<(u32, u64)>,
    events: Option<&'a mut Vec<RunEvent>>,
    /// What the next read is about; see [`RunEvent::row`].
    row: Option<Key>,
}

impl Answers<'_, '_> {
    /// The number of a key that is used.
    fn number(&self, key: &Key, does: &str) -> Result<u32, Stop> {
        self.compiled.declared_key(key).ok_or_else(|| Declared::missing(does, key))
    }

    fn note(&mut self, kind: Kind, key: u32, value: &Value, read: Option<usize>) {
        if let Some(events) = &mut self.events {
            let row = self.row.take();
            events.push(RunEvent { kind, key, value: value.clone(), read, row });
        }
    }
}

fn mix(trace: u64, word: u64) -> u64 {
    (trace.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn hash(value: &Value) -> u64 {
    match value {
        Value::Null => 1,
        Value::Bool(b) => 2 + u64::from(*b),
        Value::Int(n) => mix(4, *n as u64),
        Value::Text(text) | Value::Json(text) => {
            text.as_bytes().chunks(8).fold(5, |hash, chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                mix(hash, u64::from_le_bytes(word))
            })
        }
    }
}

impl Source for Answers<'_, '_> {
    fn read(&mut self, key: &Key) -> Result<Value, Stop> {
        let key = self.number(key, "reads")?;
        if let Some((_, value)) = self.writes.iter().find(|(written, _)| *written == key) {
            let value = value.clone();
            self.note(Kind::Read, key, &value, None);
            return Ok(value);
        }
        if self.pending.is_some() {
            return Err(Stop::fault(
                "reads again after a read that failed; pass its error on with `?`",
            ));
        }
        match self.reads.get(self.used) {
            None => {
                self.pending = Some((key, self.trace));
                Err(Stop::Pending)
            }
            Some(read) if read.key != key || read.trace != self.trace => Err(Stop::fault(UNSTEADY)),
            Some(read) => {
                let value = read.value.clone();
                self.note(Kind::Read, key, &value, Some(self.used));
                self.used += 1;
                self.trace = mix(self.trace, u64::from(key) << 1);
                Ok(value)
            }
        }
    }

    fn records(&self) -> bool {
        self.events.is_some()
    }

    fn about(&mut self, row: Key) {
        self.row = Some(row);
    }

    fn write(&mut self, key: &Key, value: Value) -> Result<(), Stop> {
        let key = self.number(key, "writes")?;
        if self.pending.is_some() {
            return Err(Stop::fault("writes after a read that failed; pass its error on with `?`"));
        }
        self.trace = mix(mix(self.trace, u64::from(key) << 1 | 1), hash(&value));
        self.note(Kind::Write, key, &value, None);
        match self.writes.iter_mut().find(|(written, _)| *written == key) {
            Some((_, last)) => *last = value,
            None => {
                // Most transactions write little.
                if self.writes.is_empty() {
                    self.writes.reserve_exact(1);
                }
                self.writes.push((key, value));
            }
        }
        Ok(())
    }
}
