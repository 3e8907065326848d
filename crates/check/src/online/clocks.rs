//! The pasts of transactions as vector clocks, few of which are kept.
//!
//! The *past* of a transaction is everything before it in `so ∪ wr`, itself included: one number for
//! each chain, how many of its nodes are in the past. (A *chain* is a path of `so ∪ wr`; sessions are.) A
//! clock never has to be kept, since it follows from the edges. So clocks here are a cache, and there
//! are two kinds:
//!
//! - *Recent* ones, up to a fixed number of entries: the frontier of every chain and the versions that are
//!   being read. The one that was not used for longest makes room (by a second chance each).
//! - *Checkpoints*, kept for good: of the nodes of a chain, one in every max(16, e/4), where e is the
//!   number of entries of its clock. Each is paid for by the e/4 nodes before it: together they are at
//!   most 4 entries a node, however many sessions there are.
//!
//! A clock that is gone is found again by walking back from its node, latest first in a topological order:
//!
//! ```text
//!     chain 1   ---●----o----o----o         the node asked for is the last o; ● are clocks still held
//!     chain 2   --o---●----o---/            its past is walked back until held clocks have all the rest
//! ```
//!
//! On each chain the walk first takes the last checkpoint before where it arrives, so it visits no more than
//! max(16, e/4) nodes of any chain, and mostly far fewer: what one held clock covers is not visited.

use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::order::Order;
use super::record::Record;
use crate::problem::{INIT, Node};

/// For each chain of a past, ascending, how many of its nodes are in it.
pub(super) type Clock = Vec<(u32, u32)>;

/// Where nodes are on chains.
#[derive(Debug)]
pub(super) struct Chains {
    chain: Vec<u32>,
    place: Vec<u32>,
    /// The last node of each chain.
    tails: Vec<Node>,
}

/// Past this many chains, a new session may continue the chain of another.
const MANY_CHAINS: usize = 512;

impl Chains {
    fn new() -> Chains {
        Chains { chain: vec![u32::MAX], place: vec![0], tails: Vec::new() }
    }

    #[inline]
    pub(super) fn chain(&self, node: Node) -> u32 {
        self.chain[node as usize]
    }

    #[inline]
    pub(super) fn place(&self, node: Node) -> u32 {
        self.place[node as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.tails.len()
    }

    /// Puts a node on a chain: that of its session if it can, a new one if it must. Where sessions
    /// are many and short, the first of a session continues the chain of someone it read from. A session
    /// does so once, and leaves at most one other without its chain, so there are at most twice as many
    /// chains as sessions (and one for each transaction that began to count late).
    fn add(&mut self, record: &Record, node: Node) {
        self.chain.resize(record.len(), u32::MAX);
        self.place.resize(record.len(), 0);
        let is_tail =
            |chains: &Chains, n: Node| chains.tails.get(chains.chain(n) as usize) == Some(&n);
        let prev = Some(record.prev(node)).filter(|&prev| prev != INIT);
        let follows = match prev {
            Some(prev) => Some(prev).filter(|&prev| is_tail(self, prev)),
            None if self.len() < MANY_CHAINS => None,
            None => record.before(node, true).find(|&n| is_tail(self, n)),
        };
        match follows {
            Some(tail) => {
                self.chain[node as usize] = self.chain(tail);
                self.place[node as usize] = self.place(tail) + 1;
                self.tails[self.chain[tail as usize] as usize] = node;
            }
            None => {
                self.chain[node as usize] = self.tails.len() as u32;
                self.tails.push(node);
            }
        }
    }
}

#[derive(Debug)]
struct Slot {
    node: Node,
    /// Whether it was used since the hand last passed.
    used: bool,
    clock: Clock,
}

/// See the [module docs](self).
#[derive(Debug)]
pub(super) struct Clocks {
    pub(super) chains: Chains,
    slots: Vec<Slot>,
    slot_of: HashMap<Node, u32>,
    unused: Vec<u32>,
    hand: usize,
    /// How many entries recent clocks may have, where that is not left to the number of chains.
    most: Option<usize>,
    /// How many entries the slots have, and how many all checkpoints.
    recent_entries: usize,
    checkpoint_entries: usize,
    /// For each chain, the clocks of some of its nodes, by place.
    checkpoints: Vec<Vec<(u32, Clock)>>,
    walk: Walk,
}

/// Room for one walk back.
#[derive(Debug, Default)]
struct Walk {
    heap: BinaryHeap<(u32, Node)>,
    /// By chain: how much of it is in the past with all that comes before.
    covered: Vec<u32>,
    /// By chain: how much of it was visited node by node, 0 for none.
    visited: Vec<u32>,
    /// The chains that have one of the two.
    touched: Vec<u32>,
}

impl Walk {
    fn join(&mut self, clock: &Clock) {
        for &(chain, count) in clock {
            self.touch(chain);
            let covered = &mut self.covered[chain as usize];
            *covered = (*covered).max(count);
        }
    }

