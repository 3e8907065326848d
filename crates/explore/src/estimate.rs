//! About how many ends there are: random walks down the tree of histories [Knuth 1975].
//!
//! A walk takes a random child at every branch. The product of the numbers of children it met is, on
//! average, the number of ends. They are made while the exploration goes on, a few at a time.

use std::time::{Duration, Instant};

use hobgoblin_core::Rng;

use crate::branch::Branch;
use crate::compiled::Compiled;
use crate::error::ExploreError;
use crate::found::Found;

/// Walks so far, from the histories an exploration began with.
pub(crate) struct Estimate {
    open: Vec<Branch>,
    rng: Rng,
    sum: f64,
    walks: f64,
}

impl Estimate {
    pub(crate) fn new(open: &[Branch]) -> Estimate {
        Estimate { open: open.to_vec(), rng: Rng::new(1), sum: 0.0, walks: 0.0 }
    }

    /// Walks a little more; gives the mean so far. Walks differ widely, so it takes many.
    pub(crate) fn refine(
        &mut self,
        compiled: &Compiled<'_>,
        moment: Duration,
    ) -> Result<Option<f64>, ExploreError> {
        let until = Instant::now() + moment;
        while Instant::now() < until {
            let Some(first) = self.rng.pick(&self.open).cloned() else { return Ok(None) };
            let Some(product) = walk(compiled, first, &mut self.rng, until + moment)? else {
                break;
            };
            self.sum += product * self.open.len() as f64;
            self.walks += 1.0;
        }
        Ok((self.walks > 0.0).then_some(self.sum / self.walks))
    }
}

/// One walk; `None` when time is over first.
fn walk(
    compiled: &Compiled<'_>,
    mut branch: Branch,
    rng: &mut Rng,
    until: Instant,
) -> Result<Option<f64>, ExploreError> {
    let mut product = 1.0;
    let mut children = Vec::new();
    loop {
        children.clear();
        let end = compiled.expand(branch, &mut children, &mut Found::default())?;
        if end.is_none() && children.is_empty() {
            return Ok(Some(0.0));
        }
        let ways = children.len() + usize::from(end.is_some());
        product *= ways as f64;
        let choice = rng.below(ways as u32) as usize;
        if choice == children.len() {
            return Ok(Some(product));
        }
        branch = children.swap_remove(choice);
        if Instant::now() > until {
            return Ok(None);
        }
    }
}
