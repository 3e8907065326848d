//! A stateless model checker for transactional programs: every behaviour a level allows, each exactly once
//! [Bouajjani 2023].
//!
//! ```text
//!     ada: { n = read x; write x n+1 }      causal consistency has three histories: ada reads from bob,
//!     bob: { n = read x; write x n+1 }      bob reads from ada, or both read the initial value
//! ```
//!
//! A [`Program`] is sessions of transactions, as closures or as text ([`parse`]), with assertions about its ends.
//! [`explore`] runs it in every way that a level allows and shows each [`End`] to whoever watches. From below:
//!
//! ```text
//!     script.rs, transaction.rs   what runs, and what a body sees while it runs
//!     record.rs, execute.rs       one run of a body, with the answers that its reads got before
//!     compiled.rs, branch.rs      the program by numbers, and a history as far as it is explored
//!     search.rs, swap.rs          one history becomes those with one event more, or with an earlier read changed
//!     filter.rs, frozen.rs        levels that histories cannot be extended at
//!     states/, schedules.rs       the other modes: end states only, and schedules without any reduction
//!     meetings.rs, rows.rs        what tables leave in doubt
//!     end.rs, token.rs            one end, and the word from which it is made again
//!     workers.rs, explorer.rs     all cores; starting, stopping, going on later
//!     assess.rs, find.rs          what assertions come to at a level, and the weakest level where all hold
//!     check.rs                    a program as a test
//!     compare.rs, describe.rs     what a level adds to a stronger one; one end for people
//! ```

mod assertion;
mod assess;
mod branch;
mod check;
mod checkpoint;
pub mod compare;
mod compiled;
mod count;
mod describe;
mod end;
mod error;
mod estimate;
mod execute;
mod explorer;
mod filter;
mod find;
mod found;
mod frozen;
mod locals;
mod meetings;
mod modes;
mod options;
mod perform;
mod program;
mod record;
mod rows;
mod schedules;
mod script;
mod search;
mod states;
mod swap;
mod tally;
mod text;
mod token;
mod transaction;
mod watch;
mod workers;

pub use assertion::{Assertion, Claim, Quantifier};
pub use assess::{Assessed, assess, assess_until_broken, explore};
pub use check::check;
pub use checkpoint::Checkpoint;
pub use count::{Count, Example};
pub use describe::{Diagnosis, EndReport, TxnReport, describe};
pub use end::End;
pub use error::ExploreError;
pub use explorer::{replay, resume};
pub use find::{FoundLevels, LevelAnswer, Why, find_level};
pub use found::{AssertionVerdict, Claimed, Found, Meeting, Progress, Stopped};
pub use options::{Mode, Options};
pub use perform::Database;
pub use program::Program;
pub use record::Outcome;
pub use script::{Body, MAX_TXNS, Session, Txn};
pub use text::{TextError, parse, parse_with};
pub use transaction::{MAX_EVENTS, Stop, Transaction};
pub use watch::Watch;
