//! The specifications, one file each: its axioms, what an operation must return given who observed what, and what
//! that demands of a search.

mod add_wins;
mod counter;
mod cover;
mod elements;
mod list;
mod lww;
mod mvr;
mod refined;
mod remove_wins;
mod rga;
mod tree;

use hashbrown::HashSet;
use hobgoblin_core::StopReason;

use crate::data_type::DataType;
use crate::history::{Call, CrdtHistory, Item, ObjectId, OpId};
use crate::search::{Model, Search};
use crate::view::View;

/// Whether it matters what an operation had observed. Every other one may as well have learned nothing since the last
/// that does: no result depends on it, and less information is less to be passed on [CRDT.md, receive lemma].
pub(crate) fn receives(data_type: DataType, call: &Call) -> bool {
    match data_type {
        DataType::AwSet | DataType::EwFlag => call.is_read() || *call == Call::Remove,
        DataType::RwSet | DataType::DwFlag => call.is_read() || *call == Call::Add,
        DataType::Counter | DataType::Lww => call.is_read(),
        DataType::Mvr => call.is_read() || call.is_update(),
        DataType::Rga | DataType::List => !matches!(call, Call::Nothing),
    }
}

/// Whether the solver is to decide who observed whom, and not only why reads returned what they did. Of a counter there
/// is nothing else to decide.
pub(crate) fn wants_decisions(data_type: DataType) -> bool {
    data_type == DataType::Counter
}

/// What a specification remembers between models.
#[derive(Debug)]
pub(crate) enum State {
    AddWins(add_wins::State),
    RemoveWins(remove_wins::State),
    Counter,
    Mvr(mvr::State),
    Lww(lww::State),
    Rga(rga::State),
    List(list::State),
}

impl State {
    pub(crate) fn new(history: &CrdtHistory) -> State {
        match history.data_type() {
            DataType::AwSet | DataType::EwFlag => State::AddWins(add_wins::State::default()),
            DataType::RwSet | DataType::DwFlag => State::RemoveWins(remove_wins::State::default()),
            DataType::Counter => State::Counter,
            DataType::Mvr => State::Mvr(mvr::State::default()),
            DataType::Lww => State::Lww(lww::State::default()),
            DataType::Rga => State::Rga(rga::State::new(history)),
            DataType::List => State::List(list::State::new(history)),
        }
    }
}

impl State {
    /// Adds what an operation demands.
    pub(crate) fn demand(&mut self, search: &mut Search<'_>, op: OpId) -> Result<(), StopReason> {
        let info = search.history.op(op);
        match (self, &info.call) {
            (State::Rga(state), _) => state.demand(search, op),
            (State::List(state), _) => state.demand(search, op),
            (State::AddWins(state), call) => {
                only_once(search, call);
                for (object, is_in) in memberships(search.history, call, info.object) {
                    state.demand(search, op, object, is_in);
                }
            }
            (State::RemoveWins(state), call) => {
                only_once(search, call);
                for (object, is_in) in memberships(search.history, call, info.object) {
                    state.demand(search, op, object, is_in);
                }
            }
            (State::Counter, Call::Sum(sum)) => counter::demand(search, op, info.object, *sum)?,
            (State::Mvr(state), Call::Values(values)) => {
                state.demand(search, op, info.object, values)
            }
            (State::Lww(state), Call::Value(value)) => {
                state.demand(search, op, info.object, *value)
            }
            (State::Counter | State::Mvr(_) | State::Lww(_), _) => {}
        }
        Ok(())
    }

