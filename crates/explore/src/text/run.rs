//! Runs compiled programs: bodies of transactions, assertions, and constants.
//!
//! A run is bounded: every expression evaluated takes one of [`MAX_STEPS`] steps, large values take more,
//! and an access to the database takes [`ACCESS_STEPS`], since a body is run again for every read. So a loop
//! without an end becomes a fault that names its place, and soon.

mod operator;
mod rows;

use std::borrow::Cow;
use std::sync::Arc;

use hobgoblin_core::{Key, Text, Value};

use super::code::{At, Code, KeyCode, Procedure, Slot, Step};
use super::keys::key_name;
use super::source::Sources;
use super::syntax::Op;
use super::value::{TooLarge, Val};
use crate::end::End;
use crate::record::Outcome;
use crate::script::Body;
use crate::transaction::{Stop, Transaction};

/// The most steps of one run.
const MAX_STEPS: usize = 1_000_000;
/// The steps a read or write takes.
const ACCESS_STEPS: usize = 500;

/// Where a program runs.
pub(super) enum World<'m, 't> {
    Body(&'m mut Transaction<'t>),
    End(&'m End<'t>),
    Constant,
}

/// One run of a body, an assertion or a constant.
pub(super) struct Machine<'m, 't> {
    world: World<'m, 't>,
    slots: Vec<Val>,
    steps: usize,
    sources: &'m Sources,
}

type Ran<T> = Result<T, Stop>;

impl<'m, 't> Machine<'m, 't> {
    pub(super) fn new(world: World<'m, 't>, sources: &'m Sources) -> Machine<'m, 't> {
        Machine { world, slots: Vec::new(), steps: MAX_STEPS, sources }
    }

    #[cold]
    fn fault<T>(&self, at: At, what: impl AsRef<str>) -> Ran<T> {
        Err(Stop::Fault(format!("{} ({})", what.as_ref(), self.sources.place(at))))
    }

    fn spend(&mut self, steps: usize, at: At) -> Ran<()> {
        match self.steps.checked_sub(steps) {
            Some(left) => self.steps = left,
            None => {
                let what = "takes a million steps and goes on; does it loop forever?";
                return self.fault(at, what);
            }
        }
        Ok(())
    }

    fn sized(&mut self, value: Result<Val, TooLarge>, at: At) -> Ran<Val> {
        match value {
            Ok(value) => Ok(value),
            Err(TooLarge) => self.fault(at, "makes a value that is too large"),
        }
    }

    /// Runs statements; what they returned, if they did.
    fn block(&mut self, steps: &[Step]) -> Ran<Option<Val>> {
        for step in steps {
            if let Some(returned) = self.step(step)? {
                return Ok(Some(returned));
            }
        }
        Ok(None)
    }

    fn step(&mut self, step: &Step) -> Ran<Option<Val>> {
        match step {
            Step::Assign(slot, value) => {
                let value = self.eval(value)?;
                self.set(*slot, value);
            }
            Step::AssignLocal(name, value) => {
                let value = self.eval(value)?.encode();
                if let World::Body(transaction) = &mut self.world {
                    transaction.set_local(name, value);
                }
            }
            Step::Write(key, value, at) => {
                let key = self.key(key, *at)?;
                let value = self.eval(value)?;
                self.put(&key, &value, *at)?;
            }
            Step::Insert(table, values, at) => self.insert(table, values, *at)?,
            Step::Delete(rows) => self.delete(rows)?,
            Step::Update(rows, changes) => self.update(rows, changes)?,
            Step::If(arms, otherwise, at) => {
                for (condition, body) in arms {
                    if self.truth(condition, *at)? {
                        return self.block(body);
                    }
                }
                return self.block(otherwise);
            }
            Step::For(slot, over, body, at) => {
                let over = self.eval(over)?;
                let Some(items) = over.items() else {
                    return self.fault(*at, format!("goes through {}, not a list", over.kind()));
                };
                for item in items {
                    self.spend(1, *at)?;
                    self.set(*slot, item.clone());
                    if let Some(returned) = self.block(body)? {
                        return Ok(Some(returned));
                    }
                }
            }
            Step::Repeat(times, body, at) => {
                let times = match self.eval(times)? {
                    Val::Int(times) => times,
                    other => return self.fault(*at, format!("repeats {} times", other.kind())),
                };
                for _ in 0..times {
                    self.spend(1, *at)?;
                    if let Some(returned) = self.block(body)? {
                        return Ok(Some(returned));
                    }
                }
            }
            Step::While(condition, body, at) => {
                while self.truth(condition, *at)? {
                    self.spend(1, *at)?;
                    if let Some(returned) = self.block(body)? {
                        return Ok(Some(returned));
                    }
                }
            }
            Step::Abort => return Err(Stop::Abort),
            Step::Return(None) => return Ok(Some(Val::Null)),
            Step::Return(Some(value)) => return self.eval(value).map(Some),
        }
        Ok(None)
    }

