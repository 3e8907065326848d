//! Who waits for whom, and whether in a circle.
//!
//! A session waits for those who hold what it wants, and for those before it in the queue who want what
//! clashes. If it waits for itself along such steps, somebody has to be refused; unless a step of the circle is only
//! the place in the queue of an object:
//!
//! ```text
//!     a holds o, shared      queue of o:  b wants it alone, c wants it shared
//!     a waits for c          b waits for a, c waits for b, but only because it came later
//! ```
//!
//! Here c goes before b, and all end. Which orders of the queues have no circle is searched as in PostgreSQL
//! (src/backend/storage/lmgr/README, "The Deadlock Detection Algorithm"): as long as there is a circle, one of its
//! steps of that kind has to be turned round.

use hobgoblin_core::{SessionId, sort_dedup};

use super::wanted::{Waiter, Wanted};
use super::{Circle, Locks};
use crate::keys::Keys;

/// How many orders of the queues are tried at most. With so many in circles somebody may as well be refused.
const MOST_ORDERS: usize = 1_000;

/// A session waits for another.
#[derive(Clone, Copy, Debug)]
struct Step {
    from: SessionId,
    to: SessionId,
    /// Whether only because it is behind it in the queue of an object.
    behind: bool,
}

impl Locks {
    /// The sessions that one waits for, in order.
    pub(crate) fn blockers(&self, session: SessionId, keys: &Keys) -> Vec<SessionId> {
        let at = self.waiting.iter().position(|waiter| waiter.session == session);
        let steps = at.map_or_else(Vec::new, |at| {
            let order: Vec<usize> = (0..=at).collect();
            self.steps(&order, at, keys)
        });
        let mut blockers: Vec<SessionId> = steps.into_iter().map(|step| step.to).collect();
        sort_dedup(&mut blockers);
        blockers
    }

    /// Whether the session at a place of the queue waits for anybody. In a long queue that is told by the
    /// first who is in its way.
    pub(super) fn is_blocked(&self, at: usize, keys: &Keys) -> bool {
        let Waiter { session, wanted } = &self.waiting[at];
        !self.holders(*session, wanted, keys).is_empty()
            || self.waiting[..at].iter().any(|other| other.wanted.clashes(wanted, keys))
    }

    /// Why the one at a place of this order of the queue waits.
    fn steps(&self, order: &[usize], place: usize, keys: &Keys) -> Vec<Step> {
        let waiter = &self.waiting[order[place]];
        let from = waiter.session;
        let holders = self.holders(from, &waiter.wanted, keys).into_iter();
        let mut steps: Vec<Step> = holders.map(|to| Step { from, to, behind: false }).collect();
        let behind = matches!(waiter.wanted, Wanted::Object { .. });
        for &other in &order[..place] {
            let other = &self.waiting[other];
            if other.wanted.clashes(&waiter.wanted, keys) {
                steps.push(Step { from, to: other.session, behind });
            }
        }
        steps
    }

    /// Sees to it that a session does not wait for itself, if another order of those who wait for objects
    /// does; else says in which circle it waits.
    pub(crate) fn untangle(&mut self, session: SessionId, keys: &Keys) -> Result<(), Circle> {
        let order: Vec<usize> = (0..self.waiting.len()).collect();
        let Some(circle) = self.circle(&order, &[session], keys) else { return Ok(()) };
        let tried = &mut 0;
        match self.search(session, &circle, &mut Vec::new(), tried, keys) {
            Some(order) => {
                let mut place = vec![0; order.len()];
                for (new, &old) in order.iter().enumerate() {
                    place[old] = new;
                }
                // Each circle of places is turned by one.
                for at in 0..place.len() {
                    while place[at] != at {
                        let to = place[at];
                        self.waiting.swap(at, to);
                        place.swap(at, to);
                    }
                }
                Ok(())
            }
            None => Err(Circle(circle.iter().map(|step| step.from).collect())),
        }
    }

    /// An order without a circle through the session or one whose place is new, given those that have to
    /// come before another.
    fn search(
        &self,
        session: SessionId,
        circle: &[Step],
        turned: &mut Vec<(SessionId, SessionId)>,
        tried: &mut usize,
        keys: &Keys,
    ) -> Option<Vec<usize>> {
        // PostgreSQL tries the last one first, as seen from the one who looks.
        for step in circle.iter().rev().filter(|step| step.behind) {
            *tried += 1;
            if *tried > MOST_ORDERS {
                return None;
            }
            turned.push((step.from, step.to));
            if let Some(order) = self.ordered(turned) {
                let mut looked = vec![session];
                for &(first, second) in turned.iter() {
                    looked.extend([first, second]);
                }
                let found = match self.circle(&order, &looked, keys) {
                    None => Some(order),
                    Some(circle) => self.search(session, &circle, turned, tried, keys),
                };
                if found.is_some() {
                    return found;
                }
            }
            turned.pop();
        }
        None
    }

    /// The queue with the first of each pair before the second, and else as it is; nothing if that cannot be. It is
    /// put together from its end, so that who has to go first goes before the other and those between them stay
    /// behind that one, as in PostgreSQL.
    fn ordered(&self, pairs: &[(SessionId, SessionId)]) -> Option<Vec<usize>> {
        let session = |at: usize| self.waiting[at].session;
        let mut left: Vec<usize> = (0..self.waiting.len()).collect();
        let mut order = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let may_end = |&at: &usize| {
                let mut after = pairs.iter().filter(|pair| pair.0 == session(at));
                after.all(|pair| left.iter().all(|&other| session(other) != pair.1))
            };
            let last = left.iter().rposition(may_end)?;
            order.push(left.remove(last));
        }
        order.reverse();
        Some(order)
    }

    /// A circle through one of these sessions, with this order of the queue.
    fn circle(&self, order: &[usize], through: &[SessionId], keys: &Keys) -> Option<Vec<Step>> {
        through.iter().find_map(|&start| {
            let mut reached: Vec<Step> = Vec::new();
            let mut stack = vec![start];
            while let Some(session) = stack.pop() {
                let place = order.iter().position(|&at| self.waiting[at].session == session);
                let Some(place) = place else { continue };
                for step in self.steps(order, place, keys) {
                    if step.to == start {
                        return Some(back(&reached, start, step));
                    }
                    if !reached.iter().any(|other| other.to == step.to) {
                        reached.push(step);
                        stack.push(step.to);
                    }
                }
            }
            None
        })
    }
}

/// The steps from `start` to the last one.
fn back(reached: &[Step], start: SessionId, last: Step) -> Vec<Step> {
    let mut steps = vec![last];
    while steps[steps.len() - 1].from != start {
        let from = steps[steps.len() - 1].from;
        let step = reached.iter().find(|step| step.to == from);
        steps.push(*step.expect("who was reached was reached from somewhere"));
    }
    steps.reverse();
    steps
}
