//! What a statement says beside the parser's syntax tree.

pub mod clauses;
mod relations;
mod walk;
pub mod written;

pub use clauses::{
    CheckOption, Clauses, Excluded, Inference, Locking, Overriding, Prefix, Strength, Waiting,
};
pub use relations::{relations, relations_mut};
pub use walk::{Node, NodeMut, Tree, expressions, expressions_mut};
pub use written::Written;
