//! The add-wins set, and the enable-wins flag.
//!
//! > `contains(x)` returns true iff it sees an `add(x)` that no visible `remove(x)` observed.
//!
//! This is the thesis's READALLMAXIMALS and RETVALSET(contains, true, add): some update of x that is maximal among the
//! visible ones is an add. `elements()` returns x iff `contains(x)` would return true. A flag is the same with
//! `enable`, `disable` and `read`. Initially nothing is in.

use hashbrown::HashMap;

use super::cover::{self, is_add, is_remove};
use crate::history::{ObjectId, OpId};
use crate::search::{Fact, Model, Search};
use crate::view::View;

/// Whether an operation sees the element in.
pub(crate) fn contains(view: View<'_>, by: OpId, object: ObjectId) -> bool {
    let call = |op: OpId| &view.history.op(op).call;
    let mut adds = view.last_visible(by, object, |op| is_add(call(op)));
    adds.any(|add| {
        let mut removes = view.last_visible(by, object, |op| is_remove(call(op)));
        !removes.any(|remove| view.sees(remove, add))
    })
}

/// The adds that may be the reason why a read found an element in.
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
        if !is_in {
            // Which adds are visible shows in a model.
            return;
        }
        let history = search.history;
        let kind = |op: OpId| is_add(&history.op(op).call);
        let reasons = cover::candidates(search, object, by, kind, is_remove, false);
        search.clause(reasons.found.iter().map(|&(_, fact)| fact).chain([reasons.others]));
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
        let uncovered = is_in.then(|| &*self.reasons[&(by, object)]);
        cover::correct(search, view, model, (by, object), (is_add, is_remove), uncovered);
        false
    }
}
