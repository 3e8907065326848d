//! Reading `crdt-history/1`: JSON in, a history or an error with its place out.
//!
//! `docs/crdt.md` describes the format. A text is gone through twice: once for its shape, which finds all that is no
//! JSON and where everything stands, and once for what its operations mean, replica by replica. What is wrong about
//! the history as a whole is found by the builder at the end.

mod counts;
mod error;
mod header;
mod operation;
mod shape;

use hobgoblin_core::json::Json;

use crate::builder::CrdtHistoryBuilder;
use crate::data_type::DataType;
use crate::error::CrdtError;
use crate::history::CrdtHistory;

use counts::Counts;
pub use error::CrdtReadError;
use error::wrong;
use operation::Operations;
use shape::{Draft, TOP};

/// Reads one history. `data_type` is what the caller knows it to be; otherwise the text says so.
///
/// ```
/// use hobgoblin_crdt::{DataType, read};
///
/// let text = br#"{"type": "counter", "replicas": [{"id": "A", "ops": [{"f": "inc", "args": ["x"]}]}]}"#;
/// let history = read(text, None)?;
/// assert_eq!(history.data_type(), DataType::Counter);
/// assert!(read(text, Some(DataType::Lww)).is_err());
/// # Ok::<(), hobgoblin_crdt::CrdtReadError>(())
/// ```
pub fn read(text: &[u8], data_type: Option<DataType>) -> Result<CrdtHistory, CrdtReadError> {
    let builder = build(text, data_type)?;
    builder.finish().map_err(|error| placed(text, &error))
}

/// A builder that knows all that a text says.
fn build(text: &[u8], known: Option<DataType>) -> Result<CrdtHistoryBuilder, CrdtReadError> {
    let draft = Draft::read(text)?;
    let data_type = header::data_type(draft.data_type, known)?;
    let options = header::options(draft.options)?;
    let mut builder = CrdtHistoryBuilder::new(data_type, options);
    let Some(replicas) = draft.replicas else {
        return Err(wrong(0, "the history has no `replicas`", TOP));
    };
    let mut counts = Counts::default();
    for replica in &replicas {
        let Some(name) = replica.id.as_ref().and_then(Json::as_key) else {
            let help = "give it `\"id\"`, a string or an integer";
            return Err(wrong(replica.at, "a replica has no id", help));
        };
        if !counts.name(&name) {
            let error = CrdtError::TwoReplicas(name);
            return Err(wrong(replica.at, error.to_string(), error.help()));
        }
        builder.replica(name);
    }
    let mut operations = Operations { text, data_type, builder, counts, numbers: Vec::new() };
    for (replica, number) in replicas.into_iter().zip(0..) {
        for (position, members) in replica.operations().enumerate() {
            operations.add(number, &members).map_err(|error| CrdtReadError {
                at: members.at,
                op: Some(format!("{}#{position}", operations.counts.name_of(number))),
                ..error
            })?;
        }
    }
    if let Some((at, initial)) = draft.initial {
        header::initial(&mut operations.builder, data_type, at, &initial)?;
    }
    Ok(operations.builder)
}

/// What is wrong about a history, with its place. Places are not kept for that but looked for again.
fn placed(text: &[u8], error: &CrdtError) -> CrdtReadError {
    let draft = Draft::read(text).unwrap_or_default();
    let mut place = (draft.initial.map_or(0, |(at, _)| at), None);
    if let Some(op) = error.op()
        && let Some(replica) = draft.replicas.unwrap_or_default().get(op.replica as usize)
        && let Some(members) = replica.operations().nth(op.position as usize)
        && let Some(name) = replica.id.as_ref().and_then(Json::as_key)
    {
        place = (members.at, Some(format!("{name}#{}", op.position)));
    }
    let (at, op) = place;
    CrdtReadError { at, op, message: error.to_string(), help: error.help().to_owned() }
}
