//! Names to dense numbers.
//!
//! Every event names its key, so this is a hot table too. Small integers index an array. Strings of up
//! to 15 bytes, which most names are, sit in the table itself, so that finding one does not
//! follow pointers; the rest go the long way.

use hashbrown::HashTable;

use crate::hash::{hash_bytes, mix};
use crate::value::Key;

/// Numbers for names, dense and in the order of their first use.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    pub(crate) names: Vec<Key>,
    /// The number, plus one, of each integer below [`SMALL`].
    small: Vec<u32>,
    short: HashTable<Short>,
    table: HashTable<u32>,
}

/// A string of up to 15 bytes, padded with zeros and ended by its length.
#[derive(Clone, Copy, Debug)]
struct Short {
    words: [u64; 2],
    number: u32,
}

/// Integers from 0 to this index an array.
const SMALL: i64 = 1 << 20;

impl Interner {
    pub(crate) fn intern(&mut self, name: &Key) -> usize {
        match name {
            Key::Int(n) => self.intern_int(*n),
            Key::Text(text) => self.intern_text(text),
        }
    }

    #[inline]
    pub(crate) fn intern_int(&mut self, n: i64) -> usize {
        if let Ok(at) = usize::try_from(n)
            && let Some(&number) = self.small.get(at)
            && number != 0
        {
            return number as usize - 1;
        }
        self.add_int(n)
    }

    #[cold]
    fn add_int(&mut self, n: i64) -> usize {
        if !(0..SMALL).contains(&n) {
            return self.intern_long(Key::Int(n));
        }
        let at = n as usize;
        if at >= self.small.len() {
            self.small.resize((at + 1).next_power_of_two(), 0);
        }
        self.names.push(Key::Int(n));
        self.small[at] = self.names.len() as u32;
        self.names.len() - 1
    }

    #[inline]
    pub(crate) fn intern_text(&mut self, name: &str) -> usize {
        let Some(words) = short_words(name.as_bytes()) else {
            return self.intern_long_text(name);
        };
        let hash = mix(words[0], words[1]);
        match self.short.find(hash, |short| short.words == words) {
            Some(short) => short.number as usize,
            None => self.add_short(name, words, hash),
        }
    }

    #[cold]
    fn add_short(&mut self, name: &str, words: [u64; 2], hash: u64) -> usize {
        let short = Short { words, number: self.names.len() as u32 };
        self.names.push(Key::from(name));
        self.short.insert_unique(hash, short, |s| mix(s.words[0], s.words[1]));
        self.names.len() - 1
    }

    fn intern_long_text(&mut self, name: &str) -> usize {
        let names = &self.names;
        let same = |&at: &u32| matches!(&names[at as usize], Key::Text(s) if **s == *name);
        match self.table.find(hash_text(name), same) {
            Some(&at) => at as usize,
            None => self.intern_long(Key::from(name)),
        }
    }

    fn intern_long(&mut self, name: Key) -> usize {
        let names = &mut self.names;
        if let Some(&at) = self.table.find(hash(&name), |&at| names[at as usize] == name) {
            return at as usize;
        }
        let (at, hashed) = (names.len(), hash(&name));
        names.push(name);
        self.table.insert_unique(hashed, at as u32, |&at| hash(&names[at as usize]));
        at
    }
}

#[inline]
fn short_words(name: &[u8]) -> Option<[u64; 2]> {
    if name.len() > 15 {
        return None;
    }
    let mut bytes = [0; 16];
    bytes[..name.len()].copy_from_slice(name);
    bytes[15] = name.len() as u8;
    let word = |at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight of sixteen bytes"))
    };
    Some([word(0), word(8)])
}

fn hash(name: &Key) -> u64 {
    match name {
        Key::Int(n) => mix(7, *n as u64),
        Key::Text(s) => hash_text(s),
    }
}

fn hash_text(name: &str) -> u64 {
    hash_bytes(8, name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_in_the_order_of_their_first_use() {
        let long = "a name of more than fifteen bytes";
        let mut names = vec![Key::Int(0), Key::Int(-1), Key::Int(i64::MAX), Key::Int(SMALL)];
        names.extend(["", "\0", "0", "fifteen bytes..", "sixteen bytes...", long].map(Key::from));
        names.extend((0..1000).map(|n| Key::from(&*n.to_string())).skip(1));
        names.extend((1..1000).map(Key::Int));
        let mut interner = Interner::default();
        for _ in 0..2 {
            for (i, name) in names.iter().enumerate() {
                assert_eq!(interner.intern(name), i, "{name:?}");
            }
        }
        assert_eq!(interner.names, names);
    }
}
