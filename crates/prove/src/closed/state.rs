//! What is known of parameters and of the state at first.

use super::{Candidate, Closed, Domain};
use crate::execute::Parameter;
use crate::term::{Sort, Term};
use crate::value::{Nullable, Values};

impl Closed<'_> {
    /// What is known of parameters.
    pub(super) fn require(&mut self) {
        for at in 0..self.transactions.len() {
            let definition = &self.program.transactions[self.transactions[at]];
            if let Some(requires) = &definition.requires {
                let values: Vec<Nullable> = self.parameters[at]
                    .iter()
                    .map(|parameter| match parameter {
                        Parameter::One(value) => *value,
                        _ => self.terms.null(Sort::Int),
                    })
                    .collect();
                let value =
                    crate::condition::evaluate(&mut self.terms, self.texts, requires, &values, &[]);
                let holds = self.terms.holds(value);
                self.facts.push(holds);
            }
        }
    }

    /// What is known of the first state: keys are in order, and constraints and invariants hold.
    pub(super) fn state(&mut self) {
        let program = self.program;
        for (at, table) in program.tables.iter().enumerate() {
            let rows = self.rows[at].clone();
            for pair in rows.windows(2) {
                let less = self.less(&pair[0].key, &pair[1].key);
                self.sorted.push(less);
            }
            for row in &rows {
                for check in &table.checks {
                    let columns: [&[Nullable]; 1] = [&row.columns];
                    let value = crate::condition::evaluate(
                        &mut self.terms,
                        self.texts,
                        check,
                        &[],
                        &columns,
                    );
                    let fails = self.terms.negation(value);
                    let fails = self.terms.holds(fails);
                    let holds = self.terms.not(fails);
                    let fact = self.terms.implies(row.alive, holds);
                    self.facts.push(fact);
                }
                for reference in &table.references {
                    let parents = self.rows[reference.table.0 as usize].clone();
                    let mut found = self.terms.bool(false);
                    for parent in parents {
                        let mut here = parent.alive;
                        for (from, to) in reference.columns.iter().zip(&reference.to) {
                            let (from, to) =
                                (row.columns[from.0 as usize], parent.columns[to.0 as usize]);
                            let equal = self.terms.equal(from.value, to.value);
                            here = self.terms.and([here, equal]);
                        }
                        found = self.terms.or([found, here]);
                    }
                    for column in &reference.columns {
                        found = self.terms.or([found, row.columns[column.0 as usize].null]);
                    }
                    let fact = self.terms.implies(row.alive, found);
                    self.facts.push(fact);
                }
            }
            for unique in &table.unique {
                for one in 0..rows.len() {
                    for other in one + 1..rows.len() {
                        let mut same = self.terms.and([rows[one].alive, rows[other].alive]);
                        for column in unique {
                            let (left, right) = (
                                rows[one].columns[column.0 as usize],
                                rows[other].columns[column.0 as usize],
                            );
                            let equal = self.terms.equal(left.value, right.value);
                            let (left, right) =
                                (self.terms.not(left.null), self.terms.not(right.null));
                            same = self.terms.and([same, equal, left, right]);
                        }
                        let fact = self.terms.not(same);
                        self.facts.push(fact);
                    }
                }
            }
        }
        for invariant in &program.invariants {
            let mut combinations: Vec<Vec<&Candidate>> = vec![Vec::new()];
            let rows = self.rows.clone();
            for table in &invariant.from {
                combinations = combinations
                    .into_iter()
                    .flat_map(|rest| {
                        rows[table.0 as usize].iter().map(move |row| {
                            let mut longer = rest.clone();
                            longer.push(row);
                            longer
                        })
                    })
                    .collect();
            }
            for combination in combinations {
                let columns: Vec<&[Nullable]> =
                    combination.iter().map(|row| &row.columns[..]).collect();
                let value = crate::condition::evaluate(
                    &mut self.terms,
                    self.texts,
                    &invariant.condition,
                    &[],
                    &columns,
                );
                let holds = self.terms.holds(value);
                let there = self.terms.and(combination.iter().map(|row| row.alive));
                let fact = self.terms.implies(there, holds);
                self.facts.push(fact);
            }
        }
    }

    /// Fractions have no more digits than columns keep: a database rounds others, which no formula here knows. A parameter
    /// goes to whichever column, so that it has the fewest digits that one has.
    pub(super) fn round(&mut self) {
        let program = self.program;
        let columns = program.tables.iter().flat_map(|table| &table.columns);
        let Some(fewest) = columns.filter_map(|column| column.scale).min() else { return };
        let mut fractions: Vec<(Term, u32)> = Vec::new();
        for (table, rows) in program.tables.iter().zip(&self.rows) {
            for row in rows {
                let columns = row.columns.iter().zip(&table.columns);
                fractions.extend(
                    columns.map(|(value, column)| (value.value, column.scale.unwrap_or(fewest))),
                );
            }
        }
        for parameter in self.parameters.iter().flatten() {
            if let Parameter::One(value) = parameter {
                fractions.push((value.value, fewest));
            }
        }
        for execution in &self.executions {
            fractions.extend(execution.choices.iter().map(|(value, _)| (value.value, fewest)));
        }
        for (value, scale) in fractions {
            let parts = 10_i64.checked_pow(scale).filter(|_| self.terms.sort(value) == Sort::Real);
            if let Some(parts) = parts {
                let parts = self.terms.ratio(parts, 1);
                let scaled = self.terms.multiply(value, parts);
                let fact = self.terms.is_whole(scaled);
                self.facts.push(fact);
            }
        }
    }

    /// Parameters and what is there at first are of a domain.
    pub(super) fn confine(&mut self, domain: Domain) {
        let mut among: Vec<(Term, usize)> = Vec::new();
        for parameter in self.parameters.iter().flatten() {
            match parameter {
                Parameter::One(value) => among.push((value.value, domain.parameters)),
                Parameter::Array(_, elements) => {
                    among.extend(elements.iter().map(|&element| (element, domain.parameters)));
                }
                Parameter::Set(_) => {}
            }
        }
        for (table, rows) in self.program.tables.iter().zip(&self.rows) {
            for row in rows {
                let columns = row.columns.iter().enumerate();
                let columns =
                    columns.filter(|(at, _)| !table.key.iter().any(|key| key.0 as usize == *at));
                among.extend(columns.map(|(_, column)| (column.value, domain.values)));
            }
        }
        for (value, count) in among {
            if self.terms.sort(value) == Sort::Int {
                let (zero, end) = (self.terms.int(0), self.terms.int(count as i64));
                let facts = [self.terms.at_most(zero, value), self.terms.less(value, end)];
                self.facts.extend(facts);
            }
        }
    }

    /// Whether one key comes before another.
    fn less(&mut self, left: &[Term], right: &[Term]) -> Term {
        let mut less = self.terms.bool(false);
        for (&left, &right) in left.iter().zip(right).rev() {
            let here = self.terms.less(left, right);
            let equal = self.terms.equal(left, right);
            let later = self.terms.and([equal, less]);
            less = self.terms.or([here, later]);
        }
        less
    }
}
