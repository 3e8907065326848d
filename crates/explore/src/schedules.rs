//! Every order of whole transactions, and in each every read that the base level allows: the baseline
//! that the explorer is measured against [Bouajjani 2023, section 7].
//!
//! Transactions are not interleaved, since a read sees committed transactions only, wherever they are.
//! Still most histories come up once for each order of their transactions that so and wr leave open:
//!
//! ```text
//!     w(x)=1 | w(y)=1 | w(z)=1     one history, six schedules
//! ```

use crate::branch::Branch;
use crate::compiled::{Compiled, members, one};
use crate::error::ExploreError;
use crate::record::Next;

/// Whoever is told of ends, and asked whether to go on.
pub(crate) trait Sink {
    /// A history of the program. False stops the search.
    fn end(&mut self, branch: Branch) -> Result<bool, ExploreError>;

    /// A call. False stops the search.
    fn step(&mut self) -> bool;
}

/// Runs a program in every schedule; false when the sink stopped it.
pub(crate) fn schedules(
    compiled: &Compiled<'_>,
    sink: &mut dyn Sink,
) -> Result<bool, ExploreError> {
    let mut open = vec![Branch::default()];
    while let Some(mut branch) = open.pop() {
        if !sink.step() {
            return Ok(false);
        }
        let Some(log) = branch.pending() else {
            if branch.started & compiled.all() == compiled.all() {
                if !sink.end(branch)? {
                    return Ok(false);
                }
                continue;
            }
            let ready = |&txn: &u8| {
                let before = compiled.txns[usize::from(txn)].so & !one(0);
                branch.started & before == before
            };
            for txn in members(compiled.all() & !branch.started).filter(ready) {
                let mut longer = branch.clone();
                longer.begin(compiled, txn);
                open.push(longer);
            }
            continue;
        };
        let txn = log.txn;
        match compiled.run(txn, &branch.locals(compiled, txn), &log.reads)? {
            Next::End(done) => {
                branch.end(done);
                open.push(branch);
            }
            Next::Read { key, trace } => {
                for source in members(branch.writers(key)) {
                    let mut longer = branch.clone();
                    if longer.read(compiled, key, source, trace) {
                        open.push(longer);
                    }
                }
            }
        }
    }
    Ok(true)
}
