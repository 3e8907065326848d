//! A greedy commit order where values repeat: run the transactions on an imaginary database that is
//! compared by value, so that nobody has to say first whom an open read read from.
//!
//! The database holds one current version of each key. A transaction may run when what is known to come
//! before it has run, and every open read returns the current *value* of its key:
//!
//! ```text
//!     s1: { w(x)=1 } { r(y)=0 w(x)=2 }        x, y = 0, 0 -> s1 runs w(x)=1 -> s2 can run r(x)=1 …
//!     s2: { r(x)=1 w(y)=1 }                   … but should not yet: s1 still needs y=0, which nobody will
//!                                             write again, and if it goes first, s2 waits for x=1 for ever.
//! ```
//!
//! In the drawing there is no order at all, and the run gets stuck. Where it gets through, every read has
//! seen the current version, so the order of the run is a commit order and the writers of the versions
//! seen are the sources. One that gets stuck proves nothing.
//!
//! A serializable history runs transaction by transaction. For snapshot isolation a transaction has two
//! turns, its snapshot, in which it reads, and its commit, in which it writes; between the two nobody else
//! commits a key that it writes. Prefix consistency is the same without that lock.
//!
//! What makes the run likely to get through is told in [`run`]. Before it, what follows at the level without
//! guessing ([`crate::saturate`]) is found from the reads whose source is known; more candidates of the
//! others are then out of the question, and so on.
//!
//! Where all runs get stuck at some read, a bet is placed on its likely source ([`Bets`]): what follows from
//! it is found, and the next runs get further. At keys that many write, some dozens of bets decide what a
//! search by clauses ([`crate::choose`]), which comes last, would have to find among tens of thousands of
//! pairs of writers.
//!
//! A run is linear in the number of events, up to the logarithm of the number of sessions; saturation
//! before it takes longer. Compare [`crate::guess`], which does the same where every source is known, and
//! tells here who is likely to have come first.

mod run;

use hobgoblin_core::{CommitOrder, EventId, History, Level, StopReason, TxnId};

use crate::chains::WritersByChain;
use crate::choose::choose;
use crate::guess::{Guess, Stuck, guess, likely_order};
use crate::limits::{Limits, Ticker};
use crate::narrow::{Narrowing, likeliest};
use crate::polynomial::{self, Decision, Edges};
use crate::problem::{INIT, Node, Problem};
use crate::saturate::{Clocks, Saturated, Saturation};

use run::{Left, Outcome, attempts, of_cast};

/// How often what follows may settle more reads before the run.
const ROUNDS: usize = 6;
/// The steps of a short search.
const SHORT: u64 = 50_000;

