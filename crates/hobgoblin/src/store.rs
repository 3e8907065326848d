//! The store: sessions and transactions, for threads and for async tasks, and how it is set up.
//!
//! ```
//! use hobgoblin::store::Config;
//! use hobgoblin::{Error, Level, Store, Value};
//!
//! let store = Store::new(Config::default().level(Level::CC))?;
//! let (mut alice, mut bob) = (store.session(), store.session());
//! alice.transaction(|t| t.put("x", 1))?;
//! // Causal consistency lets Bob see it, or not yet.
//! let seen = bob.get("x")?;
//! assert!(seen == Value::from(1) || seen.is_null());
//! # Ok::<(), Error>(())
//! ```

#[doc(inline)]
pub use hobgoblin_front::{
    AbortReason, AsyncSession, AsyncTransaction, Config, HoldFor, KeyRange, Options, Policy,
    Profile, Schedule, Session, Transaction, TxnOptions,
};
