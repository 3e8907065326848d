//! What a row of the tables says, and how a call reads its arguments.
//!
//! MySQL has one function of a name. What it is given, it takes: a number as a text, a text as a number, with a warning where
//! that loses something. So a row says how many arguments there may be and, as a function of their types, what type comes out;
//! nothing is converted before the call.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use hobgoblin_sql_mysql_types::temporal::{Day, Moment};
use hobgoblin_sql_mysql_types::{Coercibility, Collation, Kind, MyType, Settings, common, convert};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::{Call, Function};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::{Datum, Numeric, TypeId};

/// What comes out of arguments of some types.
pub(crate) type Typing = fn(&[MyType]) -> Result<MyType>;

/// What comes out where some arguments are constants, and what it would be without.
pub(crate) type Refining = fn(&[MyType], &[Option<&Datum>], MyType) -> MyType;

/// A function by its name.
pub(crate) struct Entry {
    /// The function.
    pub(crate) function: Function,
    /// How many arguments it takes.
    pub(crate) count: RangeInclusive<usize>,
    /// What it gives.
    pub(crate) typing: Typing,
    /// What it gives where arguments are constants.
    pub(crate) refine: Option<Refining>,
}

/// A row that gives NULL where an argument is NULL, and the same for the same arguments.
pub(crate) const fn row(
    name: &'static str,
    count: RangeInclusive<usize>,
    typing: Typing,
    eval: fn(&mut Call<'_>) -> Result<Datum>,
) -> Entry {
    let function = Function::new(name, &[], TypeId::UNKNOWN, eval).variadic();
    Entry { function, count, typing, refine: None }
}

impl Entry {
    /// It is called with NULLs too.
    pub(crate) const fn with_nulls(self) -> Entry {
        Entry { function: self.function.with_nulls(), ..self }
    }

    /// A constant among the arguments decides about the type.
    pub(crate) const fn refined(self, refine: Refining) -> Entry {
        Entry { refine: Some(refine), ..self }
    }

    /// It depends on the session.
    pub(crate) const fn stable(self) -> Entry {
        Entry { function: self.function.stable(), ..self }
    }

    /// Every call may differ.
    pub(crate) const fn volatile(self) -> Entry {
        Entry { function: self.function.volatile(), ..self }
    }
}

/// The arguments of a call, read as whatever is wanted.
pub(crate) trait Read {
    fn env(&self) -> TypeEnv<'_>;
    fn settings(&self) -> &Settings;
    fn my(&self, i: usize) -> MyType;
    fn out(&self) -> MyType;
    fn as_double(&self, i: usize) -> f64;
    fn as_numeric(&self, i: usize) -> Numeric;
    fn as_integer(&self, i: usize) -> i128;
    fn as_text(&self, i: usize) -> Cow<'_, str>;
    fn as_bytes(&self, i: usize) -> Cow<'_, [u8]>;
    fn as_truth(&self, i: usize) -> Option<bool>;
    fn as_moment(&self, i: usize) -> Option<Moment>;
    fn as_day(&self, i: usize) -> Option<Day>;
    fn as_time(&self, i: usize) -> Option<i64>;
    fn texts(&self, text: impl Into<String>) -> Datum;
}

impl Read for Call<'_> {
    fn env(&self) -> TypeEnv<'_> {
        self.cx.types()
    }

    fn settings(&self) -> &Settings {
        Settings::of(&self.cx.types())
    }

    fn my(&self, i: usize) -> MyType {
        MyType::of(self.ty(i))
    }

    fn out(&self) -> MyType {
        MyType::of(self.result)
    }

    fn as_double(&self, i: usize) -> f64 {
        convert::to_double(self.arg(i), self.my(i), &self.env())
    }

    fn as_numeric(&self, i: usize) -> Numeric {
        convert::to_numeric(self.arg(i), self.my(i), &self.env())
    }

    fn as_integer(&self, i: usize) -> i128 {
        convert::to_integer(self.arg(i), self.my(i), &self.env())
    }

    fn as_text(&self, i: usize) -> Cow<'_, str> {
        convert::to_text(self.arg(i), self.my(i), &self.env())
    }

    fn as_bytes(&self, i: usize) -> Cow<'_, [u8]> {
        convert::to_bytes(self.arg(i), self.my(i), &self.env())
    }

    fn as_truth(&self, i: usize) -> Option<bool> {
        convert::to_truth(self.arg(i), self.my(i), &self.env())
    }

    fn as_moment(&self, i: usize) -> Option<Moment> {
        convert::to_moment(self.arg(i), self.my(i), &self.env())
    }

    fn as_day(&self, i: usize) -> Option<Day> {
        convert::to_day(self.arg(i), self.my(i), &self.env())
    }

    fn as_time(&self, i: usize) -> Option<i64> {
        convert::to_time(self.arg(i), self.my(i), &self.env())
    }

    /// A text as the result has it: with letters, or as bytes.
    fn texts(&self, text: impl Into<String>) -> Datum {
        let text = text.into();
        match self.out().is_bytes() {
            true => Datum::Bytes(text.into_bytes().into()),
            false => Datum::text(text),
        }
    }
}

/// Nothing, where a function has no answer.
pub(crate) fn or_null(value: Option<Datum>) -> Result<Datum> {
    Ok(value.unwrap_or(Datum::Null))
}

// What comes out, for functions of any kind.

/// An integer of so many digits.
pub(crate) const fn int(width: u32) -> MyType {
    MyType { length: width, ..MyType::new(Kind::Int) }
}

/// INT.
pub(crate) fn an_int(_: &[MyType]) -> Result<MyType> {
    Ok(int(11))
}

/// BIGINT.
pub(crate) fn a_bigint(_: &[MyType]) -> Result<MyType> {
    Ok(MyType { length: 21, ..MyType::BIGINT })
}

/// BIGINT UNSIGNED.
pub(crate) fn an_unsigned(_: &[MyType]) -> Result<MyType> {
    Ok(MyType { length: 21, ..MyType::UNSIGNED })
}

/// DOUBLE.
pub(crate) fn a_double(_: &[MyType]) -> Result<MyType> {
    Ok(MyType::DOUBLE)
}

/// What a condition gives.
pub(crate) fn a_truth(_: &[MyType]) -> Result<MyType> {
    Ok(MyType::TRUTH)
}

/// DATE.
pub(crate) fn a_date(_: &[MyType]) -> Result<MyType> {
    Ok(MyType::DATE)
}

/// The kind of text that has room for so many characters.
pub(crate) fn text_of(length: u32, collation: Collation, hold: Coercibility) -> MyType {
    let kind = if length >= 0xffff { Kind::MediumText } else { Kind::VarChar };
    MyType { kind, coercibility: hold, ..MyType::text(length.min(0xffff), collation) }
}

/// A text in the collation of the arguments, as long as all of them together.
pub(crate) fn joined(types: &[MyType]) -> Result<MyType> {
    let (collation, hold) = common::collation_of(types, "concat")?;
    let length = types.iter().map(|ty| common::text_length(*ty)).sum();
    Ok(text_of(length, collation, hold))
}

/// A text in the collation of the first argument, and as long.
pub(crate) fn like_first(types: &[MyType]) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    let (collation, hold) = common::collation_of(&[first], "substr")?;
    Ok(text_of(common::text_length(first), collation, hold))
}

/// A text of the connection, of any length.
pub(crate) fn a_text(_: &[MyType]) -> Result<MyType> {
    Ok(text_of(255, Collation::DEFAULT, Coercibility::Literal))
}