    fn set(&mut self, slot: Slot, value: Val) {
        self.slots[slot as usize] = value;
    }

    fn truth(&mut self, condition: &Code, at: At) -> Ran<bool> {
        match self.eval(condition)? {
            Val::Bool(holds) => Ok(holds),
            other => self.fault(at, format!("takes {} for true or false", other.kind())),
        }
    }

    /// The value of an expression. Trees are of bounded height, so this may recurse.
    pub(super) fn eval(&mut self, code: &Code) -> Ran<Val> {
        self.steps = self.steps.saturating_sub(1);
        match code {
            Code::Constant(value) => Ok(value.clone()),
            Code::Slot(slot) => Ok(self.slots[*slot as usize].clone()),
            Code::Local(name) => match &self.world {
                World::Body(transaction) => self.decoded(&transaction.local(name), 0),
                _ => Ok(Val::Null),
            },
            Code::List(items, at) => {
                let items = self.all(items, *at)?;
                self.sized(Val::list(items), *at)
            }
            Code::Set(items, at) => {
                let items = self.all(items, *at)?;
                self.sized(Val::set(items), *at)
            }
            Code::Field(of, name, at) => {
                // A column of a row that is in a slot is the common case: the row is not copied.
                if let Code::Slot(slot) = &**of
                    && let Some(value) = self.slots[*slot as usize].field(name)
                {
                    return Ok(value.clone());
                }
                let of = self.eval(of)?;
                match of.field(name) {
                    Some(value) => Ok(value.clone()),
                    None => self.fault(*at, format!("asks {} for `{name}`", of.kind())),
                }
            }
            Code::Index(parts, at) => {
                let of = self.eval(&parts.0)?;
                let index = self.eval(&parts.1)?;
                self.index(&of, &index, *at)
            }
            Code::Not(inner, at) => Ok(Val::Bool(!self.truth(inner, *at)?)),
            Code::Minus(inner, at) => match self.eval(inner)? {
                Val::Int(n) => match n.checked_neg() {
                    Some(n) => Ok(Val::Int(n)),
                    None => self.fault(*at, format!("overflows: -({n})")),
                },
                other => self.fault(*at, format!("negates {}", other.kind())),
            },
            Code::Binary(Op::And, parts, at) => {
                Ok(Val::Bool(self.truth(&parts.0, *at)? && self.truth(&parts.1, *at)?))
            }
            Code::Binary(Op::Or, parts, at) => {
                Ok(Val::Bool(self.truth(&parts.0, *at)? || self.truth(&parts.1, *at)?))
            }
            Code::Binary(op, parts, at) => {
                let left = self.eval(&parts.0)?;
                let right = self.eval(&parts.1)?;
                self.operate(*op, left, right, *at)
            }
            Code::Call(function, args, at) => {
                let args = self.all(args, *at)?;
                self.call(*function, args, *at)
            }
            Code::Read(key, at) => {
                let key = self.key(key, *at)?;
                self.get(&key, *at)
            }
            Code::Select(select) => self.select(&select.0, &select.1),
            Code::Last(key) => self.at_end(|end| end.last(key)),
            Code::EndLocal { session, name } => self.at_end(|end| end.local(*session, name)),
            Code::Result { session, txn } => self.at_end(|end| match end.outcome(*session, *txn) {
                Outcome::Committed(value) => value.clone(),
                Outcome::Aborted => Value::Null,
            }),
            Code::Aborted { session, txn } => {
                self.at_end(|end| (*end.outcome(*session, *txn) == Outcome::Aborted).into())
            }
        }
    }

