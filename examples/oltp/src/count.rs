//! How often assertions fail, over many runs.

use hobgoblin_core::Level;

use crate::benchmark::Benchmark;
use crate::error::Error;
use crate::run::{Ends, Plan, run};

/// The runs of one benchmark at one level with so many sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// How many runs there were.
    pub runs: u32,
    /// By assertion: runs whose final state broke it.
    pub corrupt: Vec<u32>,
    /// By assertion: runs in which a weak reader saw it broken.
    pub seen: Vec<u32>,
    /// How the transactions of all runs ended.
    pub ends: Ends,
}

impl Cell {
    /// A count as a share of the runs, in percent, rounded down.
    pub fn percent(&self, count: u32) -> u32 {
        (u64::from(count) * 100 / u64::from(self.runs.max(1))) as u32
    }
}

/// Does the runs of a cell, with seeds from the plan's on.
pub fn count(benchmark: &Benchmark, plan: &Plan, runs: u32) -> Result<Cell, Error> {
    let none = vec![0; benchmark.assertions.len()];
    let mut cell = Cell { runs, corrupt: none.clone(), seen: none, ends: Ends::default() };
    for seed in plan.seed..plan.seed.saturating_add(u64::from(runs)) {
        let found = run(benchmark, &Plan { seed, ..*plan })?;
        for (count, found) in cell.corrupt.iter_mut().zip(found.corrupt) {
            *count += u32::from(found);
        }
        for (count, found) in cell.seen.iter_mut().zip(found.seen) {
            *count += u32::from(found);
        }
        cell.ends = [cell.ends, found.ends].into_iter().sum();
    }
    Ok(cell)
}

/// The cells of MonkeyDB's table: causal and read committed, with two and three sessions.
pub const CELLS: [(Level, u32); 4] =
    [(Level::CC, 2), (Level::CC, 3), (Level::RC, 2), (Level::RC, 3)];
