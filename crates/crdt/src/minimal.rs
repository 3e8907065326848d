//! As few reads as possible that no execution explains together, and the updates that matter to them.
//!
//! Forgetting what a read returned only takes demands away, so it never makes a violation. Taking an update away may:
//! without an increment, a right sum is wrong. What never makes one is to doubt that an update took place. So reads
//! are forgotten one after the other as long as the rest is a violation, and then updates are doubted.

use hobgoblin_check::Limits;
use hobgoblin_core::StopReason;

use crate::decide::{self, Found};
use crate::direct::{self, Direct};
use crate::history::{Call, CrdtHistory, Item, ObjectId, OpId};
use crate::index::Index;
use crate::spec;
use crate::view::View;

/// Reads and updates that are a violation by themselves.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) reads: Vec<OpId>,
    pub(crate) updates: Vec<OpId>,
    /// The history in which other reads returned nothing that is known, and other updates are doubtful.
    pub(crate) part: CrdtHistory,
    /// Whether nothing more can be left out.
    pub(crate) minimal: bool,
}

/// Makes a violation small, as long as there is time. Of `reads`, if there are any, it is known that they are one.
pub(crate) fn minimize(
    history: &CrdtHistory,
    index: &Index,
    reads: Option<Vec<OpId>>,
    limits: &Limits,
) -> Core {
    let mut core = Core {
        reads: history.ops().filter(|&op| history.op(op).call.is_read()).collect(),
        updates: history.ops().filter(|&op| history.op(op).call.is_update()).collect(),
        part: history.clone(),
        minimal: false,
    };
    let vectors = history.recorded_vectors().filter(|_| history.num_ops() > LARGE);
    let fewer = core.fewer_reads(history, index, reads, limits);
    core.minimal = match vectors {
        Some(observed) => {
            let view = View { history, index, observed: &observed, absent: &[] };
            core.updates = core.reads.iter().flat_map(|&read| spec::deciding(view, read)).collect();
            fewer.is_ok()
        }
        None => fewer.is_ok() && core.fewer_updates(limits).is_ok(),
    };
    if core.updates.is_empty() {
        core.updates = core.named();
    }
    core
}

/// In larger histories whose delivery was recorded, the updates that decide what a read returns are those that its
/// specification looks at; in smaller ones each is tried.
const LARGE: usize = 2_000;

/// How many times updates are doubted before it is enough.
const TRIES: usize = 500;

fn is_violation(history: &CrdtHistory, limits: &Limits) -> Result<bool, StopReason> {
    let index = Index::new(history);
    match direct::decide(history, &index, limits)? {
        Direct::Witness(_) => return Ok(false),
        Direct::Wrong(_) | Direct::Clash(_) => return Ok(true),
        Direct::Open => {}
    }
    Ok(matches!(decide::search(history, &index, limits, false)?, Found::Nothing(_)))
}

impl Core {
    fn fewer_reads(
        &mut self,
        history: &CrdtHistory,
        index: &Index,
        reads: Option<Vec<OpId>>,
        limits: &Limits,
    ) -> Result<(), StopReason> {
        if let Some(reads) = reads {
            self.reads = reads;
        } else if let Found::Nothing(blamed) = decide::search(history, index, limits, true)? {
            self.reads = blamed;
        }
        // Where what was recorded, or updates of lists, clash by themselves, no read is to blame.
        let no_reads = history.forget_reads(|_| false);
        if !self.reads.is_empty() && is_violation(&no_reads, limits)? {
            self.reads.clear();
        }
        self.part = history.forget_reads(|op| self.reads.binary_search(&op).is_ok());
        self.forget_objects();
        let mut at = 0;
        while at < self.reads.len() {
            let mut fewer = self.reads.clone();
            fewer.remove(at);
            let part = self.part.forget_reads(|op| fewer.binary_search(&op).is_ok());
            match is_violation(&part, limits)? {
                true => {
                    self.reads = fewer;
                    self.part = part;
                }
                false => at += 1,
            }
        }
        self.forget_objects();
        Ok(())
    }

    /// The updates whose values or elements the reads returned: where no update alone matters, these show most.
    fn named(&self) -> Vec<OpId> {
        const MOST: usize = 8;
        let part = &self.part;
        let mut found = Vec::new();
        for &read in &self.reads {
            let returned = |op: &OpId| {
                let (update, read) = (part.op(*op), part.op(read));
                let same = update.object == read.object;
                match (&update.call, &read.call) {
                    (Call::Write(value), Call::Value(read)) => same && Some(*value) == *read,
                    (Call::Write(value), Call::Values(values)) => same && values.contains(value),
                    (Call::Insert { .. }, Call::Items(items)) => items.contains(&Item::Added(*op)),
                    (Call::Add, Call::Contains(true)) => same,
                    _ => false,
                }
            };
            found.extend(part.ops().filter(returned).take(MOST));
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(MOST);
        found
    }

    /// Leaves out the updates of objects that no read is about. Of lists they may clash by themselves.
    fn forget_objects(&mut self) {
        let part = &self.part;
        if part.data_type().is_list() && self.reads.is_empty() {
            return;
        }
        let reads = self.reads.iter().map(|&read| part.op(read));
        if self.reads.iter().any(|&read| matches!(part.op(read).call, Call::Elements(_))) {
            return;
        }
        let mut objects: Vec<ObjectId> = reads.map(|read| read.object).collect();
        objects.sort_unstable();
        let mut smaller = part.clone();
        for op in &mut smaller.ops {
            if op.call.is_update() && objects.binary_search(&op.object).is_err() {
                op.call = Call::Nothing;
                op.doubtful = false;
            }
        }
        self.updates.retain(|&op| smaller.op(op).call.is_update());
        self.part = smaller;
    }

    /// Doubts updates, many at once at first.
    fn fewer_updates(&mut self, limits: &Limits) -> Result<(), StopReason> {
        let mut size = self.updates.len().div_ceil(2);
        let mut tries = 0;
        while size > 0 {
            let mut at = 0;
            while at < self.updates.len() {
                tries += 1;
                if tries > TRIES {
                    return Err(StopReason::TooLarge);
                }
                let end = (at + size).min(self.updates.len());
                let mut part = self.part.clone();
                for &op in &self.updates[at..end] {
                    part.ops[op.index()].doubtful = true;
                }
                match is_violation(&part, limits)? {
                    true => {
                        self.updates.drain(at..end);
                        self.part = part;
                    }
                    false => at = end,
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        Ok(())
    }
}
