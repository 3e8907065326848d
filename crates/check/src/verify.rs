//! Checking certificates: a second, short and independent look at every answer.
//!
//! A checker may be clever; what it hands over must be simple. A [`CommitOrder`] is checked by walking
//! along it (`placed.rs`) and testing every instance of the axioms (`order.rs`, and `past.rs` for CC and PSI), a
//! [`Witness`] by following its proof line by line (`witness.rs`), with an exhaustive search where the
//! proof appeals to one (`search.rs`). Nothing here is shared with the checkers.
//!
//! How the model is read, where it leaves room:
//!
//! - Where all transactions that did not abort are at RU, no order is asked for: only values that nobody
//!   wrote and internal mismatches are wrong. In a mix, `wr` of a reader at RU is in `co` like any other.
//! - A locking read returns the latest committed version, so it belongs to its transaction's commit, not
//!   to its snapshot. It is in `wr`, hence in `co` and in the past of later transactions, but it has no
//!   axiom of its own and has no part in what the other reads of its transaction must see.
//! - A known version order is a part of `co`.
//!
//! [`CommitOrder`]: hobgoblin_core::CommitOrder
//! [`Witness`]: hobgoblin_core::Witness

mod error;
mod model;
mod order;
mod past;
mod placed;
mod search;
mod witness;

use hobgoblin_core::{History, Target, Verdict};

pub use error::VerifyError;

/// Checks that a verdict's certificate shows what it says. [`Verdict::Unknown`] has none.
///
/// Costs about O(n·√n) for n events at RC and RA, from O(n) to O(n·k) for k sessions at CC and PSI,
/// O(n·log n) at the other levels; for a witness, about the size of its proof.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::{Limits, check, verify};
/// use hobgoblin::format::read;
///
/// let text = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";
/// let history = read(text.as_bytes(), "lost.txn", None)?;
/// let verdict = check(&history, Level::SI, &Limits::none());
/// verify(&history, Level::SI, &verdict)?;
/// assert!(verify(&history, Level::RC, &verdict).is_err(), "it is about another level");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(
    history: &History,
    target: impl Into<Target>,
    verdict: &Verdict,
) -> Result<(), VerifyError> {
    let target = target.into();
    match verdict {
        Verdict::Consistent(order) => order::verify(history, target, order),
        Verdict::Violation(witness) => witness::verify(history, target, witness),
        Verdict::Unknown(why) => Err(VerifyError::Undecided(why.clone())),
    }
}
