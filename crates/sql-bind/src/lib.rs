//! Binding: names and types. Syntax in, typed expressions and queries out.
//!
//! One [`Binder`] binds one statement. For
//!
//! ```text
//!     SELECT name FROM t WHERE id = '7'
//! ```
//!
//! it finds `t` in the catalogue and `name` and `id` among its columns, asks the dialect which `=`
//! compares an integer with a constant in quotes, and reads `'7'` as the integer 7. It also decides
//! how rows are found: here by the index on `id` ([`access`]). What comes out ([`bound`]) has no
//! names and leaves nothing to decide; whatever can be wrong with a statement without looking at
//! rows is found here.
//!
//! Queries nest, and so do their scopes: a column is found in the innermost scope that has it, and
//! remembers how many queries out that was, because the executor keeps the rows of the enclosing
//! queries in the same order.

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
