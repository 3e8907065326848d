//! Which instances conflict, so that at some levels the later must see the earlier.

use std::collections::{BTreeMap, HashMap};

use super::{CellId, Closed};
use crate::execute::{Access, Field, What};
use crate::specification::{Level, Specification};
use crate::term::Term;
use crate::value::Nullable;

impl Closed<'_> {
    /// When an instance wrote what another writes or locks, with the look of the latter.
    pub(super) fn conflicts(
        &mut self,
        writes: &[BTreeMap<CellId, (Term, Nullable)>],
        specification: &Specification,
    ) -> HashMap<(usize, usize), Vec<(usize, Term)>> {
        let count = self.executions.len();
        let mut found: HashMap<(usize, usize), Vec<(usize, Term)>> = HashMap::new();
        for later in 0..count {
            let level = specification.levels[self.transactions[later]];
            let by_row = specification.conflicts.are_rows(level);
            for access in self.executions[later].accesses.clone() {
                for row in 0..self.rows[access.table.0 as usize].len() {
                    let key = self.rows[access.table.0 as usize][row].key.clone();
                    for earlier in (0..count).filter(|&earlier| earlier != later) {
                        let mut wrote: Vec<Term> = match access.what {
                            What::Write(field, _) if !by_row => writes[earlier]
                                .get(&(access.table, row, field))
                                .map(|&(when, ..)| when)
                                .into_iter()
                                .collect(),
                            What::Write(..) | What::Lock => writes[earlier]
                                .iter()
                                .filter(|((table, at, _), _)| (*table, *at) == (access.table, row))
                                .map(|(_, &(when, ..))| when)
                                .collect(),
                            _ => continue,
                        };
                        if level.waits_for_locks() {
                            // A lock is held until its owner has ended.
                            for lock in self.executions[earlier].accesses.clone() {
                                if matches!(lock.what, What::Lock) && lock.table == access.table {
                                    let same = self.terms.all_equal(&key, &lock.key);
                                    let locked = self.terms.and([lock.guard, same]);
                                    wrote.push(locked);
                                }
                            }
                        }
                        let wrote = self.terms.or(wrote);
                        let same = self.terms.all_equal(&key, &access.key);
                        let when = self.terms.and([access.guard, same, wrote]);
                        if !self.terms.is(when, false) {
                            let view = if level.is_atomic() { 0 } else { access.view };
                            found.entry((earlier, later)).or_default().push((view, when));
                        }
                    }
                }
            }
        }
        for later in 0..count {
            let level = specification.levels[self.transactions[later]];
            if specification.conflicts.are_rows(level) {
                self.unique_conflicts(later, level, &mut found);
            }
        }
        found
    }

    /// Who inserts a row into a database conflicts with others that inserted one with the same unique columns.
    fn unique_conflicts(
        &mut self,
        later: usize,
        level: Level,
        found: &mut HashMap<(usize, usize), Vec<(usize, Term)>>,
    ) {
        let is_insert = |access: &Access| match access.what {
            What::Write(Field::Alive, value) => Some((access.clone(), value.value)),
            _ => None,
        };
        let inserts: Vec<Vec<(Access, Term)>> = self
            .executions
            .iter()
            .map(|execution| execution.accesses.iter().filter_map(is_insert).collect())
            .collect();
        for (access, there) in &inserts[later] {
            for unique in &self.program.tables[access.table.0 as usize].unique {
                for (earlier, others) in inserts.iter().enumerate() {
                    for (other, was_there) in others {
                        if earlier == later || other.table != access.table {
                            continue;
                        }
                        let own = self.executions[later].inserted(access, unique);
                        let its = self.executions[earlier].inserted(other, unique);
                        let (Some(own), Some(its)) = (own, its) else { continue };
                        let mut same = vec![access.guard, other.guard, *there, *was_there];
                        for (own, its) in own.into_iter().zip(its) {
                            let nulls = [self.terms.not(own.null), self.terms.not(its.null)];
                            same.extend(nulls);
                            same.push(self.terms.equal(own.value, its.value));
                        }
                        let when = self.terms.and(same);
                        let view = if level.is_atomic() { 0 } else { access.view };
                        found.entry((earlier, later)).or_default().push((view, when));
                    }
                }
            }
        }
    }
}
