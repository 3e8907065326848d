//! EXPLORE: one history becomes those that have one event more [Bouajjani 2023, algorithm 1].

use crate::branch::Branch;
use crate::compiled::{Compiled, members, one};
use crate::error::ExploreError;
use crate::found::Found;
use crate::record::Next;

impl Compiled<'_> {
    /// Goes on with a history until it branches or is complete. Its children are pushed; a complete
    /// history is returned.
    pub(crate) fn expand(
        &self,
        mut branch: Branch,
        children: &mut Vec<Branch>,
        found: &mut Found,
    ) -> Result<Option<Branch>, ExploreError> {
        let prunes = self.options.prune && self.filters;
        loop {
            let Some(log) = branch.pending() else {
                let left = self.all() & !branch.started;
                let Some(next) = members(left).next() else { return Ok(Some(branch)) };
                branch.begin(self, next);
                continue;
            };
            let locals = branch.locals(self, log.txn);
            match self.run(log.txn, &locals, &log.reads)? {
                Next::Read { key, trace } => {
                    let before = children.len();
                    self.read(branch, key, trace, children, found);
                    if prunes {
                        self.prune(children, before, found);
                    }
                    found.fruitless += u64::from(children.len() == before);
                    return Ok(None);
                }
                Next::End(done) => {
                    let wrote = !done.writes.is_empty();
                    branch.end(done);
                    found.calls += 1;
                    let before = children.len();
                    if wrote {
                        branch.swaps(self, children);
                    }
                    found.calls += (children.len() - before) as u64;
                    if prunes {
                        self.prune(children, before, found);
                        if branch.is_hopeless(self) {
                            found.fruitless += 1;
                            return Ok(None);
                        }
                    }
                }
            }
        }
    }

    /// Pushes the histories in which the pending transaction reads a key, from each transaction it may.
    fn read(
        &self,
        mut branch: Branch,
        key: u32,
        trace: u64,
        children: &mut Vec<Branch>,
        found: &mut Found,
    ) {
        let before = children.len();
        let writers = branch.writers(key);
        branch.frozen = false;
        let latest = branch.order.iter().rev().map(|log| log.txn);
        for source in latest.filter(|&source| writers & one(source) != 0) {
            let mut child = branch.clone();
            if child.read(self, key, source, trace) {
                children.push(child);
            }
        }
        // The last child is the parent, since nobody else needs it.
        if branch.read(self, key, 0, trace) {
            children.push(branch);
        }
        found.calls += (children.len() - before) as u64;
    }

    /// Takes back the children whose frozen core violates their levels.
    fn prune(&self, children: &mut Vec<Branch>, from: usize, found: &mut Found) {
        let mut at = from;
        while at < children.len() {
            if children[at].frozen && children[at].is_hopeless(self) {
                children.remove(at);
                found.fruitless += 1;
            } else {
                at += 1;
            }
        }
    }
}