    fn all(&mut self, codes: &[Code], at: At) -> Ran<Vec<Val>> {
        self.spend(codes.len(), at)?;
        codes.iter().map(|code| self.eval(code)).collect()
    }

    fn at_end(&self, look: impl FnOnce(&End<'t>) -> Value) -> Ran<Val> {
        match &self.world {
            World::End(end) => self.decoded(&look(end), 0),
            _ => Ok(Val::Null),
        }
    }

    fn decoded(&self, value: &Value, at: At) -> Ran<Val> {
        match Val::decode(value) {
            Some(value) => Ok(value),
            None => self.fault(at, format!("reads {value}, which no program in text can hold")),
        }
    }

    fn key<'k>(&mut self, key: &'k KeyCode, at: At) -> Ran<Cow<'k, Key>> {
        match key {
            KeyCode::Fixed(key) => Ok(Cow::Borrowed(key)),
            KeyCode::Computed { name, indexes } => {
                let indexes = self.all(indexes, at)?;
                let key = key_name(name, &indexes).or_else(|what| self.fault(at, what))?;
                Ok(Cow::Owned(key))
            }
        }
    }

    fn get(&mut self, key: &Key, at: At) -> Ran<Val> {
        self.spend(ACCESS_STEPS, at)?;
        let World::Body(transaction) = &mut self.world else { return Ok(Val::Null) };
        match transaction.get_at(key) {
            Ok(value) => self.decoded(&value, at),
            Err(Stop::Fault(what)) => self.fault(at, what),
            Err(stop) => Err(stop),
        }
    }

    fn put(&mut self, key: &Key, value: &Val, at: At) -> Ran<()> {
        self.spend(ACCESS_STEPS + value.size(), at)?;
        let World::Body(transaction) = &mut self.world else { return Ok(()) };
        match transaction.put_at(key, value.encode()) {
            Err(Stop::Fault(what)) => self.fault(at, what),
            done => done,
        }
    }
}

/// What a later transaction of the session or an assertion wants to know of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Export {
    Slot(Slot),
    Result,
    Aborted,
}

/// A transaction of a session: a procedure, its arguments, and the locals it leaves behind.
pub(super) struct Call {
    pub(super) procedure: Arc<Procedure>,
    pub(super) args: Vec<Code>,
    pub(super) exports: Vec<(Text, Export)>,
    pub(super) sources: Arc<Sources>,
}

impl Body for Call {
    fn run(&self, transaction: &mut Transaction<'_>) -> Result<Value, Stop> {
        let mut machine = Machine::new(World::Body(transaction), &self.sources);
        let mut slots = Vec::with_capacity(self.procedure.slots.len());
        for arg in &self.args {
            slots.push(machine.eval(arg)?);
        }
        slots.resize(self.procedure.slots.len(), Val::Null);
        machine.slots = slots;
        let ran = machine.block(&self.procedure.body);
        let slots = machine.slots;
        let (result, aborted) = match &ran {
            Ok(returned) => (returned.as_ref().map_or(Value::Null, Val::encode), false),
            Err(Stop::Abort) => (Value::Null, true),
            Err(stop) => return Err(stop.clone()),
        };
        for (name, export) in &self.exports {
            let value = match export {
                Export::Slot(slot) => slots[*slot as usize].encode(),
                Export::Result => result.clone(),
                Export::Aborted => aborted.into(),
            };
            transaction.set_local(name, value);
        }
        ran.map(|_| result)
    }
}
