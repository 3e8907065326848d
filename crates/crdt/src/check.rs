//! From a history to a verdict.

use hobgoblin_check::Limits;
use hobgoblin_core::StopReason;

use crate::history::CrdtHistory;
use crate::index::Index;
use crate::search::{Found, Search};
use crate::verdict::{CrdtVerdict, CrdtViolation};

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
    match decide(history, limits) {
        Ok(verdict) => verdict,
        Err(reason) => CrdtVerdict::Unknown(reason),
    }
}

fn decide(history: &CrdtHistory, limits: &Limits) -> Result<CrdtVerdict, StopReason> {
    let index = Index::new(history);
    Ok(match Search::run(history, &index, limits, false)? {
        Found::Witness(witness) => CrdtVerdict::Admitted(witness),
        Found::Nothing(reads) => CrdtVerdict::Violation(Box::new(CrdtViolation {
            reads,
            updates: Vec::new(),
            minimal: false,
            why: Vec::new(),
            expected: None,
        })),
    })
}
