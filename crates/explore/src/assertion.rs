//! What a program claims of its ends.

use std::sync::Arc;

use crate::end::End;

/// When an assertion is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// By an end where it does not hold.
    Always,
    /// By an end where it holds.
    Never,
    /// When it holds in no end.
    Exists,
}

/// Whether something holds in an end; an error says what is wrong with the question.
pub type Claim = dyn Fn(&End<'_>) -> Result<bool, String> + Send + Sync;

/// A claim about the ends of a program.
#[derive(Clone)]
pub struct Assertion {
    /// Its name, for reports.
    pub name: String,
    /// When it is broken.
    pub quantifier: Quantifier,
    /// Whether it holds in an end; an error is the program's fault.
    pub holds: Arc<Claim>,
}
