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
//!
//! Clocks of thousands of chains would not fit into any cache, so the chains are taken a stripe at a time: a
//! clock then has a few hundred bytes, and an entry one byte where no chain is long.

use hobgoblin_core::StopReason;

use crate::chains::{Chains, WritersByChain};
use crate::forced::Forced;
use crate::limits::Ticker;
use crate::problem::{INIT, Node, Problem, Read};

/// So many bytes are fetched quickly, and seldom enough.
const STRIPE: usize = 1024;

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
    let walk = Walk { problem, applies, order, chains: &chains, most: STRIPE };
    match chains.place.iter().max().map_or(0, |&last| last + 1) {
        0..=0xff => walk.stripes::<u8>(ticker, forced),
        0x100..=0x7fff => walk.stripes::<i16>(ticker, forced),
        _ => walk.stripes::<i32>(ticker, forced),
    }
}

/// How many transactions of a chain are in a past. Signed but for bytes: these have a maximum of vectors on
/// every machine.
trait Count: Copy + Ord + Default {
    fn new(count: u32) -> Self;
    fn get(self) -> u32;
}

macro_rules! count {
    ($($type:ty),*) => {$(
        impl Count for $type {
            fn new(count: u32) -> Self {
                <$type>::try_from(count).expect("no chain is longer")
            }

            fn get(self) -> u32 {
                self as u32
            }
        }
    )*};
}

count!(u8, i16, i32);

/// The pasts of transactions, each a row: for each chain of the stripe, how many of its transactions are in it.
struct Clocks<T> {
    /// The chains from `begin` on, `width` of them.
    begin: u32,
    width: usize,
    slots: Vec<T>,
    /// Whether there is anything in a row.
    filled: Vec<bool>,
    unused: Vec<u32>,
}

impl<T: Count> Clocks<T> {
    fn new() -> Clocks<T> {
        Clocks { begin: 0, width: 0, slots: Vec::new(), filled: Vec::new(), unused: Vec::new() }
    }

    /// Begins with a stripe of chains; there are no clocks yet.
    fn start(&mut self, begin: u32, width: usize) {
        (self.begin, self.width) = (begin, width);
        self.slots.clear();
        self.filled.clear();
        self.unused.clear();
    }

    /// A fresh empty clock.
    fn take(&mut self) -> u32 {
        if let Some(clock) = self.unused.pop() {
            if std::mem::take(&mut self.filled[clock as usize]) {
                let begin = clock as usize * self.width;
                self.slots[begin..begin + self.width].fill(T::default());
            }
            return clock;
        }
        self.slots.resize(self.slots.len() + self.width, T::default());
        self.filled.push(false);
        self.filled.len() as u32 - 1
    }

    /// A clock no longer needed.
    fn free(&mut self, clock: u32) {
        self.unused.push(clock);
    }

    /// Adds to `into` all of `from`, and the transaction at `place` on `chain` itself.
    #[inline]
    fn join(&mut self, into: u32, from: u32, chain: u32, place: u32) {
        let row = into as usize * self.width;
        if self.filled[from as usize] {
            self.filled[into as usize] = true;
            let other = from as usize * self.width;
            let (into, from) = if row < other {
                let (low, high) = self.slots.split_at_mut(other);
                (&mut low[row..row + self.width], &high[..self.width])
            } else {
                let (low, high) = self.slots.split_at_mut(row);
                (&mut high[..self.width], &low[other..other + self.width])
            };
            for (a, b) in into.iter_mut().zip(from) {
                *a = (*a).max(*b);
            }
        }
        let column = chain.wrapping_sub(self.begin) as usize;
        if column < self.width {
            self.filled[into as usize] = true;
            let own = &mut self.slots[row + column];
            *own = (*own).max(T::new(place + 1));
        }
    }

    #[inline]
    fn at(&self, clock: u32, chain: u32) -> u32 {
        self.slots[clock as usize * self.width + (chain - self.begin) as usize].get()
    }
}

const NO_CLOCK: u32 = u32::MAX;

struct Walk<'a, 'h, A> {
    problem: &'a Problem<'h>,
    applies: A,
    order: &'a [Node],
    chains: &'a Chains,
    /// How many bytes a clock has at most.
    most: usize,
}

