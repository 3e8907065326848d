//! Commit edges that a level forces whatever the rest of the commit order.

use hobgoblin_core::EventId;

use crate::problem::{Node, Problem, Read};

/// `from` commits before `to`: both write the key that `read` read from `to`, and the reader's level
/// says that it must have seen `from`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forced {
    pub(crate) from: Node,
    pub(crate) to: Node,
    pub(crate) read: EventId,
}

impl Forced {
    pub(crate) fn new(from: Node, read: &Read) -> Forced {
        Forced { from, to: read.source, read: read.event }
    }
}

/// The edges of `so` and `wr` of a problem. Of `so`, neighbours and the first of each session after
/// init; repeated reads from one source may repeat.
pub(crate) fn so_wr<'a>(problem: &'a Problem<'_>) -> impl Iterator<Item = (Node, Node)> + 'a {
    (1..problem.len() as Node).flat_map(move |node| {
        let prev = problem.prev[node as usize];
        let reads = problem.reads(node).iter().map(|r| r.source).filter(move |&s| s != prev);
        std::iter::once((prev, node)).chain(reads.map(move |source| (source, node)))
    })
}

/// The edges that the static parts of the levels force: what RC, RA and CC say of transactions at
/// these levels, and what CC says of transactions at stronger ones.
#[derive(Debug)]
pub(crate) struct Static {
    /// A topological order of `so ∪ wr`.
    pub(crate) order: Vec<Node>,
    pub(crate) forced: Vec<Forced>,
    /// The known orders of versions: (key, earlier, later).
    pub(crate) known: Vec<(usize, Node, Node)>,
    /// A commit order that all this allows, where one was found on the way.
    pub(crate) found: Option<Vec<Node>>,
}
