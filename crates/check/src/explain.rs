//! Explanations of violations, rendered from the reasons in a [`Witness`], never guessed.
//!
//! ```text
//! Two changes were based on the same value: x
//!
//!   t1 (session s1)   t2 (session s2)
//!   x = 0
//!                     x = 0   ◄ same value
//!   ...
//! ```
//!
//! [`text`] says what happened, why it is wrong and what would have prevented it,
//! for a terminal; [`proof`] why that is so, step by step, and [`dot`] its graph.

mod actors;
mod case;
mod dot;
mod lost_update;
mod mark;
mod prevented;
mod proof;
mod row;
mod statement;
#[cfg(feature = "state")]
mod states;
mod tell;
mod telling;
mod terminal;
mod timeline;
mod words;
mod wrong;

use hobgoblin_core::{History, Witness};

pub use dot::dot;
pub use proof::{headline, proof, sentences};
#[cfg(feature = "state")]
pub use states::{state_text, state_witness, tell_state};
pub use tell::tell;
pub use telling::{Column, Line, Order, Telling};

/// The whole explanation: what happened, why it is wrong, what would have prevented it.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::{Limits, Verdict, check, explain};
/// use hobgoblin::format::read;
///
/// let text = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";
/// let history = read(text.as_bytes(), "lost.txn", None)?;
/// let Verdict::Violation(witness) = check(&history, Level::SI, &Limits::none()) else { panic!() };
/// assert!(explain::text(&history, &witness).contains("lost update"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(history: &History, witness: &Witness) -> String {
    terminal::render(&tell(history, witness))
}

/// A telling for a terminal.
#[doc(hidden)]
pub fn render(telling: &Telling) -> String {
    terminal::render(telling)
}
