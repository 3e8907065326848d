//! Lightest ways: those that can be told with the fewest transactions.
//!
//! A way through a session needs only the transactions where it enters and where it leaves: that one comes before
//! the other is clear without those between them. So the way with the fewest edges may be far from the best:
//!
//! ```text
//! t1 --so--> t2 --so--> ... --so--> t99        99 transactions of one session, of which two do,
//! t1 --wr--> u1 --wr--> u2 --wr--> t99         against four.
//! ```
//!
//! Hence every node is looked at in two ways: as part of what is told, and as one that is only passed by. Dijkstra's
//! algorithm does the rest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

/// What it takes to follow an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing: both ends belong to one transaction.
    Within,
    /// The transaction it arrives at, unless it is passed by: the ends are neighbours in a session.
    Session,
    /// So many transactions: the one it arrives at and what the edge rests on.
    Other(u32),
}

/// An edge of a way that is not of session order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Taken {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) label: u32,
}

/// How a state was reached.
#[derive(Clone, Copy)]
struct Reached {
    weight: u32,
    /// From which state; none for the start.
    from: Option<u32>,
    /// By which edge, if it is to be told.
    by: Option<Taken>,
}

/// The edges of a lightest way from `start` to `goal`, those of sessions and within transactions left out, and its
/// weight. For a `goal` that is the start the way is a cycle. `edges` gives what leaves a node to its second
/// argument: the other end, a label, and what it takes. `work` counts the edges looked at.
pub(crate) fn lightest(
    start: u32,
    goal: u32,
    mut edges: impl FnMut(u32, &mut dyn FnMut(u32, u32, Step)),
    work: &mut usize,
) -> Option<(Vec<Taken>, u32)> {
    // A node that is told has an even state, one that is passed by an odd one.
    let (first, last) = (2 * start, 2 * goal);
    let mut reached: HashMap<u32, Reached> = HashMap::new();
    let mut queue = BinaryHeap::from([Reverse((0, first))]);
    let mut begun = false;
    while let Some(Reverse((weight, state))) = queue.pop() {
        if begun {
            if reached[&state].weight < weight {
                continue;
            }
            if state == last {
                return Some((told(&reached, state), weight));
            }
        }
        begun = true;
        let (node, passing) = (state >> 1, state & 1);
        edges(node, &mut |to, label, step| {
            *work += 1;
            let mut reach = |state_to: u32, more: u32, by: Option<Taken>| {
                let weight = weight + more;
                // The start may be arrived at again, but nothing is found by leaving it twice.
                if state_to == first && last != first {
                    return;
                }
                let news = reached.get(&state_to).is_none_or(|known| weight < known.weight);
                if news {
                    reached.insert(state_to, Reached { weight, from: Some(state), by });
                    queue.push(Reverse((weight, state_to)));
                }
            };
            match step {
                Step::Within => reach((2 * to) | passing, 0, None),
                Step::Session => {
                    reach((2 * to) | 1, 0, None);
                    reach(2 * to, 1, None);
                }
                Step::Other(more) if passing == 0 => {
                    reach(2 * to, more, Some(Taken { from: node, to, label }));
                }
                Step::Other(_) => {}
            }
        });
    }
    None
}

/// The edges to tell of the way to a state.
fn told(reached: &HashMap<u32, Reached>, end: u32) -> Vec<Taken> {
    let mut way = Vec::new();
    let mut at = Some(end);
    while let Some(reached) = at.and_then(|state| reached.get(&state)) {
        way.extend(reached.by);
        at = reached.from.filter(|&from| from != end);
    }
    way.reverse();
    way
}
