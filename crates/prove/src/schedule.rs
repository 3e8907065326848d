//! In which order the statements of instances run at read committed, where who sees whom follows from it.
//!
//! A statement stands between the last commit that it sees and the first that it misses. That leaves a choice: between
//! two commits the statements of different instances may stand in any order, since none of them sees what the others do.
//! Reads come first and writes last, so that who reads that a read misses a write finds the read above the write:
//!
//! ```text
//!     T1: SELECT          both read
//!     T2: SELECT
//!     T1: UPDATE          and only then does one write
//!     T1: COMMIT
//!     T2: UPDATE          which T2 sees too late
//! ```

use crate::scenario::Step;

/// A statement of an instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// How many of the instances, which commit in order, it sees.
    pub(crate) sees: usize,
    /// Whether it writes or locks.
    pub(crate) writes: bool,
}

/// Turns for the statements of instances, which commit in order.
pub(crate) fn turns(instances: &[Vec<Look>]) -> Vec<(usize, Step)> {
    let mut turns = Vec::new();
    let mut next = vec![0; instances.len()];
    for committing in 0..=instances.len() {
        loop {
            let ready: Vec<(usize, bool)> = (0..instances.len())
                .filter_map(|at| Some((at, instances[at].get(next[at])?)))
                .filter(|(_, look)| look.sees == committing)
                .map(|(at, look)| (at, look.writes))
                .collect();
            let reads = ready.iter().find(|(_, writes)| !writes);
            // Of those that write, who commits next does so right before it commits.
            let Some(&(at, _)) = reads.or(ready.last()) else { break };
            next[at] += 1;
            turns.push((at, Step::Statement));
        }
        if committing < instances.len() {
            turns.push((committing, Step::Commit));
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instances as words, a letter and a number for each statement: what it does, and how many it sees.
    fn shown(instances: &[&str]) -> String {
        let look = |word: &str| {
            let (what, sees) = word.split_at(1);
            Look { sees: sees.parse().expect("a number"), writes: what == "w" }
        };
        let instances: Vec<Vec<Look>> =
            instances.iter().map(|words| words.split(' ').map(look).collect()).collect();
        let mut next = vec![0; instances.len()];
        let turn = |(at, step): (usize, Step)| match step {
            Step::Snapshot => format!("s{}", at + 1),
            Step::Commit => format!("c{}", at + 1),
            Step::Statement => {
                next[at] += 1;
                let letter = if instances[at][next[at] - 1].writes { 'w' } else { 'r' };
                format!("{letter}{}", at + 1)
            }
        };
        turns(&instances).into_iter().map(turn).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn reads_stand_before_the_writes_that_they_miss() {
        for (instances, expected) in [
            // A lost update.
            (&["r0 w0", "r0 w1"][..], "r1 r2 w1 c1 w2 c2"),
            // The first only writes.
            (&["w0", "r0 r1"], "r2 w1 c1 r2 c2"),
            // Write skew.
            (&["r0 r0 w0", "r0 r0 w0"], "r1 r1 r2 r2 w2 w1 c1 c2"),
            // What comes behind a write waits for it.
            (&["w0 r0 w0", "r0 w1"], "r2 w1 r1 w1 c1 w2 c2"),
            (&["r0 w0", "r0 r1 w1", "r0 w2"], "r1 r2 r3 w1 c1 r2 w2 c2 w3 c3"),
        ] {
            assert_eq!(shown(instances), expected, "{instances:?}");
        }
    }
}
