//! Updates that no other visible update has observed, for sets, flags and multi-value registers.
//!
//! An update u is *covered* at a read c when some coverer r is visible to c and observed u. Along a replica, later
//! coverers observed no less, and who sees one sees those before it.

use crate::history::{Call, ObjectId, OpId};
use crate::search::{Fact, Model, Search};
use crate::view::View;

/// Which updates of an object are meant.
pub(super) type Kind = fn(&Call) -> bool;

/// Those that put an element in, or enable a flag.
pub(super) fn is_add(call: &Call) -> bool {
    *call == Call::Add
}

/// Those that take an element out, or disable a flag.
pub(super) fn is_remove(call: &Call) -> bool {
    *call == Call::Remove
}

/// The updates of a kind that may be visible to a read and covered by nobody, each with the fact that says so. The
/// fact demands that the update is visible and not covered on its own replica; the rest is up to [`expose`]. Unless it is
/// to be the whole list, only those that are near in time are looked at first.
pub(super) fn candidates(
    search: &mut Search<'_>,
    object: ObjectId,
    by: OpId,
    kind: impl Fn(OpId) -> bool,
    coverer: Kind,
    whole: bool,
) -> Candidates {
    let history = search.history;
    let certain = |op: OpId| !history.op(op).doubtful;
    let mut updates = Vec::new();
    let mut perhaps = Vec::new();
    for of in history.replicas() {
        let (must, may) = search.possible(object, of, by);
        // What is seen in any case: nothing before a coverer, or an update of the kind, that took place.
        let last =
            must.iter().rposition(|&op| certain(op) && (kind(op) || coverer(&history.op(op).call)));
        updates.extend(must[last.unwrap_or(0)..].iter().copied().filter(|&op| kind(op)));
        perhaps.extend(may.iter().copied().filter(|&op| kind(op)));
    }
    let others = search.nearest(by, &mut perhaps, whole);
    updates.append(&mut perhaps);
    let likely = search.likely(by, &updates);
    let mut found = Vec::new();
    for op in updates {
        let fact = if Some(op) == likely { search.new_likely_fact() } else { search.new_fact() };
        let visible = search.visible(op, by);
        search.clause([!fact, visible]);
        let (must, may) = search.possible(object, history.op(op).replica, by);
        let after = must.iter().chain(may).copied().filter(|&later| later > op);
        for later in after.filter(|&later| coverer(&history.op(later).call)) {
            let visible = search.visible(later, by);
            search.clause([!fact, !visible]);
            if certain(later) {
                break;
            }
        }
        found.push((op, fact));
    }
    Candidates { found, others }
}

/// Updates that may be the reason for something.
#[derive(Debug)]
pub(super) struct Candidates {
    /// Each with the fact that it is.
    pub(super) found: Vec<(OpId, Fact)>,
    /// That the reason is another one, which nobody has looked at so far.
    pub(super) others: Fact,
}

/// A coverer that is visible and observed the update; of each replica the first, since that one demands least.
pub(super) fn coverers<'a>(
    view: View<'a>,
    object: ObjectId,
    update: OpId,
    by: OpId,
    coverer: Kind,
) -> impl Iterator<Item = OpId> + use<'a> {
    view.history.replicas().filter_map(move |of| {
        view.visible(by, object, of)
            .find(|&op| op != update && coverer(&view.history.op(op).call) && view.sees(op, update))
    })
}

/// Adds what a model forgot of a read that depends on whether an update of a kind is visible and covered by nobody: it is
/// one of the candidates if there are some, and otherwise none is.
pub(super) fn correct(
    search: &mut Search<'_>,
    view: View<'_>,
    model: &Model,
    (by, object): (OpId, ObjectId),
    (kind, coverer): (Kind, Kind),
    candidates: Option<&[(OpId, Fact)]>,
) {
    if let Some(candidates) = candidates {
        expose(search, view, model, object, by, candidates, coverer);
        return;
    }
    let of_kind = |op: OpId| kind(&view.history.op(op).call);
    for update in view.last_visible(by, object, of_kind).collect::<Vec<OpId>>() {
        if coverers(view, object, update, by, coverer).next().is_none() {
            demand_covered_by(search, object, update, by, coverer);
        }
    }
}

/// Adds what a model forgot: facts of [`candidates`] that it takes for true although somebody covers the update.
/// Whether there were any.
pub(super) fn expose(
    search: &mut Search<'_>,
    view: View<'_>,
    model: &Model,
    object: ObjectId,
    by: OpId,
    candidates: &[(OpId, Fact)],
    coverer: Kind,
) -> bool {
    let mut any = false;
    for &(update, fact) in candidates {
        if !model.is(fact) {
            continue;
        }
        for covering in coverers(view, object, update, by, coverer).collect::<Vec<_>>() {
            let observed = search.observed(update, covering);
            let visible = search.visible(covering, by);
            search.clause([!fact, !observed, !visible]);
            any = true;
        }
    }
    any
}

/// Demands that an update, if it is visible, is covered by one of these: coverers, with what must be so for each to
/// count.
pub(super) fn demand_covered(
    search: &mut Search<'_>,
    update: OpId,
    by: OpId,
    unless: [Fact; 2],
    coverers: &[(OpId, Fact)],
) {
    let visible = search.visible(update, by);
    let mut clause = vec![!visible];
    clause.extend(unless);
    for &(covering, counts) in coverers {
        if covering == update {
            continue;
        }
        let observed = search.observed(update, covering);
        let both = match (observed, counts) {
            (Fact::Known(false), _) | (_, Fact::Known(false)) => continue,
            (Fact::Known(true), counts) => counts,
            (observed, Fact::Known(true)) => observed,
            (observed, counts) => {
                let both = search.new_fact();
                search.clause([!both, observed]);
                search.clause([!both, counts]);
                both
            }
        };
        clause.push(both);
    }
    search.clause(clause);
}

/// Demands that an update, if it is visible, is covered by a visible coverer; those near in time are looked at first.
pub(super) fn demand_covered_by(
    search: &mut Search<'_>,
    object: ObjectId,
    update: OpId,
    by: OpId,
    coverer: Kind,
) {
    let mut coverers = possible(search, object, by, coverer);
    let mut ops: Vec<OpId> = coverers.iter().map(|&(op, _)| op).collect();
    let others = search.nearest(by, &mut ops, false);
    coverers.retain(|(op, _)| ops.contains(op));
    demand_covered(search, update, by, [others, Fact::Known(false)], &coverers);
}

/// All coverers of an object that may be visible, with the facts that they are.
pub(super) fn possible(
    search: &mut Search<'_>,
    object: ObjectId,
    by: OpId,
    coverer: Kind,
) -> Vec<(OpId, Fact)> {
    let history = search.history;
    let mut found = Vec::new();
    for of in history.replicas() {
        let (must, may) = search.possible(object, of, by);
        let is_coverer = |op: &OpId| coverer(&history.op(*op).call);
        // Of those that are seen in any case the last that took place observed most.
        let last =
            must.iter().rposition(|op| is_coverer(op) && !history.op(*op).doubtful).unwrap_or(0);
        for &op in must[last..].iter().chain(may).filter(|op| is_coverer(op)) {
            let visible = search.visible(op, by);
            found.push((op, visible));
        }
    }
    found
}