    #[inline]
    fn touch(&mut self, chain: u32) {
        let chain_at = chain as usize;
        if self.covered[chain_at] == 0 && self.visited[chain_at] == 0 {
            self.touched.push(chain);
        }
    }

    fn visit(&mut self, chain: u32, place: u32) {
        self.touch(chain);
        let visited = &mut self.visited[chain as usize];
        *visited = (*visited).max(place + 1);
    }

    /// The past found; the walk is over.
    fn take(&mut self) -> Clock {
        self.touched.sort_unstable();
        let mut clock = Vec::with_capacity(self.touched.len());
        for chain in self.touched.drain(..) {
            let covered = std::mem::take(&mut self.covered[chain as usize]);
            let visited = std::mem::take(&mut self.visited[chain as usize]);
            clock.push((chain, covered.max(visited)));
        }
        clock
    }
}

impl Clocks {
    pub(super) fn new() -> Clocks {
        Clocks {
            chains: Chains::new(),
            slots: Vec::new(),
            slot_of: HashMap::new(),
            unused: Vec::new(),
            hand: 0,
            most: None,
            recent_entries: 0,
            checkpoint_entries: 0,
            checkpoints: Vec::new(),
            walk: Walk::default(),
        }
    }

    /// How many entries all clocks have that are held.
    pub(super) fn entries(&self) -> usize {
        self.recent_entries + self.checkpoint_entries
    }

    /// How many entries recent clocks may have: some for each two chains, within bounds.
    fn capacity(&self) -> usize {
        let chains = self.chains.len();
        self.most.unwrap_or((4 * chains * chains).clamp(1 << 18, 1 << 23))
    }

    /// Sets how many entries recent clocks may have.
    pub(super) fn set_capacity(&mut self, entries: usize) {
        self.most = Some(entries);
    }

    /// Puts a node on a chain.
    pub(super) fn add(&mut self, record: &Record, node: Node) {
        self.chains.add(record, node);
        let chains = self.chains.len();
        self.checkpoints.resize(chains, Vec::new());
        self.walk.covered.resize(chains, 0);
        self.walk.visited.resize(chains, 0);
    }

    /// The clock of a node if it is held.
    pub(super) fn held(&mut self, node: Node) -> Option<&Clock> {
        if let Some(&slot) = self.slot_of.get(&node) {
            let slot = &mut self.slots[slot as usize];
            slot.used = true;
            return Some(&slot.clock);
        }
        self.checkpoint(node)
    }

    fn checkpoint(&self, node: Node) -> Option<&Clock> {
        let of_chain = &self.checkpoints[self.chains.chain(node) as usize];
        let at = of_chain.binary_search_by_key(&self.chains.place(node), |c| c.0).ok()?;
        Some(&of_chain[at].1)
    }

