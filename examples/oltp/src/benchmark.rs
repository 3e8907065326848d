//! What a benchmark is: tables, a load, transactions, assertions.

use hobgoblin_core::Rng;
use hobgoblin_front::Policy;

use crate::client::Client;
use crate::connection::Connection;
use crate::error::Error;
use crate::schedule::Going;

/// A benchmark: its tables, its transactions, and what must hold of them.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    /// The name in tables and on the command line.
    pub name: &'static str,
    /// The statements that make its tables.
    pub schema: &'static str,
    /// Fills the tables, in the transaction the caller has open.
    pub load: fn(&mut dyn Client) -> Result<(), Error>,
    /// Runs one transaction, chosen at random.
    pub work: Work,
    /// How many of them each session runs.
    pub transactions: u32,
    /// How reads of the sessions choose.
    pub policy: Policy,
    /// What must hold of the tables.
    pub assertions: &'static [Assertion],
}

/// Runs one transaction of a benchmark.
pub type Work = for<'a> fn(&'a mut Connection, &'a mut Rng) -> Going<'a, ()>;

/// Reads the tables in the transaction the caller has open, and says whether an assertion holds.
pub type Holds = fn(&mut dyn Client) -> Result<bool, Error>;

/// Something that holds of the tables when transactions are serializable.
#[derive(Clone, Copy, Debug)]
pub struct Assertion {
    /// Its number, such as `A1`.
    pub name: &'static str,
    /// What it says.
    pub claim: &'static str,
    /// Whether it holds in the database.
    pub holds: Holds,
}
