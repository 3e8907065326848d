//! Names to numbers, while a history is built.
//!
//! Every read of a list names all of its elements, so most names of a large history were there before. Finding one
//! again allocates nothing, and mostly looks at one place of memory:
//!
//! - A small integer is a place of a table.
//! - What a read of a list returns is mostly what the last one returned. So what was named after a string is tried
//!   first when that one is named again; short strings are compared without looking at the names themselves.
//! - The rest is looked up by hash.
//!
//! ```text
//!     names   0: "x"   1: 2   2: "y"   3: 0          by first mention
//!     after   0 -> 2   2 -> 0                        of strings: the number of the one that was named next
//!     small   0 -> 3   1 -> none   2 -> 1            integers below the table's length
//! ```

use std::hash::BuildHasher;
use std::num::NonZero;

use hashbrown::{DefaultHashBuilder, HashTable};
use hobgoblin_core::Value;

/// No number.
const NONE: u32 = u32::MAX;

/// How many places the table of small integers may have for each name.
const SPARE: usize = 8;

/// Names, and the number of each: how many others were mentioned before it.
#[derive(Debug, Default)]
pub(crate) struct Names {
    names: Vec<Value>,
    /// Of each name, itself if it is a short string, and the string that was named after it.
    after: Vec<(Option<Short>, u32)>,
    /// The string that was named last.
    last: u32,
    small: Vec<u32>,
    by_hash: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// A string of up to 15 bytes: these in their order, zeros, and in the last byte how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Short(u64, NonZero<u64>);

impl Short {
    fn new(text: &[u8]) -> Option<Short> {
        let len = text.len();
        let (low, high) = match (text.first_chunk(), text.last_chunk()) {
            (Some(first), Some(last)) if len < 16 => {
                let rest = u64::from_le_bytes(*last).checked_shr(8 * (16 - len as u32));
                (u64::from_le_bytes(*first), rest.unwrap_or(0))
            }
            (Some(_), _) => return None,
            (None, _) => (few(text), 0),
        };
        NonZero::new(high | (len as u64 + 1) << 56).map(|high| Short(low, high))
    }
}

/// Less than eight bytes, and zeros.
fn few(text: &[u8]) -> u64 {
    match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => {
            let last = u64::from(u32::from_le_bytes(*last));
            u64::from(u32::from_le_bytes(*first)) | last << (8 * (text.len() - 4))
        }
        _ => text.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

impl Names {
    /// The number of a name.
    pub(crate) fn number(&mut self, name: Value) -> u32 {
        match name {
            Value::Int(n) => self.int(n),
            Value::Text(text) => self.text(text.as_bytes()),
            name => {
                let hash = self.hasher.hash_one(&name);
                self.look_up(hash, |other, _| *other == name, || (name.clone(), None))
            }
        }
    }

    /// The number of a string, of which these are the bytes.
    pub(crate) fn text(&mut self, text: &[u8]) -> u32 {
        let short = Short::new(text);
        let same = |name: &Value, other: Option<Short>| match short {
            Some(_) => other == short,
            None => matches!(name, Value::Text(other) if other.as_bytes() == text),
        };
        let last = self.last as usize;
        if let Some(&(_, guess)) = self.after.get(last) {
            let at = guess as usize;
            if same(&self.names[at], self.after[at].0) {
                self.last = guess;
                return guess;
            }
        }
        let hash = match short {
            Some(short) => self.hasher.hash_one(short),
            None => self.hasher.hash_one(text),
        };
        let name = || (Value::from(str::from_utf8(text).expect("a string is UTF-8")), short);
        let number = self.look_up(hash, same, name);
        self.after[last].1 = number;
        self.last = number;
        number
    }

    /// The number of an integer.
    fn int(&mut self, n: i64) -> u32 {
        let place = usize::try_from(n).unwrap_or(usize::MAX);
        if place >= self.small.len() {
            self.grow(place);
        }
        match self.small.get(place) {
            Some(&NONE) => {
                self.small[place] = self.names.len() as u32;
                self.add(Value::Int(n), None)
            }
            Some(&number) => number,
            None => {
                let name = Value::Int(n);
                let hash = self.hasher.hash_one(&name);
                self.look_up(hash, |other, _| *other == name, || (Value::Int(n), None))
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
        same: impl Fn(&Value, Option<Short>) -> bool,
        name: impl FnOnce() -> (Value, Option<Short>),
    ) -> u32 {
        let Names { names, after, by_hash, .. } = &*self;
        let same = |&number: &u32| same(&names[number as usize], after[number as usize].0);
        if let Some(&number) = by_hash.find(hash, same) {
            return number;
        }
        let (name, short) = name();
        let number = self.add(name, short);
        let Names { names, after, by_hash, hasher, .. } = self;
        by_hash.insert_unique(hash, number, |&number| match &names[number as usize] {
            Value::Text(text) => match after[number as usize].0 {
                Some(short) => hasher.hash_one(short),
                None => hasher.hash_one(text.as_bytes()),
            },
            other => hasher.hash_one(other),
        });
        number
    }

    fn add(&mut self, name: Value, short: Option<Short>) -> u32 {
        let number = self.names.len() as u32;
        self.names.push(name);
        self.after.push((short, number));
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
    fn short_strings_are_told_apart() {
        let mut found = hashbrown::HashSet::new();
        for len in 0..16 {
            for place in 0..len {
                for byte in [1, b'a', u8::MAX] {
                    let mut text = vec![0; len];
                    text[place] = byte;
                    assert!(found.insert(Short::new(&text)), "{text:?}");
                }
            }
            assert!(found.insert(Short::new(&vec![0; len])));
        }
        assert_eq!(Short::new(&[0; 16]), None);
        assert!(!found.contains(&None));
    }

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
                2 => Value::from(
                    format!("{n}{}", &"0123456789abcdef"[rng.below(17) as usize..]).as_str(),
                ),
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
                assert_eq!(names.text(text.as_bytes()), number);
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
