//! What reads returned, as JSON.

use hobgoblin_core::Value;
use hobgoblin_crdt::{Call, CrdtHistory, Item, OpId};

/// What a read returned; nothing if it is none.
pub(super) fn returned(history: &CrdtHistory, op: OpId) -> Option<String> {
    let element = |item: &Item| match *item {
        Item::Never(value) => history.value(value),
        Item::Added(added) => match history.op(added).call {
            Call::Insert { element, .. } => history.value(element),
            _ => &Value::Null,
        },
    };
    let array = |values: Vec<&Value>| {
        let texts: Vec<String> = values.into_iter().map(Value::to_string).collect();
        format!("[{}]", texts.join(","))
    };
    Some(match &history.op(op).call {
        Call::Contains(is_in) => is_in.to_string(),
        Call::Elements(elements) => array(elements.iter().map(|&e| history.object(e)).collect()),
        Call::Sum(sum) => sum.to_string(),
        Call::Value(value) => value.map_or(&Value::Null, |value| history.value(value)).to_string(),
        Call::Values(values) => array(values.iter().map(|&v| history.value(v)).collect()),
        Call::Items(items) => array(items.iter().map(element).collect()),
        Call::Nothing
        | Call::Add
        | Call::Remove
        | Call::Increase(_)
        | Call::Write(_)
        | Call::Delete
        | Call::Insert { .. }
        | Call::Erase(_) => return None,
    })
}
