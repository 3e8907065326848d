//! What is done to a fleet, and in which order; made from a seed, before the library runs.
//!
//! Any part of a schedule is a schedule, too: a step that needs another one which is not there does nothing. So
//! shrinking can leave out whatever it likes.

use hobgoblin_core::Rng;

use super::config::Config;
use super::replica::{Arrival, Exchange, Request};
use crate::data_type::DataType;

/// Everything that is done to a fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    pub(super) replicas: usize,
    pub(super) steps: Vec<Step>,
    /// Whether everybody receives everything at the end, and by what.
    pub(super) sync: Option<Sync>,
    /// What is read after that.
    pub(super) finals: Vec<(usize, Request)>,
}

/// How everybody receives everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sync {
    Merges,
    Messages,
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A replica does something. The label names it in other steps.
    Apply { label: u32, replica: usize, plan: Plan },
    /// What was done there arrives; in causal order, if the library relies on that, with all that comes before.
    /// What arrived already arrives again only if that is said.
    Deliver { label: u32, to: usize, again: bool },
    /// A replica takes over all that another one has observed.
    Merge { from: usize, to: usize },
    /// A copy is made of a replica.
    Copy { label: u32, from: usize },
    /// A replica merges that copy.
    MergeCopy { label: u32, to: usize },
}

/// What to ask a replica for. Places in lists are found when the replica has been asked what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Request(Request),
    /// Inserts after so many of its elements, modulo their number.
    Insert {
        list: String,
        place: u32,
        element: i64,
    },
    /// Removes the one after so many, modulo their number.
    Erase {
        list: String,
        place: u32,
    },
}

impl Plan {
    fn is_update(&self) -> bool {
        match self {
            Plan::Insert { .. } | Plan::Erase { .. } => true,
            Plan::Request(request) => match request {
                Request::Add(_)
                | Request::Remove(_)
                | Request::Increase(..)
                | Request::Write(..)
                | Request::Delete(_)
                | Request::Insert { .. }
                | Request::Erase { .. } => true,
                Request::Contains(_)
                | Request::Elements
                | Request::Sum(_)
                | Request::Read(_)
                | Request::Items(_) => false,
            },
        }
    }
}

/// The schedule of a seed.
pub(super) fn generate(config: &Config, exchange: Exchange, seed: u64) -> Schedule {
    let mut rng = Rng::new(seed);
    // In every history replicas talk more or less often: a quarter to three quarters of all steps.
    let talk = rng.between(1, 3);
    let generator = Generator {
        rng,
        config,
        exchange,
        keys: config.key_names(),
        values: 0,
        labels: 0,
        updates: vec![Vec::new(); config.replicas],
        delivered: vec![Vec::new(); config.replicas],
        copies: Vec::new(),
        groups: vec![0; config.replicas],
        divided: 0,
    };
    generator.schedule(talk)
}

struct Generator<'a> {
    rng: Rng,
    config: &'a Config,
    exchange: Exchange,
    keys: Vec<String>,
    /// How many values, amounts or elements there are.
    values: u32,
    labels: u32,
    /// The updates of every replica, by their labels.
    updates: Vec<Vec<u32>>,
    /// What every replica has been sent.
    delivered: Vec<Vec<u32>>,
    copies: Vec<u32>,
    /// Of every replica, the group that it reaches.
    groups: Vec<u32>,
    /// How many steps the replicas remain divided into groups.
    divided: u32,
}

