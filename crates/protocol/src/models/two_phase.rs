//! Two-phase commit with two-phase locking [Soethout 2021, listings 3 and 4].
//!
//! A manager for each transaction asks every resource to vote, and decides; a resource that voted to commit waits for
//! the decision before it votes for anybody else, which is its lock. On commit, the transaction has read the
//! resource's version and written the next. Messages are never lost: which were sent can be told from where managers
//! and resources are. A resource makes six rounds at most, so that there is an end.
//!
//! The bug is the one of the paper: a resource that waits takes the abort of any transaction for that of the one it
//! voted for. It takes three transactions and two resources to go wrong.

use crate::error::SizeError;
use crate::models::{MOST, check_size, members};
use crate::observed::Observed;
use crate::protocol::{Line, Must, Phase, Process, Protocol};
use crate::renaming::Renaming;

/// The protocol, with so many transactions and resources.
#[derive(Clone, Debug)]
pub struct TwoPhase {
    transactions: usize,
    resources: usize,
    bug: bool,
}

/// Where a manager is. One that decided has sent that to all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Manager {
    #[default]
    Init,
    Wait,
    Abort,
    Commit,
    Aborted,
    Committed,
}

impl Manager {
    fn has_sent_commit(self) -> bool {
        matches!(self, Manager::Commit | Manager::Committed)
    }

    fn has_sent_abort(self) -> bool {
        matches!(self, Manager::Abort | Manager::Aborted)
    }
}

/// Where a resource is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum At {
    #[default]
    Init,
    Ready,
    Step,
    Done,
}

/// A resource. Sets of transactions are bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Resource {
    at: At,
    /// How many rounds it has begun.
    rounds: u8,
    /// Those it voted for, either way, and those it voted to commit.
    voted: u8,
    voted_commit: u8,
    aborted: u8,
    /// By transaction, if it committed here: as how manyth of its resources, and the version it read, four bits each.
    committed: [u8; MOST],
}

impl Resource {
    fn has_committed(&self, t: usize) -> bool {
        self.committed[t] != 0
    }

    fn version(&self) -> u8 {
        self.committed.iter().filter(|place| **place != 0).count() as u8
    }
}

/// All of it. What belongs to a resource is with it, so that resources can be put in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    managers: [Manager; MOST],
    resources: [Resource; MOST],
}

/// A step, by who takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the line of each step says what it does")]
pub enum Step {
    Ask { t: usize },
    Decide { t: usize, commit: bool },
    Finish { t: usize },
    Pass { r: usize },
    Vote { r: usize, t: usize, commit: bool },
    Commit { r: usize, t: usize },
    Abort { r: usize, t: usize },
    Round { r: usize },
    Stop { r: usize },
}

/// The rounds of a resource: `maxTxs` counts from 5 down to -1.
const ROUNDS: u8 = 6;

impl TwoPhase {
    /// With so many transactions and resources.
    pub fn new(transactions: usize, resources: usize, bug: bool) -> Result<TwoPhase, SizeError> {
        check_size(transactions, resources)?;
        Ok(TwoPhase { transactions, resources, bug })
    }

    fn manager(&self, state: &State, t: usize, take: &mut dyn FnMut(Step, State)) {
        let at = |manager| {
            let mut next = *state;
            next.managers[t] = manager;
            next
        };
        match state.managers[t] {
            Manager::Init => take(Step::Ask { t }, at(Manager::Wait)),
            Manager::Wait => {
                let mut all = state.resources[..self.resources].iter();
                if all.all(|resource| resource.voted_commit & (1 << t) != 0) {
                    take(Step::Decide { t, commit: true }, at(Manager::Commit));
                }
                // An abort vote, or a timeout: the state after is the same.
                take(Step::Decide { t, commit: false }, at(Manager::Abort));
            }
            Manager::Abort => take(Step::Finish { t }, at(Manager::Aborted)),
            Manager::Commit => take(Step::Finish { t }, at(Manager::Committed)),
            Manager::Aborted | Manager::Committed => {}
        }
    }

    fn resource(&self, state: &State, r: usize, take: &mut dyn FnMut(Step, State)) {
        let own = state.resources[r];
        let with = |resource: Resource| {
            let mut next = *state;
            next.resources[r] = resource;
            next
        };
        match own.at {
            At::Init if own.rounds == ROUNDS => {
                take(Step::Stop { r }, with(Resource { at: At::Done, ..own }));
            }
            At::Init => {
                take(Step::Pass { r }, with(Resource { at: At::Step, ..own }));
                for t in 0..self.transactions {
                    let bit = 1 << t;
                    if state.managers[t] == Manager::Init || own.voted & bit != 0 {
                        continue;
                    }
                    let voted = own.voted | bit;
                    let voted_commit = own.voted_commit | bit;
                    let ready = Resource { at: At::Ready, voted, voted_commit, ..own };
                    take(Step::Vote { r, t, commit: true }, with(ready));
                    let aborted = own.aborted | bit;
                    let refused = Resource { at: At::Step, voted, aborted, ..own };
                    take(Step::Vote { r, t, commit: false }, with(refused));
                }
            }
            At::Ready => {
                for t in 0..self.transactions {
                    let voted = own.voted & (1 << t) != 0;
                    let manager = state.managers[t];
                    if voted && !own.has_committed(t) && manager.has_sent_commit() {
                        let all = state.resources[..self.resources].iter();
                        let place = all.filter(|other| other.has_committed(t)).count() as u8 + 1;
                        let mut next = Resource { at: At::Step, ..own };
                        next.committed[t] = place << 4 | own.version();
                        take(Step::Commit { r, t }, with(next));
                    }
                    let aborted = own.aborted | 1 << t;
                    if (voted || self.bug) && aborted != own.aborted && manager.has_sent_abort() {
                        take(Step::Abort { r, t }, with(Resource { at: At::Step, aborted, ..own }));
                    }
                }
            }
            At::Step => {
                let rounds = own.rounds + 1;
                take(Step::Round { r }, with(Resource { at: At::Init, rounds, ..own }));
            }
            At::Done => {}
        }
    }