impl<A: Fn(Node) -> bool> Walk<'_, '_, A> {
    /// Walks once for every stripe of chains.
    fn stripes<T: Count>(
        &self,
        ticker: &mut Ticker<'_>,
        forced: &mut Vec<Forced>,
    ) -> Result<(), StopReason> {
        let problem = self.problem;
        let mut writers = WritersByChain::new(problem, self.chains);
        // How many successors need each clock.
        let mut needed = vec![0u32; problem.len()];
        for node in 1..problem.len() as Node {
            needed[problem.prev[node as usize] as usize] += 1;
            for read in problem.reads(node) {
                needed[read.source as usize] += 1;
            }
        }
        needed[INIT as usize] += 1;
        let mut clocks: Clocks<T> = Clocks::new();
        let mut clock_of = vec![NO_CLOCK; problem.len()];
        let mut left = Vec::new();
        let stripes = self.chains.count.div_ceil((self.most / size_of::<T>()).max(1)).max(1);
        let width = self.chains.count.div_ceil(stripes);
        for begin in (0..self.chains.count).step_by(width.max(1)) {
            let width = width.min(self.chains.count - begin);
            clocks.start(begin as u32, width);
            writers.select((begin + width) as u32);
            left.clone_from(&needed);
            self.stripe(&mut clocks, &mut clock_of, &mut left, &mut writers, ticker, forced)?;
        }
        Ok(())
    }

    fn stripe<T: Count>(
        &self,
        clocks: &mut Clocks<T>,
        clock_of: &mut [u32],
        needed: &mut [u32],
        writers: &mut WritersByChain,
        ticker: &mut Ticker<'_>,
        forced: &mut Vec<Forced>,
    ) -> Result<(), StopReason> {
        let (problem, chains) = (self.problem, self.chains);
        clock_of[INIT as usize] = clocks.take();
        for &node in self.order.iter().filter(|&&n| n != INIT) {
            let (prev, reads) = (problem.prev[node as usize], problem.reads(node));
            let clock = clocks.take();
            clock_of[node as usize] = clock;
            let add = |clocks: &mut Clocks<T>, before: Node| {
                let b = before as usize;
                clocks.join(clock, clock_of[b], chains.chain[b], chains.place[b]);
            };
            if prev != INIT {
                add(clocks, prev);
            }
            let mut last = prev;
            let mut locking = false;
            for read in reads {
                locking |= !read.obeys_axiom();
                if read.obeys_axiom() && read.source != last && read.source != INIT {
                    add(clocks, read.source);
                    last = read.source;
                }
            }
            ticker.tick(1 + reads.len())?;
            if clocks.filled[clock as usize] && (self.applies)(node) {
                for read in reads.iter().filter(|r| r.obeys_axiom()) {
                    let known = clock_of[read.source as usize];
                    let range = |chain| (clocks.at(known, chain), clocks.at(clock, chain));
                    let looked = writers.last_of_each_selected(read.key(), range, |writer| {
                        if writer != read.source {
                            forced.push(Forced::new(writer, read));
                        }
                    });
                    ticker.tick(looked)?;
                }
            }
            if locking {
                // What a locking read saw is part of the commit, and so of the past of others only.
                let is_locking = |r: &&Read| !r.obeys_axiom() && r.source != INIT;
                for read in reads.iter().filter(is_locking) {
                    add(clocks, read.source);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forced::so_wr;
    use crate::graph::Graph;
    use crate::limits::Limits;
    use hobgoblin_core::Level;
    use hobgoblin_gen::{Params, build};

    /// However wide a stripe and an entry are, the same edges are forced.
    #[test]
    fn stripes_and_entries_do_not_matter() {
        let mut edges = 0;
        for seed in 0..40 {
            let sessions = [3, 8, 40][seed as usize % 3];
            let params = Params { seed, sessions, keys: 12, level: Level::RA, ..Params::default() };
            let history = build(&Params { transactions: 400, ..params }).unwrap();
            let problem = Problem::whole(&history, Level::CC.into(), &[]);
            let order = Graph::new(problem.len(), || so_wr(&problem)).topological();
            let chains = Chains::of(&problem, &order);
            let limits = Limits::none();
            let edges_of = |most: usize, wide: bool| {
                let walk = Walk {
                    problem: &problem,
                    applies: |_| true,
                    order: &order,
                    chains: &chains,
                    most,
                };
                let (mut ticker, mut forced) = (Ticker::new(&limits), Vec::new());
                match wide {
                    true => walk.stripes::<i32>(&mut ticker, &mut forced).unwrap(),
                    false => walk.stripes::<i16>(&mut ticker, &mut forced).unwrap(),
                }
                let mut forced: Vec<_> = forced.iter().map(|f| (f.from, f.to, f.read)).collect();
                forced.sort_unstable();
                forced
            };
            let whole = edges_of(STRIPE, true);
            for (most, wide) in [(STRIPE, false), (1, false), (12, true), (10, false)] {
                assert_eq!(edges_of(most, wide), whole, "seed {seed}, {most} bytes");
            }
            edges += whole.len();
        }
        assert!(edges > 10_000, "{edges}");
    }
}
