//! Makes a failing schedule small. The library runs again for every attempt, so that what is left has really happened.

use super::replica::Exchange;
use super::schedule::{Schedule, Step};

/// Up to how many steps it is tried to replace one.
const FEW: usize = 16;

/// The smallest schedule found that still fails, within so many attempts.
///
/// Parts are left out, large ones first, as long as it fails without them: the final synchronization, replicas, final
/// reads, steps; and what is merged is taken as it is, not as it was. If few steps are left, others are put in
/// the place of two: what arrives by way of a third replica may as well come from the first. This is repeated until nothing can be left out any more: then every single step is needed.
pub(super) fn shrink(
    schedule: &Schedule,
    exchange: Exchange,
    attempts: u32,
    fails: impl FnMut(&Schedule) -> bool,
) -> Schedule {
    let mut shrinker = Shrinker { best: schedule.clone(), exchange, left: attempts, fails };
    loop {
        let before = shrinker.best.len();
        shrinker.without_end();
        shrinker.fewer_replicas();
        shrinker.without_copies();
        shrinker.fewer(|schedule| &mut schedule.finals);
        shrinker.fewer(|schedule| &mut schedule.steps);
        shrinker.reroute();
        if shrinker.best.len() == before || shrinker.left == 0 {
            break;
        }
    }
    let renumbered = shrinker.best.renumbered();
    shrinker.left += 1;
    shrinker.try_it(renumbered);
    shrinker.best
}

struct Shrinker<F> {
    best: Schedule,
    exchange: Exchange,
    left: u32,
    fails: F,
}

impl<F: FnMut(&Schedule) -> bool> Shrinker<F> {
    fn try_it(&mut self, candidate: Schedule) -> bool {
        if self.left == 0 || candidate == self.best {
            return false;
        }
        self.left -= 1;
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }

    fn without_end(&mut self) {
        let (sync, finals) = (None, Vec::new());
        self.try_it(Schedule { sync, finals, ..self.best.clone() });
    }

    fn fewer_replicas(&mut self) {
        for replica in (0..self.best.replicas).rev() {
            if self.best.replicas > 1 {
                self.try_it(self.best.without_replica(replica));
            }
        }
    }

    /// Merges replicas as they are, instead of copies that were made of them before.
    fn without_copies(&mut self) {
        for at in 0..self.best.steps.len() {
            let Some(&Step::MergeCopy { label, to }) = self.best.steps.get(at) else { continue };
            let from = self.best.steps.iter().find_map(|step| match *step {
                Step::Copy { label: copy, from } if copy == label => Some(from),
                _ => None,
            });
            if let Some(from) = from.filter(|&from| from != to) {
                let mut candidate = self.best.clone();
                candidate.steps[at] = Step::Merge { from, to };
                self.try_it(candidate);
            }
        }
    }

    /// Leaves out parts of one list, from half of it down to single ones.
    fn fewer<T: Clone>(&mut self, list: impl Fn(&mut Schedule) -> &mut Vec<T>) {
        let mut size = list(&mut self.best).len().div_ceil(2);
        while size > 0 {
            // From the end: what comes later depends on what came before.
            let mut end = list(&mut self.best).len();
            while end > 0 {
                let start = end.saturating_sub(size);
                let mut candidate = self.best.clone();
                list(&mut candidate).drain(start..end);
                self.try_it(candidate);
                end = start;
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
    }

    /// Lets something else arrive where something does, if another step is not needed then.
    fn reroute(&mut self) {
        let mut at = 0;
        while at < self.best.steps.len() && self.best.steps.len() <= FEW {
            let rerouted = self.others(at).into_iter().any(|other| {
                (0..self.best.steps.len()).rev().filter(|&gone| gone != at).any(|gone| {
                    let mut candidate = self.best.clone();
                    candidate.steps[at] = other.clone();
                    candidate.steps.remove(gone);
                    self.try_it(candidate)
                })
            });
            at = if rerouted { 0 } else { at + 1 };
        }
    }

    /// What else may arrive instead of what this step brings.
    fn others(&self, at: usize) -> Vec<Step> {
        let steps = &self.best.steps;
        let (Step::Deliver { to, .. } | Step::Merge { to, .. } | Step::MergeCopy { to, .. }) =
            steps[at]
        else {
            return Vec::new();
        };
        let from = (0..self.best.replicas).filter(|&from| from != to && self.exchange.merges);
        let merges = from.map(|from| Step::Merge { from, to });
        let messages = steps[..at].iter().filter_map(|step| match *step {
            Step::Apply { label, replica, .. } if replica != to => {
                Some(Step::Deliver { label, to, again: false })
            }
            _ => None,
        });
        let messages = messages.filter(|_| self.exchange.messages.is_some());
        messages.chain(merges).filter(|other| *other != steps[at]).collect()
    }
}
