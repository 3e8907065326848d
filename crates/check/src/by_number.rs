//! Maps from numbers, for walks over a small part of a graph.
//!
//! A hash table is a thousand statements for each type of its values, and nearly every walk has a type of its own. Here
//! all share one table, from numbers to places in an array.

use hashbrown::HashMap;

/// A map from numbers.
#[derive(Clone, Debug)]
pub(crate) struct ByNumber<T> {
    places: HashMap<u32, u32>,
    items: Vec<T>,
}

impl<T> ByNumber<T> {
    pub(crate) fn new() -> ByNumber<T> {
        ByNumber { places: HashMap::new(), items: Vec::new() }
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        self.places.contains_key(&number)
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        match self.places.get(&number) {
            Some(&place) => Some(&self.items[place as usize]),
            None => None,
        }
    }

    /// Gives a number its item, in place of the one it had.
    pub(crate) fn insert(&mut self, number: u32, item: T) {
        match self.places.get(&number) {
            Some(&place) => self.items[place as usize] = item,
            None => {
                self.places.insert(number, self.items.len() as u32);
                self.items.push(item);
            }
        }
    }

    /// The item of a number, which is made where there is none.
    pub(crate) fn or_default(&mut self, number: u32) -> &mut T
    where
        T: Default,
    {
        if !self.contains(number) {
            self.insert(number, T::default());
        }
        let place = self.places[&number];
        &mut self.items[place as usize]
    }
}
