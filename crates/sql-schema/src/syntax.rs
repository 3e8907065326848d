//! What a statement says beside the parser's syntax tree.

pub mod clauses;
mod relations;
pub mod written;

pub use clauses::{
    CheckOption, Clauses, Excluded, Inference, Locking, Overriding, Prefix, Strength, Waiting,
};
pub use relations::{relations, relations_mut};
pub use written::Written;
