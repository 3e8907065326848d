//! The elements of growable arrays as trees: each hangs below the one it was added after.

use hashbrown::HashMap;

use crate::history::{Call, CrdtHistory, OpId};
use crate::index::Rows;

/// What hangs below what.
#[derive(Debug)]
pub(crate) struct Tree {
    /// How far below its list every added element hangs; 0 for other operations and for elements that hang below
    /// themselves.
    depth: Vec<u32>,
    above: Vec<Option<OpId>>,
    known: HashMap<(OpId, OpId), Related>,
}

/// How two elements of a list are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Related {
    /// The first hangs below the second, so it comes later.
    Below,
    /// The second hangs below the first.
    Above,
    /// They hang below these two, which were added after the same element. The one added later comes first.
    Beside(OpId, OpId),
}

impl Tree {
    pub(crate) fn new(history: &CrdtHistory) -> Tree {
        let above: Vec<Option<OpId>> = history
            .ops()
            .map(|op| match history.op(op).call {
                Call::Insert { anchor, .. } => anchor,
                _ => None,
            })
            .collect();
        let mut depth = vec![0; above.len()];
        let mut met = vec![false; above.len()];
        let mut path = Vec::new();
        for op in history.ops() {
            if !matches!(history.op(op).call, Call::Insert { .. }) {
                continue;
            }
            let mut at = Some(op);
            while let Some(element) = at
                && !std::mem::replace(&mut met[element.index()], true)
            {
                path.push(element);
                at = above[element.index()];
            }
            // Whoever was met before and has no depth is on this path, or hangs below one that went round.
            let mut below = match at.map(|element| depth[element.index()]) {
                Some(0) => {
                    path.clear();
                    continue;
                }
                Some(depth) => depth,
                None => 0,
            };
            for element in path.drain(..).rev() {
                below += 1;
                depth[element.index()] = below;
            }
        }
        Tree { depth, above, known: HashMap::new() }
    }

    /// Whether an element was added after itself, on whatever way.
    pub(crate) fn is_circular(&self, added: OpId) -> bool {
        self.depth[added.index()] == 0
    }

    /// All elements as they stand in their lists, if those added after the same one stand in the opposite of this order.
    pub(crate) fn elements(&self, order: &[OpId]) -> Vec<OpId> {
        let below = order.iter().filter(|op| self.depth[op.index()] > 0);
        let below: Vec<(usize, OpId)> = below
            .map(|&op| (self.above[op.index()].map_or(0, |above| above.index() + 1), op))
            .collect();
        let below = Rows::new(self.depth.len() + 1, below, |(above, _)| above);
        let of = |above: usize| below.row(above).iter().map(|&(_, op)| op);
        let mut found = Vec::new();
        let mut stack: Vec<OpId> = of(0).collect();
        while let Some(op) = stack.pop() {
            found.push(op);
            stack.extend(of(op.index() + 1));
        }
        found
    }

    /// How two elements of one list, none of them circular, are related.
    pub(crate) fn related(&mut self, first: OpId, second: OpId) -> Related {
        if self.above[second.index()] == Some(first) {
            return Related::Above;
        }
        if let Some(&known) = self.known.get(&(first, second)) {
            return known;
        }
        let found = self.find(first, second);
        self.known.insert((first, second), found);
        found
    }

    fn find(&self, first: OpId, second: OpId) -> Related {
        let (mut a, mut b) = (first, second);
        let depth = |op: OpId| self.depth[op.index()];
        let up =
            |op: OpId| self.above[op.index()].expect("what hangs deeper hangs below something");
        while depth(a) > depth(b) {
            if self.above[a.index()] == Some(b) {
                return Related::Below;
            }
            a = up(a);
        }
        while depth(b) > depth(a) {
            if self.above[b.index()] == Some(a) {
                return Related::Above;
            }
            b = up(b);
        }
        debug_assert_ne!(a, b, "two elements are given");
        while self.above[a.index()] != self.above[b.index()] {
            (a, b) = (up(a), up(b));
        }
        Related::Beside(a, b)
    }
}
