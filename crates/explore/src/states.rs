//! Every end state once, by merging histories that have the same future.
//!
//! Where many sessions meet at few keys, histories are many and ends are few: n sessions that count up a
//! key have n! histories at SER, but there is only one value in the end and each session saw one of n.
//! When only outcomes, locals and observed values matter, it is enough to know of a history what its
//! continuations depend on: how far each session is, what its transactions returned, its locals, and what
//! the level asks of the past when the next transaction reads. Two histories that agree on this have the
//! same ends, so one of them is enough.
//!
//! ```text
//!     w(x)=1 | w(x)=2 | r(x)     at SER: after both writes, in either order, one of two states is left,
//!                                x=1 or x=2; it does not matter that r(x) may come in three places.
//! ```
//!
//! Transactions are run whole, one after another, in every order that the sessions have; every history
//! that a level allows has such an order, and each of its prefixes is allowed too [Biswas 2021, theorem
//! 4.2]. All states with the same number of ended transactions are a layer; only two layers are in memory,
//! and of the others one link for each state: which transaction led to it, and whom it read from. So every
//! end has a *witness*, one history that leads to it.
//!
//! What is kept of the past depends on the levels: `causal.rs` for RU, RC, RA and CC, `prefix.rs` for PC, SI
//! and SER, `parallel.rs` for PSI; each says why that is enough. Where levels of different files are mixed,
//! nothing is merged before the end: every history is enumerated, and each end is told once.

mod causal;
mod parallel;
mod prefix;
mod search;
mod versions;
mod world;

use std::sync::{Mutex, PoisonError};

use hobgoblin_core::{Level, Value};

use crate::branch::Branch;
use crate::compiled::Compiled;
use crate::error::ExploreError;
use crate::locals::Locals;
use crate::record::{Next, Outcome};
use crate::schedules::Sink;
use search::{Listener, Step};
use world::{Numbered, World};

/// What is kept of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Causal,
    Prefix,
    Parallel,
}

fn kept(level: Level) -> Kept {
    match level {
        Level::PSI => Kept::Parallel,
        Level::PC | Level::SI | Level::SER | Level::SSER => Kept::Prefix,
        Level::RU | Level::RC | Level::RA | Level::CC => Kept::Causal,
    }
}

/// Whether states of the program can be merged on the way, and not only in the end.
pub(crate) fn mergeable(compiled: &Compiled<'_>) -> bool {
    let mut kinds = compiled.txns[1..].iter().map(|info| kept(info.level));
    let first = kinds.next();
    kinds.all(|kind| Some(kind) == first)
}

/// Finds every end state of a [`mergeable`] program once; false when the sink stopped it.
pub(crate) fn states(compiled: &Compiled<'_>, sink: &mut dyn Sink) -> Result<bool, ExploreError> {
    let mut world = World::new(compiled);
    let (count, mut teller) = (world.sessions.len(), Teller { compiled, sink });
    match compiled.txns.get(1).map_or(Kept::Causal, |info| kept(info.level)) {
        Kept::Causal => search::search(&mut world, causal::Causal::new(count), &mut teller),
        Kept::Prefix => search::search(&mut world, prefix::Prefix::new(count), &mut teller),
        Kept::Parallel => search::search(&mut world, parallel::Parallel::new(count), &mut teller),
    }
}

/// Makes histories of witnesses.
struct Teller<'a> {
    compiled: &'a Compiled<'a>,
    sink: &'a mut dyn Sink,
}

impl Listener for Teller<'_> {
    fn end(&mut self, witness: &[Step]) -> Result<bool, ExploreError> {
        let mut branch = Branch::default();
        for Step { txn, sources } in witness {
            branch.begin(self.compiled, *txn);
            let locals = branch.locals(self.compiled, *txn);
            let mut sources = sources.iter();
            loop {
                let reads = &branch.pending().expect("it began").reads;
                match (self.compiled.run(*txn, &locals, reads)?, sources.next()) {
                    (Next::Read { key, trace }, Some(&source)) => {
                        let allowed = branch.read(self.compiled, key, source, trace);
                        debug_assert!(allowed, "the level of a witness implies its base");
                    }
                    (Next::End(done), None) => {
                        branch.end(done);
                        break;
                    }
                    _ => return Err(self.compiled.fault(*txn, "is not deterministic")),
                }
            }
        }
        self.sink.end(branch)
    }

    fn ran(&mut self) -> bool {
        self.sink.step()
    }
}

/// What an end state is made of: each transaction's outcome, each session's locals, observed values.
type Parts = (Vec<Outcome>, Vec<Locals>, Vec<Value>);

/// The end states of an enumeration so far.
pub(crate) struct Distinct(Mutex<Numbered<Parts>>);

impl Distinct {
    /// None so far.
    pub(crate) fn new() -> Distinct {
        Distinct(Mutex::new(Numbered::new()))
    }

    /// Whether a history ends in a state that none before ended in.
    pub(crate) fn insert(&self, compiled: &Compiled<'_>, branch: &Branch) -> bool {
        let (mut outcomes, mut locals, mut held) = (Vec::new(), Vec::new(), Vec::new());
        let sessions = compiled.program.sessions.len();
        for (number, info) in compiled.txns.iter().enumerate().skip(1) {
            let Some(log) = branch.log(number as u8) else { continue };
            if info.session >= sessions {
                held = log.reads.iter().map(|read| read.value.clone()).collect();
            } else if let Some(done) = &log.done {
                outcomes.push(done.outcome.clone());
                if compiled.txns.get(number + 1).is_none_or(|next| next.session != info.session) {
                    locals.push(world::tidy(&done.locals));
                }
            }
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert((outcomes, locals, held)).1
    }
}
