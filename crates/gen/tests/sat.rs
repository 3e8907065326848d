//! Histories of formulas satisfy PC, SI and SER exactly if the formula is satisfiable.

mod brute;

use std::collections::HashSet;

use hobgoblin_core::{History, KeyId, Level, Source, TxnId};
use hobgoblin_gen::{Cnf, Literal, history_of, random_cnf};

/// Tries every assignment.
fn is_satisfiable(cnf: &Cnf) -> bool {
    (0..1 << cnf.vars).any(|bits: u32| {
        let assignment: Vec<bool> = (0..cnf.vars).map(|k| bits >> k & 1 == 1).collect();
        cnf.is_satisfied_by(&assignment)
    })
}

/// Runs transactions one after another in every order, remembering the states that led nowhere. With
/// `split`, a transaction reads in one step and writes in a later one, which makes it PC
/// [Biswas 2021a, section 3.3.2]: then every transaction comes twice, first its reads.
struct Search<'a> {
    history: &'a History,
    split: bool,
    dead: HashSet<(Vec<u8>, Vec<TxnId>)>,
}

impl Search<'_> {
    fn holds(history: &History, split: bool) -> bool {
        let mut search = Search { history, split, dead: HashSet::new() };
        let done = vec![0; history.num_txns()];
        history.faults().is_empty() && search.run(done, vec![TxnId::INIT; history.num_keys()])
    }

    /// `done` is how many steps of each transaction are done, `state` who wrote each key last.
    fn run(&mut self, done: Vec<u8>, state: Vec<TxnId>) -> bool {
        let h = self.history;
        let steps = if self.split { 2 } else { 1 };
        if h.txns().all(|t| done[t.index()] == steps) {
            return true;
        }
        if !self.dead.insert((done.clone(), state.clone())) {
            return false;
        }
        for t in h.txns().filter(|&t| done[t.index()] < steps) {
            let first = done[t.index()] == 0;
            let ready = h.txns().all(|u| !h.so(u, t) || done[u.index()] == steps);
            let reads = h.event_ids(t).all(|e| match h.source(e) {
                Source::Txn(from) => state[h.event(e).key().index()] == from,
                _ => true,
            });
            if !ready || (first && !reads) {
                continue;
            }
            let (mut done, mut state) = (done.clone(), state.clone());
            done[t.index()] += 1;
            if done[t.index()] == steps {
                let writes = |&k: &KeyId| h.writes(t, k);
                h.keys().filter(writes).for_each(|k| state[k.index()] = t);
            }
            if self.run(done, state) {
                return true;
            }
        }
        false
    }
}

fn check(cnf: &Cnf) -> bool {
    let (history, expected) = (history_of(cnf).unwrap(), is_satisfiable(cnf));
    assert_eq!(Search::holds(&history, false), expected, "SER: {cnf:?}");
    if history.txns().len() <= 11 {
        assert_eq!(Search::holds(&history, true), expected, "PC: {cnf:?}");
    }
    if history.txns().len() <= 8 {
        for level in [Level::PC, Level::SI, Level::SER] {
            assert_eq!(brute::holds(&history, level), expected, "{level}: {cnf:?}");
        }
        assert!(cnf.clauses.iter().any(Vec::is_empty) || brute::holds(&history, Level::CC));
    }
    expected
}

fn cnf(vars: u32, clauses: &[&[i32]]) -> Cnf {
    let literal = |&l: &i32| Literal { var: l.unsigned_abs() - 1, negated: l < 0 };
    Cnf { vars, clauses: clauses.iter().map(|c| c.iter().map(literal).collect()).collect() }
}

#[test]
fn formulas_and_histories_agree() {
    let cases: [(&[&[i32]], bool); 10] = [
        (&[], true),
        (&[&[]], false),
        (&[&[1]], true),
        (&[&[-1]], true),
        (&[&[1], &[-1]], false),
        (&[&[1, -1]], true),
        (&[&[1, 1]], true),
        (&[&[1, 2], &[-1], &[-2]], false),
        (&[&[1, 2], &[-1], &[2]], true),
        (&[&[1, 2], &[-1, 2], &[-2]], false),
    ];
    for (clauses, expected) in cases {
        assert_eq!(check(&cnf(2, clauses)), expected, "{clauses:?}");
    }
}

#[test]
fn random_formulas_and_histories_agree() {
    let mut answers = [0, 0];
    for seed in 0..40 {
        let formula = random_cnf(seed, 2, 1 + (seed % 3) as u32, 1 + (seed / 4 % 2) as u32);
        answers[usize::from(check(&formula))] += 1;
    }
    assert!(answers[0] >= 3 && answers[1] >= 10, "{answers:?}");
}

#[test]
fn random_formulas_have_the_shape_asked_for() {
    let formula = random_cnf(1, 20, 91, 3);
    assert_eq!((formula.vars, formula.clauses.len()), (20, 91));
    assert!(formula.clauses.iter().all(|clause| clause.len() == 3));
    assert_eq!(formula, random_cnf(1, 20, 91, 3));
    assert_eq!(history_of(&formula).unwrap().txns().len(), 2 * 20 + 3 * 91 * 3);
}