/// Tries to find a commit order at PC, SI, SER or SSER; nothing where the attempt fails. Where the runs get
/// stuck, a search takes up to `steps` steps.
pub(crate) fn find_order(
    history: &History,
    level: Level,
    narrowing: &Narrowing<'_>,
    steps: u64,
    limits: &Limits,
) -> Result<Option<CommitOrder>, StopReason> {
    let mut sources: Vec<(EventId, TxnId)> = narrowing.settled().collect();
    let mut bets = Bets::default();
    for round in 1.. {
        let problem = Problem::partial(history, level.into(), &sources);
        let Some((saturation, clocks)) = saturated(&problem, limits)? else {
            if bets.lose(&mut sources) { continue } else { return Ok(None) }
        };
        let found = candidates(&saturation, clocks.as_ref(), narrowing, &sources, limits)?;
        let Some(mut left) = found else {
            if bets.lose(&mut sources) { continue } else { return Ok(None) }
        };
        let mut single: Vec<(EventId, TxnId)> = Vec::new();
        for (read, candidates) in &left {
            if let &[one] = candidates.as_slice() {
                single.push((*read, one));
            }
        }
        if round < ROUNDS && !single.is_empty() {
            sources.extend(single);
            sources.sort_unstable();
            continue;
        }
        let run = likely_run(&saturation, narrowing, limits)?;
        if left.is_empty() && run.complete {
            let order = run.order.iter().filter(|&&n| n != INIT);
            let txns = order.map(|&n| problem.txns[n as usize]).collect();
            return Ok(Some(CommitOrder { txns, sources: of_cast(&problem, sources) }));
        }
        let mut when = vec![u64::MAX; history.num_txns()];
        for (place, &node) in run.order.iter().enumerate() {
            when[problem.txns[node as usize].index()] = place as u64;
        }
        for (&event, left) in left.iter_mut() {
            likely_first(history, event, left, &when);
        }
        let stuck = match attempts(&saturation, &left, &when, &sources, limits)? {
            Outcome::Through(order) => return Ok(Some(order)),
            Outcome::Stuck(stuck) => stuck,
        };
        // Often a short search is enough; where it is not, bets come before a long one.
        let first = bets.longest == 0;
        let bet = stuck.filter(|stuck| bets.worth_it(stuck.ran));
        if first || bet.is_none() {
            let Some(clocks) = &clocks else { return Ok(None) };
            let when: Vec<u64> = problem.txns.iter().map(|t| when[t.index()]).collect();
            let hint = likely_order(&saturation, &when);
            let steps = if bet.is_some() { steps.min(SHORT) } else { steps };
            if let Some((order, chosen)) = choose(&saturation, clocks, &left, &hint, steps, limits)?
            {
                sources.extend(chosen);
                sources.sort_unstable();
                let txns = order.iter().map(|&n| problem.txns[n as usize]).collect();
                return Ok(Some(CommitOrder { txns, sources: of_cast(&problem, sources) }));
            }
        }
        let Some(stuck) = bet else { return Ok(None) };
        let left = left.get(&stuck.read).expect("it has candidates");
        bets.place(&sources, stuck.read, left);
        sources.extend(single.into_iter().filter(|s| s.0 != stuck.read));
        sources.push((stuck.read, left[0]));
        sources.sort_unstable();
    }
    Ok(None)
}

/// What follows from the sources known so far; nothing where they contradict each other.
fn saturated<'p, 'h>(
    problem: &'p Problem<'h>,
    limits: &Limits,
) -> Result<Option<(Saturation<'p, 'h>, Option<Clocks>)>, StopReason> {
    let Ok(facts) = polynomial::force(problem, Edges::All, limits)? else { return Ok(None) };
    if let Decision::Core(_) = polynomial::decide_static(problem, &facts) {
        return Ok(None);
    }
    let mut saturation = Saturation::new(problem, &facts);
    if saturation.lost_update().is_some() {
        return Ok(None);
    }
    Ok(match saturation.saturate(&facts.order, limits)? {
        Saturated::Open(clocks) => Some((saturation, clocks)),
        Saturated::Core(_) => None,
    })
}

/// Sources that were taken for granted because a run got stuck for want of them. What follows from one
/// settles others, and the next run gets further; or it follows that this was not the source, and another
/// candidate is tried.
#[derive(Default)]
struct Bets {
    open: Vec<Bet>,
    /// The most that ever ran, how many bets were placed since, and how many were lost.
    longest: usize,
    placed: usize,
    lost: usize,
}

struct Bet {
    /// The sources before it.
    before: Vec<(EventId, TxnId)>,
    read: EventId,
    /// The candidates not tried yet, the likely one last.
    others: Vec<TxnId>,
}

impl Bets {
    /// So many bets are placed at most without getting further, and so many are lost at most.
    const PLACED: usize = 20;
    const LOST: usize = 40;

    /// Whether to place another, now that so many ran before all were stuck.
    fn worth_it(&mut self, ran: usize) -> bool {
        if ran > self.longest {
            (self.longest, self.placed) = (ran, 0);
        }
        self.placed += 1;
        self.placed <= Bets::PLACED
    }

