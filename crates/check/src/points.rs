//! Where transactions act: the points of the graph that the stronger levels speak of.
//!
//! A transaction at PC or SI reads at its snapshot and writes at its commit; one at any other level
//! does both at its commit. (At PSI too the snapshot is apart where there are locking reads, which
//! belong to the commit.) An edge leaves and meets transactions at these points (the table is in the
//! docs of [`hobgoblin_core::Proof`]'s module), and a level holds when the points can be put in a line.

use hobgoblin_core::Level;

use crate::chains::Chains;
use crate::problem::{INIT, Node, Problem};

/// A vertex of the graph of points.
pub(crate) type Point = u32;

/// Numbers the points of a problem: one per transaction, or two where snapshots are apart.
#[derive(Debug)]
pub(crate) struct Points<'p, 'h> {
    problem: &'p Problem<'h>,
    /// Whether snapshots have points of their own.
    pub(crate) split: bool,
    /// Whether those at PSI have.
    split_psi: bool,
}

impl<'p, 'h> Points<'p, 'h> {
    pub(crate) fn new(problem: &'p Problem<'h>) -> Points<'p, 'h> {
        let split_psi = problem.history.has_locks();
        let mut levels = (1..problem.len() as Node).map(|n| problem.level(n));
        let split = levels.any(|l| l.has_snapshot() || split_psi && l.is_parallel());
        Points { problem, split, split_psi }
    }

    pub(crate) fn len(&self) -> usize {
        self.problem.len() << u32::from(self.split)
    }

    #[inline]
    pub(crate) fn commit(&self, node: Node) -> Point {
        if self.split { 2 * node + 1 } else { node }
    }

    /// The snapshot, where the transaction has one; its commit otherwise.
    #[inline]
    pub(crate) fn snapshot(&self, node: Node) -> Point {
        let level = self.problem.level(node);
        let apart = level.has_snapshot() || self.split_psi && level.is_parallel();
        if self.split && node != INIT && apart { 2 * node } else { self.commit(node) }
    }

    /// Where a later version of the same key meets this transaction.
    #[inline]
    pub(crate) fn ww_entry(&self, node: Node) -> Point {
        match self.problem.level(node) {
            Level::SI | Level::PSI => self.snapshot(node),
            Level::RU | Level::RC | Level::RA | Level::CC => self.commit(node),
            Level::PC | Level::SER | Level::SSER => self.commit(node),
        }
    }

    /// The point that must come before whoever overwrites what this transaction read, at levels that
    /// ask for that whatever else holds.
    #[inline]
    pub(crate) fn rw_exit(&self, node: Node) -> Option<Point> {
        match self.problem.level(node) {
            Level::PC | Level::SI => Some(self.snapshot(node)),
            Level::SER | Level::SSER => Some(self.commit(node)),
            Level::RU | Level::RC | Level::RA | Level::CC | Level::PSI => None,
        }
    }

    /// The transaction of a point.
    #[inline]
    pub(crate) fn node(&self, point: Point) -> Node {
        if self.split { point >> 1 } else { point }
    }

    /// How far along its chain a point is.
    #[inline]
    pub(crate) fn place(&self, chains: &Chains, point: Point) -> u32 {
        let place = chains.place[self.node(point) as usize];
        if self.split { 2 * place + (point & 1) } else { place }
    }
}

/// Why a point comes before another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Why {
    /// It is so by the history alone.
    Given,
    /// It follows from a path between these two points over earlier edges, and from the part these
    /// transactions play.
    Path { from: Point, to: Point, also: [Node; 2] },
}

/// An edge between points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointEdge {
    pub(crate) from: Point,
    pub(crate) to: Point,
    pub(crate) why: Why,
}