    /// Whether a model is an execution; if not, what it forgot is added.
    pub(crate) fn refine(
        &mut self,
        search: &mut Search<'_>,
        view: View<'_>,
        model: &Model,
    ) -> Result<Refined, StopReason> {
        let history = search.history;
        let mut broken = false;
        match self {
            State::Counter => {}
            State::Lww(state) => return state.refine(search, view, model),
            State::Rga(_) | State::List(_) => {
                broken |= elements::missing_from_lists(search, view, model);
                let refined = match self {
                    State::Rga(state) => state.refine(search, view)?,
                    State::List(state) => state.refine(search, view, model)?,
                    _ => unreachable!("only lists are here"),
                };
                if !broken {
                    return Ok(refined);
                }
            }
            State::AddWins(_) | State::RemoveWins(_) | State::Mvr(_) => {
                for op in history.ops() {
                    let info = history.op(op);
                    if !model.is(search.because_of(op)) {
                        continue;
                    }
                    search.about(op);
                    match self {
                        State::Mvr(state) => {
                            if let Call::Values(values) = &info.call {
                                broken |=
                                    !state.refine(search, view, model, (op, info.object, values));
                            }
                        }
                        State::AddWins(state) => {
                            for (object, is_in) in memberships(history, &info.call, info.object) {
                                broken |= !state.refine(search, view, model, (op, object, is_in));
                            }
                        }
                        State::RemoveWins(state) => {
                            for (object, is_in) in memberships(history, &info.call, info.object) {
                                broken |= !state.refine(search, view, model, (op, object, is_in));
                            }
                        }
                        _ => unreachable!("the others are dealt with"),
                    }
                }
            }
        }
        Ok(if broken { Refined::Broken } else { Refined::Holds(Vec::new()) })
    }
}

/// Whether an operation sees an element in, or a flag enabled.
pub(crate) fn contains(view: View<'_>, by: OpId, object: ObjectId) -> bool {
    match view.history.data_type() {
        DataType::AwSet | DataType::EwFlag => add_wins::contains(view, by, object),
        _ => remove_wins::contains(view, by, object),
    }
}

/// The visible updates that decide what a read returns.
pub(crate) fn deciding(view: View<'_>, read: OpId) -> Vec<OpId> {
    let history = view.history;
    let object = history.op(read).object;
    let is = |call: Call| move |op: OpId| history.op(op).call == call;
    let mut found: Vec<OpId> = match &history.op(read).call {
        Call::Contains(_) => {
            let adds = is(Call::Add);
            let removes = is(Call::Remove);
            let adds: Vec<OpId> = view.last_visible(read, object, &adds).collect();
            adds.into_iter().chain(view.last_visible(read, object, &removes)).collect()
        }
        Call::Value(_) | Call::Values(_) => view.last_visible(read, object, |_| true).collect(),
        Call::Sum(_) => history.replicas().flat_map(|of| view.visible(read, object, of)).collect(),
        Call::Items(items) => {
            let mut present: HashSet<OpId> = present(view, read).into_iter().collect();
            let mut decide = Vec::new();
            for item in items {
                let Item::Added(added) = *item else { continue };
                if !present.remove(&added) {
                    decide.push(added);
                    decide.extend(
                        view.index.erases(added).iter().filter(|&&erase| view.sees(read, erase)),
                    );
                }
            }
            decide.extend(present);
            decide
        }
        _ => Vec::new(),
    };
    found.sort_unstable();
    found.dedup();
    found
}

pub(crate) use counter::sum;
pub(crate) use elements::present;
pub(crate) use lww::{demands as demands_of_registers, last_writes, left};
pub(crate) use mvr::values;
pub(crate) use refined::Refined;
pub(crate) use tree::{Related, Tree};

/// What a read of a set or flag says of which objects.
fn memberships(history: &CrdtHistory, call: &Call, object: ObjectId) -> Vec<(ObjectId, bool)> {
    match call {
        Call::Contains(is_in) => vec![(object, *is_in)],
        Call::Elements(elements) => {
            let all = (0..history.objects().len() as u32).map(ObjectId);
            all.map(|object| (object, elements.binary_search(&object).is_ok())).collect()
        }
        _ => Vec::new(),
    }
}

/// Demands that no element of a set was returned twice.
fn only_once(search: &mut Search<'_>, call: &Call) {
    if let Call::Elements(elements) = call
        && elements.windows(2).any(|pair| pair[0] == pair[1])
    {
        search.clause([]);
    }
}
