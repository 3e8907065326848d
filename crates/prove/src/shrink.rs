//! Makes an anomaly small: fewer rows, shorter arrays, smaller numbers.
//!
//! All of an execution follows from its parameters, what is there at first, what is chosen freely, and the order. So whether a smaller one
//! is still an anomaly is computed, without a solver: what holds of every execution must hold, the cycle must be there, and
//! no serial order may give the same observations. The order stays.
//!
//! A number often stands for a key that several rows and parameters share, so that first all that are equal change at once.

use std::collections::BTreeSet;

use crate::closed::{Closed, Model};
use crate::evaluation::Evaluation;
use crate::execute::Parameter;
use crate::smt::Value;
use crate::term::{Sort, Term};

/// So many smaller numbers are tried for one.
const TRIED: i64 = 6;

/// A smaller model that satisfies the same.
pub(crate) fn shrink(closed: &Closed<'_>, wanted: &[Term], model: Model) -> Model {
    let mut shrinker = Shrinker { closed, wanted, model };
    shrinker.forget_what_follows();
    if !shrinker.is_good(&shrinker.model.clone()) {
        // What cannot be computed is left as the solver has it.
        return shrinker.completed();
    }
    shrinker.put_unused_aside();
    loop {
        let before = shrinker.size();
        shrinker.drop_rows();
        shrinker.shorten_arrays();
        shrinker.lower_together();
        shrinker.lower_alone();
        if shrinker.size() >= before {
            break;
        }
    }
    shrinker.completed()
}

struct Shrinker<'c, 'p> {
    closed: &'c Closed<'p>,
    wanted: &'c [Term],
    /// What is not computed.
    model: Model,
}

impl Shrinker<'_, '_> {
    fn forget_what_follows(&mut self) {
        self.model.retain(|variable, _| !self.closed.seen.contains_key(variable));
    }

    fn is_good(&self, model: &Model) -> bool {
        let mut evaluation = Evaluation::new(&self.closed.terms, model, &self.closed.seen);
        let keys_differ = self.closed.rows.iter().all(|rows| {
            let mut keys = BTreeSet::new();
            rows.iter().all(|row| {
                let key = row.key.iter().map(|&part| evaluation.value(part));
                keys.insert(format!("{:?}", key.collect::<Vec<_>>()))
            })
        });
        keys_differ
            && self.closed.facts.iter().chain(self.wanted).all(|&fact| evaluation.holds(fact))
    }

    /// Takes a model if it is good.
    fn takes(&mut self, changed: impl FnOnce(&mut Model)) -> bool {
        let mut model = self.model.clone();
        changed(&mut model);
        let good = model != self.model && self.is_good(&model);
        if good {
            self.model = model;
        }
        good
    }

    fn is_there(&self, alive: Term) -> bool {
        self.model.get(&alive) == Some(&Value::Bool(true))
    }

    /// Rows that nobody speaks of must not be in the way of others' keys.
    fn put_unused_aside(&mut self) {
        let mut aside = -1_000_000;
        for row in self.closed.rows.iter().flatten() {
            aside -= 1;
            if !self.is_there(row.alive) {
                self.takes(|model| {
                    for &part in &row.key {
                        let value = match self.closed.terms.sort(part) {
                            Sort::Real => Value::Ratio(aside, 1),
                            _ => Value::Int(aside),
                        };
                        model.insert(part, value);
                    }
                });
            }
        }
    }

    fn drop_rows(&mut self) {
        for row in self.closed.rows.iter().flatten() {
            if self.is_there(row.alive) {
                self.takes(|model| {
                    model.insert(row.alive, Value::Bool(false));
                });
            }
        }
        self.put_unused_aside();
    }

    fn shorten_arrays(&mut self) {
        for parameter in self.closed.parameters.iter().flatten() {
            let Parameter::Array(length, elements) = parameter else { continue };
            for shorter in 0..elements.len() as i64 {
                if self.number(*length).is_some_and(|length| shorter < length)
                    && self.takes(|model| {
                        model.insert(*length, Value::Int(shorter));
                    })
                {
                    break;
                }
            }
        }
    }

