//! Causal consistency in O(n · k) for n events and k sessions.
//!
//! A history is causal when so and wr, together with the commit edges they force, have no cycle:
//!
//! ```text
//! t1 --wr(x)--> t3        t3 reads x from t1, yet t2, which wrote x too, is in t3's past.
//! t2 --so/wr*-> t3        So t2 must commit before t1: the edge t2 -> t1 is forced.
//! ```
//!
//! We visit transactions along so and wr and keep one vector clock each, freed once every successor
//! has been visited. For a read of x from t1 and each chain that writes x, only the last writer inside
//! the reader's clock matters, and none if t1's own clock has it. See [Biswas 2019, section 3], whose
//! algorithm is cubic.

use hobgoblin_core::StopReason;

use crate::chains::{Chains, WritersByChain};
use crate::forced::Forced;
use crate::limits::Ticker;
use crate::problem::{INIT, Node, Problem};

/// Past this many chains clocks are kept as sorted lists of their non-zero entries.
const DENSE: usize = 2048;

/// Adds the edges that causal consistency forces, for the readers to which it `applies`. `order`
/// is a topological order of `so ∪ wr`.
pub(crate) fn force(
    problem: &Problem<'_>,
    applies: impl Fn(Node) -> bool,
    order: &[Node],
    ticker: &mut Ticker<'_>,
    forced: &mut Vec<Forced>,
) -> Result<(), StopReason> {
    let chains = Chains::of(problem, order);
    if chains.count <= DENSE {
        walk(problem, applies, order, &chains, Dense::new(chains.count), ticker, forced)
    } else {
        walk(problem, applies, order, &chains, Sparse::default(), ticker, forced)
    }
}

/// The past of a transaction: for each chain, how many of its transactions are in it.
trait Clocks {
    /// A fresh empty clock.
    fn take(&mut self) -> u32;
    /// A clock no longer needed.
    fn free(&mut self, clock: u32);
    /// Adds to `into` all of `from`, and the transaction at `place` on `chain` itself.
    fn join(&mut self, into: u32, from: u32, chain: u32, place: u32);
    fn at(&self, clock: u32, chain: u32) -> u32;
}

struct Dense {
    width: usize,
    slots: Vec<u32>,
    unused: Vec<u32>,
}

impl Dense {
    fn new(width: usize) -> Dense {
        Dense { width, slots: Vec::new(), unused: Vec::new() }
    }
}

impl Clocks for Dense {
    fn take(&mut self) -> u32 {
        if let Some(clock) = self.unused.pop() {
            let begin = clock as usize * self.width;
            self.slots[begin..begin + self.width].fill(0);
            return clock;
        }
        let clock = (self.slots.len() / self.width.max(1)) as u32;
        self.slots.resize(self.slots.len() + self.width, 0);
        clock
    }

    fn free(&mut self, clock: u32) {
        self.unused.push(clock);
    }

    #[inline]
    fn join(&mut self, into: u32, from: u32, chain: u32, place: u32) {
        let (into, from) = (into as usize * self.width, from as usize * self.width);
        let (into, from) = if into < from {
            let (low, high) = self.slots.split_at_mut(from);
            (&mut low[into..into + self.width], &high[..self.width])
        } else {
            let (low, high) = self.slots.split_at_mut(into);
            (&mut high[..self.width], &low[from..from + self.width])
        };
        for (a, b) in into.iter_mut().zip(from) {
            *a = (*a).max(*b);
        }
        let own = &mut into[chain as usize];
        *own = (*own).max(place + 1);
    }

    #[inline]
    fn at(&self, clock: u32, chain: u32) -> u32 {
        self.slots[clock as usize * self.width + chain as usize]
    }
}

#[derive(Default)]
struct Sparse {
    slots: Vec<Vec<(u32, u32)>>,
    unused: Vec<u32>,
    merged: Vec<(u32, u32)>,
}

impl Clocks for Sparse {
    fn take(&mut self) -> u32 {
        if let Some(clock) = self.unused.pop() {
            return clock;
        }
        self.slots.push(Vec::new());
        self.slots.len() as u32 - 1
    }

