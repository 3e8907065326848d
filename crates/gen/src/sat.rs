//! Histories that are as hard as satisfiability [Biswas 2019, section 3.2].
//!
//! For a formula in conjunctive normal form, [`history_of`] makes a history that satisfies PC, SI and SER
//! if the formula is satisfiable, and none of them if it is not. So hard formulas give hard histories, of
//! both answers.
//!
//! The commit order plays the assignment. Variable k has two transactions a, b: it is false when a comes
//! first. Literal j of clause i has three, w, y, z: it is false when y comes first.
//!
//! ```text
//! clause i:      y1   z1 --> y2   z2 --> y3   z3 --> y1      If all literals are false, y1 < z1 < y2 < ...
//!                                                           comes round: some literal must be true.
//!
//! literal x_k:   y writes v --> a_k                 Let z < y (true), and suppose a_k < b_k (false). Then
//!                z writes v --> w reads v of z      y < a_k < b_k < w, so w sees y, which wrote v after z:
//!                               b_k --> w           no, w reads z's. So b_k < a_k (true).
//!
//! literal not x_k: the same with a_k and b_k exchanged.
//! ```
//!
//! PC is enough for the second step, since w sees all that comes before b_k. Conversely, with a satisfying
//! assignment these orders, and w < y for true literals, have no cycle: from y of a true literal one gets
//! to a_k or b_k and from there at most to a w of a false literal, where all ends.
//!
//! The paper draws arrows as session order, which is a partial order there. Our sessions are sequences, so
//! only z --> y is session order (one session for the two), and the others are a key of their own each, written
//! by the first transaction and read by the second. No other transaction writes it, so it says
//! nothing else, at any level.

use hobgoblin_core::{History, HistoryError, Kind, Rng};

use crate::draft::{Draft, DraftKey, DraftOp, DraftTxn};

/// A literal: a variable (from 0), perhaps negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The number of the variable.
    pub var: u32,
    /// Whether it is negated.
    pub negated: bool,
}

/// A formula in conjunctive normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cnf {
    /// How many variables there are.
    pub vars: u32,
    /// The clauses, of which each needs a true literal.
    pub clauses: Vec<Vec<Literal>>,
}

impl Cnf {
    /// Whether an assignment satisfies the formula; variables it leaves out are false.
    pub fn is_satisfied_by(&self, assignment: &[bool]) -> bool {
        let holds = |literal: &Literal| {
            assignment.get(literal.var as usize).copied().unwrap_or(false) != literal.negated
        };
        self.clauses.iter().all(|clause| clause.iter().any(holds))
    }
}

/// A random formula with clauses of `k` different variables each (or all, if there are fewer).
///
/// Random 3-SAT is hardest near 4.27 clauses per variable, where half of the formulas are satisfiable.
pub fn random_cnf(seed: u64, vars: u32, clauses: u32, k: u32) -> Cnf {
    let mut rng = Rng::new(seed);
    let vars = vars.max(1);
    let clause = |rng: &mut Rng| {
        let mut clause: Vec<Literal> = Vec::new();
        while clause.len() < k.min(vars) as usize {
            let var = rng.below(vars);
            if clause.iter().all(|literal| literal.var != var) {
                clause.push(Literal { var, negated: rng.one_in(2) });
            }
        }
        clause
    };
    Cnf { vars, clauses: (0..clauses).map(|_| clause(&mut rng)).collect() }
}

/// The history of a formula; it satisfies PC, SI and SER if and only if the formula is satisfiable.
///
/// An empty clause, which nothing satisfies, becomes a read of a value that nobody wrote. Variables
/// that are out of range are added.
pub fn history_of(cnf: &Cnf) -> Result<History, HistoryError> {
    let used = cnf.clauses.iter().flatten().map(|literal| literal.var + 1).max();
    let vars = cnf.vars.max(used.unwrap_or(0));
    let mut parts = Parts::default();
    let pairs: Vec<[usize; 2]> = (0..vars)
        .map(|k| {
            ["a", "b"].map(|name| {
                let session = parts.session();
                parts.txn(session, format!("{name}{k}"))
            })
        })
        .collect();
    for (i, clause) in cnf.clauses.iter().enumerate() {
        parts.clause(i, clause, &pairs);
    }
    parts.draft.build()
}

/// The history while it grows.
#[derive(Default)]
struct Parts {
    draft: Draft,
}

impl Parts {
    fn session(&mut self) -> usize {
        let name = self.draft.sessions.len() as i64;
        self.draft.sessions.push(name.into());
        self.draft.sessions.len() - 1
    }

    fn txn(&mut self, session: usize, name: String) -> usize {
        let name = Some(name);
        self.draft.txns.push(DraftTxn { session, name, ..DraftTxn::default() });
        self.draft.txns.len() - 1
    }

    fn key(&mut self, name: &str) -> usize {
        self.draft.keys.push(DraftKey::new(name));
        self.draft.keys.len() - 1
    }

    fn event(&mut self, txn: usize, kind: Kind, key: usize, value: i64) {
        self.draft.txns[txn].ops.push(DraftOp::new(kind, key, value));
    }

    /// Lets `first` come before `second`, by a key of their own.
    fn arrow(&mut self, first: usize, second: usize) {
        let key = self.key(&format!("{}", self.draft.keys.len()));
        self.event(first, Kind::Write, key, 1);
        self.event(second, Kind::Read, key, 1);
    }

    fn clause(&mut self, i: usize, clause: &[Literal], pairs: &[[usize; 2]]) {
        if clause.is_empty() {
            let session = self.session();
            let (txn, key) = (self.txn(session, format!("e{i}")), self.key(&format!("e{i}")));
            self.event(txn, Kind::Read, key, 1);
        }
        // Session j is z of literal j, then y of the next.
        let sessions: Vec<usize> = clause.iter().map(|_| self.session()).collect();
        let zs: Vec<usize> =
            (0..clause.len()).map(|j| self.txn(sessions[j], format!("z{i}.{j}"))).collect();
        for (j, literal) in clause.iter().enumerate() {
            let before = (j + clause.len() - 1) % clause.len();
            let y = self.txn(sessions[before], format!("y{i}.{j}"));
            let session = self.session();
            let w = self.txn(session, format!("w{i}.{j}"));
            let v = self.key(&format!("v{i}.{j}"));
            self.event(y, Kind::Write, v, 1);
            self.event(zs[j], Kind::Write, v, 2);
            self.event(w, Kind::Read, v, 2);
            let [mut a, mut b] = pairs[literal.var as usize];
            if literal.negated {
                (a, b) = (b, a);
            }
            self.arrow(y, a);
            self.arrow(b, w);
        }
    }
}
