//! Random histories, made by running replicas: what they return is right, unless mistakes are asked for.
//!
//! Operations happen one after the other. A replica learns of another's now and then, up to some point of its
//! sequence, with all that one knew then. The order in which operations happen is the order that decides among
//! concurrent writes and additions.

use hobgoblin_core::{Key, Rng, Value};

use crate::builder::{Action, CrdtHistoryBuilder};
use crate::data_type::{Arbitration, DataType, Multiplicity, TypeOptions};
use crate::history::{CrdtHistory, OpRef};

/// What to generate.
///
/// ```
/// use hobgoblin_crdt::{CrdtVerdict, DataType, Generate, Limits, check};
///
/// let mut wanted = Generate::new(DataType::Counter);
/// wanted.operations = 50;
/// let history = wanted.run();
/// assert_eq!(history.num_ops(), 50);
/// assert!(matches!(check(&history, &Limits::none()), CrdtVerdict::Admitted(_)));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Generate {
    /// The data type.
    pub data_type: DataType,
    /// What is chosen about it.
    pub options: TypeOptions,
    /// How many replicas.
    pub replicas: u32,
    /// How many operations in all.
    pub operations: u32,
    /// How many objects.
    pub keys: u32,
    /// How many of a hundred operations are reads.
    pub reads: u32,
    /// How many different values are written to registers, and amounts added to counters; none: every value is
    /// written once, and amounts are up to a thousand.
    pub values: Option<u32>,
    /// Whether it is recorded who had observed what.
    pub sees: bool,
    /// How many results are changed to others.
    pub mistakes: u32,
    /// Decides everything else.
    pub seed: u64,
}

impl Generate {
    /// Three replicas with ten objects and a hundred operations.
    pub fn new(data_type: DataType) -> Generate {
        Generate {
            data_type,
            options: TypeOptions::default(),
            replicas: 3,
            operations: 100,
            keys: 10,
            reads: 50,
            values: None,
            sees: false,
            mistakes: 0,
            seed: 0,
        }
    }

    /// The history of these numbers.
    pub fn run(&self) -> CrdtHistory {
        Run::new(self).history()
    }
}

/// An update that happened.
#[derive(Clone, Copy, Debug)]
struct Done {
    replica: u32,
    position: u32,
    /// Add, write or insert, in contrast to remove or delete.
    puts: bool,
    value: i64,
    /// The sum of all amounts of the replica for the object up to this one.
    total: i64,
    /// When, counted in operations.
    time: u32,
}

/// The elements of one list in their order, those that were removed included.
#[derive(Debug, Default)]
struct Line {
    /// The order of elements is the order of these numbers.
    label: Vec<u64>,
    next: Vec<u32>,
    first: u32,
}

const END: u32 = u32::MAX;

impl Line {
    fn new() -> Line {
        Line { label: Vec::new(), next: Vec::new(), first: END }
    }

    /// Adds an element directly after another, or at the beginning.
    fn add(&mut self, after: Option<u32>) -> u32 {
        loop {
            let next = after.map_or(self.first, |a| self.next[a as usize]);
            let low = after.map_or(0, |a| self.label[a as usize]);
            let high = if next == END { u64::MAX } else { self.label[next as usize] };
            if high - low >= 2 {
                let element = self.label.len() as u32;
                self.label.push(low + (high - low) / 2);
                self.next.push(next);
                match after {
                    Some(after) => self.next[after as usize] = element,
                    None => self.first = element,
                }
                return element;
            }
            let step = u64::MAX / (self.label.len() as u64 + 1);
            let (mut at, mut label) = (self.first, 0);
            while at != END {
                label += step;
                self.label[at as usize] = label;
                at = self.next[at as usize];
            }
        }
    }
}

struct Run<'a> {
    wanted: &'a Generate,
    rng: Rng,
    k: usize,
    /// What every operation of every replica had observed.
    vectors: Vec<Vec<u32>>,
    knows: Vec<Vec<u32>>,
    /// The updates of each object and replica.
    updates: Vec<Vec<Done>>,
    lines: Vec<Line>,
    /// The elements of each list that each replica sees.
    present: Vec<Vec<u32>>,
    /// What each replica did to lists: which list, which element, and whether it was added.
    edits: Vec<Vec<Option<(u32, u32, bool)>>>,
    erased: Vec<Vec<bool>>,
    builder: CrdtHistoryBuilder,
    actions: Vec<Vec<Action>>,
    time: u32,
}

