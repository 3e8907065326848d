//! Who observed how much of whom, as it is recorded, and the bounds that follow.
//!
//! An exact vector (`sees`) names the replicas of which something was observed, and says by its silence that nothing
//! was observed of the others. A large history has one for every operation, in order; then its bounds are in order as
//! they are made, and nothing is sorted.

use crate::error::CrdtError;
use crate::history::{Bound, OpId, OpRef, Replica, ReplicaOps};

/// No upper bound.
const ANY: u64 = u64::MAX;

/// Stands for the whole length of a replica, which is not known before the end.
const WHOLE: u64 = u64::MAX - 1;

/// What is recorded of who observed what.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// At least and at most so much.
    bounds: Vec<(OpRef, u32, u64, u64)>,
    exact: Vec<Exact>,
    /// What the exact vectors name, one after the other.
    seen: Vec<(u32, u64)>,
    /// What must have been observed: what is recorded may contradict that, and is then a violation.
    owed: Vec<(OpRef, u32, u64)>,
}

/// An exact vector: a part of what is seen.
#[derive(Clone, Copy, Debug)]
struct Exact {
    op: OpRef,
    first: usize,
    len: u32,
}

impl Recorded {
    /// At least `least` operations of a replica, and at most `most`.
    pub(super) fn between(&mut self, op: OpRef, of: u32, least: u64, most: u64) {
        self.bounds.push((op, of, least, most));
    }

    /// At least so many operations of a replica.
    pub(super) fn at_least(&mut self, op: OpRef, of: u32, count: u64) {
        self.between(op, of, count, ANY);
    }

    /// Exactly so many operations of these replicas, and none of others. This replaces what was said before.
    pub(super) fn exactly(&mut self, op: OpRef, seen: &[(u32, u64)]) {
        self.exact.push(Exact { op, first: self.seen.len(), len: seen.len() as u32 });
        self.seen.extend_from_slice(seen);
    }

    /// So many operations of a replica must have been observed; none: all.
    pub(super) fn owes(&mut self, op: OpRef, of: u32, count: Option<u64>) {
        self.owed.push((op, of, count.unwrap_or(WHOLE)));
    }

    /// What is known of who observed what, every pair once and in order. The last `initial` replicas were observed by
    /// all others from the beginning.
    pub(super) fn bounds(
        mut self,
        replicas: &[ReplicaOps],
        initial: u32,
    ) -> Result<Vec<Bound>, CrdtError> {
        let sizes = Sizes { replicas, real: replicas.len() - initial as usize };
        let others = replicas.len().saturating_sub(1);
        self.order_exact();
        let mut all = Vec::with_capacity(self.bounds.len() + self.exact.len() * others);
        for &(op, of, least, most) in &self.bounds {
            let (least, most) = sizes.range(op, of, least, most)?;
            if of != op.replica {
                all.push(sizes.bound(op, of, least, most));
            }
        }
        let mut row = vec![None; replicas.len()];
        for exact in &self.exact {
            let seen = &self.seen[exact.first..][..exact.len as usize];
            sizes.exact(exact.op, seen, &mut row, &mut all)?;
        }
        let mut all = merged(all);
        if let Some(bound) = all.iter().find(|bound| bound.least > bound.most) {
            return Err(sizes.contradiction(bound));
        }
        for &(op, of, count) in &self.owed {
            let len = sizes.len(of);
            let count = if count == WHOLE { len } else { count };
            sizes.in_range(op, of, count)?;
            if of != op.replica && count > 0 {
                all.push(sizes.bound(op, of, count, len));
            }
        }
        Ok(merged(all))
    }

    /// Exact vectors in the order of operations, of two for one operation the last.
    fn order_exact(&mut self) {
        let place = |exact: &Exact| (exact.op.replica, exact.op.position);
        if !self.exact.is_sorted_by(|a, b| place(a) < place(b)) {
            self.exact.reverse();
            self.exact.sort_by_key(place);
            self.exact.dedup_by_key(|exact| place(exact));
        }
    }
}

/// How many operations replicas have, and how many of them are not there but hold initial values.
struct Sizes<'a> {
    replicas: &'a [ReplicaOps],
    real: usize,
}

impl Sizes<'_> {
    fn len(&self, of: u32) -> u64 {
        u64::from(self.replicas[of as usize].len)
    }

    fn in_range(&self, op: OpRef, of: u32, count: u64) -> Result<(), CrdtError> {
        let len = self.len(of);
        if count > len {
            let of = self.replicas[of as usize].name.clone();
            return Err(CrdtError::OutOfRange { op, of, count, len });
        }
        Ok(())
    }

    /// The two bounds, if there can be such ones.
    fn range(&self, op: OpRef, of: u32, least: u64, most: u64) -> Result<(u64, u64), CrdtError> {
        self.in_range(op, of, least)?;
        if most != ANY {
            self.in_range(op, of, most)?;
        }
        let own = u64::from(op.position);
        if of == op.replica && (least > own || most < own) {
            let count = if least > own { least } else { most };
            return Err(CrdtError::OwnReplica { op, count, own });
        }
        Ok((least, most.min(self.len(of))))
    }

    fn bound(&self, op: OpRef, of: u32, least: u64, most: u64) -> Bound {
        let id = OpId(self.replicas[op.replica as usize].first + op.position);
        Bound { op: id, of: Replica(of), least: least as u32, most: most as u32 }
    }

    /// Adds the bounds of an exact vector. `row` has a place for each replica, empty before and after.
    fn exact(
        &self,
        op: OpRef,
        seen: &[(u32, u64)],
        row: &mut [Option<(u64, u64)>],
        all: &mut Vec<Bound>,
    ) -> Result<(), CrdtError> {
        for &(of, count) in seen {
            self.range(op, of, count, count)?;
            let (least, most) = row[of as usize].unwrap_or((count, count));
            row[of as usize] = Some((least.max(count), most.min(count)));
        }
        for (of, named) in (0..).zip(row) {
            // Who holds initial values has observed none of the others.
            let is_known = of as usize >= self.real && (op.replica as usize) < self.real;
            let silent = if is_known { self.len(of) } else { 0 };
            let (mut least, mut most) = named.take().unwrap_or((silent, silent));
            if is_known {
                (least, most) = (least.max(silent), most.min(silent));
            }
            if of != op.replica {
                all.push(self.bound(op, of, least, most));
            }
        }
        Ok(())
    }

    fn contradiction(&self, &Bound { op, of, least, most }: &Bound) -> CrdtError {
        let at = self.replicas.partition_point(|r| r.first + r.len <= op.0);
        let place = OpRef { replica: at as u32, position: op.0 - self.replicas[at].first };
        let of = self.replicas[of.index()].name.clone();
        let (least, most) = (u64::from(least), u64::from(most));
        CrdtError::Contradiction { op: place, of, least, most }
    }
}

/// The bounds of each pair as one, in order.
fn merged(mut all: Vec<Bound>) -> Vec<Bound> {
    let pair = |bound: &Bound| (bound.op, bound.of);
    if all.is_sorted_by(|a, b| pair(a) < pair(b)) {
        return all;
    }
    // What is in order in part is merged part by part.
    all.sort_by_key(pair);
    all.dedup_by(|bound, first| {
        let same = pair(bound) == pair(first);
        if same {
            first.least = first.least.max(bound.least);
            first.most = first.most.min(bound.most);
        }
        same
    });
    all
}
