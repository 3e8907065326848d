//! Where the elements of lists were added.

use hashbrown::HashMap;

use crate::history::{ObjectId, OpId, ValueId};

/// Of each list and element, the operation that added it. Most elements are in one list only, so that the first list
/// of each has a table, and all others are few.
#[derive(Debug)]
pub(super) struct Elements {
    first: Vec<Option<(ObjectId, OpId)>>,
    others: HashMap<(ObjectId, ValueId), OpId>,
}

impl Elements {
    /// None were added, of so many.
    pub(super) fn new(values: usize) -> Elements {
        Elements { first: vec![None; values], others: HashMap::new() }
    }

    /// An operation adds an element. Whether no other did.
    pub(super) fn add(&mut self, list: ObjectId, element: ValueId, op: OpId) -> bool {
        match &mut self.first[element.index()] {
            first @ None => {
                *first = Some((list, op));
                true
            }
            Some((first, _)) if *first == list => false,
            Some(_) => self.others.try_insert((list, element), op).is_ok(),
        }
    }

    /// Who added an element.
    pub(super) fn added(&self, list: ObjectId, element: ValueId) -> Option<OpId> {
        match self.first[element.index()]? {
            (first, op) if first == list => Some(op),
            _ => self.others.get(&(list, element)).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_may_be_in_several_lists_once_each() {
        let mut elements = Elements::new(2);
        let adds = [(0, 0), (1, 0), (2, 0), (1, 1), (0, 0), (1, 0), (1, 1), (0, 1)];
        let new = adds
            .iter()
            .zip(0..)
            .map(|(&(list, element), op)| elements.add(ObjectId(list), ValueId(element), OpId(op)));
        assert_eq!(new.collect::<Vec<_>>(), [true, true, true, true, false, false, false, true]);
        let added = |list, element| elements.added(ObjectId(list), ValueId(element));
        assert_eq!([added(0, 0), added(1, 0), added(2, 0)], [0, 1, 2].map(|op| Some(OpId(op))));
        assert_eq!([added(1, 1), added(0, 1), added(2, 1)], [Some(OpId(3)), Some(OpId(7)), None]);
    }
}
