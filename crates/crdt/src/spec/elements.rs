//! Which elements a list has, whatever their order: for growable arrays and for lists of which one order is asked for.

use hashbrown::HashSet;

use crate::history::{Call, Item, OpId};
use crate::search::{Model, Search};
use crate::view::View;

/// The visible elements of a list that no visible remove removed, in no particular order.
pub(crate) fn present(view: View<'_>, by: OpId) -> Vec<OpId> {
    let history = view.history;
    let object = history.op(by).object;
    let visible = history.replicas().flat_map(|of| view.visible(by, object, of));
    let is_added = |op: &OpId| matches!(history.op(*op).call, Call::Insert { .. });
    let erased = |op: OpId| {
        view.index.erases(op).iter().any(|&erase| view.took_place(erase) && view.sees(by, erase))
    };
    visible.filter(is_added).filter(|&op| !erased(op)).collect()
}

/// What operations of lists demand of who observed whom; what they leave out shows in a model.
pub(super) fn membership_of_list(search: &mut Search<'_>, op: OpId, can_be: impl Fn(OpId) -> bool) {
    let history = search.history;
    let named = match &history.op(op).call {
        Call::Insert { anchor, .. } => {
            if !can_be(op) {
                search.clause([!search.took_place(op)]);
                return;
            }
            if let Some(anchor) = *anchor
                && history.options().strict_anchor
            {
                for &erase in search.index.erases(anchor) {
                    let visible = search.visible(erase, op);
                    search.clause([!search.took_place(op), !visible]);
                }
            }
            *anchor
        }
        Call::Erase(added) => Some(*added),
        Call::Items(items) => {
            let mut once = HashSet::new();
            for item in items {
                let Item::Added(added) = *item else {
                    search.clause([]);
                    continue;
                };
                if !once.insert(added) {
                    search.clause([]);
                }
                let visible = search.visible(added, op);
                search.clause([visible]);
                for &erase in search.index.erases(added) {
                    let visible = search.visible(erase, op);
                    search.clause([!visible]);
                }
            }
            None
        }
        _ => None,
    };
    if let Some(named) = named {
        let visible = search.visible(named, op);
        search.clause([!search.took_place(op), visible]);
    }
}

/// Demands that elements which reads saw and did not return were removed. Whether there are any such.
pub(super) fn missing_from_lists(search: &mut Search<'_>, view: View<'_>, model: &Model) -> bool {
    let history = search.history;
    let mut broken = false;
    for op in history.ops() {
        let Call::Items(items) = &history.op(op).call else { continue };
        if !model.is(search.because_of(op)) {
            continue;
        }
        search.about(op);
        let present = present(view, op);
        if present.len() == items.len() {
            continue;
        }
        let returned: HashSet<OpId> = items
            .iter()
            .filter_map(|item| match item {
                Item::Added(added) => Some(*added),
                Item::Never(_) => None,
            })
            .collect();
        for missing in present.into_iter().filter(|op| !returned.contains(op)) {
            broken = true;
            let mut clause = vec![!search.visible(missing, op)];
            for &erase in search.index.erases(missing) {
                clause.push(search.visible(erase, op));
            }
            search.clause(clause);
        }
    }
    broken
}
