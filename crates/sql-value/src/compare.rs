//! How values compare: PostgreSQL's btree order of each type, with NULL after all else.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::datetime::SECOND;
use crate::datum::unpadded;
use crate::{Array, Datum, Numeric};

/// Doubles in PostgreSQL's order: NaN is equal to itself and last, the zeros are equal.
pub fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

impl Datum {
    /// The order of two values of one type. NULLs are equal and last.
    pub fn compare(&self, other: &Datum) -> Ordering {
        use Datum::*;
        match (self, other) {
            (Null, Null) => Ordering::Equal,
            (Null, _) => Ordering::Greater,
            (_, Null) => Ordering::Less,
            (Int(a), Int(b)) => a.cmp(b),
            (Text(a), Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Char(a), Char(b)) => unpadded(a).cmp(unpadded(b)),
            (Text(a), Char(b)) => (**a).cmp(unpadded(b)),
            (Char(a), Text(b)) => unpadded(a).cmp(b),
            (Bool(a), Bool(b)) => a.cmp(b),
            (Float(a), Float(b)) => compare_floats(*a, *b),
            (Numeric(a), Numeric(b)) => a.cmp(b),
            (Enum(a, _), Enum(b, _)) => a.total_cmp(b),
            (Citext(a), Citext(b)) => a.folded.as_bytes().cmp(b.folded.as_bytes()),
            (Hstore(a), Hstore(b)) => a.compare(b),
            (Bytes(a), Bytes(b)) => a.cmp(b),
            (Date(a), Date(b)) => a.cmp(b),
            (Time(a), Time(b)) | (Timestamp(a), Timestamp(b)) => a.cmp(b),
            (TimeTz(a, west), TimeTz(b, other_west)) => {
                let utc = |time: &i64, west: &i32| time.saturating_add(i64::from(*west) * SECOND);
                utc(a, west).cmp(&utc(b, other_west)).then_with(|| west.cmp(other_west))
            }
            (Interval(a), Interval(b)) => a.cmp(b),
            (Uuid(a), Uuid(b)) => a.cmp(b),
            (Inet(a), Inet(b)) => a.cmp(b),
            (Jsonb(a), Jsonb(b)) => a.cmp(b),
            (Array(a), Array(b)) => compare_arrays(a, b),
            (Record(a), Record(b)) => compare_all(a, b).then_with(|| a.len().cmp(&b.len())),
            (Range(a), Range(b)) => a.compare(b),
            (Int(a), Numeric(b)) => crate::Numeric::from(*a).cmp(b),
            (Numeric(a), Int(b)) => a.cmp(&crate::Numeric::from(*b)),
            (Int(a), Float(b)) => compare_floats(*a as f64, *b),
            (Float(a), Int(b)) => compare_floats(*a, *b as f64),
            (Numeric(a), Float(b)) => compare_floats(a.to_f64(), *b),
            (Float(a), Numeric(b)) => compare_floats(*a, b.to_f64()),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    /// Whether two values of one type are equal; NULLs are.
    pub fn equal(&self, other: &Datum) -> bool {
        match (self, other) {
            (Datum::Text(a), Datum::Text(b)) => a == b,
            _ => self.compare(other) == Ordering::Equal,
        }
    }

    /// Feeds a hash so that equal values of one type hash alike.
    pub fn hash_into<H: Hasher>(&self, state: &mut H) {
        match self {
            Datum::Null => state.write_u8(0),
            Datum::Bool(value) => value.hash(state),
            Datum::Int(value) => value.hash(state),
            Datum::Float(value) => {
                let value = if *value == 0.0 { 0.0 } else { *value };
                let bits = if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
                bits.hash(state);
            }
            Datum::Numeric(value) => value.hash(state),
            Datum::Text(value) => value.hash(state),
            Datum::Char(value) => unpadded(value).hash(state),
            Datum::Enum(place, _) => place.to_bits().hash(state),
            Datum::Citext(value) => value.folded.hash(state),
            Datum::Hstore(value) => value.hash(state),
            Datum::Bytes(value) => value.hash(state),
            Datum::Date(value) => value.hash(state),
            Datum::Time(value) | Datum::Timestamp(value) => value.hash(state),
            Datum::TimeTz(time, west) => (time, west).hash(state),
            Datum::Interval(value) => value.hash(state),
            Datum::Uuid(value) => value.hash(state),
            Datum::Inet(value) => value.hash(state),
            Datum::Jsonb(value) => value.hash(state),
            Datum::Array(array) => {
                array.dims.hash(state);
                array.items.iter().for_each(|item| item.hash_into(state));
            }
            Datum::Record(fields) => fields.iter().for_each(|field| field.hash_into(state)),
            Datum::Range(range) => range.hash_into(state),
        }
    }

    /// An order of kinds, for values that have no business being compared.
    fn rank(&self) -> u8 {
        match self {
            Datum::Null => 18,
            Datum::Bool(_) => 0,
            Datum::Int(_) => 1,
            Datum::Float(_) => 2,
            Datum::Numeric(_) => 3,
            Datum::Text(_) | Datum::Char(_) => 4,
            Datum::Enum(..) => 5,
            Datum::Bytes(_) => 6,
            Datum::Date(_) => 7,
            Datum::Time(_) => 8,
            Datum::TimeTz(..) => 9,
            Datum::Timestamp(_) => 10,
            Datum::Interval(_) => 11,
            Datum::Uuid(_) => 12,
            Datum::Jsonb(_) => 13,
            Datum::Array(_) => 14,
            Datum::Record(_) => 15,
            Datum::Range(_) => 16,
            Datum::Inet(_) => 17,
            Datum::Citext(_) => 19,
            Datum::Hstore(_) => 20,
        }
    }
}

fn compare_all(a: &[Datum], b: &[Datum]) -> Ordering {
    let mut orders = a.iter().zip(b).map(|(a, b)| a.compare(b));
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn compare_arrays(a: &Array, b: &Array) -> Ordering {
    compare_all(&a.items, &b.items)
        .then_with(|| a.items.len().cmp(&b.items.len()))
        .then_with(|| a.dims.len().cmp(&b.dims.len()))
        .then_with(|| {
            let lengths = |array: &Array| array.dims.iter().map(|d| d.0).collect::<Vec<_>>();
            lengths(a).cmp(&lengths(b))
        })
        .then_with(|| {
            let lowers = |array: &Array| array.dims.iter().map(|d| d.1).collect::<Vec<_>>();
            lowers(a).cmp(&lowers(b))
        })
}

/// Values as the key of a hash table: NULLs are equal to each other.
#[derive(Clone, Debug)]
pub struct Grouped(pub Vec<Datum>);

impl PartialEq for Grouped {
    fn eq(&self, other: &Grouped) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a.equal(b))
    }
}

impl Eq for Grouped {}

impl Hash for Grouped {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|datum| datum.hash_into(state));
    }
}

impl From<Numeric> for Datum {
    fn from(value: Numeric) -> Datum {
        Datum::Numeric(value)
    }
}