impl<'a> Run<'a> {
    fn new(wanted: &'a Generate) -> Run<'a> {
        let k = wanted.replicas.max(1) as usize;
        let keys = wanted.keys.max(1) as usize;
        Run {
            wanted,
            rng: Rng::new(wanted.seed),
            k,
            vectors: vec![Vec::new(); k],
            knows: vec![vec![0; k]; k],
            updates: vec![Vec::new(); keys * k],
            lines: (0..keys).map(|_| Line::new()).collect(),
            present: vec![Vec::new(); keys * k],
            edits: vec![Vec::new(); k],
            erased: vec![Vec::new(); keys * k],
            builder: CrdtHistoryBuilder::new(wanted.data_type, wanted.options),
            actions: vec![Vec::new(); k],
            time: 0,
        }
    }

    fn history(mut self) -> CrdtHistory {
        for _ in 0..self.wanted.operations {
            let replica = self.rng.below(self.k as u32) as usize;
            if self.rng.one_in(3) {
                self.learn(replica);
            }
            self.operate(replica);
            self.time += 1;
        }
        self.mistake();
        // All are there before one is said to have observed another.
        for replica in 0..self.k {
            self.builder.replica(name(replica));
        }
        for (replica, actions) in std::mem::take(&mut self.actions).into_iter().enumerate() {
            let number = self.builder.replica(name(replica));
            for (position, action) in actions.into_iter().enumerate() {
                let op = self.builder.op(number, action);
                self.record(op, replica, position);
            }
        }
        self.builder.finish().expect("what replicas did is a history")
    }

    fn record(&mut self, op: OpRef, replica: usize, position: usize) {
        if self.wanted.options.arbitration == Arbitration::Timestamps {
            // The number of the operation among all would do; this is as good, and every write has its own.
            let moment = i64::from(self.vectors[replica][position * (self.k + 1) + self.k]);
            self.builder.timestamp(op, Box::new([Key::Int(moment)]));
        }
        if self.wanted.sees {
            let seen = &self.vectors[replica][position * (self.k + 1)..][..self.k];
            let others =
                seen.iter().copied().enumerate().filter(|&(of, count)| of != replica && count > 0);
            let seen: Vec<(u32, u64)> =
                others.map(|(of, count)| (of as u32, u64::from(count))).collect();
            self.builder.sees(op, &seen);
        }
    }

    /// A replica learns what another knew at some point.
    fn learn(&mut self, replica: usize) {
        let from = self.rng.below(self.k as u32) as usize;
        let len = self.edits[from].len() as u32;
        let known = self.knows[replica][from];
        if from == replica || len <= known {
            return;
        }
        let upto = if self.rng.one_in(2) { len } else { known + 1 + self.rng.below(len - known) };
        let mut what = self.vectors[from][(upto as usize - 1) * (self.k + 1)..][..self.k].to_vec();
        what[from] = upto;
        for of in (0..self.k).filter(|&of| of != replica) {
            for position in self.knows[replica][of]..what[of] {
                if let Some((list, element, added)) = self.edits[of][position as usize] {
                    self.show(replica, list, element, added);
                }
            }
            self.knows[replica][of] = self.knows[replica][of].max(what[of]);
        }
    }

    /// A replica sees that an element was added or removed.
    fn show(&mut self, replica: usize, list: u32, element: u32, added: bool) {
        let cell = list as usize * self.k + replica;
        let label = &self.lines[list as usize].label;
        let present = &mut self.present[cell];
        let at = present.partition_point(|&other| label[other as usize] < label[element as usize]);
        let erased = &mut self.erased[cell];
        if erased.len() <= element as usize {
            erased.resize(element as usize + 1, false);
        }
        match added {
            true if !erased[element as usize] => present.insert(at, element),
            true => {}
            false => {
                erased[element as usize] = true;
                if present.get(at) == Some(&element) {
                    present.remove(at);
                }
            }
        }
    }

    fn operate(&mut self, replica: usize) {
        let object = self.rng.below(self.wanted.keys.max(1));
        let reads = self.rng.below(100) < self.wanted.reads;
        let mut vector = self.knows[replica].clone();
        vector[replica] = self.edits[replica].len() as u32;
        vector.push(self.time);
        self.vectors[replica].extend(vector);
        let mut edit = None;
        let action = match reads {
            true => self.read(replica, object),
            false if self.wanted.data_type.is_list() => {
                let (action, done) = self.edit(replica, object);
                edit = Some(done);
                action
            }
            false => self.update(replica, object),
        };
        self.actions[replica].push(action);
        self.edits[replica].push(edit);
        self.knows[replica][replica] += 1;
    }

    fn edit(&mut self, replica: usize, list: u32) -> (Action, (u32, u32, bool)) {
        let cell = list as usize * self.k + replica;
        let present = &self.present[cell];
        let count = present.len() as u32;
        let list_name = self.object(list);
        // Lists do not grow for ever.
        if count > 0 && self.rng.below(40 + count) < count {
            let element = present[self.rng.below(count) as usize];
            self.show(replica, list, element, false);
            let name = element_name(list, element);
            return (Action::Erase { list: list_name, element: name }, (list, element, false));
        }
        let after = match self.rng.below(count + 1) {
            0 => None,
            n => Some(present[n as usize - 1]),
        };
        let element = self.lines[list as usize].add(after);
        self.show(replica, list, element, true);
        let after = after.map(|after| element_name(list, after));
        let element_name = element_name(list, element);
        (Action::Insert { list: list_name, after, element: element_name }, (list, element, true))
    }

    fn update(&mut self, replica: usize, object: u32) -> Action {
        let name = self.object(object);
        let time = self.time;
        let puts = self.rng.below(100) < 60;
        let value = match (self.wanted.data_type, self.wanted.values) {
            (DataType::Counter, Some(values)) => i64::from(self.rng.below(values.max(1))) + 1,
            (DataType::Counter, None) => i64::from(self.rng.below(1000)) + 1,
            (_, Some(values)) => i64::from(self.rng.below(values.max(1))),
            (_, None) => i64::from(time),
        };
        let value =
            if self.wanted.data_type == DataType::Counter && !puts { -value } else { value };
        let registers = matches!(self.wanted.data_type, DataType::Mvr | DataType::Lww);
        let puts = if registers { !self.rng.one_in(12) } else { puts };
        let position = self.edits[replica].len() as u32;
        let done = &mut self.updates[object as usize * self.k + replica];
        let total = done.last().map_or(0, |last| last.total) + value;
        done.push(Done { replica: replica as u32, position, puts, value, total, time });
        match self.wanted.data_type {
            DataType::Counter => Action::Increase(name, value),
            DataType::Mvr | DataType::Lww if puts => Action::Write(name, value.into()),
            DataType::Mvr | DataType::Lww => Action::Delete(name),
            _ if puts => Action::Add(name),
            _ => Action::Remove(name),
        }
    }

    /// Of each replica, the last update of an object that is visible and of this kind.
    fn last(&self, replica: usize, object: u32, kind: impl Fn(&Done) -> bool) -> Vec<Done> {
        let own = self.edits[replica].len() as u32;
        let mut found = Vec::new();
        for of in 0..self.k {
            let seen = if of == replica { own } else { self.knows[replica][of] };
            let done = &self.updates[object as usize * self.k + of];
            let visible = done.partition_point(|done| done.position < seen);
            found.extend(done[..visible].iter().rev().find(|done| kind(done)));
        }
        found
    }

    fn sees(&self, by: &Done, other: &Done) -> bool {
        let at = by.position as usize * (self.k + 1) + other.replica as usize;
        self.vectors[by.replica as usize][at] > other.position
    }

    fn read(&self, replica: usize, object: u32) -> Action {
        let name = self.object(object);
        let last = self.last(replica, object, |_| true);
        let puts = || self.last(replica, object, |done| done.puts);
        let takes = || self.last(replica, object, |done| !done.puts);
        match self.wanted.data_type {
            DataType::AwSet | DataType::EwFlag => {
                let takes = takes();
                let survives = |put: &Done| !takes.iter().any(|take| self.sees(take, put));
                Action::Contains(name, puts().iter().any(survives))
            }
            DataType::RwSet | DataType::DwFlag => {
                let puts = puts();
                let undone = |take: &Done| puts.iter().any(|put| self.sees(put, take));
                Action::Contains(name, !puts.is_empty() && takes().iter().all(undone))
            }
            DataType::Counter => Action::Sum(name, last.iter().map(|done| done.total).sum()),
            DataType::Lww => {
                let newest = last.iter().max_by_key(|done| done.time).filter(|done| done.puts);
                Action::Value(name, newest.map_or(Value::Null, |done| done.value.into()))
            }
            DataType::Mvr => {
                let covered = |done: &Done| {
                    let mut others = last.iter().filter(|other| other.replica != done.replica);
                    others.any(|other| self.sees(other, done))
                };
                let maximal = last.iter().filter(|done| !covered(done) && done.puts);
                let mut values: Vec<i64> = maximal.map(|done| done.value).collect();
                values.sort_unstable();
                if self.wanted.options.multiplicity == Multiplicity::Set {
                    values.dedup();
                }
                Action::Values(name, values.into_iter().map(Value::from).collect())
            }
            DataType::Rga | DataType::List => {
                let present = &self.present[object as usize * self.k + replica];
                Action::Items(
                    name,
                    present.iter().map(|&element| element_name(object, element)).collect(),
                )
            }
        }
    }

    fn object(&self, object: u32) -> Value {
        Value::from(format!("k{object}").as_str())
    }

    /// Changes results to others.
    fn mistake(&mut self) {
        let is_read = |action: &Action| {
            matches!(
                action,
                Action::Contains(..)
                    | Action::Sum(..)
                    | Action::Value(..)
                    | Action::Values(..)
                    | Action::Items(..)
            )
        };
        let mut reads = Vec::new();
        for (replica, actions) in self.actions.iter().enumerate() {
            let positions = actions.iter().enumerate().filter(|(_, action)| is_read(action));
            reads.extend(positions.map(|(position, _)| (replica, position)));
        }
        self.rng.shuffle(&mut reads);
        let mut changed = 0;
        for (replica, position) in reads {
            if changed == self.wanted.mistakes {
                return;
            }
            let action = &mut self.actions[replica][position];
            let before = action.clone();
            match action {
                Action::Contains(_, is_in) => *is_in = !*is_in,
                Action::Sum(_, sum) => *sum += if self.rng.one_in(2) { 1 } else { -1 },
                Action::Value(_, value) => {
                    *value = other_value(&mut self.rng, value.as_i64(), self.time)
                }
                Action::Values(_, values) => {
                    if values.is_empty() || self.rng.one_in(2) {
                        values.push(other_value(&mut self.rng, None, self.time));
                        values.sort();
                    } else {
                        values.pop();
                    }
                }
                Action::Items(_, items) if items.len() > 1 && self.rng.one_in(2) => {
                    let at = self.rng.below(items.len() as u32 - 1) as usize;
                    items.swap(at, at + 1);
                }
                Action::Items(_, items) => drop(items.pop()),
                _ => {}
            }
            changed += u32::from(*action != before);
        }
    }
}

/// A value that may have been written, and is not this one.
fn other_value(rng: &mut Rng, value: Option<i64>, time: u32) -> Value {
    let other = i64::from(rng.below(time.max(1)));
    if Some(other) == value { Value::from(other + 1) } else { Value::from(other) }
}

/// A, B, C and so on.
fn name(replica: usize) -> Key {
    let mut name = String::new();
    let mut left = replica + 1;
    while left > 0 {
        left -= 1;
        name.insert(0, (b'A' + (left % 26) as u8) as char);
        left /= 26;
    }
    Key::from(name.as_str())
}

fn element_name(list: u32, element: u32) -> Value {
    Value::from(format!("{list}.{element}").as_str())
}
