//! From a history to a verdict.

use hobgoblin_check::Limits;
use hobgoblin_core::StopReason;

use crate::decide::{self, Found};
use crate::direct::{self, Direct};
use crate::history::CrdtHistory;
use crate::index::Index;
use crate::verdict::{CrdtVerdict, CrdtViolation, CrdtWitness};
use crate::{minimal, words};

/// Decides whether a history is one that its data type admits.
///
/// ```
/// use hobgoblin_crdt::{CrdtVerdict, Limits, check, read, verify};
///
/// let text = br#"{"type": "mvr", "replicas": [
///     {"id": "A", "ops": [{"f": "write", "args": ["x", 1]}, {"f": "read", "args": ["x"], "ret": [2]}]},
///     {"id": "B", "ops": [{"f": "write", "args": ["x", 2]}]}]}"#;
/// let history = read(text, None)?;
/// // B may have seen A's write before its own.
/// match check(&history, &Limits::none()) {
///     CrdtVerdict::Admitted(witness) => assert_eq!(verify(&history, &witness), Ok(())),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), hobgoblin_crdt::CrdtReadError>(())
/// ```
pub fn check(history: &CrdtHistory, limits: &Limits) -> CrdtVerdict {
    match verdict(history, limits) {
        Ok(verdict) => verdict,
        Err(reason) => CrdtVerdict::Unknown(reason),
    }
}

/// The same without looking for reasons: a witness, or none if there is no execution.
pub fn admits(history: &CrdtHistory, limits: &Limits) -> Result<Option<CrdtWitness>, StopReason> {
    let index = Index::new(history);
    match direct::decide(history, &index, limits)? {
        Direct::Witness(witness) => return Ok(Some(witness)),
        Direct::Wrong(_) | Direct::Clash(_) => return Ok(None),
        Direct::Open => {}
    }
    match decide::search(history, &index, limits, false)? {
        Found::Witness(witness) => Ok(Some(witness)),
        Found::Nothing(_) => Ok(None),
    }
}

fn verdict(history: &CrdtHistory, limits: &Limits) -> Result<CrdtVerdict, StopReason> {
    let index = Index::new(history);
    let reads = match direct::decide(history, &index, limits)? {
        Direct::Witness(witness) => return Ok(CrdtVerdict::Admitted(witness)),
        Direct::Wrong(read) if history.op(read).call.is_read() => Some(vec![read]),
        // An operation of a list that had not observed its element; every read is as good.
        Direct::Wrong(_) => Some(Vec::new()),
        Direct::Clash(reads) => Some(reads),
        Direct::Open => match decide::search(history, &index, limits, false)? {
            Found::Witness(witness) => return Ok(CrdtVerdict::Admitted(witness)),
            Found::Nothing(_) => None,
        },
    };
    let core = minimal::minimize(history, &index, reads, limits);
    let expected = match (core.reads.as_slice(), history.recorded_vectors()) {
        (&[read], Some(observed)) => words::expected(history, &index, &observed, read),
        _ => None,
    };
    Ok(CrdtVerdict::Violation(Box::new(CrdtViolation {
        why: words::why(&core, limits),
        reads: core.reads,
        updates: core.updates,
        minimal: core.minimal,
        expected,
    })))
}
