//! What weak transaction isolation can do to your data, shown in your tests, or proved to be nothing.
//!
//! ```toml
//! [dev-dependencies]
//! hobgoblin = "0.1"
//! ```
//!
//! - [`Store`] is a database in memory that at every read returns *any* value its isolation [`Level`] allows, and
//!   [`test::check`] runs a test against many of them until one breaks it: see [`test`](mod@test) and
//!   [`store`].
//! - [`record::Recorder`] makes a [`History`](history::History) of what your own system did, [`format`](mod@format)
//!   reads and writes files of them, and [`check::check`] decides whether a level allows one, with a proof.
//! - With the feature `crdt`, `crdt` decides whether replicas of a data type returned what its specification allows.
//! - With the feature `explore`, `explore` enumerates every behaviour of a small program that a level allows.
//! - With the feature `protocol`, `protocol` visits every state of a commit protocol of your own and checks isolation
//!   in each.
//! - With the feature `sql`, `sql` is the store as a PostgreSQL database in process, and with `postgres` it listens
//!   on a port, for `sqlx`, `tokio-postgres` and whatever else speaks to PostgreSQL.
//!
//! Two clients withdraw from one account, and each looks first whether there is enough:
//!
//! ```
//! use hobgoblin::test::{self, Config, task};
//! use hobgoblin::{Error, Level, Store};
//!
//! async fn withdraw(store: &Store) -> Result<bool, Error> {
//!     let mut session = store.async_session();
//!     session
//!         .transaction(async |t| {
//!             let balance: i64 = t.get_as("balance").await?.unwrap_or(0);
//!             if balance >= 100 {
//!                 t.put("balance", balance - 100).await?;
//!             }
//!             Ok(balance >= 100)
//!         })
//!         .await
//! }
//!
//! fn at_most_one_succeeds(store: &Store) {
//!     let paid = store.interleave(vec![task(withdraw(store)), task(withdraw(store))]);
//!     assert!(paid.into_iter().filter(|paid| matches!(paid, Ok(true))).count() <= 1);
//! }
//!
//! // Snapshot isolation is enough for that; read committed is not.
//! test::check(Config::at(Level::SI).initial("balance", 100), at_most_one_succeeds);
//! let weak = Config::at(Level::RC).initial("balance", 100).persist(false);
//! assert!(test::run(weak, at_most_one_succeeds).is_err());
//! ```
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | none | the store, its tests, the checker, histories as `jsonl` and `txn` |
//! | `crdt` | what replicated data types may return |
//! | `explore` | the model checker |
//! | `formats` | the formats of other tools, and compressed files |
//! | `protocol` | commit protocols, state by state |
//! | `serde` | keys, values and levels by `serde`; reads and writes of any type that it knows |
//! | `sql` | SQL in process |
//! | `postgres` | a server for PostgreSQL's clients; with it `sql` |

pub mod check;
pub mod format;
pub mod history;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod record;
#[cfg(feature = "sql")]
pub mod sql;
pub mod store;
pub mod test;

#[cfg(feature = "crdt")]
#[doc(inline)]
pub use hobgoblin_crdt as crdt;

#[cfg(feature = "explore")]
#[doc(inline)]
pub use hobgoblin_explore as explore;

#[cfg(feature = "protocol")]
#[doc(inline)]
pub use hobgoblin_protocol as protocol;

#[doc(inline)]
pub use hobgoblin_core::{Key, Level, Value};
#[doc(inline)]
pub use hobgoblin_front::{Error, Store, time};

/// The examples of `docs/library.md` run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Library;
