//! Real time: who ended before a strictly serializable transaction began comes before it.
//!
//! Instead of an edge for each such pair, moments are points of their own on a line:
//!
//! ```text
//! t1 ends --> m1 --> m2 --> ...        t2 begins after m1, so m1 --> t2.
//!                    ^
//! t3 ends -----------+
//! ```

use crate::points::{Point, PointEdge, Points, Why};
use crate::problem::{Node, Problem};

/// Adds the real-time edges into SSER transactions, with points from `next` on for the moments;
/// returns how many points there are then.
pub(crate) fn add_edges(
    problem: &Problem<'_>,
    points: &Points<'_, '_>,
    next: usize,
    edges: &mut Vec<PointEdge>,
) -> usize {
    let nodes = || 1..problem.len() as Node;
    if !nodes().any(|n| problem.level(n).respects_real_time()) {
        return next;
    }
    let history = problem.history;
    let txn = |n: Node| problem.txns[n as usize];
    let mut ends: Vec<(i64, Node)> =
        nodes().filter_map(|n| history.end(txn(n)).map(|end| (end, n))).collect();
    ends.sort_unstable();
    let given = |from, to| PointEdge { from, to, why: Why::Given };
    for (i, &(_, node)) in ends.iter().enumerate() {
        let moment = (next + i) as Point;
        edges.push(given(points.commit(node), moment));
        if i > 0 {
            edges.push(given(moment - 1, moment));
        }
    }
    for node in nodes().filter(|&n| problem.level(n).respects_real_time()) {
        let Some(begin) = history.begin(txn(node)) else { continue };
        let before = ends.partition_point(|&(end, _)| end < begin);
        if before > 0 {
            edges.push(given((next + before - 1) as Point, points.commit(node)));
        }
    }
    next + ends.len()
}
