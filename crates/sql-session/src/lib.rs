//! What the sessions of all dialects share.
//!
//! A dialect's sessions differ in what they understand and answer. How a statement is ended from outside, what the
//! sessions of a server know of each other, and how the catalogue changes for all of them at once is the same:
//!
//! | what | where |
//! | --- | --- |
//! | what ends a statement from outside | `interrupts.rs` |
//! | the thread that keeps the time for all statements | `alarms.rs` |
//! | the sessions of a server by their numbers, and what each does | `backends.rs` |
//! | work that is left behind when its session is interrupted | `aside.rs` |
//! | the catalogue, who changes it, where rows went | `schema.rs` |
//! | what the store's profile says of rows | `rules.rs` |

mod alarms;
mod aside;
mod backends;
mod interrupts;
mod rules;
mod schema;

pub use alarms::{AlarmId, Alarms};
pub use aside::Reading;
pub use backends::{Backend, Backends};
pub use interrupts::{Interrupts, Why};
pub use rules::Rules;
pub use schema::{Besides, Moves, Own, SchemaChange, SharedSchema};
