//! What the answers of a library mean in a history.

use hobgoblin_core::Value;

use super::failure::Cause;
use super::replica::{Outcome, Request, Words};
use crate::builder::Action;
use crate::data_type::DataType;

/// What the adapter returned is no answer to the request.
pub(super) fn misfit(request: &Request, outcome: &Outcome, data_type: DataType) -> Cause {
    let words = Words(request, data_type);
    Cause::Adapter(format!("`{words}` was answered by {outcome:?}, which is no answer to that"))
}

/// The same for all that mean the same.
pub(super) fn canonical(outcome: &Outcome, set: bool) -> Outcome {
    let mut outcome = outcome.clone();
    match &mut outcome {
        Outcome::Elements(elements) => elements.sort_unstable(),
        Outcome::Values(values) => {
            values.sort_unstable();
            if set {
                values.dedup();
            }
        }
        _ => {}
    }
    outcome
}

/// What is recorded. None if this is no answer to that request.
pub(super) fn action(request: &Request, outcome: &Outcome, data_type: DataType) -> Option<Action> {
    let key = |key: &String| Value::from(key.as_str());
    let ints = |ints: &[i64]| ints.iter().map(|&int| Value::Int(int)).collect::<Vec<_>>();
    Some(match (request, outcome) {
        (
            Request::Contains(_)
            | Request::Elements
            | Request::Sum(_)
            | Request::Read(_)
            | Request::Items(_),
            Outcome::Updated | Outcome::UpdatedAt(_) | Outcome::NoEffect,
        ) => return None,
        (_, Outcome::NoEffect) => Action::Nothing,
        (request, Outcome::Updated | Outcome::UpdatedAt(_)) => match request {
            Request::Add(element) => Action::Add(key(element)),
            Request::Remove(element) => Action::Remove(key(element)),
            Request::Increase(counter, amount) => Action::Increase(key(counter), *amount),
            Request::Write(register, value) => Action::Write(key(register), Value::Int(*value)),
            Request::Delete(register) => Action::Delete(key(register)),
            Request::Insert { list, after, element, .. } => Action::Insert {
                list: key(list),
                after: after.map(Value::Int),
                element: Value::Int(*element),
            },
            Request::Erase { list, element, .. } => {
                Action::Erase { list: key(list), element: Value::Int(*element) }
            }
            Request::Contains(_)
            | Request::Elements
            | Request::Sum(_)
            | Request::Read(_)
            | Request::Items(_) => return None,
        },
        (Request::Contains(element), Outcome::Member(is)) => Action::Contains(key(element), *is),
        (Request::Elements, Outcome::Elements(elements)) => {
            Action::Elements(elements.iter().map(key).collect())
        }
        (Request::Sum(counter), Outcome::Sum(sum)) => Action::Sum(key(counter), *sum),
        (Request::Read(register), Outcome::Value(value)) if data_type == DataType::Lww => {
            Action::Value(key(register), value.map_or(Value::Null, Value::Int))
        }
        (Request::Read(register), Outcome::Values(values)) if data_type == DataType::Mvr => {
            Action::Values(key(register), ints(values))
        }
        (Request::Items(list), Outcome::Items(items)) => Action::Items(key(list), ints(items)),
        _ => return None,
    })
}
