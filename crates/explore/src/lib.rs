//! A stateless model checker for transactional programs: every behaviour a level allows, each exactly once
//! [Bouajjani 2023].

mod branch;
mod checkpoint;
mod compiled;
mod end;
mod estimate;
mod execute;
mod explorer;
mod filter;
mod frozen;
mod meetings;
mod modes;
mod options;
mod perform;
mod program;
mod rows;
mod scalar;
mod schedules;
mod search;
mod states;
mod swap;
mod text;
mod token;
mod transaction;
mod workers;

pub use end::{End, Outcome};
pub use explorer::{
    Checkpoint, ExploreError, Found, Progress, Stopped, Watch, explore, replay, resume,
};
pub use meetings::Meeting;
pub use options::{Mode, Options};
pub use perform::Database;
pub use program::{Assertion, Body, Claim, MAX_TXNS, Program, Quantifier, Session, Txn};
pub use text::{TextError, parse, parse_with};
pub use transaction::{MAX_EVENTS, Stop, Transaction};
