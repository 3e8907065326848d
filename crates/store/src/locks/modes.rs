//! Lock modes and which of them clash, as data: another engine has other tables.

use crate::lock::{Lock, Mode};

/// A set of lock modes of one table, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modes(pub(crate) u16);

/// Set if the session has written the key.
pub(crate) const WRITES: Modes = Modes(1 << 15);

/// Set if it has written the key while no other could lock it.
pub(crate) const WRITES_ALONE: Modes = Modes(1 << 14);

/// For each mode, weakest first, the modes of other sessions that it clashes with.
pub(crate) struct Clashes(&'static [u16]);

/// PostgreSQL's row locks (its manual, table 13.3).
pub(crate) const ROWS: Clashes = Clashes(&[0b1000, 0b1100, 0b1110, 0b1111]);

/// PostgreSQL's table locks (its manual, table 13.2), which advisory locks are of too.
pub(crate) const OBJECTS: Clashes = Clashes(&[
    0b1000_0000,
    0b1100_0000,
    0b1111_0000,
    0b1111_1000,
    0b1110_1100,
    0b1111_1100,
    0b1111_1110,
    0b1111_1111,
]);

impl Clashes {
    /// Whether a mode clashes with one of these that another session holds.
    pub(crate) fn any(&self, mode: u8, others: Modes) -> bool {
        self.0[mode as usize] & others.0 != 0
    }
}

impl Modes {
    /// The set that has only this mode.
    pub(crate) fn of(mode: u8) -> Modes {
        Modes(1 << mode)
    }

    pub(crate) fn has(self, mode: u8) -> bool {
        self.0 & Modes::of(mode).0 != 0
    }

    /// Adds the modes of another set. Returns whether none of them was in it before.
    pub(crate) fn add(&mut self, more: Modes) -> bool {
        let new = !self.meets(more);
        if new {
            self.0 |= more.0;
        }
        new
    }

    pub(crate) fn writes(self) -> bool {
        self.0 & WRITES.0 != 0
    }

    /// Whether the two sets have a mode in common.
    pub(crate) fn meets(self, other: Modes) -> bool {
        self.0 & other.0 != 0
    }
}

impl Lock {
    /// Whether two sessions cannot hold both at once.
    pub fn clashes(self, other: Lock) -> bool {
        ROWS.any(self as u8, Modes::of(other as u8))
    }
}

impl Mode {
    /// Whether two sessions cannot hold both at once.
    pub fn clashes(self, other: Mode) -> bool {
        OBJECTS.any(self as u8, Modes::of(other as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables, drawn as in the manual.
    #[test]
    fn modes_clash_as_in_the_manual() {
        let rows = ["...x", "..xx", ".xxx", "xxxx"];
        let objects = [
            ".......x", "......xx", "....xxxx", "...xxxxx", "..xx.xxx", "..xxxxxx", ".xxxxxxx",
            "xxxxxxxx",
        ];
        for (a, row) in Lock::ALL.into_iter().zip(rows) {
            let found: String =
                Lock::ALL.iter().map(|&b| if a.clashes(b) { 'x' } else { '.' }).collect();
            assert_eq!(found, row, "{a:?}");
        }
        for (a, row) in Mode::ALL.into_iter().zip(objects) {
            let found: String =
                Mode::ALL.iter().map(|&b| if a.clashes(b) { 'x' } else { '.' }).collect();
            assert_eq!(found, row, "{a:?}");
        }
    }
}
