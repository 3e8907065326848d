//! The prepared statements of a session, by number and by name.
//!
//! The types of parameters come with each execution, so a statement is bound for each list of types that it is executed
//! with; the last few are kept until the schema changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use hobgoblin_sql_value::TypeId;

use super::planned::Planned;
use crate::parse::Statement;

/// How many lists of types a statement is kept bound for.
const KEPT: usize = 4;

/// The prepared statements of a session.
#[derive(Debug, Default)]
pub(crate) struct PreparedStatements {
    /// The last number that was given.
    pub(super) last: u32,
    pub(super) by_number: BTreeMap<u32, Prepared>,
    pub(super) by_name: BTreeMap<String, Prepared>,
}

/// A prepared statement.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub(super) statement: Arc<Statement>,
    /// How it was bound, with the types it was bound for.
    pub(super) plans: Vec<(Vec<TypeId>, Arc<Planned>)>,
}

impl Prepared {
    /// How it was bound for these types.
    pub(super) fn plan_for(&self, types: &[TypeId]) -> Option<Arc<Planned>> {
        let found = self.plans.iter().find(|(known, _)| known == types);
        found.map(|(_, planned)| Arc::clone(planned))
    }

    /// It was bound for these types.
    pub(super) fn keep(&mut self, types: &[TypeId], planned: Arc<Planned>) {
        match self.plans.iter_mut().find(|(known, _)| known == types) {
            Some((_, known)) => *known = planned,
            None => {
                if self.plans.len() == KEPT {
                    self.plans.remove(0);
                }
                self.plans.push((types.to_vec(), planned));
            }
        }
    }
}
