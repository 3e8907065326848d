//! A history falls apart along its sessions: what sessions that share no keys do is no common matter.
//!
//! Join two sessions when both access a key that one of them writes. In this *communication graph*
//!
//! ```text
//!     s1 --x-- s2 --y-- s3        s2 alone connects s1 with the triangle of s3 and s4, so
//!              |      /           PC, PSI, SI or SER holds if it holds on {s1, s2} and on
//!              z    u             {s2, s3, s4}, each taken by itself.
//!              |  /
//!              s4
//! ```
//!
//! a level holds if and only if it holds on every biconnected component [Biswas 2019, section 5]. For the
//! three transactions of an axiom access one key, which one of any two of them writes, so that they are
//! in one component; and a way from a component through others comes back to the session by which it left,
//! later in session order, so that session order is a way within the component. The search is thus only
//! exponential in the largest component.
//!
//! The paper joins any two sessions with a common key. Two that only read it have nothing to settle, so
//! we do not join them: a session that writes for many readers is then a star, not a clique. The paper does
//! not treat PSI, for which the same proof works. It is wrong for SSER, where real time joins all sessions.
//! The tests compare all this with brute force.
//!
//! # Fewer transactions
//!
//! In a component a session only needs the transactions that access a key of that component, in their
//! order. The others can be put back, each right before the next that stayed.
//!
//! # Putting the orders together
//!
//! For SER and PSI, any total order of the union of the components' commit orders and session order is a
//! commit order; the union has no cycle by the argument above. For PC and SI this is wrong:
//!
//! ```text
//!     s1: t1 { w(x)=1 }           On {s1, s2}, t2 may read at the beginning, so t2 < t1 and t1 < t2
//!     s2: t2 { r(x)=0 r(y)=2 }    both will do. Likewise on {s2, s3}, with t3 < t2. But t2 sees t3, hence
//!     s3: t3 { w(y)=2 }           all that commits before t3: t1 < t3 < t2 is no commit order.
//! ```
//!
//! There every transaction has two points, its snapshot and its commit, and the points of each component
//! are put in a line, snapshots as early as they can be; then the union of these lines and of the
//! sessions' own is sorted. In the example t2's snapshot comes before t1 in the one component and after t3
//! in the other. (This is how the paper reduces PC and SI to SER.)
//!
//! # Cost
//!
//! Linear. A key becomes few edges: from its writer to each reader if one session writes it, and otherwise a
//! cycle through all of its sessions, which are in one component in any case.

#[cfg(test)]
mod tests;

use hobgoblin_core::{Level, StopReason, Target};

use crate::graph::Graph;
use crate::points::{Point, Points};
use crate::polynomial::Decision;
use crate::problem::{Csr, INIT, Node, Problem};

/// All components together may have so many times the nodes of the problem: sessions are repeated in
/// them, and past this it does not pay.
const REPEATED: usize = 4;