impl Generator<'_> {
    fn schedule(mut self, talk: u32) -> Schedule {
        let replicas = self.config.replicas;
        let mut steps = Vec::new();
        let mut left = self.config.operations;
        while left > 0 {
            self.divide();
            if replicas > 1 && self.rng.below(4) < talk {
                steps.extend(self.talk());
            } else {
                left -= 1;
                let replica = self.rng.below(replicas as u32) as usize;
                let (label, plan) = (self.label(), self.plan());
                if plan.is_update() {
                    self.updates[replica].push(label);
                }
                steps.push(Step::Apply { label, replica, plan });
            }
        }
        let by_messages = match self.exchange {
            Exchange { merges: true, messages: Some(_), .. } => self.rng.one_in(2),
            Exchange { messages, .. } => messages.is_some(),
        };
        let sync = Some(if by_messages { Sync::Messages } else { Sync::Merges });
        let reads = self.final_reads();
        let finals =
            (0..replicas).flat_map(|replica| reads.iter().map(move |r| (replica, r.clone())));
        Schedule { replicas, steps, sync, finals: finals.collect() }
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels - 1
    }

    /// At times some replicas do not reach the others.
    fn divide(&mut self) {
        self.divided = self.divided.saturating_sub(1);
        if self.divided == 0 {
            self.groups.fill(0);
            if self.config.partitions && self.rng.one_in(10) {
                self.divided = self.rng.between(4, 16);
                for group in &mut self.groups {
                    *group = self.rng.below(2);
                }
            }
        }
    }

    /// Something arrives somewhere, if something can.
    fn talk(&mut self) -> Option<Step> {
        let replicas = self.config.replicas as u32;
        let from = self.rng.below(replicas) as usize;
        let to = (from + self.rng.between(1, replicas - 1) as usize) % replicas as usize;
        if self.groups[from] != self.groups[to] {
            return None;
        }
        let messages = match self.exchange {
            Exchange { merges: true, messages: Some(_), .. } => self.rng.one_in(2),
            Exchange { messages, .. } => messages.is_some(),
        };
        match messages {
            true => self.message(from, to),
            false => Some(self.merge(from, to)),
        }
    }

    fn message(&mut self, from: usize, to: usize) -> Option<Step> {
        let (new, old): (Vec<u32>, Vec<u32>) =
            self.updates[from].iter().partition(|label| !self.delivered[to].contains(label));
        let again = self.exchange.duplicates && self.config.duplicates && self.rng.one_in(6);
        let again = again && !old.is_empty();
        let label = match again {
            true => *self.rng.pick(&old)?,
            false if !self.config.late => *new.first()?,
            false => {
                // How far one message may get ahead of others of its sender.
                let ahead = if self.exchange.messages == Some(Arrival::Any) { 4 } else { 2 };
                *self.rng.pick(&new[..new.len().min(ahead)])?
            }
        };
        if !self.delivered[to].contains(&label) {
            self.delivered[to].push(label);
        }
        Some(Step::Deliver { label, to, again })
    }

    fn merge(&mut self, from: usize, to: usize) -> Step {
        if self.config.late {
            match self.rng.below(6) {
                0 => {
                    let label = self.label();
                    self.copies.push(label);
                    return Step::Copy { label, from };
                }
                1 => {
                    if let Some(&label) = self.rng.pick(&self.copies) {
                        return Step::MergeCopy { label, to };
                    }
                }
                _ => {}
            }
        }
        Step::Merge { from, to }
    }

    fn key(&mut self) -> String {
        self.rng.pick(&self.keys).expect("there is at least one key").clone()
    }

    fn plan(&mut self) -> Plan {
        let (key, kind) = (self.key(), self.rng.below(8));
        Plan::Request(match self.config.data_type {
            DataType::AwSet | DataType::RwSet | DataType::EwFlag | DataType::DwFlag => match kind {
                0..=2 => Request::Add(key),
                3..=4 => Request::Remove(key),
                7 if self.has_elements() => Request::Elements,
                _ => Request::Contains(key),
            },
            DataType::Counter => match kind {
                0..=4 => Request::Increase(key, self.amount()),
                _ => Request::Sum(key),
            },
            DataType::Mvr | DataType::Lww => match kind {
                0..=3 => Request::Write(key, self.value()),
                4 if self.config.deletes => Request::Delete(key),
                _ => Request::Read(key),
            },
            DataType::Rga | DataType::List => match kind {
                0..=3 => {
                    // Concurrent insertions at one place are what lists differ in.
                    let place = if self.rng.one_in(3) { 0 } else { self.rng.below(1 << 16) };
                    self.values += 1;
                    return Plan::Insert { list: key, place, element: i64::from(self.values) };
                }
                4 => return Plan::Erase { list: key, place: self.rng.below(1 << 16) },
                _ => Request::Items(key),
            },
        })
    }

    fn has_elements(&self) -> bool {
        matches!(self.config.data_type, DataType::AwSet | DataType::RwSet)
    }

    fn value(&mut self) -> i64 {
        match self.config.repeated {
            Some(values) => i64::from(self.rng.between(1, values)),
            None => {
                self.values += 1;
                i64::from(self.values)
            }
        }
    }

    fn amount(&mut self) -> i64 {
        let amount = match self.config.repeated {
            Some(values) => i64::from(self.rng.between(1, values)),
            None => {
                self.values += 1;
                power(self.values)
            }
        };
        if self.rng.one_in(3) { -amount } else { amount }
    }

    /// What is read of every replica in the end: everything.
    fn final_reads(&self) -> Vec<Request> {
        let keys = self.keys.iter().cloned();
        match self.config.data_type {
            DataType::AwSet | DataType::RwSet => {
                keys.map(Request::Contains).chain([Request::Elements]).collect()
            }
            DataType::EwFlag | DataType::DwFlag => keys.map(Request::Contains).collect(),
            DataType::Counter => keys.map(Request::Sum).collect(),
            DataType::Mvr | DataType::Lww => keys.map(Request::Read).collect(),
            DataType::Rga | DataType::List => keys.map(Request::Items).collect(),
        }
    }
}

