//! The variables of a server and its sessions.
//!
//! | what | where |
//! | --- | --- |
//! | which variables there are, as data | `define.rs`, `variables.tsv` |
//! | their values: kept, shown, read in expressions | `value.rs`, `variables.rs` |
//! | what values they take | `check.rs` by kind, `rules.rs` by name |
//! | what they say, read | `effects.rs` |
//! | SET | `statement.rs` |
//! | `@@x`, `@a` and `@a := b` as expressions | `expression.rs` |
//! | SHOW STATUS | `status.rs` |
//!
//! User variables are with the types, in [`Settings`](hobgoblin_sql_mysql_types::Settings), since functions read and assign
//! them while a statement runs.
//!
//! **Invariant:** a variable that can be set to what is not followed here refuses that with 1235. Setting one on which no
//! answer depends is kept and shown, as the server does it.

mod check;
mod define;
mod effects;
mod error;
mod expression;
mod rules;
mod statement;
mod status;
mod value;
mod variables;

pub use check::Given;
pub use define::{Definition, Effect, Kind, Reach, Table, VariableId};
pub use effects::Effects;
pub use expression::{ASSIGN_USER, READ_SYSTEM, READ_USER, system_variable, user_type};
pub use rules::check_for_statement;
pub use statement::{Evaluate, Set, SetIn, configure, set};
pub use status::{Counter, Counters, Server, Status, counter_of};
pub use value::{VariableValue, type_of};
pub use variables::{Globals, NextTransaction, Present, Variables};
