//! Keys and values as users write them, and the packed form a history stores.

use std::fmt;

use hashbrown::HashTable;

use crate::hash::hash_bytes;
use crate::json::text::write_text;

/// A string that is shared. A store has millions of short ones, so nothing is spent on weak references.
pub type Text = triomphe::Arc<str>;

/// The name of a key or a session: an integer or a string.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Key;
///
/// assert_eq!(Key::from("cart:7").as_str(), Some("cart:7"));
/// assert_eq!(Key::from(7_u32), Key::Int(7));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// An integer name.
    Int(i64),
    /// A string name.
    Text(Text),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Int(n) => n.fmt(f),
            Key::Text(s) => s.fmt(f),
        }
    }
}

/// A value read or written. Two values are equal when they are written alike, so whoever makes one of JSON
/// gives every number one notation: `1.0` is the integer 1, and `1.50` is `1.5`.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Value;
///
/// let value = Value::from(41);
/// assert_eq!(value.as_i64().map(|n| n + 1), Some(42));
/// assert_eq!(String::try_from(Value::from("paid")), Ok("paid".to_owned()));
/// assert!(Value::from(None::<i64>).is_null());
/// assert_eq!(Value::from(1.50).to_string(), "1.5");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Value {
    /// Absent; what a key without an initial value holds first.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// A string.
    Text(Text),
    /// Anything else, as compact JSON text with sorted object members: other numbers, arrays, objects.
    Json(Text),
}

impl fmt::Display for Value {
    /// As JSON text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(b) => b.fmt(f),
            Value::Int(n) => n.fmt(f),
            Value::Json(text) => f.write_str(text),
            Value::Text(text) => write_text(f, text),
        }
    }
}

/// A value in eight bytes: even, an integer of 63 bits; odd, an index into [`Values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Packed(u64);

impl Packed {
    pub(crate) const ZERO: Packed = Packed(0);

    #[inline]
    pub(crate) fn int(n: i64) -> Option<Packed> {
        let shifted = n << 1;
        (shifted >> 1 == n).then_some(Packed(shifted as u64))
    }

    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}

/// The values of one history that are not small integers, each stored once.
#[derive(Debug)]
pub(crate) struct Values {
    table: Vec<Value>,
    index: HashTable<u32>,
}

impl Values {
    pub(crate) const NULL: Packed = Packed(1);

    pub(crate) fn new() -> Values {
        let mut values = Values { table: Vec::new(), index: HashTable::new() };
        let null = values.pack(&Value::Null);
        debug_assert_eq!(null, Values::NULL);
        values
    }

    pub(crate) fn pack(&mut self, value: &Value) -> Packed {
        if let Value::Int(n) = value
            && let Some(packed) = Packed::int(*n)
        {
            return packed;
        }
        let hash = hash_value(value);
        let table = &mut self.table;
        if let Some(&at) = self.index.find(hash, |&at| table[at as usize] == *value) {
            return Packed((u64::from(at) << 1) | 1);
        }
        let at = table.len() as u32;
        table.push(value.clone());
        self.index.insert_unique(hash, at, |&at| hash_value(&table[at as usize]));
        Packed((u64::from(at) << 1) | 1)
    }

    /// Packs a string, which is copied only when it is new.
    pub(crate) fn pack_text(&mut self, text: &str) -> Packed {
        let table = &self.table;
        let same = |&at: &u32| matches!(&table[at as usize], Value::Text(s) if **s == *text);
        match self.index.find(hash_text(text), same) {
            Some(&at) => Packed((u64::from(at) << 1) | 1),
            None => self.pack(&Value::from(text)),
        }
    }

    pub(crate) fn unpack(&self, packed: Packed) -> Value {
        if packed.0 & 1 == 0 {
            Value::Int(packed.0 as i64 >> 1)
        } else {
            self.table[(packed.0 >> 1) as usize].clone()
        }
    }

    /// The index only serves packing; a finished history has no use for it.
    pub(crate) fn drop_index(&mut self) {
        self.index = HashTable::new();
        self.table.shrink_to_fit();
    }
}

fn hash_value(value: &Value) -> u64 {
    match value {
        Value::Null => 1,
        Value::Bool(b) => 2 + u64::from(*b),
        Value::Int(n) => hash_bytes(4, &n.to_le_bytes()),
        Value::Text(s) => hash_text(s),
        Value::Json(s) => hash_bytes(6, s.as_bytes()),
    }
}

fn hash_text(text: &str) -> u64 {
    hash_bytes(5, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_loses_nothing() {
        let mut values = Values::new();
        let cases = [
            Value::Null,
            Value::Bool(true),
            Value::Bool(false),
            Value::Int(0),
            Value::Int(-1),
            Value::Int(i64::MAX),
            Value::Int(i64::MIN),
            Value::Int(1 << 62),
            Value::Int(-(1 << 62)),
            Value::from("x"),
            Value::Json("[1,2]".into()),
        ];
        let packed: Vec<_> = cases.iter().map(|v| values.pack(v)).collect();
        for (i, value) in cases.iter().enumerate() {
            assert_eq!(values.unpack(packed[i]), *value);
            assert_eq!(values.pack(value), packed[i]);
            assert!(packed.iter().enumerate().all(|(j, p)| (i == j) == (*p == packed[i])));
        }
    }

    #[test]
    fn text_is_shown_as_json() {
        assert_eq!(Value::from("a\"b\\\n\u{1}").to_string(), r#""a\"b\\\n\u0001""#);
    }
}
