//! What is said to a builder, by names: what operations did, and what objects begin with.

use hobgoblin_core::Value;

use crate::data_type::DataType;
use crate::error::CrdtError;

/// What an operation did or returned, by names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing that says anything: it failed, had no effect, or its result is not known.
    Nothing,
    /// Put the element in, or enabled the flag.
    Add(Value),
    /// Took it out, or disabled it.
    Remove(Value),
    /// Returned whether the element is in, or the flag enabled.
    Contains(Value, bool),
    /// Returned all elements of the set.
    Elements(Vec<Value>),
    /// Added to the counter.
    Increase(Value, i64),
    /// Returned the sum of the counter.
    Sum(Value, i64),
    /// Wrote the second to the register.
    Write(Value, Value),
    /// Wrote nothing over what the register held.
    Delete(Value),
    /// Returned the value of the register; null if there is none.
    Value(Value, Value),
    /// Returned the values of the register.
    Values(Value, Vec<Value>),
    /// Added an element to a list.
    Insert {
        /// The list; null is the one without a name.
        list: Value,
        /// The element before it; none at the beginning.
        after: Option<Value>,
        /// The new element.
        element: Value,
    },
    /// Removed an element from a list.
    Erase {
        /// The list; null is the one without a name.
        list: Value,
        /// The element.
        element: Value,
    },
    /// Returned the elements of a list.
    Items(Value, Vec<Value>),
}

/// What an object begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// An element that is in or a flag that is enabled, or not.
    Member(bool),
    /// A sum.
    Sum(i64),
    /// A value of a register; null is none.
    Value(Value),
    /// The values of a register, concurrent with each other.
    Values(Vec<Value>),
    /// The elements of a list, in this order.
    Items(Vec<Value>),
}

impl Start {
    /// The operations that lead to it, for one replica each.
    pub(super) fn actions(
        self,
        data_type: DataType,
        object: &Value,
    ) -> Result<Vec<Vec<Action>>, CrdtError> {
        let name = || object.clone();
        Ok(match self {
            Start::Member(false) if data_type.is_membership() => Vec::new(),
            Start::Member(true) if data_type.is_membership() => vec![vec![Action::Add(name())]],
            Start::Sum(sum) if data_type == DataType::Counter => {
                vec![vec![Action::Increase(name(), sum)]]
            }
            Start::Value(Value::Null) if data_type == DataType::Lww => Vec::new(),
            Start::Value(value) if data_type == DataType::Lww => {
                vec![vec![Action::Write(name(), value)]]
            }
            Start::Values(values) if data_type == DataType::Mvr => {
                values.into_iter().map(|value| vec![Action::Write(name(), value)]).collect()
            }
            Start::Items(items) if data_type.is_list() => {
                let anchors = [None].into_iter().chain(items.clone().into_iter().map(Some));
                let inserts = anchors.zip(items);
                let insert = |(after, element)| Action::Insert { list: name(), after, element };
                vec![inserts.map(insert).collect()]
            }
            other => {
                return Err(CrdtError::Initial { object: name(), value: other.value() });
            }
        })
    }

    /// As a value, for messages.
    fn value(self) -> Value {
        match self {
            Start::Member(is) => Value::Bool(is),
            Start::Sum(sum) => Value::Int(sum),
            Start::Value(value) => value,
            Start::Values(values) | Start::Items(values) => {
                let texts: Vec<String> = values.iter().map(Value::to_string).collect();
                Value::Json(format!("[{}]", texts.join(",")).as_str().into())
            }
        }
    }
}
