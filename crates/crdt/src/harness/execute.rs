//! Runs a library by a schedule, and keeps the clock: who has observed what.
//!
//! Of every replica the harness knows how many operations of each other replica it has observed, as a prefix that ends
//! with an update:
//!
//! - A merge makes the receiver's vector the maximum of both. So does the merge of a copy, with the vector that the
//!   replica had when it was copied.
//! - A message in causal order is delivered after everything that its update had observed, and adds that update.
//! - A message in any order waits until all that its update had observed has been delivered as well; until then the
//!   update does not count as observed, nor do others that depend on it.
//!
//! So vectors are causal whatever happens, and every operation has observed exactly what its library was given.

use hashbrown::HashMap;
use hobgoblin_core::{Key, Value};

use super::config::{Config, Recorded};
use super::failure::{Cause, Divergence};
use super::panics::{Panic, caught};
use super::record::{action, canonical, misfit};
use super::replica::{Arrival, LiveReplica, Outcome, Request, Words};
use super::schedule::{Plan, Schedule, Step, Sync};
use crate::builder::{Action, CrdtHistoryBuilder};
use crate::data_type::Multiplicity;
use crate::error::CrdtError;
use crate::history::{CrdtHistory, Timestamp};

/// What came of a schedule.
pub(super) struct Execution {
    /// What was recorded, until it stopped.
    pub(super) history: Result<CrdtHistory, CrdtError>,
    /// Why it ended before the schedule did.
    pub(super) stopped: Option<Cause>,
    /// Whether replicas that had observed the same did not return the same in the end.
    pub(super) divergence: Option<Divergence>,
    /// What happened, line by line.
    pub(super) lines: Vec<String>,
    pub(super) operations: u64,
}

/// Runs the library.
pub(super) fn execute<R: LiveReplica>(schedule: &Schedule, config: &Config) -> Execution {
    let replicas = schedule.replicas;
    let mut run = Run::<R> {
        config,
        fleet: Vec::new(),
        copies: HashMap::new(),
        done: (0..replicas).map(|_| Vec::new()).collect(),
        order: Vec::new(),
        ends: vec![0; replicas],
        knows: vec![vec![0; replicas]; replicas],
        waiting: vec![Vec::new(); replicas],
        labels: HashMap::new(),
        finals: Vec::new(),
        lines: Vec::new(),
    };
    let stopped = run.all(schedule).err();
    let (fleet, copies) = (std::mem::take(&mut run.fleet), std::mem::take(&mut run.copies));
    // After a panic even this may fail, and says nothing new.
    let dropped = caught(move || drop((fleet, copies)));
    let stopped = stopped.or_else(|| dropped.err().map(Cause::from));
    let divergence = run.divergence();
    let operations = run.done.iter().map(|done| done.len() as u64).sum();
    let (lines, history) = (std::mem::take(&mut run.lines), run.history());
    Execution { history, stopped, divergence, lines, operations }
}

/// What one replica did.
struct Done<M> {
    action: Action,
    timestamp: Option<Timestamp>,
    is_final: bool,
    message: Option<M>,
    /// What it had observed.
    sees: Vec<u32>,
    /// Where the update before it ends, on its replica.
    before: u32,
}

/// A replica as it was.
struct Copied<R> {
    copy: R,
    name: String,
    /// What it had observed.
    vector: Vec<u32>,
}

/// An operation: whose, and how many of the replica come before it.
type Place = (usize, u32);

struct Run<'a, R: LiveReplica> {
    config: &'a Config,
    fleet: Vec<R>,
    copies: HashMap<u32, Copied<R>>,
    done: Vec<Vec<Done<R::Message>>>,
    /// The updates, as they happened.
    order: Vec<Place>,
    /// Of every replica, where its last update ends.
    ends: Vec<u32>,
    /// Of every replica, how much of every other it has observed.
    knows: Vec<Vec<u32>>,
    /// Updates that arrived at a replica before something that they had observed.
    waiting: Vec<Vec<Place>>,
    labels: HashMap<u32, Place>,
    finals: Vec<(usize, Request, Outcome)>,
    lines: Vec<String>,
}

impl From<Panic> for Cause {
    fn from(Panic { message, place }: Panic) -> Cause {
        Cause::Panicked { message, place }
    }
}

