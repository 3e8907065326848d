//! The elements of growable arrays as trees: each hangs below the one it was added after.

use hashbrown::HashMap;

use crate::history::{Call, CrdtHistory, OpId};

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
        let mut path = Vec::new();
        for op in history.ops() {
            if !matches!(history.op(op).call, Call::Insert { .. }) || depth[op.index()] > 0 {
                continue;
            }
            path.clear();
            let mut at = Some(op);
            let mut below = 0;
            while let Some(element) = at {
                if depth[element.index()] > 0 {
                    below = depth[element.index()];
                    break;
                }
                if path.len() > above.len() {
                    // Round and round.
                    break;
                }
                path.push(element);
                at = above[element.index()];
            }
            if path.len() > above.len() {
                continue;
            }
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
