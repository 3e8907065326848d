//! The portals of a connection: statements with their parameters, ready to run.

use std::collections::HashMap;
use std::sync::Arc;

use hobgoblin_sql::session::Prepared;

/// What the protocol has to know about portals.
#[derive(Default)]
pub(crate) struct Portals {
    unnamed: Option<Portal>,
    named: HashMap<String, Portal>,
}

/// A portal: how its rows are to look.
#[derive(Clone)]
pub(crate) struct Portal {
    pub(crate) statement: Arc<Prepared>,
    pub(crate) formats: Arc<[i16]>,
}

impl Portals {
    pub(crate) fn get(&self, name: &str) -> Option<&Portal> {
        match name {
            "" => self.unnamed.as_ref(),
            _ => self.named.get(name),
        }
    }

    pub(crate) fn put(&mut self, name: String, portal: Portal) {
        match name.as_str() {
            "" => self.unnamed = Some(portal),
            _ => drop(self.named.insert(name, portal)),
        }
    }

    /// Forgets the named ones: they do not outlive a transaction.
    pub(crate) fn end_transaction(&mut self) {
        self.named.clear();
    }

    pub(crate) fn close(&mut self, name: &str) {
        match name {
            "" => self.unnamed = None,
            _ => drop(self.named.remove(name)),
        }
    }
}
