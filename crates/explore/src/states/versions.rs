//! What is left of a history when only its future matters.

use std::hash::{BuildHasherDefault, Hash, Hasher};

use hobgoblin_core::Level;

/// Hashes the same in every process, so that every run finds the same witnesses.
pub(super) type Hashing = BuildHasherDefault<Mixer>;

/// Multiplies and rotates; what it mixes is made of small numbers.
#[derive(Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(23) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
}

/// A key, by the order in which keys were first used.
pub(super) type KeyNo = u32;

/// A value, by the order in which values first occurred.
pub(super) type ValueNo = u32;

/// Who wrote a version, by number.
///
/// It is for the witness only: two versions that differ in nothing else are the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writer(pub(super) u8);

impl Writer {
    pub(super) const INIT: Writer = Writer(0);
}

impl PartialEq for Writer {
    fn eq(&self, _: &Writer) -> bool {
        true
    }
}

impl Eq for Writer {}

impl Hash for Writer {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A key's value as a transaction left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Written {
    pub(super) key: KeyNo,
    pub(super) value: ValueNo,
    pub(super) by: Writer,
}

/// What a read may return: the version, and the transaction after it has.
pub(super) struct Answer<V> {
    pub(super) view: V,
    /// None is the initial value.
    pub(super) value: Option<ValueNo>,
    pub(super) by: Writer,
}

/// The transactions that are still to come: for each session the levels of those it has left.
pub(super) struct Rest<'a> {
    pub(super) levels: Vec<&'a [Level]>,
    /// Whether somebody reads observed keys after all others, and at which level.
    pub(super) observer: Option<Level>,
}

/// The versions of all keys, and what each session knows of them: all that a level asks of the past.
///
/// Transactions run one after another, whole. Two values are equal only if every continuation has the
/// same reads from both.
pub(super) trait Versions: Clone + Eq + Hash {
    /// A transaction under way.
    type View: Clone;

    /// The ways in which the next transaction of a session can begin.
    fn begin(&self, session: usize, level: Level) -> Vec<Self::View>;

    /// The one way in which a transaction begins that comes after all others in session order.
    fn observe(&self, level: Level) -> Self::View;

    /// Everything a read of a key that the transaction has not written may return.
    fn read(&self, view: &Self::View, key: KeyNo) -> Vec<Answer<Self::View>>;

    /// Ends a transaction that wrote this, at most once a key, and nothing if it aborted; none if the
    /// level forbids it.
    fn end(&self, view: Self::View, session: usize, writes: &[Written]) -> Option<Self>;

    /// Forgets what nobody of the rest can tell.
    fn forget(&mut self, rest: &Rest<'_>);
}
