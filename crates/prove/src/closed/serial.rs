//! What the same instances would come to one after the other.

use std::collections::{BTreeSet, HashMap};

use super::{Candidate, Closed, Difference, absent};
use crate::execute::{Cell, Execution, Field, Run, View, What, World, execute};
use crate::program::{Program, TableId};
use crate::term::{Term, Terms};
use crate::value::{Nullable, Values};

impl Closed<'_> {
    /// That the instances, run one after the other in this order, would not come to the same: some statement comes to
    /// something else, and that shows, since an instance can tell or another state is left.
    ///
    /// The state alone does not say so. Two that write a field blindly leave it as the one that is arbitrated last, and it
    /// is no matter of reads that this may be the other one.
    pub(crate) fn differs(&mut self, order: &[usize]) -> Difference {
        let mut world = Serial { program: self.program, rows: &self.rows, done: Vec::new() };
        let (mut differences, mut shown, mut left) = (Vec::new(), Vec::new(), Vec::new());
        let mut alike = HashMap::new();
        for &at in order {
            let definition = &self.program.transactions[self.transactions[at]];
            let order: Vec<String> = order.iter().map(ToString::to_string).collect();
            let name = format!("serial!{}!t{at}", order.join("!"));
            let run = Run {
                program: self.program,
                texts: self.texts,
                transaction: definition,
                instance: at,
                name,
                mode: self.mode,
            };
            let execution = execute(run, &self.parameters[at], &mut world, &mut self.terms);
            differences.push(execution.aborted);
            shown.push(execution.aborted);
            let weak = &self.executions[at];
            let sites = weak.observations.keys().chain(execution.observations.keys());
            for site in sites.collect::<BTreeSet<_>>() {
                let both = [weak, &execution].map(|run| run.observations.get(site));
                let differs = match both {
                    [Some(weak), Some(serial)] => {
                        let same = self.terms.same(weak.value, serial.value);
                        let other = self.terms.not(same);
                        let other = self.terms.and([weak.guard, serial.guard, other]);
                        let alike = self.terms.equal(weak.guard, serial.guard);
                        let unlike = self.terms.not(alike);
                        self.terms.or([other, unlike])
                    }
                    // The other run does not come by.
                    [one, other] => one.or(other).expect("one of them has the site").guard,
                };
                differences.push(differs);
                if both.into_iter().flatten().any(|observation| observation.told) {
                    shown.push(differs);
                }
            }
            // What is chosen freely is chosen alike.
            let made_up = execution.made_up.iter();
            let made_up = made_up.filter_map(|(site, &serial)| {
                let weak = weak.made_up.get(site)?;
                Some((serial, *weak))
            });
            alike.extend(made_up);
            world.done.push(execution);
        }
        for (&(table, row, field), &weak) in &self.left {
            let key = &self.rows[table.0 as usize][row].key;
            let nobody = View { instance: usize::MAX, statement: 0 };
            let serial = world.look(&mut self.terms, nobody, Cell { table, key, field });
            let same = self.terms.same(weak, serial);
            let other = self.terms.not(same);
            let there = self.left[&(table, row, Field::Alive)].value;
            left.push(match field {
                Field::Alive => other,
                Field::Column(_) => self.terms.and([there, other]),
            });
        }
        let left = self.terms.or(left);
        shown.push(left);
        let (differs, shows) = (self.terms.or(differences), self.terms.or(shown));
        let both = self.terms.and([differs, shows]);
        Difference {
            shows: self.terms.substitute(both, &alike),
            left: self.terms.substitute(left, &alike),
        }
    }
}

/// The database after others ran, one after the other.
struct Serial<'r> {
    program: &'r Program,
    rows: &'r [Vec<Candidate>],
    done: Vec<Execution>,
}

impl World for Serial<'_> {
    fn look(&mut self, terms: &mut Terms, _: View, cell: Cell<'_>) -> Nullable {
        let table = &self.program.tables[cell.table.0 as usize];
        let mut value = absent(terms, table, cell.field);
        for row in self.rows[cell.table.0 as usize].iter().rev() {
            let same = terms.all_equal(&row.key, cell.key);
            let here = match cell.field {
                Field::Alive => Nullable { null: terms.bool(false), value: row.alive },
                Field::Column(column) => row.columns[column.0 as usize],
            };
            value = terms.choose(same, here, value);
        }
        for execution in &self.done {
            let committed = terms.not(execution.aborted);
            for access in &execution.accesses {
                let What::Write(field, written) = access.what else { continue };
                if access.table == cell.table && field == cell.field {
                    let same = terms.all_equal(&access.key, cell.key);
                    let hit = terms.and([access.guard, committed, same]);
                    value = terms.choose(hit, written, value);
                }
            }
        }
        value
    }

    fn universe(&self, table: TableId) -> Option<Vec<Vec<Term>>> {
        Some(self.rows[table.0 as usize].iter().map(|row| row.key.clone()).collect())
    }
}
