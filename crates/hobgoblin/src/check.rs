//! Whether a history satisfies a level: [`check()`], and the proof that comes with every answer.
//!
//! Two doctors are on call. Each sees that the other one is, and goes home:
//!
//! ```
//! use hobgoblin::Level;
//! use hobgoblin::check::{Anomaly, Limits, Verdict, check, check_levels, explain, strongest, verify};
//! use hobgoblin::format::read;
//!
//! let text = r#"
//! init alice="on call" bob="on call"
//! s1: t1 { r(alice)="on call" r(bob)="on call" w(alice)="off" }
//! s2: t2 { r(alice)="on call" r(bob)="on call" w(bob)="off" }
//! "#;
//! let history = read(text.as_bytes(), "on-call.txn", None)?;
//!
//! // Serializability forbids it, and the answer says why.
//! let verdict = check(&history, Level::SER, &Limits::none());
//! let Verdict::Violation(witness) = &verdict else { panic!("{verdict:?}") };
//! assert_eq!(witness.anomaly, Anomaly::WriteSkew);
//! let told = explain::text(&history, witness);
//! assert!(told.starts_with("Each read what the other then changed: alice and bob"), "{told}");
//!
//! // Whoever does not trust the checker lets the verifier look at the proof.
//! verify(&history, Level::SER, &verdict)?;
//!
//! // Snapshot isolation allows it, and nothing stronger does.
//! let answers = check_levels(&history, &Level::ALL, &Limits::none(), |_| {});
//! assert_eq!(strongest(&answers), [Level::SI]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate `hobgoblin-check` has more: checking transactions as they arrive, and the levels as clients observe them.

#[doc(inline)]
pub use hobgoblin_check::verify::verify;
#[doc(inline)]
pub use hobgoblin_check::{LevelVerdict, Limits, check, check_levels, explain, strongest};
#[doc(inline)]
pub use hobgoblin_core::{Anomaly, CommitOrder, StopReason, Target, Verdict, Witness};
