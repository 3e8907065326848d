//! Multi-value registers.
//!
//! > `read(x)` returns the values of the visible writes of x that no other visible write or delete of x observed: the
//! > *maximal* ones. As a set, or as a multiset that has each value as often as it was written.
//!
//! The thesis's READFROM looks at the writes of returned values only, so that a write whose value is missing escapes
//! (erratum E2), and wants one writer of each value, so that nobody may read two equal concurrent writes (E3).
//!
//! Unlike the thesis's algorithm 1, unique values do not settle what happened before what: of
//! `A: write(x,1) read(x)={2}` and `B: write(x,2)`, B must have seen A's write before its own. With one value returned,
//! whatever else is visible was observed by its write, which is Horn; with several, one of them observed it.

use hashbrown::HashMap;

use super::cover;
use crate::data_type::Multiplicity;
use crate::history::{Call, ObjectId, OpId, ValueId};
use crate::search::{Fact, Model, Search};
use crate::view::View;

fn is_write(call: &Call) -> bool {
    matches!(call, Call::Write(_) | Call::Delete)
}

/// The visible writes that no other visible one observed.
pub(super) fn maximal(view: View<'_>, by: OpId, object: ObjectId) -> Vec<OpId> {
    let last: Vec<OpId> = view.last_visible(by, object, |_| true).collect();
    let covered = |op: OpId| last.iter().any(|&other| other != op && view.sees(other, op));
    last.iter().copied().filter(|&op| !covered(op)).collect()
}

/// The values that an operation sees, sorted.
pub(crate) fn values(view: View<'_>, by: OpId, object: ObjectId) -> Vec<ValueId> {
    let value = |op: OpId| match view.history.op(op).call {
        Call::Write(value) => Some(value),
        _ => None,
    };
    let mut values: Vec<ValueId> =
        maximal(view, by, object).into_iter().filter_map(value).collect();
    values.sort_unstable();
    if view.history.options().multiplicity == Multiplicity::Set {
        values.dedup();
    }
    values
}

/// Of every read, the writes that may be maximal to it without contradicting what it returned.
#[derive(Debug, Default)]
pub(crate) struct State {
    allowed: HashMap<OpId, cover::Candidates>,
}

impl State {
    pub(super) fn demand(
        &mut self,
        search: &mut Search<'_>,
        by: OpId,
        object: ObjectId,
        values: &[ValueId],
    ) {
        let history = search.history;
        let kind = |op: OpId| match history.op(op).call {
            Call::Write(value) => values.binary_search(&value).is_ok(),
            _ => true,
        };
        let counted = history.options().multiplicity == Multiplicity::Multiset;
        let allowed = cover::candidates(search, object, by, kind, is_write, counted);
        for run in values.chunk_by(|a, b| a == b) {
            let writes = |&&(op, _): &&(OpId, Fact)| history.op(op).call == Call::Write(run[0]);
            let facts = allowed.found.iter().filter(writes).map(|&(_, fact)| fact);
            match counted {
                false => search.clause(facts.chain([allowed.others])),
                true => exactly(search, &facts.collect::<Vec<_>>(), run.len()),
            }
        }
        self.allowed.insert(by, allowed);
    }

    /// Whether the model explains what was returned; what it forgot is added.
    pub(super) fn refine(
        &mut self,
        search: &mut Search<'_>,
        view: View<'_>,
        model: &Model,
        (by, object, returned): (OpId, ObjectId, &[ValueId]),
    ) -> bool {
        if values(view, by, object) == returned {
            return true;
        }
        let cover::Candidates { found, others } = &self.allowed[&by];
        cover::expose(search, view, model, object, by, found, is_write);
        for op in maximal(view, by, object) {
            match found.iter().find(|&&(other, _)| other == op) {
                None => cover::demand_covered(search, op, by, [*others, Fact::Known(false)], found),
                // Counted or not: whoever is maximal counts.
                Some(&(_, fact)) if !model.is(fact) => {
                    cover::demand_covered(search, op, by, [*others, fact], found);
                }
                Some(_) => {}
            }
        }
        false
    }
}

/// Demands that exactly `count` of these be so.
fn exactly(search: &mut Search<'_>, facts: &[Fact], count: usize) {
    // At least `n` of those so far, for n from 1 to one more than wanted.
    let mut so_far: Vec<Fact> = vec![Fact::Known(false); count + 1];
    for &fact in facts {
        let mut next = Vec::with_capacity(count + 1);
        for n in 0..=count {
            let one_less = if n == 0 { Fact::Known(true) } else { so_far[n - 1] };
            let there = search.new_fact();
            search.clause([!so_far[n], there]);
            search.clause([!one_less, !fact, there]);
            search.clause([so_far[n], one_less, !there]);
            search.clause([so_far[n], fact, !there]);
            next.push(there);
        }
        so_far = next;
    }
    if count > 0 {
        search.clause([so_far[count - 1]]);
    }
    search.clause([!so_far[count]]);
}
