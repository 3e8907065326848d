//! Numbers for keys, sessions and values, and the names of transactions.

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use hobgoblin_core::{Key, Value};
use std::hash::BuildHasher;

use crate::problem::Node;

/// Names of keys or sessions, numbered as they come.
#[derive(Debug, Default)]
pub(super) struct Keys {
    numbers: HashMap<Key, u32>,
    names: Vec<Key>,
}

impl Keys {
    pub(super) fn number(&mut self, name: &Key) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.clone(), number);
        self.names.push(name.clone());
        number
    }

    pub(super) fn find(&self, name: &Key) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub(super) fn name(&self, number: u32) -> &Key {
        &self.names[number as usize]
    }
}

/// A value in eight bytes: even, an integer of 63 bits; odd, a number of [`Values`].
pub(super) type Packed = u64;

/// The values that are not small integers.
#[derive(Debug, Default)]
pub(super) struct Values {
    numbers: HashTable<u32>,
    values: Vec<Value>,
    hasher: DefaultHashBuilder,
}

impl Values {
    /// Null is the value a key starts with; here the one number that is not in the table.
    pub(super) const NULL: Packed = 1;

    pub(super) fn pack(&mut self, value: &Value) -> Packed {
        match value {
            Value::Null => return Values::NULL,
            Value::Int(n) if (n << 1) >> 1 == *n => return (n << 1) as u64,
            _ => {}
        }
        let (values, hasher) = (&self.values, &self.hasher);
        let hash = hasher.hash_one(value);
        let number = match self.numbers.find(hash, |&n| values[n as usize] == *value) {
            Some(&number) => number,
            None => {
                let number = values.len() as u32;
                self.values.push(value.clone());
                let values = &self.values;
                let rehash = |&n: &u32| hasher.hash_one(&values[n as usize]);
                self.numbers.insert_unique(hash, number, rehash);
                number
            }
        };
        u64::from(number + 1) << 1 | 1
    }

    pub(super) fn get(&self, packed: Packed) -> Value {
        match packed {
            Values::NULL => Value::Null,
            packed if packed & 1 == 0 => Value::Int(packed as i64 >> 1),
            packed => self.values[(packed >> 1) as usize - 1].clone(),
        }
    }
}

/// The ids of transactions that have one.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    /// Who has a name, ascending, and where it ends in `text`.
    ends: Vec<(Node, usize)>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Names {
    /// Names a node that comes after all that have a name, by a name that nobody has.
    pub(super) fn push(&mut self, node: Node, name: &str) {
        self.text.push_str(name);
        let at = self.ends.len() as u32;
        self.ends.push((node, self.text.len()));
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        let hash = |&at: &u32| hasher.hash_one(name_at(text, ends, at as usize));
        self.numbers.insert_unique(hasher.hash_one(name), at, hash);
    }

    pub(super) fn find(&self, name: &str) -> Option<Node> {
        let same = |&at: &u32| name_at(&self.text, &self.ends, at as usize) == name;
        let at = self.numbers.find(self.hasher.hash_one(name), same)?;
        Some(self.ends[*at as usize].0)
    }

    /// What to call a node that has no name: a name that nobody has.
    pub(super) fn unused(&self, node: Node) -> String {
        let mark = if self.ends.is_empty() { 't' } else { '#' };
        let mut name = format!("{mark}{node}");
        while self.find(&name).is_some() {
            name.push('\'');
        }
        name
    }

    pub(super) fn get(&self, node: Node) -> Option<&str> {
        let at = self.ends.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        Some(name_at(&self.text, &self.ends, at))
    }
}

fn name_at<'a>(text: &'a str, ends: &[(Node, usize)], at: usize) -> &'a str {
    let begin = if at == 0 { 0 } else { ends[at - 1].1 };
    &text[begin..ends[at].1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let mut values = Values::default();
        let cases = [
            Value::Null,
            Value::Bool(true),
            Value::Int(0),
            Value::Int(-1),
            Value::Int(i64::MAX),
            Value::Int(i64::MIN),
            Value::from("x"),
            Value::Json("[1]".into()),
        ];
        let packed: Vec<Packed> = cases.iter().map(|v| values.pack(v)).collect();
        for (i, value) in cases.iter().enumerate() {
            assert_eq!((values.get(packed[i]), values.pack(value)), (value.clone(), packed[i]));
            assert_eq!(packed.iter().filter(|&&p| p == packed[i]).count(), 1);
        }
        let mut names = Names::default();
        names.push(3, "a");
        names.push(7, "bc");
        assert_eq!((names.find("a"), names.find("bc"), names.find("b")), (Some(3), Some(7), None));
        assert_eq!((names.get(7), names.get(4)), (Some("bc"), None));
    }
}