    /// With other names of transactions.
    fn with_transactions(&self, state: &State, names: &[usize]) -> State {
        let mut next = *state;
        for (t, &new) in names.iter().enumerate() {
            next.managers[new] = state.managers[t];
        }
        for (next, old) in next.resources.iter_mut().zip(&state.resources[..self.resources]) {
            let set = |set| members(set).fold(0, |new, t| new | 1 << names[t]);
            next.voted = set(old.voted);
            next.voted_commit = set(old.voted_commit);
            next.aborted = set(old.aborted);
            for (t, &new) in names.iter().enumerate() {
                next.committed[new] = old.committed[t];
            }
        }
        next
    }
}

impl Protocol for TwoPhase {
    type State = State;
    type Step = Step;

    fn transactions(&self) -> usize {
        self.transactions
    }

    fn resources(&self) -> usize {
        self.resources
    }

    fn initial(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn next(&self, state: &State, take: &mut dyn FnMut(Step, State)) {
        for t in 0..self.transactions {
            self.manager(state, t, take);
        }
        for r in 0..self.resources {
            self.resource(state, r, take);
        }
    }

    fn process(&self, step: &Step) -> Process {
        match *step {
            Step::Ask { t } | Step::Decide { t, .. } | Step::Finish { t } => {
                Process::Transaction(t)
            }
            Step::Pass { r }
            | Step::Vote { r, .. }
            | Step::Commit { r, .. }
            | Step::Abort { r, .. }
            | Step::Round { r }
            | Step::Stop { r } => Process::Resource(r),
        }
    }

    fn observed(&self, state: &State, observed: &mut Observed) {
        for t in 0..self.transactions {
            for place in 1..=self.resources as u8 {
                let here = |r: &usize| state.resources[*r].committed[t] >> 4 == place;
                let Some(r) = (0..self.resources).find(here) else { break };
                let version = i64::from(state.resources[r].committed[t] & 15);
                observed.read(t, r, version);
                observed.write(t, r, version + 1);
            }
        }
    }

    fn phase(&self, state: &State, transaction: usize) -> Phase {
        match state.managers[transaction] {
            Manager::Init => Phase::Waiting,
            Manager::Wait => Phase::Running,
            _ => Phase::Ended,
        }
    }

    fn is_done(&self, state: &State) -> bool {
        let done = |manager: &Manager| matches!(manager, Manager::Aborted | Manager::Committed);
        state.managers[..self.transactions].iter().all(done)
            && state.resources[..self.resources].iter().all(|resource| resource.at == At::Done)
    }

    fn invariants(&self, state: &State, must: &mut Must<'_>) {
        let all = &state.resources[..self.resources];
        let torn = |t: usize| {
            all.iter().any(|resource| resource.has_committed(t))
                && all.iter().any(|resource| resource.aborted & (1 << t) != 0)
        };
        let done = |t: usize| matches!(state.managers[t], Manager::Aborted | Manager::Committed);
        must.hold("atomicity", !(0..self.transactions).any(|t| done(t) && torn(t)));
    }

    fn line(&self, step: &Step) -> Line {
        let name = |t: usize| Process::Transaction(t);
        match *step {
            Step::Ask { .. } => Line::new("sends VoteRequest"),
            Step::Decide { commit: true, .. } => Line::new("sends GlobalCommit"),
            Step::Decide { .. } => Line::new("sends GlobalAbort"),
            Step::Finish { .. } => Line::new("is done"),
            Step::Pass { .. } => Line::new("lets a round pass"),
            Step::Vote { t, commit, .. } => {
                let vote = if commit { "VoteCommit" } else { "VoteAbort" };
                Line::new(format!("sends {vote} to {}", name(t))).upon(name(t), "VoteRequest")
            }
            Step::Commit { t, .. } => {
                Line::new(format!("commits {}", name(t))).upon(name(t), "GlobalCommit")
            }
            Step::Abort { t, .. } => {
                Line::new(format!("aborts {}", name(t))).upon(name(t), "GlobalAbort")
            }
            Step::Round { .. } => Line::new("begins a round"),
            Step::Stop { .. } => Line::new("is done"),
        }
    }

    fn renamings(&self) -> Vec<Renaming> {
        Renaming::all(self.transactions, self.resources)
    }

    fn renamed(&self, state: &State, renaming: &Renaming) -> State {
        let by_transaction = self.with_transactions(state, &renaming.transactions);
        let mut next = by_transaction;
        for (r, &new) in renaming.resources.iter().enumerate() {
            next.resources[new] = by_transaction.resources[r];
        }
        next
    }

    /// The least of all: whatever transactions are called, the least order of resources is the sorted one.
    fn representative(&self, state: &State, renamings: &[Renaming]) -> State {
        let mut least: Option<State> = None;
        let mut last: &[usize] = &[];
        for renaming in renamings {
            if *last == *renaming.transactions {
                continue;
            }
            last = &renaming.transactions;
            let mut next = self.with_transactions(state, last);
            next.resources[..self.resources].sort_unstable();
            least = Some(least.map_or(next, |least| least.min(next)));
        }
        least.unwrap_or(*state)
    }
}
