//! What only some histories have: names, levels, times, places, lines, statements, locks, version orders, initial
//! transactions.

use crate::event::Event;
use crate::ids::{EventId, KeyId, TxnId};
use crate::level::Level;
use crate::schema::Schema;
use crate::sorted::SortedMap;
use crate::value::Packed;

/// Side tables of a history. Vectors are empty until the first entry, so absence costs nothing.
#[derive(Debug, Default)]
pub(crate) struct Sides {
    pub(crate) names: Names,
    pub(crate) level: Vec<Option<Level>>,
    pub(crate) begin: Vec<Option<i64>>,
    pub(crate) end: Vec<Option<i64>>,
    pub(crate) txn_line: Vec<u32>,
    pub(crate) event_line: Vec<u32>,
    pub(crate) statements: SortedMap<TxnId, Vec<Box<str>>>,
    pub(crate) event_statement: SortedMap<EventId, u32>,
    pub(crate) at: Vec<Option<i64>>,
    pub(crate) writer: SortedMap<EventId, TxnId>,
    pub(crate) locks: Vec<EventId>,
    pub(crate) order: SortedMap<KeyId, Vec<TxnId>>,
    pub(crate) schema: Schema,
    pub(crate) initial_txns: Option<Box<InitialTxns>>,
}

impl Sides {
    /// Moves what is said of events to where they are now; nothing is left of those that are gone.
    pub(crate) fn move_events(&mut self, to: &dyn Fn(EventId) -> Option<EventId>) {
        move_entries(&mut self.event_line, to);
        move_entries(&mut self.at, to);
        self.locks = self.locks.iter().filter_map(|&event| to(event)).collect();
        move_keys(&mut self.event_statement, to);
        move_keys(&mut self.writer, to);
    }
}

/// Puts the entries of a table to where their events are now.
fn move_entries<T: Clone + Default + PartialEq>(
    table: &mut Vec<T>,
    to: &dyn Fn(EventId) -> Option<EventId>,
) {
    for (old, entry) in std::mem::take(table).into_iter().enumerate() {
        if let Some(new) = to(EventId::new(old)) {
            put(table, new.index(), entry);
        }
    }
}

/// Gives entries the keys of where their events are now.
fn move_keys<V>(map: &mut SortedMap<EventId, V>, to: &dyn Fn(EventId) -> Option<EventId>) {
    let mut moved = Vec::new();
    for (event, value) in std::mem::take(map).into_entries() {
        if let Some(event) = to(event) {
            moved.push((event, value));
        }
    }
    *map = SortedMap::of(moved);
}

/// What was taken from the initial transactions; see [`HistoryBuilder::make_initial`](crate::HistoryBuilder::make_initial).
#[derive(Debug, Default)]
pub(crate) struct InitialTxns {
    pub(crate) txns: Vec<TxnId>,
    /// The events of all of them, one transaction after the other, and how many each has.
    pub(crate) events: Vec<Event>,
    pub(crate) counts: Vec<usize>,
    /// Their lines, where known.
    pub(crate) lines: Vec<u32>,
    /// What keys would start as otherwise.
    pub(crate) initial: Vec<Option<Packed>>,
    /// Whom reads named that now name init.
    pub(crate) writers: Vec<(EventId, TxnId)>,
}

/// Puts `value` at `index`, filling up with the default; does nothing for a default past the end.
pub(crate) fn put<T: Clone + Default + PartialEq>(table: &mut Vec<T>, index: usize, value: T) {
    if index >= table.len() {
        if value == T::default() {
            return;
        }
        table.resize(index + 1, T::default());
    }
    table[index] = value;
}

/// Names of transactions in one string.
#[derive(Debug, Default)]
pub(crate) struct Names {
    text: String,
    /// Where each name ends; a name begins where the one before ends, and an empty one is none.
    ends: Vec<u32>,
}

impl Names {
    /// Gives `txn` a name; transactions are named in ascending order.
    pub(crate) fn push(&mut self, txn: TxnId, name: &str) {
        let end = self.text.len() as u32;
        self.ends.resize(txn.index(), end);
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
    }

    pub(crate) fn get(&self, txn: TxnId) -> Option<&str> {
        let end = *self.ends.get(txn.index())? as usize;
        let start = txn.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        (start < end).then(|| &self.text[start..end])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }
}
