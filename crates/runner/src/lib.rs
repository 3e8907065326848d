//! Runs a command many times against stores of weak isolation, and says what failed and why.
//!
//! ```text
//!             seed 0            seed 1            seed 2
//!          +---------+       +---------+       +---------+
//!  RC      |  store  |       |  store  |       |  store  |       a fresh one each, with its own port
//!          +----^----+       +----^----+       +----^----+
//!               | HOB_HTTP_URL    |                 |
//!            command           command           command         exit code 0, or the run failed
//! ```
//!
//! [`run()`] carries out a [`Plan`]. It prepares the data once, then runs the command with one transaction
//! at a time, where a failure is the test's own, then at each level. Runs are counted ([`statistics`], [`behaviour`]); the
//! history of a failing run is checked at the levels above its own and the anomaly explained
//! ([`Diagnosis`]); its log is saved, and [`replay()`] runs it again with the same choices in the same
//! order. The [`Report`] is plain data without a clock.

pub mod behaviour;
mod cache;
mod diagnosis;
mod error;
mod focus;
mod leftovers;
mod plan;
pub mod process;
mod replay;
mod report;
mod runner;
mod save;
mod series;
mod stage;
pub mod statistics;
mod tally;
mod watch;

pub use diagnosis::{Diagnosis, Finding, told};
pub use error::RunnerError;
pub use plan::{Budget, Plan};
pub use process::{Ending, Output};
pub use replay::{logged_command, replay};
pub use report::{
    AnomalyCount, Baseline, BehaviourReport, DifferenceReport, Ended, FailureReport, LevelReport,
    ReplayReport, Report, SetupReport,
};
pub use runner::run;
pub use statistics::{Rate, Stopping};
pub use watch::{Phase, Unwatched, Watch};
