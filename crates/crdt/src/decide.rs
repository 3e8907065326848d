//! The search for an execution that explains every read.
//!
//! Some demands of a specification would take a clause for every three operations; those are added when a model of the
//! others breaks them, and the solver goes on. When no demand is broken, the model's vectors are an execution. Of reads
//! that many updates may explain, those near in time are looked at first, and others once that leaves nothing.
//!
//! Where the demands are Horn clauses, such as "whoever saw this add saw that remove", nothing is searched: what the
//! bounds force is the least execution, and it is one or there is none. That covers last-writer-wins registers and
//! growable arrays with unique values and at most one remove [Biswas 2021a, section 2.3.1], and counters of two replicas.

use hobgoblin_check::Limits;
use hobgoblin_core::StopReason;

use crate::history::{CrdtHistory, OpId};
use crate::index::Index;
use crate::search::{Search, Solved};
use crate::spec::{self, Refined, State};
use crate::verdict::CrdtWitness;
use crate::view::View;

/// What came of a search.
#[derive(Debug)]
pub(crate) enum Found {
    /// An execution.
    Witness(CrdtWitness),
    /// There is none, because of these reads; all of them if nobody asked which.
    Nothing(Vec<OpId>),
}

/// Looks for an execution; with `blame`, finds out which reads stand in the way of one.
pub(crate) fn search(
    history: &CrdtHistory,
    index: &Index,
    limits: &Limits,
    blame: bool,
) -> Result<Found, StopReason> {
    match begin(history, index, limits, blame)? {
        Some(mut search) => run(&mut search),
        None => Ok(Found::Nothing(Vec::new())),
    }
}

/// Which of these updates the operations beside them must have observed, whatever else happened.
pub(crate) fn forced(
    history: &CrdtHistory,
    index: &Index,
    limits: &Limits,
    pairs: &[(OpId, OpId)],
) -> Result<Vec<(OpId, OpId)>, StopReason> {
    let Some(mut search) = begin(history, index, limits, false)? else { return Ok(Vec::new()) };
    let known: Vec<bool> = pairs.iter().map(|&(op, by)| search.observed_already(op, by)).collect();
    run(&mut search)?;
    let is_new = |(&(op, by), known): (&(OpId, OpId), bool)| {
        (!known && search.observed_already(op, by)).then_some((op, by))
    };
    Ok(pairs.iter().zip(known).filter_map(is_new).collect())
}

fn begin<'a>(
    history: &'a CrdtHistory,
    index: &'a Index,
    limits: &'a Limits,
    blame: bool,
) -> Result<Option<Search<'a>>, StopReason> {
    let data_type = history.data_type();
    let receives =
        history.ops().map(|op| spec::receives(data_type, &history.op(op).call)).collect();
    Search::new(history, index, limits, receives, (blame, spec::wants_decisions(data_type)))
}

fn run(search: &mut Search<'_>) -> Result<Found, StopReason> {
    let history = search.history;
    let mut state = State::new(history);
    // The solver decides in about this order.
    let mut in_time: Vec<OpId> = history.ops().collect();
    in_time.sort_by_cached_key(|&op| history.moment(op));
    for op in in_time {
        search.check()?;
        search.about(op);
        state.demand(search, op)?;
    }
    loop {
        match search.solve()? {
            Solved::Nothing(reads) => return Ok(Found::Nothing(reads)),
            Solved::Wider(reads) => {
                for op in reads {
                    search.about(op);
                    state.demand(search, op)?;
                }
            }
            Solved::Model(model) => {
                let (observed, absent) = (&model.observed, &model.absent);
                let view = View { history, index: search.index, observed, absent };
                if let Refined::Holds(order) = state.refine(search, view, &model)? {
                    let happened = search.happened(&model);
                    return Ok(Found::Witness(CrdtWitness {
                        observed: model.observed,
                        happened,
                        order,
                    }));
                }
            }
        }
    }
}