/// 1, 2, 4 and so on. Beyond the fortieth they begin again, a sum of a million of them still fits 64 bits.
fn power(number: u32) -> i64 {
    1 << ((number - 1) % 40)
}

impl Schedule {
    /// The same without one replica and all that it takes part in. Those after it move up.
    pub(super) fn without_replica(&self, gone: usize) -> Schedule {
        let moved =
            |replica: usize| (replica != gone).then(|| replica - usize::from(replica > gone));
        let step = |step: &Step| {
            Some(match step.clone() {
                Step::Apply { label, replica, plan } => {
                    Step::Apply { label, replica: moved(replica)?, plan }
                }
                Step::Deliver { label, to, again } => {
                    Step::Deliver { label, to: moved(to)?, again }
                }
                Step::Merge { from, to } => Step::Merge { from: moved(from)?, to: moved(to)? },
                Step::Copy { label, from } => Step::Copy { label, from: moved(from)? },
                Step::MergeCopy { label, to } => Step::MergeCopy { label, to: moved(to)? },
            })
        };
        let steps = self.steps.iter().filter_map(step).collect();
        let finals = self.finals.iter();
        let finals = finals.filter_map(|(replica, read)| Some((moved(*replica)?, read.clone())));
        Schedule { replicas: self.replicas - 1, steps, sync: self.sync, finals: finals.collect() }
    }

    /// The same with values, amounts and elements counted from one on.
    pub(super) fn renumbered(&self) -> Schedule {
        let mut renumbered = self.clone();
        let mut old: Vec<i64> = Vec::new();
        let mut number = |value: i64| match old.iter().position(|&o| o == value) {
            Some(at) => at as u32 + 1,
            None => {
                old.push(value);
                old.len() as u32
            }
        };
        for step in &mut renumbered.steps {
            let Step::Apply { plan, .. } = step else { continue };
            match plan {
                Plan::Insert { element, .. } => *element = i64::from(number(*element)),
                Plan::Request(Request::Write(_, value)) => *value = i64::from(number(*value)),
                Plan::Request(Request::Increase(_, amount)) => {
                    *amount = amount.signum() * power(number(amount.abs()));
                }
                _ => {}
            }
        }
        renumbered
    }

    /// How many things happen.
    pub(super) fn len(&self) -> usize {
        self.steps.len() + usize::from(self.sync.is_some()) + self.finals.len()
    }
}
