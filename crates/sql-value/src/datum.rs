//! A value of some type.
//!
//! The kinds here are fewer than the types of any dialect: a `smallint` and a `bigint` are both an
//! [`Int`](Datum::Int), and whoever holds the value knows which type it is of. So values take no
//! room for their types, and functions over integers are written once.

use std::sync::Arc;

use hobgoblin_core::Text;

use crate::range::Range;
use crate::{Array, Citext, Hstore, Inet, Interval, Json, Numeric};

/// A value. Its type is not in it but known from where it stands: a column, an argument, an element
/// of an array.
#[derive(Clone, Debug)]
pub enum Datum {
    /// NULL, of any type.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number: `smallint`, `integer`, `bigint`, and the numbers of objects (`oid`, `xid`,
    /// `regclass` and its like).
    Int(i64),
    /// A floating-point number: `double precision`, or `real`, which is rounded to 32 bits.
    Float(f64),
    /// An exact decimal.
    Numeric(Numeric),
    /// A text without rules of its own: `text`, `varchar`, `name`, `json`, or a constant whose type
    /// is unknown.
    Text(Text),
    /// A `char(n)` with the blanks at its end, which do not count in comparisons.
    Char(Text),
    /// A label of an enum. The number is its place among the labels, by which it compares.
    Enum(f32, Text),
    /// A text that compares without regard to case.
    Citext(Arc<Citext>),
    /// A map from texts to texts or NULL.
    Hstore(Arc<Hstore>),
    /// Bytes, which compare as unsigned numbers.
    Bytes(Arc<[u8]>),
    /// Days since 2000-01-01; the extremes are the infinities.
    Date(i32),
    /// Microseconds since midnight.
    Time(i64),
    /// Microseconds since local midnight, and seconds west of UTC as PostgreSQL keeps them.
    TimeTz(i64, i32),
    /// timestamp, and timestamptz in UTC: microseconds since 2000-01-01; the extremes are the infinities.
    Timestamp(i64),
    /// A span of months, days and microseconds.
    Interval(Interval),
    /// A UUID, most significant byte first.
    Uuid([u8; 16]),
    /// A network address with the length of its prefix.
    Inet(Inet),
    /// A JSON document in the form that compares (`jsonb`).
    Jsonb(Arc<Json>),
    /// An array of any element type, also an `int2vector` or `oidvector`.
    Array(Arc<Array>),
    /// The fields of a row, in order.
    Record(Arc<[Datum]>),
    /// A range of any element type.
    Range(Arc<Range>),
}

impl Datum {
    /// A `citext` of this text.
    pub fn citext(text: impl Into<Text>) -> Datum {
        Datum::Citext(Arc::new(Citext::new(text)))
    }

    /// A text value.
    pub fn text(text: impl Into<Text>) -> Datum {
        Datum::Text(text.into())
    }

    /// A `char(n)` without the blanks at its end, which is what it becomes as a text. Any other
    /// value stays as it is.
    pub fn without_blanks(self) -> Datum {
        match self {
            Datum::Char(text) => match text.ends_with(' ') {
                true => Datum::text(unpadded(&text)),
                false => Datum::Text(text),
            },
            other => other,
        }
    }

    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Datum::Null)
    }
}

/// A text without the blanks at its end.
pub fn unpadded(text: &str) -> &str {
    text.trim_end_matches(' ')
}
