//! About how many ends there are: random walks down the tree of histories [Knuth 1975].
//!
//! A walk takes a random child at every branch. The product of the numbers of children it met is, on
//! average, the number of ends.

use std::time::{Duration, Instant};

use hobgoblin_gen::Rng;

use crate::branch::Branch;
use crate::compiled::Compiled;
use crate::explorer::{ExploreError, Found};

/// Walks for a moment; `None` when there was no time for a single one.
pub(crate) fn ends(
    compiled: &Compiled<'_>,
    open: &[Branch],
    moment: Duration,
) -> Result<Option<f64>, ExploreError> {
    let until = Instant::now() + moment;
    let mut rng = Rng::new(1);
    let (mut sum, mut walks) = (0.0, 0.0);
    while walks < 1000.0 && Instant::now() < until {
        let Some(first) = rng.pick(open) else { return Ok(None) };
        let Some(product) = walk(compiled, first.clone(), &mut rng, until)? else { break };
        sum += product * open.len() as f64;
        walks += 1.0;
    }
    Ok((walks > 0.0).then_some(sum / walks))
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
