//! A lock server with leases: one may run out while its holder still believes in it. With `--fenced` the resource
//! refuses leases older than the newest it has seen.
#![allow(clippy::print_stdout, reason = "it is an example that prints")]

use hobgoblin::check::Limits;
use hobgoblin::protocol::{Line, Observed, Options, Phase, Process, Protocol, chart, search};

/// Three transactions, each of which reads the resource and writes it under a lease.
struct Lease {
    fenced: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct State {
    transactions: [Transaction; 3],
    /// Who has the lease, as the server sees it, and how many it gave.
    holder: Option<usize>,
    leases: u8,
    /// The resource, and the newest lease it has seen.
    value: i64,
    newest: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Transaction {
    #[default]
    Waits,
    Holds(u8),
    HasRead(u8, i64),
    Committed(i64),
    Refused,
}
use Transaction::*;

impl Protocol for Lease {
    type State = State;
    type Step = (Process, &'static str);

    fn transactions(&self) -> usize {
        3
    }
    fn resources(&self) -> usize {
        1
    }
    fn initial(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn next(&self, state: &State, take: &mut dyn FnMut(Self::Step, State)) {
        for (t, transaction) in state.transactions.iter().enumerate() {
            let mut next = state.clone();
            let (now, does) = match *transaction {
                Waits if state.holder.is_none() => {
                    (next.holder, next.leases) = (Some(t), state.leases + 1);
                    (Holds(next.leases), "gets the lease")
                }
                Holds(lease) => {
                    next.newest = state.newest.max(lease);
                    (HasRead(lease, state.value), "reads")
                }
                HasRead(lease, _) if self.fenced && lease < state.newest => (Refused, "is refused"),
                HasRead(_, read) => {
                    next.value = t as i64 + 1;
                    (Committed(read), "writes")
                }
                _ => continue,
            };
            next.transactions[t] = now;
            take((Process::Transaction(t), does), next);
        }
        if state.holder.is_some() {
            let next = State { holder: None, ..state.clone() };
            take((Process::Other("server", 0), "ends the lease"), next);
        }
    }

    fn process(&self, step: &Self::Step) -> Process {
        step.0
    }
    fn line(&self, step: &Self::Step) -> Line {
        Line::new(step.1)
    }

    fn observed(&self, state: &State, observed: &mut Observed) {
        for (t, transaction) in state.transactions.iter().enumerate() {
            if let Committed(read) = *transaction {
                observed.read(t, 0, read);
                observed.write(t, 0, t as i64 + 1);
            }
        }
    }

    fn phase(&self, state: &State, transaction: usize) -> Phase {
        match state.transactions[transaction] {
            Waits => Phase::Waiting,
            Holds(_) | HasRead(..) => Phase::Running,
            Committed(_) | Refused => Phase::Ended,
        }
    }
}

fn main() {
    let protocol = Lease { fenced: std::env::args().any(|argument| argument == "--fenced") };
    let found = search(&protocol, &Options::default(), &Limits::none());
    println!("{} states, depth {}", found.states, found.depth);
    for wrong in &found.wrong {
        println!("\n{}:\n\n{}", wrong.finding, chart(&protocol, &wrong.trace.steps));
    }
}
