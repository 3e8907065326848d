//! What the dialect is given that others have written.

use hobgoblin_sql_mysql_types::Version;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::{Candidate, Function, Resolution};
use hobgoblin_sql_value::{Datum, TypeId};

/// The type of a call of a function, of these types, where some arguments are constants, and what it would be without.
pub type Refine = fn(&Function, &[TypeId], &[Option<&Datum>], TypeId) -> TypeId;

/// The functions, operators and aggregates that the dialect has, which others have written.
#[derive(Clone, Copy)]
pub struct Functions {
    /// The function that a call means.
    pub function: fn(&str, &[TypeId]) -> Result<Resolution>,
    /// The operator that an expression means; without a left side it is a prefix.
    pub operator: fn(&str, Option<TypeId>, TypeId) -> Result<Candidate<Function>>,
    /// What makes a condition of a value of a type, unless it is one.
    pub condition: fn(TypeId) -> Option<Candidate<Function>>,
    /// The type of a call where some of its arguments are constants.
    pub refined: Refine,
    /// The one type of several; the text says for what.
    pub common_type: fn(&[TypeId], &str) -> Result<TypeId>,
    /// Whether there is a function of a name.
    pub has_function: fn(&str) -> bool,
    /// Whether a server may have a function of a name, which is in small letters.
    pub is_of_version: fn(&str, Version) -> bool,
    /// Whether a name is an aggregate's.
    pub is_aggregate: fn(&str) -> bool,
    /// The function that adds an interval of a unit, or takes one away.
    pub interval_function: fn(&str, bool) -> Option<&'static str>,
}
