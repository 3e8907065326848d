//! What is known of a built-in type.

use crate::{Oid, TypeId};

/// A built-in type, as a row of `pg_type`.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// `oid`.
    pub oid: TypeId,
    /// `typname`.
    pub name: &'static str,
    /// `typlen`.
    pub len: i16,
    /// `typbyval`.
    pub by_value: bool,
    /// `typtype`: `b` base, `p` pseudo, `r` range, `m` multirange.
    pub kind: char,
    /// `typcategory`.
    pub category: char,
    /// `typispreferred`.
    pub preferred: bool,
    /// `typdelim`.
    pub delimiter: char,
    /// `typelem`, 0 for none.
    pub element: TypeId,
    /// `typarray`, 0 for none.
    pub array: TypeId,
    pub(super) functions: &'static str,
    /// `typalign`.
    pub align: char,
    /// `typstorage`.
    pub storage: char,
    /// `typcollation`.
    pub collation: Oid,
}

impl Builtin {
    fn function(&self, place: usize) -> &'static str {
        self.functions.split(' ').nth(place).unwrap_or("-")
    }

    /// `typinput`.
    pub fn input(&self) -> &'static str {
        self.function(0)
    }

    /// `typoutput`.
    pub fn output(&self) -> &'static str {
        self.function(1)
    }

    /// `typreceive`; `-` for none.
    pub fn receive(&self) -> &'static str {
        self.function(2)
    }

    /// `typsend`; `-` for none.
    pub fn send(&self) -> &'static str {
        self.function(3)
    }

    /// `typmodin`; `-` for none.
    pub fn typmod_in(&self) -> &'static str {
        self.function(4)
    }

    /// `typmodout`; `-` for none.
    pub fn typmod_out(&self) -> &'static str {
        self.function(5)
    }

    /// `typsubscript`; `-` for none.
    pub fn subscript(&self) -> &'static str {
        self.function(6)
    }

    /// `typanalyze`; `-` for none.
    pub fn analyze(&self) -> &'static str {
        self.function(7)
    }

    /// Whether it is an array type proper, unlike `name` and the vectors, which have elements too.
    pub fn is_array(&self) -> bool {
        self.element != TypeId(0) && self.name.starts_with('_')
    }
}
