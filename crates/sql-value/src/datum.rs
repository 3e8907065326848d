//! A value of some type.

use std::sync::Arc;

use hobgoblin_core::Text;

use crate::range::Range;
use crate::{Array, Citext, Hstore, Inet, Interval, Json, Numeric};

/// A value; its type is known from where it stands.
#[derive(Clone, Debug)]
pub enum Datum {
    /// SQL's NULL.
    Null,
    /// boolean.
    Bool(bool),
    /// smallint, integer, bigint, oid, xid and the reg* types.
    Int(i64),
    /// real (rounded to 32 bits) and double precision.
    Float(f64),
    /// numeric.
    Numeric(Numeric),
    /// text, varchar, name, "char", json, unknown.
    Text(Text),
    /// char(n) with its trailing blanks, which do not count where values are compared.
    Char(Text),
    /// A label of an enum with its place, which compares.
    Enum(f32, Text),
    /// citext.
    Citext(Arc<Citext>),
    /// hstore.
    Hstore(Arc<Hstore>),
    /// bytea.
    Bytes(Arc<[u8]>),
    /// Days since 2000-01-01; the extremes are the infinities.
    Date(i32),
    /// Microseconds since midnight.
    Time(i64),
    /// Microseconds since local midnight, and seconds west of UTC as PostgreSQL keeps them.
    TimeTz(i64, i32),
    /// timestamp, and timestamptz in UTC: microseconds since 2000-01-01; the extremes are the infinities.
    Timestamp(i64),
    /// interval.
    Interval(Interval),
    /// uuid.
    Uuid([u8; 16]),
    /// inet.
    Inet(Inet),
    /// jsonb.
    Jsonb(Arc<Json>),
    /// Any array, int2vector and oidvector too.
    Array(Arc<Array>),
    /// A row.
    Record(Arc<[Datum]>),
    /// Any range.
    Range(Arc<Range>),
}

impl Datum {
    /// A text that compares without regard to case.
    pub fn citext(text: impl Into<Text>) -> Datum {
        Datum::Citext(Arc::new(Citext::new(text)))
    }

    /// A text value.
    pub fn text(text: impl Into<Text>) -> Datum {
        Datum::Text(text.into())
    }

    /// A char(n) without its trailing blanks, as it becomes a text; other values as they are.
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

/// A text without its trailing blanks.
pub fn unpadded(text: &str) -> &str {
    text.trim_end_matches(' ')
}