    fn number(&self, term: Term) -> Option<i64> {
        match self.model.get(&term) {
            Some(Value::Int(number)) | Some(Value::Ratio(number, 1)) => Some(*number),
            _ => None,
        }
    }

    /// The numbers that are shown: parameters, rows that are there, what is chosen.
    fn shown(&self) -> Vec<Term> {
        let mut shown = Vec::new();
        for parameter in self.closed.parameters.iter().flatten() {
            match parameter {
                Parameter::One(value) => shown.push(value.value),
                Parameter::Array(length, elements) => {
                    let length =
                        self.number(*length).and_then(|length| usize::try_from(length).ok());
                    shown.extend(elements.iter().take(length.unwrap_or(0)));
                }
                Parameter::Set(_) => {}
            }
        }
        for row in self.closed.rows.iter().flatten() {
            if self.is_there(row.alive) {
                let null = |null| self.model.get(&null) == Some(&Value::Bool(true));
                let columns = row.columns.iter().filter(|column| !null(column.null));
                shown.extend(columns.map(|column| column.value));
            }
        }
        for execution in &self.closed.executions {
            shown.extend(execution.choices.iter().map(|(value, _)| value.value));
        }
        shown.retain(|&term| self.number(term).is_some());
        shown.sort_unstable();
        shown.dedup();
        shown
    }

    /// And the keys of rows that instances may insert. What tells the rows of a table without a key apart is not shown.
    fn numbers(&self) -> Vec<Term> {
        let mut numbers = self.shown();
        for (table, rows) in self.closed.program.tables.iter().zip(&self.closed.rows) {
            if !table.key.is_empty() {
                numbers.extend(rows.iter().flat_map(|row| &row.key));
            }
        }
        numbers.retain(|&term| self.number(term).is_some());
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    fn lower_together(&mut self) {
        let mut numbers: Vec<i64> =
            self.shown().iter().filter_map(|&term| self.number(term)).collect();
        numbers.sort_by_key(|&number| (std::cmp::Reverse(number.unsigned_abs()), number));
        numbers.dedup();
        for number in numbers {
            let all = self.numbers();
            let equal: Vec<Term> =
                all.into_iter().filter(|&term| self.number(term) == Some(number)).collect();
            for lower in smaller(number) {
                let done = self.takes(|model| {
                    equal.iter().for_each(|&term| put(model, term, lower));
                });
                if done {
                    break;
                }
            }
        }
    }

    fn lower_alone(&mut self) {
        for term in self.shown() {
            let Some(number) = self.number(term) else { continue };
            for lower in smaller(number) {
                if self.takes(|model| put(model, term, lower)) {
                    break;
                }
            }
        }
    }

    /// What is made smaller: the rows, then how much the numbers amount to.
    fn size(&self) -> (usize, usize, u128) {
        let rows = self.closed.rows.iter().flatten().filter(|row| self.is_there(row.alive)).count();
        let shown = self.shown();
        let numbers = shown.iter().filter_map(|&term| self.number(term));
        let amount =
            numbers.map(|number| u128::from(number.unsigned_abs()) * 2 + u128::from(number < 0));
        (rows, shown.len(), amount.sum())
    }

    /// With what follows.
    fn completed(mut self) -> Model {
        let mut evaluation = Evaluation::new(&self.closed.terms, &self.model, &self.closed.seen);
        let all: Vec<(Term, Option<Value>)> =
            self.closed.seen.keys().map(|&seen| (seen, evaluation.value(seen))).collect();
        for (seen, value) in all {
            self.model.extend(value.map(|value| (seen, value)));
        }
        self.model
    }
}

fn put(model: &mut Model, term: Term, number: i64) {
    let value = match model.get(&term) {
        Some(Value::Ratio(..)) => Value::Ratio(number, 1),
        _ => Value::Int(number),
    };
    model.insert(term, value);
}

/// Numbers to try in place of one, the best first.
fn smaller(number: i64) -> impl Iterator<Item = i64> {
    let least = number.unsigned_abs().min(TRIED as u64) as i64;
    let positive = number.checked_neg().filter(|_| number < 0);
    (0..least).chain(positive)
}
