//! Parallel snapshot isolation, given an order of all commits.
//!
//! A transaction at PSI must not have, in its past along so, wr and ww, a version newer than one it
//! read [Cerone 2018, section 3]. With the commit order fixed, ww is, and one vector clock per
//! transaction tells.

use std::collections::VecDeque;

use crate::by_number::ByNumber;
use crate::in_order::InOrder;
use crate::problem::{INIT, Node, Problem};

/// A transaction that saw more than it read.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The reader, whom it read from, who overwrote that, and the way from there back to the reader.
    pub(crate) nodes: Vec<Node>,
    /// The version orders that this rests on: the first's version came before the second's.
    pub(crate) versions: Vec<(Node, Node)>,
}

/// Looks for transactions at PSI that the commit order `order` (init included) does not explain, up to
/// `most` of them.
pub(crate) fn find_faults(problem: &Problem<'_>, order: &[Node], most: usize) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut rank = vec![0u32; problem.len()];
    for (at, &node) in order.iter().enumerate() {
        rank[node as usize] = at as u32;
    }
    let width = problem.num_sessions;
    // Signed, so that every machine has a maximum of vectors.
    let mut clock = vec![0i32; problem.len() * width];
    let mut latest = vec![INIT; problem.num_keys()];
    // For each version (as the writes are numbered) the version of the same key before it.
    let mut before: Vec<Node> = vec![INIT; problem.num_writes()];
    let writers = InOrder::new(problem, order);
    let join = |clock: &mut [i32], from: Node, to: Node| {
        if from == INIT {
            return;
        }
        let (a, b) = (from as usize * width, to as usize * width);
        let (into, of) = match a < b {
            true => {
                let (low, high) = clock.split_at_mut(b);
                (&mut high[..width], &low[a..a + width])
            }
            false => {
                let (low, high) = clock.split_at_mut(a);
                (&mut low[b..b + width], &high[..width])
            }
        };
        for (into, of) in into.iter_mut().zip(of) {
            *into = (*into).max(*of);
        }
        let own = &mut into[problem.session[from as usize] as usize];
        *own = (*own).max(problem.place[from as usize] as i32 + 1);
    };
    for &node in order.iter().filter(|&&n| n != INIT) {
        join(&mut clock, problem.prev[node as usize], node);
        for read in problem.reads(node).iter().filter(|r| r.obeys_axiom()) {
            join(&mut clock, read.source, node);
        }
        for (i, &key) in problem.writes(node).iter().enumerate() {
            let earlier = std::mem::replace(&mut latest[key as usize], node);
            before[problem.first_write(node) + i] = earlier;
            join(&mut clock, earlier, node);
        }
        let psi = problem.level(node).is_parallel();
        for read in problem.reads(node).iter().filter(|r| r.obeys_axiom()) {
            let newer = writers.after(problem, read.source, read.key());
            let Some(&newer) = newer.first() else { continue };
            let n = newer as usize;
            let seen = clock[node as usize * width + problem.session[n] as usize];
            if psi && newer != node && (problem.place[n] as i32) < seen {
                faults.push(path(problem, (&before, &rank), read.source, newer, node));
                if faults.len() >= most {
                    return faults;
                }
                break;
            }
        }
        // What locking reads saw is part of the commit, and so of the past of others only.
        for read in problem.reads(node).iter().filter(|r| !r.obeys_axiom()) {
            join(&mut clock, read.source, node);
        }
    }
    faults
}

/// The way from `newer` to `reader` over so, wr and ww, and what it rests on.
fn path(
    problem: &Problem<'_>,
    (before, rank): (&[Node], &[u32]),
    source: Node,
    newer: Node,
    reader: Node,
) -> Fault {
    let mut towards: ByNumber<(Node, bool)> = ByNumber::new();
    let mut queue = VecDeque::from([reader]);
    while let Some(node) = queue.pop_front() {
        if node == newer {
            break;
        }
        let mut look_at = |earlier: Node, ww: bool| {
            // Nothing before `newer` is on the way.
            let between = earlier != INIT && rank[earlier as usize] >= rank[newer as usize];
            if between && earlier != reader && !towards.contains(earlier) {
                towards.insert(earlier, (node, ww));
                queue.push_back(earlier);
            }
        };
        look_at(problem.prev[node as usize], false);
        for read in problem.reads(node) {
            if node != reader || read.obeys_axiom() {
                look_at(read.source, false);
            }
        }
        let first = problem.first_write(node);
        for &earlier in &before[first..first + problem.writes(node).len()] {
            look_at(earlier, true);
        }
    }
    let mut fault = Fault { nodes: vec![source, newer, reader], versions: Vec::new() };
    if source != INIT {
        fault.versions.push((source, newer));
    }
    let mut at = newer;
    while at != reader {
        let &(next, ww) = towards.get(at).expect("there is a way");
        if ww {
            fault.versions.push((at, next));
        }
        fault.nodes.push(next);
        at = next;
    }
    fault
}
