//! The oracle of the CRDT checker: it decides small histories by the letter of the definitions.
//!
//! A history (format `crdt-history/1`) says what every replica did and what it was told. It is
//! *admitted* when somebody can invent the rest, that is
//!
//! - which of the updates of unknown outcome (`info`) took place,
//! - for every operation `o` and replica `j`, how many operations of `j` had reached `o`: the
//!   vector `V[o]`; together the vectors are the happens-before order,
//! - for some types, a total order of the updates (`lww`, `rga`) or of the elements (`list`),
//!
//! so that every read returned what its type says. [`admits()`] tries all of it. Nothing is assumed
//! about where information arrives: every operation of every kind may receive anything.
//!
//! | module | what it is for |
//! | --- | --- |
//! | [`history`], [`read`], [`calls`], [`names`], [`datum`] | the history and its reader |
//! | [`world`] | what one read returns, once vectors and order are given |
//! | [`mod@admits`], [`lineup`] | the enumeration of vectors, and of total orders |
//! | [`mod@verify`] | replays a witness; shares only [`world`] with the search |
//! | [`simulate`], [`mod@sample`], [`spell`], [`record`] | small histories of real replicas |
//! | [`mutate`] | spoils them |
//! | [`reduction`] | hard histories, from formulas |

pub mod admits;
pub mod calls;
pub mod datum;
pub mod history;
pub mod lineup;
pub mod mutate;
pub mod names;
pub mod read;
pub mod record;
pub mod reduction;
pub mod rng;
pub mod sample;
pub mod simulate;
pub mod spell;
pub mod verify;
pub mod world;

pub use admits::{admits, find};
pub use sample::{honest, sample};
pub use verify::{Witness, verify};