    fn place(&mut self, sources: &[(EventId, TxnId)], read: EventId, left: &[TxnId]) {
        let others = left[1..].iter().rev().copied().collect();
        self.open.push(Bet { before: sources.to_vec(), read, others });
    }

    /// Goes on with another candidate of the last bet that has one; tells whether there is one.
    fn lose(&mut self, sources: &mut Vec<(EventId, TxnId)>) -> bool {
        self.lost += 1;
        while let Some(bet) = self.open.last_mut().filter(|_| self.lost <= Bets::LOST) {
            if let Some(other) = bet.others.pop() {
                sources.clone_from(&bet.before);
                sources.push((bet.read, other));
                sources.sort_unstable();
                return true;
            }
            self.open.pop();
        }
        false
    }
}

/// The transactions in the order in which they are likely to have come, by what all reads whose source is
/// known say together: a run in which only those have to be right ([`crate::guess`]).
fn likely_run(
    of: &Saturation<'_, '_>,
    narrowing: &Narrowing<'_>,
    limits: &Limits,
) -> Result<Guess, StopReason> {
    let txns = of.problem.txns.iter();
    let hint: Vec<u64> = txns.map(|t| narrowing.when[t.index()]).collect();
    guess(of, &hint, Stuck::GoOn, limits)
}

/// Puts the candidate that most likely wrote what a read returned in front of the others.
fn likely_first(history: &History, event: EventId, left: &mut [TxnId], when: &[u64]) {
    let likely = likeliest(history, event, left, when);
    left.sort_unstable();
    if let Some(at) = left.iter().position(|&t| t == likely) {
        left.copy_within(..at, 1);
        left[0] = likely;
    }
}

/// The candidates of the open reads that what is known does not rule out; nothing where a read has none.
fn candidates(
    of: &Saturation<'_, '_>,
    clocks: Option<&Clocks>,
    narrowing: &Narrowing<'_>,
    sources: &[(EventId, TxnId)],
    limits: &Limits,
) -> Result<Option<Left>, StopReason> {
    let (problem, points, history) = (of.problem, &of.points, of.problem.history);
    let ticker = &mut Ticker::new(limits);
    let clocks = clocks.map(|clocks| (clocks, WritersByChain::new(problem, &clocks.chains)));
    let mut left = Left::new();
    for &event in history.ambiguous_reads() {
        let Some(reader) = problem.node(history.txn_of(event)) else { continue };
        if sources.binary_search_by_key(&event, |s| s.0).is_ok() {
            continue;
        }
        if history.is_locking(event) {
            return Ok(None);
        }
        let known = |t: &&TxnId| problem.node(**t).is_some();
        let mut here: Vec<TxnId> = narrowing.left(event).iter().filter(known).copied().collect();
        if here.is_empty() {
            // Only transactions that need not count wrote this; the likely one then does.
            left.insert(event, vec![narrowing.likely(event)]);
            continue;
        }
        if let Some((clocks, writers)) = &clocks {
            let snapshot = points.snapshot(reader);
            let key = history.event(event).key().index();
            let mut seen: Vec<Node> = Vec::new();
            for &group in writers.groups(key) {
                let members = writers.members(group);
                let reaches = |&m: &Node| clocks.reaches(points, points.commit(m), snapshot);
                let count = members.partition_point(reaches);
                seen.extend(count.checked_sub(1).map(|at| members[at]));
            }
            ticker.tick(8 + here.len() * (1 + seen.len()))?;
            here.retain(|&t| {
                let writer = problem.node(t).expect("it is known");
                let commit = points.commit(writer);
                let newer =
                    |&s: &Node| s != writer && clocks.reaches(points, commit, points.commit(s));
                let later = writer != INIT && clocks.reaches(points, snapshot, commit);
                !later && !seen.iter().any(newer)
            });
        }
        if here.is_empty() {
            return Ok(None);
        }
        left.insert(event, here);
    }
    Ok(Some(left))
}
