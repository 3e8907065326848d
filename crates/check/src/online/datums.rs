//! Who wrote what: the one table that has an entry for every value, so each entry is 16 bytes.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::names::Packed;

/// Who wrote a (key, value) pair: a tag, whether it was read without a named writer, and an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Datum(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// The last write of a key by a transaction that did not abort.
    Final,
    Aborted,
    Intermediate,
    /// Nobody yet; the index is that of a list of reads.
    Waiting,
    /// Several, finally; the index is that of a list of writers.
    Shared,
}

impl Datum {
    const READ: u32 = 1 << 28;
    /// How many transactions there may be.
    pub(super) const LIMIT: usize = 1 << 28;

    pub(super) fn new(tag: Tag, index: u32) -> Datum {
        Datum((tag as u32) << 29 | index)
    }

    pub(super) fn tag(self) -> Tag {
        [Tag::Final, Tag::Aborted, Tag::Intermediate, Tag::Waiting, Tag::Shared]
            [(self.0 >> 29) as usize]
    }

    pub(super) fn index(self) -> u32 {
        self.0 & (Datum::READ - 1)
    }

    pub(super) fn is_read(self) -> bool {
        self.0 & Datum::READ != 0
    }
    /// The same value, marked as read.
    pub(super) fn read(self) -> Datum {
        Datum(self.0 | Datum::READ)
    }
}

/// A key, a value in two halves (so that nothing is padded), and who wrote it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u32,
    low: u32,
    high: u32,
    datum: Datum,
}

impl Entry {
    fn value(&self) -> Packed {
        u64::from(self.high) << 32 | u64::from(self.low)
    }
}

/// See the [module docs](self).
#[derive(Debug, Default)]
pub(super) struct Datums {
    table: HashTable<Entry>,
    hasher: DefaultHashBuilder,
}

impl Datums {
    fn hash(&self, key: u32, value: Packed) -> u64 {
        self.hasher.hash_one((key, value))
    }

    pub(super) fn get(&self, key: u32, value: Packed) -> Option<Datum> {
        let same = |e: &Entry| e.key == key && e.value() == value;
        self.table.find(self.hash(key, value), same).map(|e| e.datum)
    }

    /// Notes that a value was read, and returns what was known of it.
    pub(super) fn mark_read(&mut self, key: u32, value: Packed) -> Option<Datum> {
        let hash = self.hash(key, value);
        let entry = self.table.find_mut(hash, |e| e.key == key && e.value() == value)?;
        let known = entry.datum;
        entry.datum = known.read();
        Some(known)
    }

    pub(super) fn insert(&mut self, key: u32, value: Packed, datum: Datum) {
        let hash = self.hash(key, value);
        if let Some(entry) = self.table.find_mut(hash, |e| e.key == key && e.value() == value) {
            entry.datum = datum;
            return;
        }
        let entry = Entry { key, low: value as u32, high: (value >> 32) as u32, datum };
        let hasher = &self.hasher;
        self.table.insert_unique(hash, entry, |e| hasher.hash_one((e.key, e.value())));
    }

    /// All entries, in no order that means anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, Packed, Datum)> + '_ {
        self.table.iter().map(|e| (e.key, e.value(), e.datum))
    }
}
