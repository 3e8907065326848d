//! CRDT libraries under test: adapters for `crdts`, `automerge` and `yrs`.
//!
//! Each file says what to expect of its library: what conforms to a data type, and what differs on purpose or not. The
//! tests run every adapter and hold it to that.
//!
//! ```text
//! cargo test -p hobgoblin-crdt-libraries                 # 20 histories each
//! HOB_FULL=1 cargo test -p hobgoblin-crdt-libraries      # 200 histories each
//! HOB_SEED=random cargo test -p hobgoblin-crdt-libraries # others
//! ```
//!
//! To test a library of your own, copy the adapter that is nearest to it.

pub mod automerge;
pub mod crdts;
pub mod yrs;
