//! Relations on a handful of transactions, as bit matrices.

/// How many things a [`Relation`] can relate.
pub(crate) const MAX: usize = 16;

/// A relation on the numbers below [`MAX`]: bit b of row a says whether a is related to b.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Relation([u16; MAX]);

impl Relation {
    pub(crate) fn of(pairs: impl IntoIterator<Item = (usize, usize)>) -> Relation {
        let mut relation = Relation::default();
        for (a, b) in pairs {
            relation.0[a] |= 1 << b;
        }
        relation
    }

    /// The order in which a sequence lists its elements.
    pub(crate) fn total(sequence: &[usize]) -> Relation {
        let later = |i: usize| sequence[i + 1..].iter().map(move |&b| (sequence[i], b));
        Relation::of((0..sequence.len()).flat_map(later))
    }

    pub(crate) fn has(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 != 0
    }

    pub(crate) fn union(mut self, other: &Relation) -> Relation {
        for (row, more) in self.0.iter_mut().zip(other.0) {
            *row |= more;
        }
        self
    }

    pub(crate) fn within(&self, other: &Relation) -> bool {
        self.0.iter().zip(other.0).all(|(row, whole)| row & !whole == 0)
    }

    /// `self ; other`: a is related to c when some b lies between.
    pub(crate) fn then(&self, other: &Relation) -> Relation {
        let mut result = Relation::default();
        for (row, out) in self.0.iter().zip(&mut result.0) {
            for b in (0..MAX).filter(|b| row >> b & 1 != 0) {
                *out |= other.0[b];
            }
        }
        result
    }

    /// `self*` of a relation that is transitive already.
    pub(crate) fn reflexive(&self) -> Relation {
        self.union(&Relation::of((0..MAX).map(|a| (a, a))))
    }

    /// `self+`, the transitive closure.
    pub(crate) fn closure(mut self) -> Relation {
        for via in 0..MAX {
            let reached = self.0[via];
            for row in &mut self.0 {
                if *row >> via & 1 != 0 {
                    *row |= reached;
                }
            }
        }
        self
    }
}