/// Decides a problem component by component, if there are several; `decide` decides one of them. That no part of it violates CC must
/// be known: what a session does with keys of its own is in no component.
pub(crate) fn decide(
    problem: &Problem<'_>,
    decide: impl Fn(&Problem<'_>) -> Result<Decision, StopReason>,
) -> Result<Option<Decision>, StopReason> {
    let Target::Level(level) = problem.target else { return Ok(None) };
    match level {
        Level::PC | Level::PSI | Level::SI | Level::SER => {}
        // Real time joins all sessions, and the others need no search.
        Level::RU | Level::RC | Level::RA | Level::CC | Level::SSER => return Ok(None),
    }
    let components = components(problem);
    if components.len() < 2 {
        return Ok(None);
    }
    let points = Points::new(problem);
    let mut lines = Vec::with_capacity(components.len());
    for nodes in components {
        let part = problem.restrict(&nodes);
        // Nodes of the part are numbered after `nodes`.
        let whole = |n: Node| if n == INIT { INIT } else { nodes[n as usize - 1] };
        match decide(&part)? {
            Decision::Core(core) => {
                return Ok(Some(Decision::Core(core.into_iter().map(whole).collect())));
            }
            Decision::Order(order) => lines.push(line(&part, level, &order, &points, whole)),
        }
    }
    Ok(Some(Decision::Order(merge(problem, &points, &lines))))
}

/// The points of a part in the order that its commit order gives them, as points of the whole.
fn line(
    part: &Problem<'_>,
    level: Level,
    order: &[Node],
    points: &Points<'_, '_>,
    whole: impl Fn(Node) -> Node,
) -> Vec<Point> {
    if !level.has_snapshot() {
        return order.iter().map(|&n| points.commit(whole(n))).collect();
    }
    let mut place = vec![0; part.len()];
    for (at, &node) in order.iter().enumerate() {
        place[node as usize] = at;
    }
    // Whose snapshot comes right after the commit at each place.
    let mut newest = vec![0; part.num_keys()];
    let mut after = vec![Vec::new(); order.len()];
    for (at, &node) in order.iter().enumerate().filter(|&(_, &n)| n != INIT) {
        let sources = part.reads(node).iter().filter(|r| r.obeys_axiom()).map(|r| r.source);
        let seen = std::iter::once(part.prev[node as usize]).chain(sources);
        let mut snapshot = seen.map(|n| place[n as usize]).max().unwrap_or(0);
        for &key in part.writes(node) {
            if level.excludes_writers() {
                snapshot = snapshot.max(newest[key as usize]);
            }
            newest[key as usize] = at;
        }
        after[snapshot].push(points.snapshot(whole(node)));
    }
    let mut line = Vec::new();
    for (&node, snapshots) in order.iter().zip(&after) {
        line.push(points.commit(whole(node)));
        line.extend_from_slice(snapshots);
    }
    line
}

/// A commit order of the whole that contains session order and these lines of points.
fn merge(problem: &Problem<'_>, points: &Points<'_, '_>, lines: &[Vec<Point>]) -> Vec<Node> {
    let mut edges = Vec::new();
    for node in 1..problem.len() as Node {
        let (snapshot, commit) = (points.snapshot(node), points.commit(node));
        for (from, to) in
            [(points.commit(problem.prev[node as usize]), snapshot), (snapshot, commit)]
        {
            if from != to {
                edges.push((from, to));
            }
        }
    }
    for line in lines {
        edges.extend(line.windows(2).map(|pair| (pair[0], pair[1])));
    }
    let graph = Graph::new(points.len(), || edges.iter().copied());
    let sorted = graph.topological();
    debug_assert_eq!(
        sorted.len(),
        points.len(),
        "orders of components do not contradict each other"
    );
    let commits = sorted.into_iter().filter(|&p| points.commit(points.node(p)) == p);
    commits.map(|p| points.node(p)).collect()
}

/// The nodes (ascending) of each component of more than one session that access its keys; nothing where
/// there are fewer than two components, or where they overlap too much.
pub(crate) fn components(problem: &Problem<'_>) -> Vec<Vec<Node>> {
    let shared = Shared::new(problem);
    let (block_of, count) = blocks(problem.num_sessions, &shared.edges);
    if count < 2 {
        return Vec::new();
    }
    let mut nodes: Vec<Vec<Node>> = vec![Vec::new(); count];
    let mut left = REPEATED * problem.len();
    for node in 1..problem.len() as Node {
        let reads = problem.reads(node).iter().map(|r| (r.key(), false));
        let writes = problem.writes(node).iter().map(|&k| (k as usize, true));
        for (key, writes) in reads.chain(writes) {
            for edge in shared.edges_of(key, problem.session[node as usize], writes) {
                let nodes = &mut nodes[block_of[edge] as usize];
                if nodes.last() == Some(&node) {
                    continue;
                }
                if left == 0 {
                    return Vec::new();
                }
                left -= 1;
                nodes.push(node);
            }
        }
    }
    nodes
}

/// Which sessions share keys.
struct Shared {
    /// The sessions that write each key, ascending.
    writers: Csr,
    /// The sessions that access each key and do not write it, ascending.
    readers: Csr,
    /// Pairs of sessions that share a key, key after key.
    edges: Vec<(u32, u32)>,
    /// Where the edges of each key begin.
    first_edge: Vec<usize>,
}

impl Shared {
    fn new(problem: &Problem<'_>) -> Shared {
        let writers = sessions_by_key(problem, |node| problem.writes(node).iter().copied());
        let readers = sessions_by_key(problem, |node| {
            let (session, writers) = (problem.session[node as usize], &writers);
            let writes = move |k: &u32| writers.row(*k as usize).binary_search(&session).is_ok();
            problem.reads(node).iter().map(|r| r.key() as u32).filter(move |k| !writes(k))
        });
        let mut shared = Shared { writers, readers, edges: Vec::new(), first_edge: Vec::new() };
        for key in 0..problem.num_keys() {
            shared.first_edge.push(shared.edges.len());
            let (writers, readers) = (shared.writers.row(key), shared.readers.row(key));
            match *writers {
                [] => {}
                [writer] => shared.edges.extend(readers.iter().map(|&reader| (writer, reader))),
                [first, ..] => {
                    let all = || writers.iter().chain(readers).copied();
                    let next =
                        all().skip(1).chain((writers.len() + readers.len() > 2).then_some(first));
                    shared.edges.extend(all().zip(next));
                }
            }
        }
        shared.first_edge.push(shared.edges.len());
        shared
    }

    /// Edges, in each component that the key belongs to for this session, by index.
    fn edges_of(&self, key: usize, session: u32, writes: bool) -> std::ops::Range<usize> {
        let edges = self.first_edge[key]..self.first_edge[key + 1];
        match *self.writers.row(key) {
            // What only this session writes it reads in session order, which is nobody else's matter.
            [writer] if writer == session && !writes => edges.start..edges.start,
            [writer] if writer == session => edges,
            [_] => {
                let at = self.readers.row(key).binary_search(&session);
                let at = edges.start + at.expect("a session that does not write the key reads it");
                at..at + 1
            }
            // One cycle, hence one component.
            _ => edges.start..edges.end.min(edges.start + 1),
        }
    }
}

/// The sessions of the nodes that have each key among theirs, ascending and once each.
fn sessions_by_key<I>(problem: &Problem<'_>, keys: impl Fn(Node) -> I) -> Csr
where
    I: Iterator<Item = u32>,
{
    let sessions = || problem.session[1..].iter().map(|&s| s as usize);
    let mut nodes = Csr::new(problem.num_sessions);
    for session in sessions() {
        nodes.count(session);
    }
    nodes.make_room();
    for (at, session) in sessions().enumerate() {
        nodes.push(session, at as Node + 1);
    }
    nodes.done();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut seen = vec![u32::MAX; problem.num_keys()];
    for session in 0..problem.num_sessions as u32 {
        for &node in nodes.row(session as usize) {
            for key in keys(node) {
                if std::mem::replace(&mut seen[key as usize], session) != session {
                    pairs.push((key, session));
                }
            }
        }
    }
    let mut by_key = Csr::new(problem.num_keys());
    for &(key, _) in &pairs {
        by_key.count(key as usize);
    }
    by_key.make_room();
    for (key, session) in pairs {
        by_key.push(key as usize, session);
    }
    by_key.done();
    by_key
}

/// The biconnected component of every edge, and how many there are (Hopcroft and Tarjan, with a stack).
fn blocks(vertices: usize, edges: &[(u32, u32)]) -> (Vec<u32>, usize) {
    const UNSEEN: u32 = u32::MAX;
    let mut around = Csr::new(vertices);
    for &(a, b) in edges {
        around.count(a as usize);
        around.count(b as usize);
    }
    around.make_room();
    for (at, &(a, b)) in edges.iter().enumerate() {
        around.push(a as usize, at as u32);
        around.push(b as usize, at as u32);
    }
    around.done();
    let mut block_of = vec![UNSEEN; edges.len()];
    let mut count = 0;
    // When each vertex was found, and the earliest vertex that can be got to from below it.
    let (mut index, mut low) = (vec![UNSEEN; vertices], vec![0u32; vertices]);
    let mut found = 0;
    let mut open: Vec<u32> = Vec::new();
    // The way down: a vertex, the edge it was entered by, and how many of its edges are done.
    let mut way: Vec<(u32, u32, usize)> = Vec::new();
    for root in 0..vertices as u32 {
        if index[root as usize] != UNSEEN {
            continue;
        }
        way.push((root, UNSEEN, 0));
        while let Some(&mut (vertex, entry, ref mut done)) = way.last_mut() {
            let v = vertex as usize;
            if *done == 0 {
                (index[v], low[v]) = (found, found);
                found += 1;
            }
            if let Some(&edge) = around.row(v).get(*done) {
                *done += 1;
                let (a, b) = edges[edge as usize];
                let to = if a == vertex { b } else { a };
                if edge == entry {
                    continue;
                }
                if index[to as usize] == UNSEEN {
                    open.push(edge);
                    way.push((to, edge, 0));
                } else if index[to as usize] < index[v] {
                    open.push(edge);
                    low[v] = low[v].min(index[to as usize]);
                }
                continue;
            }
            way.pop();
            let Some(&(parent, ..)) = way.last() else { break };
            let p = parent as usize;
            low[p] = low[p].min(low[v]);
            if low[v] >= index[p] {
                // All that was found since the edge to this vertex hangs on the parent alone.
                let from = open.iter().rposition(|&e| e == entry).expect("it is open");
                for edge in open.split_off(from) {
                    block_of[edge as usize] = count;
                }
                count += 1;
            }
        }
    }
    (block_of, count as usize)
}
