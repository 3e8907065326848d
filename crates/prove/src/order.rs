//! Who comes before whom, who sees whom, and what the levels ask of it, for a number of instances.

use std::cmp::Ordering;

use crate::specification::Specification;
use crate::term::{Sort, Term, Terms};

/// The arbitration order and who sees whom, of instances by their places.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Whether one comes before another.
    before: Vec<Vec<Term>>,
    /// Whether one is seen by a statement of another: `seen[seer][statement][whom]`.
    seen: Vec<Vec<Vec<Term>>>,
}

impl Order {
    /// Unknown orders of instances with so many looks at the database each.
    pub(crate) fn unknown(terms: &mut Terms, views: &[usize]) -> Order {
        let count = views.len();
        let no = terms.bool(false);
        let mut before = Vec::new();
        for one in 0..count {
            let row = (0..count).map(|other| match one.cmp(&other) {
                Ordering::Less => terms.variable(&format!("ar!{one}!{other}"), Sort::Bool),
                Ordering::Equal => no,
                Ordering::Greater => {
                    let earlier = terms.variable(&format!("ar!{other}!{one}"), Sort::Bool);
                    terms.not(earlier)
                }
            });
            before.push(row.collect::<Vec<Term>>());
        }
        let seen = (0..count)
            .map(|seer| {
                let looks = 0..views[seer].max(1);
                looks
                    .map(|view| {
                        (0..count)
                            .map(|whom| {
                                if whom == seer {
                                    return no;
                                }
                                let name = match views[seer] {
                                    0 | 1 => format!("vis!{whom}!{seer}"),
                                    _ => format!("vis!{whom}!{seer}!{view}"),
                                };
                                terms.variable(&name, Sort::Bool)
                            })
                            .collect()
                    })
                    .collect()
            })
            .collect();
        Order { before, seen }
    }

    pub(crate) fn before(&self, one: usize, other: usize) -> Term {
        self.before[one][other]
    }

    /// Whether a statement of `seer` sees `whom`.
    pub(crate) fn seen(&self, whom: usize, seer: usize, view: usize) -> Term {
        self.seen[seer][view.min(self.seen[seer].len() - 1)][whom]
    }

    /// Whether `seer` sees `whom` at its end.
    pub(crate) fn seen_at_last(&self, whom: usize, seer: usize) -> Term {
        self.seen(whom, seer, usize::MAX)
    }

    pub(crate) fn views(&self, instance: usize) -> usize {
        self.seen[instance].len()
    }

    /// Everything that is unknown of it.
    pub(crate) fn unknowns(&self) -> impl Iterator<Item = Term> {
        let before = self.before.iter().enumerate().flat_map(|(at, row)| &row[at + 1..]);
        before.chain(self.seen.iter().flatten().flatten()).copied()
    }

    /// That `before` is a total order, within which others are seen, more and more of them.
    pub(crate) fn basics(&self, terms: &mut Terms) -> Vec<Term> {
        let count = self.before.len();
        let mut facts = Vec::new();
        for one in 0..count {
            for two in 0..count {
                for three in 0..count {
                    if one != two && two != three && one != three {
                        let both = terms.and([self.before(one, two), self.before(two, three)]);
                        let fact = terms.implies(both, self.before(one, three));
                        facts.push(fact);
                    }
                }
                if one == two {
                    continue;
                }
                for view in 0..self.views(two) {
                    let seen = self.seen(one, two, view);
                    let fact = terms.implies(seen, self.before(one, two));
                    facts.push(fact);
                    if view > 0 {
                        let earlier = self.seen(one, two, view - 1);
                        let fact = terms.implies(earlier, seen);
                        facts.push(fact);
                    }
                }
            }
        }
        facts
    }

    /// What a specification asks of instances of these transactions. `conflict` says when the second wrote or locked, with
    /// the look given, what the first wrote.
    pub(crate) fn levels(
        &self,
        terms: &mut Terms,
        specification: &Specification,
        transactions: &[usize],
        mut conflict: impl FnMut(&mut Terms, usize, usize, usize) -> Term,
    ) -> Vec<Term> {
        let count = transactions.len();
        let mut facts = Vec::new();
        for seer in 0..count {
            let level = specification.levels[transactions[seer]];
            for view in 0..self.views(seer) {
                for one in (0..count).filter(|&one| one != seer) {
                    let earlier = self.before(one, seer);
                    let seen = self.seen(one, seer, view);
                    let is_serial = specification.is_serial(transactions[one], transactions[seer]);
                    if level.sees_all() || is_serial {
                        let fact = terms.implies(earlier, seen);
                        facts.push(fact);
                        continue;
                    }
                    if level.sees_conflicts() {
                        let conflict = conflict(terms, one, seer, view);
                        let both = terms.and([conflict, earlier]);
                        let fact = terms.implies(both, seen);
                        facts.push(fact);
                    }
                    for two in (0..count).filter(|&two| two != seer && two != one) {
                        let closer = if level.sees_prefix() {
                            self.before(one, two)
                        } else if level.sees_past() {
                            self.seen_at_last(one, two)
                        } else {
                            continue;
                        };
                        let both = terms.and([closer, self.seen(two, seer, view)]);
                        let fact = terms.implies(both, seen);
                        facts.push(fact);
                    }
                }
            }
        }
        facts
    }
}
