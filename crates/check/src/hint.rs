//! Who is likely to have come first, where nothing says so.
//!
//! Times tell, and so does the order of the file where transactions were recorded as they committed. A
//! file that has session after session says nothing of the kind; it is recognised by reads that come
//! before what they read. There a transaction's place is estimated from `so ∪ wr`: how long the longest way to
//! it is, and how long the longest way from it. Sessions that read from each other move along these ways at about
//! the same speed.

use crate::problem::{INIT, Node, Problem};

/// In shorter sessions than this, on average, too few ways lead on from a transaction to tell anything.
const LONG_SESSION: usize = 64;

/// A number for each transaction; those with smaller ones are likely to have come first. `order` is a
/// topological order of `so ∪ wr`.
pub(crate) fn hints(problem: &Problem<'_>, order: &[Node]) -> Vec<u64> {
    let history = problem.history;
    if history.has_times() {
        let time = |&t| history.end(t).or(history.begin(t)).unwrap_or(i64::MAX);
        return problem.txns.iter().map(|t| (time(t) as u64) ^ (1 << 63)).collect();
    }
    if follows_commits(problem) {
        return (0..problem.len() as u64).collect();
    }
    let (to, from) = longest_ways(problem, order);
    let short = problem.len() < LONG_SESSION * problem.num_sessions;
    let longest = if short { 0 } else { u64::from(from[INIT as usize]) };
    let mut hints = Vec::with_capacity(to.len());
    for (at, &to) in to.iter().enumerate() {
        let left = if short { 0 } else { u64::from(from[at]) };
        hints.push(u64::from(to) + longest - left);
    }
    hints
}

/// Whether transactions seem to be recorded in the order of their commits, a few apart.
pub(crate) fn follows_commits(problem: &Problem<'_>) -> bool {
    const ONE_IN: usize = 100;
    let early = |n: Node| problem.reads(n).iter().filter(|r| r.source > n).count();
    let early: usize = (1..problem.len() as Node).map(early).sum();
    early * ONE_IN <= problem.num_reads()
}

/// The lengths of the longest ways of `so ∪ wr` to each transaction, and from it.
fn longest_ways(problem: &Problem<'_>, order: &[Node]) -> (Vec<u32>, Vec<u32>) {
    let (mut to, mut from) = (vec![0; problem.len()], vec![0; problem.len()]);
    let before = |n: Node| {
        let sources = problem.reads(n).iter().map(|r| r.source);
        std::iter::once(problem.prev[n as usize]).chain(sources)
    };
    for &node in order.iter().filter(|&&n| n != INIT) {
        to[node as usize] = before(node).map(|p| to[p as usize] + 1).max().unwrap_or(0);
    }
    for &node in order.iter().rev().filter(|&&n| n != INIT) {
        for p in before(node) {
            from[p as usize] = from[p as usize].max(from[node as usize] + 1);
        }
    }
    (to, from)
}