    /// The clock of a node, found again if it is gone.
    pub(super) fn get(&mut self, record: &Record, order: &Order, node: Node) -> &Clock {
        if !self.slot_of.contains_key(&node) {
            let clock = match self.checkpoint(node) {
                Some(clock) => clock.clone(),
                None => self.find(record, order, node, true),
            };
            self.hold(node, clock);
        }
        self.held(node).expect("it is held now")
    }

    /// The past of a node from those of the nodes before it; without what locking reads alone saw, if
    /// they are not to matter.
    pub(super) fn find(
        &mut self,
        record: &Record,
        order: &Order,
        node: Node,
        locking: bool,
    ) -> Clock {
        let mut walk = std::mem::take(&mut self.walk);
        walk.heap.extend(record.before(node, locking).map(|n| (order.rank(n), n)));
        let mut last = INIT;
        while let Some((_, at)) = walk.heap.pop() {
            let (chain, place) = (self.chains.chain(at), self.chains.place(at));
            if at == last || walk.covered[chain as usize] > place {
                continue;
            }
            last = at;
            if let Some(clock) = self.held(at) {
                walk.join(clock);
                continue;
            }
            if walk.visited[chain as usize] == 0 {
                // Visits are latest first, so nothing later of this chain will come.
                walk.visit(chain, place);
                let before = &self.checkpoints[chain as usize];
                let end = before.partition_point(|&(at, _)| at <= place);
                if let Some((_, clock)) = end.checked_sub(1).map(|at| &before[at]) {
                    walk.join(clock);
                }
            }
            for before in record.before(at, true) {
                let (chain, place) = (self.chains.chain(before), self.chains.place(before));
                if walk.covered[chain as usize] <= place {
                    walk.heap.push((order.rank(before), before));
                }
            }
        }
        walk.visit(self.chains.chain(node), self.chains.place(node));
        let clock = walk.take();
        self.walk = walk;
        clock
    }

    /// Keeps a clock, anew or in place of the one held; for the last node of a chain, perhaps for good.
    pub(super) fn hold(&mut self, node: Node, clock: Clock) {
        let (chain, place) = (self.chains.chain(node) as usize, self.chains.place(node));
        let of_chain = &mut self.checkpoints[chain];
        match of_chain.binary_search_by_key(&place, |c| c.0) {
            Ok(at) => {
                self.checkpoint_entries -= of_chain[at].1.len();
                self.checkpoint_entries += clock.len();
                of_chain[at].1.clone_from(&clock);
            }
            Err(at) => {
                let since = place + 1 - if at == 0 { 0 } else { of_chain[at - 1].0 };
                if at == of_chain.len() && since as usize > (clock.len() / 4).max(16) {
                    self.checkpoint_entries += clock.len();
                    of_chain.push((place, clock.clone()));
                }
            }
        }
        let added = clock.len();
        if let Some(&slot) = self.slot_of.get(&node) {
            let old = std::mem::replace(&mut self.slots[slot as usize].clock, clock);
            self.recent_entries = self.recent_entries + added - old.len();
            return;
        }
        self.make_room(added);
        self.recent_entries += added;
        let slot = Slot { node, used: true, clock };
        let at = match self.unused.pop() {
            Some(at) => {
                self.slots[at as usize] = slot;
                at
            }
            None => {
                self.slots.push(slot);
                self.slots.len() as u32 - 1
            }
        };
        self.slot_of.insert(node, at);
    }

    fn make_room(&mut self, entries: usize) {
        let capacity = self.capacity();
        while self.recent_entries + entries > capacity && !self.slot_of.is_empty() {
            let at = self.hand % self.slots.len();
            self.hand = at + 1;
            let slot = &mut self.slots[at];
            if std::mem::take(&mut slot.used) || slot.node == INIT {
                continue;
            }
            self.slot_of.remove(&slot.node);
            self.recent_entries -= std::mem::take(&mut slot.clock).len();
            slot.node = INIT;
            self.unused.push(at as u32);
        }
    }
}
