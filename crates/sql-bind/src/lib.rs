//! Binding: names and types. Syntax in, typed expressions and queries out.
//!
//! One [`Binder`] binds one statement. Queries nest, and so do their scopes: a column is found in the
//! innermost scope that has it, and remembers how many queries out that was, because the executor keeps
//! the rows of the enclosing queries in the same order.

pub mod access;
mod aggregate;
mod alike;
mod arguments;
mod assign;
mod binder;
pub mod bound;
mod call;
mod coerce;
mod column_list;
mod columns;
mod compare;
mod conjunct;
mod dml;
mod domain;
mod expression;
mod from;
mod group;
mod infer;
mod insert;
mod locking;
mod meaning;
mod merge;
mod ordered;
mod pull;
mod query;
mod scope;
mod select;
mod sequence;
mod several;
mod subscript;
pub mod system;
mod target;
pub mod visit;
mod window;

pub use binder::{Binder, too_deep};
pub use bound::{Expr, Kind};
pub use scope::{Scope, Source, SourceColumn};
