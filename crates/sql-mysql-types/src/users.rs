//! User variables: `@a`.
//!
//! A variable has the type of what was assigned last, widened: any integer is a BIGINT, any text a LONGTEXT with its collation,
//! a day or time is its text. Its name is the same in any case. What was never assigned is NULL.

mod held;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hobgoblin_sql_value::Datum;

use crate::collation::Collation;
use crate::my_type::{Coercibility, Kind, MyType};

/// What a user variable holds.
#[derive(Clone, Debug)]
pub struct UserValue {
    /// The value.
    pub value: Datum,
    /// Its type.
    pub ty: MyType,
}

fn long_text(collation: Collation) -> MyType {
    MyType { collation, coercibility: Coercibility::Derived, ..MyType::new(Kind::LongText) }
}

impl UserValue {
    /// What a variable holds that was never assigned.
    pub const UNSET: UserValue = UserValue {
        value: Datum::Null,
        ty: MyType { coercibility: Coercibility::Derived, ..MyType::new(Kind::LongText) },
    };

    /// The type that a variable has after a value of a type was assigned; a text of what has no collation has that of the
    /// connection.
    pub fn type_for(ty: MyType, connection: Collation) -> MyType {
        if ty.is_integer() {
            return if ty.unsigned { MyType::UNSIGNED } else { MyType::BIGINT };
        }
        match ty.kind {
            Kind::Float | Kind::Double => MyType::DOUBLE,
            Kind::Decimal => MyType::decimal(65, u32::from(ty.scale)),
            _ if ty.is_text() || ty.has_letters() => long_text(ty.collation),
            Kind::Null | Kind::Hex | Kind::SortKey => UserValue::UNSET.ty,
            _ => long_text(connection),
        }
    }
}

/// The user variables of a session. They change while a statement runs, so they are behind a lock.
#[derive(Debug, Default)]
pub struct UserVariables(Mutex<All>);

#[derive(Debug, Default)]
struct All {
    values: BTreeMap<String, UserValue>,
    /// How often a variable came to have another type.
    generation: u64,
}

impl UserVariables {
    fn all(&self) -> std::sync::MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a variable holds.
    pub fn get(&self, name: &str) -> UserValue {
        self.all().values.get(&name.to_lowercase()).cloned().unwrap_or(UserValue::UNSET)
    }

    /// Assigns a variable.
    pub fn set(&self, name: &str, value: UserValue) {
        let mut all = self.all();
        let ty = value.ty;
        let before = all.values.insert(name.to_lowercase(), value);
        if before.is_none_or(|before| before.ty != ty) {
            all.generation += 1;
        }
    }

    /// All that were assigned, by name.
    pub fn list(&self) -> Vec<(String, UserValue)> {
        self.all().values.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Forgets all.
    pub fn clear(&self) {
        let mut all = self.all();
        all.values.clear();
        all.generation += 1;
    }

    /// A number that changes whenever a variable comes to have another type: what was bound before is to be bound again.
    pub fn generation(&self) -> u64 {
        self.all().generation
    }
}