    fn free(&mut self, clock: u32) {
        self.slots[clock as usize] = Vec::new();
        self.unused.push(clock);
    }

    fn join(&mut self, into: u32, from: u32, chain: u32, place: u32) {
        self.merged.clear();
        let (a, b) = (&self.slots[into as usize], &self.slots[from as usize]);
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let next = match (a.get(i), b.get(j)) {
                (Some(&x), Some(&y)) if x.0 == y.0 => {
                    (i, j) = (i + 1, j + 1);
                    (x.0, x.1.max(y.1))
                }
                (Some(&x), y) if y.is_none_or(|y| x.0 < y.0) => {
                    i += 1;
                    x
                }
                (_, Some(&y)) => {
                    j += 1;
                    y
                }
                _ => unreachable!("one of the two has an entry left"),
            };
            self.merged.push(next);
        }
        match self.merged.binary_search_by_key(&chain, |&(chain, _)| chain) {
            Ok(at) => self.merged[at].1 = self.merged[at].1.max(place + 1),
            Err(at) => self.merged.insert(at, (chain, place + 1)),
        }
        std::mem::swap(&mut self.merged, &mut self.slots[into as usize]);
    }

    fn at(&self, clock: u32, chain: u32) -> u32 {
        let entries = &self.slots[clock as usize];
        entries.binary_search_by_key(&chain, |&(chain, _)| chain).map_or(0, |at| entries[at].1)
    }
}

const NO_CLOCK: u32 = u32::MAX;

fn walk<C: Clocks>(
    problem: &Problem<'_>,
    applies: impl Fn(Node) -> bool,
    order: &[Node],
    chains: &Chains,
    mut clocks: C,
    ticker: &mut Ticker<'_>,
    forced: &mut Vec<Forced>,
) -> Result<(), StopReason> {
    let mut writers = WritersByChain::new(problem, chains);
    // How many successors still need each clock.
    let mut needed = vec![0u32; problem.len()];
    for node in 1..problem.len() as Node {
        needed[problem.prev[node as usize] as usize] += 1;
        for read in problem.reads(node) {
            needed[read.source as usize] += 1;
        }
    }
    let mut clock_of = vec![NO_CLOCK; problem.len()];
    clock_of[INIT as usize] = clocks.take();
    needed[INIT as usize] += 1;
    for &node in order.iter().filter(|&&n| n != INIT) {
        let (prev, reads) = (problem.prev[node as usize], problem.reads(node));
        let clock = clocks.take();
        clock_of[node as usize] = clock;
        if prev != INIT {
            let p = prev as usize;
            clocks.join(clock, clock_of[p], chains.chain[p], chains.place[p]);
        }
        let mut last = prev;
        let mut locking = false;
        for read in reads {
            locking |= !read.obeys_axiom();
            if read.obeys_axiom() && read.source != last && read.source != INIT {
                let s = read.source as usize;
                clocks.join(clock, clock_of[s], chains.chain[s], chains.place[s]);
                last = read.source;
            }
        }
        if applies(node) {
            for read in reads.iter().filter(|r| r.obeys_axiom()) {
                let known = clock_of[read.source as usize];
                ticker.tick(1 + writers.groups(read.key()).len())?;
                let range = |chain| (clocks.at(known, chain), clocks.at(clock, chain));
                writers.last_of_each(read.key(), range, |writer| {
                    if writer != read.source {
                        forced.push(Forced::new(writer, read));
                    }
                });
            }
        } else {
            ticker.tick(1 + reads.len())?;
        }
        if locking {
            // What a locking read saw is part of the commit, and so of the past of others only.
            for read in reads.iter().filter(|r| !r.obeys_axiom() && r.source != INIT) {
                let s = read.source as usize;
                clocks.join(clock, clock_of[s], chains.chain[s], chains.place[s]);
            }
        }
        for source in std::iter::once(prev).chain(reads.iter().map(|r| r.source)) {
            let left = &mut needed[source as usize];
            *left -= 1;
            if *left == 0 {
                clocks.free(clock_of[source as usize]);
            }
        }
        if needed[node as usize] == 0 {
            clocks.free(clock);
        }
    }
    Ok(())
}
