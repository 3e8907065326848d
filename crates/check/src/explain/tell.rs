//! From a witness to its [`Telling`].

use hobgoblin_core::{History, Witness};

use super::actors::Actors;
use super::case::Case;
use super::prevented::{names, prevented};
use super::row::Rows;
use super::telling::Telling;
use super::timeline::timeline;
use super::wrong::Wrong;

/// Tells a violation to a person who wrote the application and has never heard of the field's words.
///
/// Every sentence follows from the witness; where the order of events is not known, [`Telling::order`] says so.
#[doc(hidden)]
pub fn tell(history: &History, witness: &Witness) -> Telling {
    of_case(&Case::of(history, witness))
}

/// Tells what is known of a violation.
pub(super) fn of_case(case: &Case<'_>) -> Telling {
    let rows = Rows::of(case.history, &case.keys, &case.txns);
    let actors = Actors::of(case);
    let (order, columns, lines) = timeline(case, &rows, &actors);
    let wrong = Wrong { case, rows: &rows, actors: &actors };
    Telling {
        headline: wrong.headline(),
        order,
        columns,
        lines,
        wrong: wrong.sentences(),
        prevented: prevented(case, &rows),
        names: names(case),
    }
}
