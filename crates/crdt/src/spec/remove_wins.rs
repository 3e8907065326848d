//! The remove-wins set, and the disable-wins flag.
//!
//! > `contains(x)` returns true iff it sees an `add(x)`, and every visible `remove(x)` was observed by a visible
//! > `add(x)`.
//!
//! The thesis's RETVALSET(contains, false, remove) has `contains` return true when no update of x is visible; here a
//! remove that precedes everything makes the initial set empty (erratum E4 of docs/crdt.md).

use hashbrown::HashMap;

use super::cover::{self, is_add, is_remove};
use crate::history::{ObjectId, OpId};
use crate::search::{Fact, Model, Search};
use crate::view::View;

/// Whether an operation sees the element in.
pub(crate) fn contains(view: View<'_>, by: OpId, object: ObjectId) -> bool {
    let call = |op: OpId| &view.history.op(op).call;
    let adds = || view.last_visible(by, object, |op| is_add(call(op)));
    let mut removes = view.last_visible(by, object, |op| is_remove(call(op)));
    adds().next().is_some() && removes.all(|remove| adds().any(|add| view.sees(add, remove)))
}

/// The removes that may be the reason why a read did not find an element.
#[derive(Debug, Default)]
pub(crate) struct State {
    reasons: HashMap<(OpId, ObjectId), Vec<(OpId, Fact)>>,
}

impl State {
    pub(super) fn demand(
        &mut self,
        search: &mut Search<'_>,
        by: OpId,
        object: ObjectId,
        is_in: bool,
    ) {
        let history = search.history;
        let adds = cover::possible(search, object, by, is_add);
        if is_in {
            // That removes are covered shows in a model.
            return search.clause(adds.into_iter().map(|(_, visible)| visible));
        }
        let kind = |op: OpId| is_remove(&history.op(op).call);
        let reasons = cover::candidates(search, object, by, kind, is_add, false);
        let nothing = search.new_fact();
        for (_, visible) in adds {
            search.clause([!nothing, !visible]);
        }
        search.clause(reasons.found.iter().map(|&(_, fact)| fact).chain([nothing, reasons.others]));
        self.reasons.insert((by, object), reasons.found);
    }

    /// Whether the model explains why the element is in or not; what it forgot is added.
    pub(super) fn refine(
        &mut self,
        search: &mut Search<'_>,
        view: View<'_>,
        model: &Model,
        (by, object, is_in): (OpId, ObjectId, bool),
    ) -> bool {
        if contains(view, by, object) == is_in {
            return true;
        }
        let uncovered = (!is_in).then(|| &*self.reasons[&(by, object)]);
        cover::correct(search, view, model, (by, object), (is_remove, is_add), uncovered);
        false
    }
}
