//! The SAT solver, shared by all that search: one solver for all theories, compiled once.
//!
//! `batsat` is generic over its theory and over who stops it. A solver of each kind would be the largest part of this
//! crate, so both are asked through a pointer; a theory is asked once a decision, which costs nothing beside it.

use batsat::{Callbacks, Lit, SolverInterface, SolverOpts, Theory, TheoryArg, lbool};

use crate::limits::Limits;

/// A SAT solver that is asked now and then whether to stop.
pub type Solver<'a> = batsat::Solver<Ask<'a>>;

/// Whom a solver asks whether to stop.
pub struct Ask<'a>(Box<dyn Fn() -> bool + 'a>);

impl Callbacks for Ask<'_> {
    fn stop(&self) -> bool {
        self.0()
    }
}

/// A solver that stops at a limit.
pub fn solver(limits: &Limits) -> Solver<'_> {
    solver_until(|| limits.check().is_err())
}

/// A solver that stops when it is told to.
pub(crate) fn solver_until<'a>(stop: impl Fn() -> bool + 'a) -> Solver<'a> {
    batsat::Solver::new(SolverOpts::default(), Ask(Box::new(stop)))
}

/// Two literals that are true, for clauses that would be too short otherwise.
pub fn truths(solver: &mut Solver<'_>) -> [Lit; 2] {
    let truths = [solver.new_var_default(), solver.new_var_default()].map(|v| Lit::new(v, true));
    for truth in truths {
        solver.add_clause_reuse(&mut vec![truth]);
    }
    truths
}

/// Looks for a model that the theory accepts and in which these literals are true.
pub fn solve(solver: &mut Solver<'_>, theory: &mut dyn Theory, assumed: &[Lit]) -> lbool {
    solver.solve_limited_th(&mut Any(theory), assumed)
}

/// A theory behind a pointer.
struct Any<'t>(&'t mut dyn Theory);

impl Theory for Any<'_> {
    fn final_check(&mut self, acts: &mut TheoryArg<'_>) {
        self.0.final_check(acts);
    }

    fn create_level(&mut self) {
        self.0.create_level();
    }

    fn pop_levels(&mut self, n: usize) {
        self.0.pop_levels(n);
    }

    fn n_levels(&self) -> usize {
        self.0.n_levels()
    }

    fn partial_check(&mut self, acts: &mut TheoryArg<'_>) {
        self.0.partial_check(acts);
    }

    fn explain_propagation(&mut self, lit: Lit) -> &[Lit] {
        self.0.explain_propagation(lit)
    }
}
