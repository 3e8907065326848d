//! What is known of a built-in type.

use crate::{Oid, TypeId};

/// A built-in type, as a row of `pg_type`.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// `oid`: the number by which clients and system tables know the type.
    pub oid: TypeId,
    /// `typname`: the name in the catalogue, such as `int4`.
    pub name: &'static str,
    /// `typlen`: the number of bytes of a value; -1 if it varies, -2 for a C string.
    pub len: i16,
    /// `typbyval`: whether PostgreSQL passes values in a register.
    pub by_value: bool,
    /// `typtype`: `b` base, `p` pseudo, `r` range, `m` multirange.
    pub kind: char,
    /// `typcategory`: the kind of types among which a call prefers one, `N` for numbers.
    pub category: char,
    /// `typispreferred`: whether a call prefers it to others of its category.
    pub preferred: bool,
    /// `typdelim`: the character between the elements of its arrays.
    pub delimiter: char,
    /// `typelem`: the type of its elements; 0 if it has none.
    pub element: TypeId,
    /// `typarray`: the type of its arrays; 0 if it has none.
    pub array: TypeId,
    pub(super) functions: &'static str,
    /// `typalign`: how values are aligned in memory.
    pub align: char,
    /// `typstorage`: how long values are stored.
    pub storage: char,
    /// `typcollation`: the collation of its values; 0 if they have none.
    pub collation: Oid,
}

impl Builtin {
    fn function(&self, place: usize) -> &'static str {
        self.functions.split(' ').nth(place).unwrap_or("-")
    }

    /// `typinput`: the function that reads a text.
    pub fn input(&self) -> &'static str {
        self.function(0)
    }

    /// `typoutput`: the function that prints a text.
    pub fn output(&self) -> &'static str {
        self.function(1)
    }

    /// `typreceive`: the function that reads the binary form; `-` for none.
    pub fn receive(&self) -> &'static str {
        self.function(2)
    }

    /// `typsend`: the function that makes the binary form; `-` for none.
    pub fn send(&self) -> &'static str {
        self.function(3)
    }

    /// `typmodin`: the function that reads a modifier; `-` for none.
    pub fn typmod_in(&self) -> &'static str {
        self.function(4)
    }

    /// `typmodout`: the function that prints a modifier; `-` for none.
    pub fn typmod_out(&self) -> &'static str {
        self.function(5)
    }

    /// `typsubscript`: the function that handles subscripts; `-` for none.
    pub fn subscript(&self) -> &'static str {
        self.function(6)
    }

    /// `typanalyze`: the function that gathers statistics; `-` for none.
    pub fn analyze(&self) -> &'static str {
        self.function(7)
    }

    /// Whether it is an array type proper, unlike `name` and the vectors, which have elements too.
    pub fn is_array(&self) -> bool {
        self.element != TypeId(0) && self.name.starts_with('_')
    }
}
