//! Names to numbers, while a history is built.
//!
//! Every read of a list names all of its elements, so most names of a large history were there before. Finding one
//! again allocates nothing: a small integer is a place of a table, and a string is looked up as it stands in a text.
//!
//! ```text
//!     names   0: "x"   1: 2   2: [1]   3: 0          by first mention
//!     small   0 -> 3   1 -> none   2 -> 1            integers below the table's length
//!     others  "x" -> 0   [1] -> 2                    the rest, by hash
//! ```

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use hobgoblin_core::Value;

/// No number.
const NONE: u32 = u32::MAX;

/// How many places the table of small integers may have for each name.
const SPARE: usize = 4;

/// Names, and the number of each: how many others were mentioned before it.
#[derive(Debug, Default)]
pub(crate) struct Names {
    names: Vec<Value>,
    small: Vec<u32>,
    others: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Names {
    /// The number of a name.
    pub(crate) fn number(&mut self, name: Value) -> u32 {
        match name {
            Value::Int(n) => self.int(n),
            Value::Text(text) => {
                let (hash, other) = (self.hasher.hash_one(&*text), text.clone());
                let same = |name: &Value| matches!(name, Value::Text(text) if **text == *other);
                self.look_up(hash, same, || Value::Text(text))
            }
            name => {
                self.look_up(self.hasher.hash_one(&name), |other| *other == name, || name.clone())
            }
        }
    }

    /// The number of a string.
    pub(crate) fn text(&mut self, text: &str) -> u32 {
        let same = |name: &Value| matches!(name, Value::Text(other) if **other == *text);
        self.look_up(self.hasher.hash_one(text), same, || Value::from(text))
    }

    /// The number of an integer.
    fn int(&mut self, n: i64) -> u32 {
        let place = usize::try_from(n).unwrap_or(usize::MAX);
        if place >= self.small.len() {
            self.grow(place);
        }
        match self.small.get(place) {
            Some(&NONE) => {
                let number = self.names.len() as u32;
                self.names.push(Value::Int(n));
                self.small[place] = number;
                number
            }
            Some(&number) => number,
            None => {
                let name = Value::Int(n);
                self.look_up(self.hasher.hash_one(n), |other| *other == name, || Value::Int(n))
            }
        }
    }

    /// Makes the table of small integers longer, if that makes it at least twice as long, not too long for the names
    /// there are, and long enough for this one.
    fn grow(&mut self, place: usize) {
        let length = SPARE * (self.names.len() + 64);
        if place >= length || length < 2 * self.small.len() {
            return;
        }
        self.small.resize(length, NONE);
        for (name, number) in self.names.iter().zip(0..) {
            if let Value::Int(n) = *name
                && let Some(place) = usize::try_from(n).ok().and_then(|n| self.small.get_mut(n))
            {
                *place = number;
            }
        }
    }

    fn look_up(
        &mut self,
        hash: u64,
        same: impl Fn(&Value) -> bool,
        name: impl FnOnce() -> Value,
    ) -> u32 {
        let Names { names, others, hasher, .. } = self;
        if let Some(&number) = others.find(hash, |&number| same(&names[number as usize])) {
            return number;
        }
        let number = names.len() as u32;
        names.push(name());
        others.insert_unique(hash, number, |&number| match &names[number as usize] {
            Value::Int(n) => hasher.hash_one(n),
            Value::Text(text) => hasher.hash_one(&**text),
            other => hasher.hash_one(other),
        });
        number
    }

    /// All names by their numbers.
    pub(crate) fn into_names(self) -> Vec<Value> {
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_number() {
        let mut names = Names::default();
        let mut said: Vec<Value> = Vec::new();
        let mut rng = hobgoblin_core::Rng::new(1);
        for _ in 0..30_000 {
            let bits = 1 + rng.below(20);
            let n = i64::from(rng.below(1 << bits));
            let name = match rng.below(6) {
                0 => Value::Int(-n),
                1 => Value::Int(i64::MAX - n),
                2 => Value::from(n.to_string().as_str()),
                3 => Value::Json(format!("[{n}]").as_str().into()),
                4 => [Value::Null, true.into(), Value::from("")][n as usize % 3].clone(),
                _ => Value::Int(n),
            };
            said.push(name);
        }
        let numbers: Vec<u32> = said.iter().map(|name| names.number(name.clone())).collect();
        for (name, &number) in said.iter().zip(&numbers) {
            assert_eq!(names.number(name.clone()), number);
            if let Value::Text(text) = name {
                assert_eq!(names.text(text), number);
            }
        }
        let names = names.into_names();
        let mut next = 0;
        for (name, &number) in said.iter().zip(&numbers) {
            assert_eq!(names[number as usize], *name);
            assert!(number <= next, "numbers are given in the order of first mention");
            next = next.max(number + 1);
        }
        assert_eq!(next as usize, names.len());
    }
}
