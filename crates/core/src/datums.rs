//! The table of (key, value) pairs, the one lookup that every event of a history costs.
//!
//! The pairs of a large history do not fit a cache, so the time of a lookup is that of the memory it
//! waits for. Slots hold the whole pair and are probed one after the other, which makes that one
//! wait in the usual case, where a table of indices into a vector of pairs makes three.

use crate::hash::mix;
use crate::value::Packed;

/// A slot; `datum` is [`EMPTY`] where there is no pair.
#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u32,
    datum: u32,
    value: Packed,
}

const EMPTY: u32 = u32::MAX;

/// Numbers for (key, value) pairs, dense and in the order of their first use.
#[derive(Debug, Default)]
pub(crate) struct Datums {
    /// A power of two of slots, at most three quarters of them taken; none at first.
    slots: Vec<Slot>,
    /// The value of each pair, by number.
    values: Vec<Packed>,
}

impl Datums {
    /// The number of a pair, new or not.
    #[inline]
    pub(crate) fn intern(&mut self, key: u32, value: Packed) -> u32 {
        if self.values.len() >= self.slots.len() / 4 * 3 {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = place(key, value, mask);
        loop {
            let slot = &mut self.slots[at];
            if slot.datum == EMPTY {
                let datum = self.values.len() as u32;
                *slot = Slot { key, datum, value };
                self.values.push(value);
                return datum;
            }
            if slot.key == key && slot.value == value {
                return slot.datum;
            }
            at = (at + 1) & mask;
        }
    }

    /// The value of a pair, by number.
    pub(crate) fn value(&self, datum: u32) -> Packed {
        self.values[datum as usize]
    }

    /// Touches the slots of pairs about to be interned. These loads do not depend on one another, so
    /// the processor waits for all of them at once; interned one by one, each pair would wait alone.
    pub(crate) fn warm(&self, pairs: impl Iterator<Item = (u32, Packed)>) {
        if self.slots.is_empty() {
            return;
        }
        let mask = self.slots.len() - 1;
        let touched =
            pairs.fold(0, |sum, (key, value)| sum ^ self.slots[place(key, value, mask)].datum);
        std::hint::black_box(touched);
    }

    #[cold]
    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(64);
        let empty = Slot { key: 0, datum: EMPTY, value: Packed::ZERO };
        let old = std::mem::replace(&mut self.slots, vec![empty; size]);
        for slot in old.into_iter().filter(|slot| slot.datum != EMPTY) {
            let mut at = place(slot.key, slot.value, size - 1);
            while self.slots[at].datum != EMPTY {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = slot;
        }
    }

    /// The value of each pair, by number; the table itself has then done its work.
    pub(crate) fn into_values(self) -> Vec<Packed> {
        self.values
    }
}

#[inline]
fn place(key: u32, value: Packed, mask: usize) -> usize {
    mix(u64::from(key), value.bits()) as usize & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_in_the_order_of_their_first_use() {
        let mut datums = Datums::default();
        for round in 0..2 {
            for i in 0..10_000u32 {
                let value = Packed::int(i64::from(i % 100)).expect("small");
                assert_eq!(datums.intern(i / 100, value), i, "round {round}");
            }
        }
        assert_eq!(datums.into_values().len(), 10_000);
    }
}