impl<R: LiveReplica> Run<'_, R> {
    fn all(&mut self, schedule: &Schedule) -> Result<(), Cause> {
        let (replicas, keys) = (schedule.replicas, self.config.key_names());
        self.fleet = caught(|| R::fleet(replicas, &keys))?;
        if self.fleet.len() != replicas {
            let got = self.fleet.len();
            return Err(Cause::Adapter(format!(
                "it made a fleet of {got} replicas instead of {replicas}"
            )));
        }
        for step in &schedule.steps {
            match step {
                Step::Apply { label, replica, plan } => self.plan(Some(*label), *replica, plan)?,
                Step::Deliver { label, to, again } => self.arrive(*label, *to, *again)?,
                Step::Merge { from, to } => self.merge(*from, *to)?,
                Step::Copy { label, from } => self.copy(*label, *from)?,
                Step::MergeCopy { label, to } => self.merge_copy(*label, *to)?,
            }
        }
        if let Some(sync) = schedule.sync {
            self.sync(sync)?;
            for (replica, request) in &schedule.finals {
                if let Some(outcome) = self.request(None, *replica, request, true)? {
                    self.finals.push((*replica, request.clone(), outcome));
                }
            }
        }
        Ok(())
    }

    fn line(&mut self, place: Option<Place>, text: &str) {
        let place = place.map_or_else(String::new, name);
        self.lines.push(format!("{place:<5} {text}"));
    }

    fn plan(&mut self, label: Option<u32>, replica: usize, plan: &Plan) -> Result<(), Cause> {
        let request = match plan {
            Plan::Request(request) => request.clone(),
            Plan::Insert { list, place, element } => {
                let Some(items) = self.held(replica, list)? else { return Ok(()) };
                let index = *place as usize % (items.len() + 1);
                let after = index.checked_sub(1).map(|before| items[before]);
                Request::Insert { list: list.clone(), index, after, element: *element }
            }
            Plan::Erase { list, place } => {
                let Some(items) = self.held(replica, list)? else { return Ok(()) };
                let Some(index) = (*place as usize).checked_rem(items.len()) else { return Ok(()) };
                Request::Erase { list: list.clone(), index, element: items[index] }
            }
        };
        self.request(label, replica, &request, false).map(drop)
    }

    /// What a list holds, to choose a place in it. This read is not part of the history. But if the list holds what
    /// nobody added, the read is recorded instead of an edit, and None is returned.
    fn held(&mut self, replica: usize, list: &str) -> Result<Option<Vec<i64>>, Cause> {
        let request = Request::Items(list.to_owned());
        let outcome = caught(|| self.fleet[replica].apply(&request))?;
        let Outcome::Items(items) = outcome else {
            return Err(misfit(&request, &outcome, self.config.data_type));
        };
        let inserted = |item: &i64| {
            self.done.iter().flatten().any(|done| match &done.action {
                Action::Insert { list: l, element, .. } => {
                    *element == Value::Int(*item) && *l == Value::from(list)
                }
                _ => false,
            })
        };
        match items.iter().all(inserted) {
            true => Ok(Some(items)),
            false => self.request(None, replica, &request, false).map(|_| None),
        }
    }

    /// Asks a replica, and records what came of it. None if there is no such operation.
    fn request(
        &mut self,
        label: Option<u32>,
        replica: usize,
        request: &Request,
        is_final: bool,
    ) -> Result<Option<Outcome>, Cause> {
        let data_type = self.config.data_type;
        let words = Words(request, data_type);
        let place = (replica, self.done[replica].len() as u32);
        let outcome = caught(|| self.fleet[replica].apply(request)).inspect_err(|_| {
            self.lines.push(format!("{:<5} {words}: panics", name(place)));
        })?;
        if outcome == Outcome::Unsupported {
            return Ok(None);
        }
        let action = action(request, &outcome, data_type);
        let action = action.ok_or_else(|| misfit(request, &outcome, data_type))?;
        let text = match &outcome {
            Outcome::Updated | Outcome::UpdatedAt(_) => words.to_string(),
            Outcome::NoEffect => format!("{words} (no effect)"),
            outcome => format!("{words} -> {outcome}"),
        };
        self.line(Some(place), &text);
        let is_update = matches!(outcome, Outcome::Updated | Outcome::UpdatedAt(_));
        let message = match is_update && R::EXCHANGE.messages.is_some() {
            true => caught(|| self.fleet[replica].message())?,
            false => None,
        };
        let timestamp = match &outcome {
            Outcome::UpdatedAt(timestamp) => Some(timestamp.clone()),
            _ => None,
        };
        let (sees, before) = (self.knows[replica].clone(), self.ends[replica]);
        self.done[replica].push(Done { action, timestamp, is_final, message, sees, before });
        if is_update {
            self.ends[replica] = place.1 + 1;
            self.order.push(place);
            if let Some(label) = label {
                self.labels.insert(label, place);
            }
        }
        Ok(Some(outcome))
    }

    /// What the replica has observed, its own operations included.
    fn vector(&self, replica: usize) -> Vec<u32> {
        let mut vector = self.knows[replica].clone();
        vector[replica] = self.ends[replica];
        vector
    }

    fn learn(&mut self, to: usize, vector: &[u32]) {
        for (of, &end) in vector.iter().enumerate().filter(|&(of, _)| of != to) {
            let known = &mut self.knows[to][of];
            *known = end.max(*known);
        }
        self.observe_waiting(to);
    }

    fn merge(&mut self, from: usize, to: usize) -> Result<(), Cause> {
        self.line(None, &format!("{} merges {}", replica_name(to), replica_name(from)));
        let pair = self.fleet.get_disjoint_mut([from, to]);
        let [from_replica, to_replica] = pair.expect("a schedule merges different replicas");
        caught(|| to_replica.merge(from_replica))?;
        let vector = self.vector(from);
        self.learn(to, &vector);
        Ok(())
    }

    fn copy(&mut self, label: u32, from: usize) -> Result<(), Cause> {
        if let Some(copy) = caught(|| self.fleet[from].copy())? {
            let name = format!("copy {} of {}", self.copies.len() + 1, replica_name(from));
            self.line(None, &format!("{name} is made"));
            let vector = self.vector(from);
            self.copies.insert(label, Copied { copy, name, vector });
        }
        Ok(())
    }

    fn merge_copy(&mut self, label: u32, to: usize) -> Result<(), Cause> {
        let Some(Copied { copy, name, vector }) = self.copies.get_mut(&label) else {
            return Ok(());
        };
        self.lines.push(format!("{:<5} {} merges {name}", "", replica_name(to)));
        let (vector, fleet) = (vector.clone(), &mut self.fleet);
        caught(|| fleet[to].merge(copy))?;
        self.learn(to, &vector);
        Ok(())
    }

    fn op(&self, (replica, position): Place) -> &Done<R::Message> {
        &self.done[replica][position as usize]
    }

    fn knows(&self, to: usize, (of, position): Place) -> bool {
        of == to || position < self.knows[to][of]
    }

    /// The message of an operation arrives, if there is one.
    fn arrive(&mut self, label: u32, to: usize, again: bool) -> Result<(), Cause> {
        let Some(&place) = self.labels.get(&label) else { return Ok(()) };
        if place.0 == to {
            return Ok(());
        }
        if self.knows(to, place) || self.waiting[to].contains(&place) {
            return if again { self.deliver(place, to, " again") } else { Ok(()) };
        }
        self.deliver_new(place, to)
    }

    /// Delivers a message that has not been, after all that it depends on if the library relies on that.
    fn deliver_new(&mut self, place: Place, to: usize) -> Result<(), Cause> {
        if R::EXCHANGE.messages == Some(Arrival::Causal) {
            let needed = self.needs(place);
            let missing = self.order.iter().filter(|&&(of, position)| position < needed[of]);
            let missing: Vec<Place> = missing.copied().filter(|&op| !self.knows(to, op)).collect();
            for op in missing {
                self.deliver(op, to, "")?;
            }
        }
        self.deliver(place, to, "")
    }

    /// What the replica that did this had observed by then, its own updates included.
    fn needs(&self, place: Place) -> Vec<u32> {
        let Done { sees, before, .. } = self.op(place);
        let mut needs = sees.clone();
        needs[place.0] = *before;
        needs
    }

    fn deliver(&mut self, place: Place, to: usize, again: &str) -> Result<(), Cause> {
        let text = format!("{} receives {}{again}", replica_name(to), name(place));
        self.line(None, &text);
        if let Some(message) = &self.done[place.0][place.1 as usize].message {
            let fleet = &mut self.fleet;
            caught(|| fleet[to].deliver(message))?;
        }
        self.wait(place, to);
        if R::EXCHANGE.messages == Some(Arrival::Any) {
            // What sent nothing before it cannot arrive any later.
            let needed = self.needs(place);
            let before = self.order.iter().copied().filter(|&(of, at)| at < needed[of]);
            let silent: Vec<Place> = before.filter(|&op| self.op(op).message.is_none()).collect();
            silent.into_iter().for_each(|op| self.wait(op, to));
        }
        self.observe_waiting(to);
        Ok(())
    }

    /// This has arrived.
    fn wait(&mut self, place: Place, to: usize) {
        if !self.knows(to, place) && !self.waiting[to].contains(&place) {
            self.waiting[to].push(place);
        }
    }

    /// Takes note of all that arrived and can be observed by now.
    fn observe_waiting(&mut self, to: usize) {
        let observable = |run: &Self, place: Place| {
            let needs = run.needs(place);
            (0..needs.len()).all(|of| of == to || needs[of] <= run.knows[to][of])
        };
        loop {
            let mut waiting = std::mem::take(&mut self.waiting[to]);
            waiting.retain(|&place| !self.knows(to, place));
            let next = waiting.iter().position(|&place| observable(self, place));
            let next = next.map(|at| waiting.swap_remove(at));
            self.waiting[to] = waiting;
            let Some((of, position)) = next else { return };
            self.knows[to][of] = position + 1;
        }
    }

    /// Everybody receives everything, each in an order of its own.
    fn sync(&mut self, sync: Sync) -> Result<(), Cause> {
        self.line(None, "everybody receives everything");
        let (replicas, told) = (self.fleet.len(), self.lines.len());
        for to in 0..replicas {
            for from in (1..replicas).map(|next| (to + next) % replicas) {
                match sync {
                    Sync::Merges => self.merge(from, to)?,
                    Sync::Messages => self.receive_all(from, to)?,
                }
            }
        }
        self.lines.truncate(told);
        Ok(())
    }

    fn receive_all(&mut self, from: usize, to: usize) -> Result<(), Cause> {
        let own = self.order.iter().copied().filter(|&(of, _)| of == from);
        let mut own: Vec<Place> = own.filter(|op| !self.waiting[to].contains(op)).collect();
        if R::EXCHANGE.messages == Some(Arrival::Any) && to % 2 == 1 {
            own.reverse();
        }
        for op in own {
            if !self.knows(to, op) {
                self.deliver_new(op, to)?;
            }
        }
        Ok(())
    }

    /// Compares the final reads.
    fn divergence(&self) -> Option<Divergence> {
        let set = self.config.options.multiplicity == Multiplicity::Set;
        self.finals.iter().find_map(|(_, request, outcome)| {
            let outcome = canonical(outcome, set);
            let same = self.finals.iter().filter(|(_, other, _)| other == request);
            let all: Vec<(String, Outcome)> =
                same.map(|(replica, _, o)| (replica_name(*replica), canonical(o, set))).collect();
            all.iter().any(|(_, other)| *other != outcome).then(|| Divergence {
                request: Words(request, self.config.data_type).to_string(),
                returned: all.into_iter().map(|(name, o)| (name, o.to_string())).collect(),
            })
        })
    }

    fn history(self) -> Result<CrdtHistory, CrdtError> {
        let Config { data_type, options, recorded, .. } = *self.config;
        let mut builder = CrdtHistoryBuilder::new(data_type, options);
        let names = (0..self.done.len()).map(|replica| Key::from(replica_name(replica)));
        let numbers: Vec<u32> = names.map(|name| builder.replica(name)).collect();
        for (replica, done) in self.done.into_iter().enumerate() {
            for done in done {
                let op = builder.op(numbers[replica], done.action);
                if let Some(timestamp) = done.timestamp {
                    builder.timestamp(op, timestamp);
                }
                if done.is_final && recorded != Recorded::Nothing {
                    builder.observes_all(op);
                }
                if recorded == Recorded::Everything {
                    let sees = done.sees.iter().enumerate().filter(|&(of, _)| of != replica);
                    let sees: Vec<(u32, u64)> =
                        sees.map(|(of, &end)| (numbers[of], u64::from(end))).collect();
                    builder.sees(op, &sees);
                }
            }
        }
        builder.finish()
    }
}

fn name((replica, position): Place) -> String {
    format!("{}#{position}", replica_name(replica))
}

fn replica_name(replica: usize) -> String {
    match u8::try_from(replica) {
        Ok(letter @ 0..26) => char::from(b'A' + letter).to_string(),
        _ => format!("R{replica}"),
    }
}
