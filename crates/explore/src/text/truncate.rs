//! Smaller versions of a program, for experiments with growing ones.

use crate::program::Program;

impl Program {
    /// The first sessions and the first transactions of each. Assertions and observed keys are left out: they
    /// may be about transactions that are gone.
    pub fn truncated(&self, sessions: usize, txns_per_session: usize) -> Program {
        let mut program = self.clone();
        program.sessions.truncate(sessions);
        for session in &mut program.sessions {
            session.txns.truncate(txns_per_session);
        }
        program.assertions.clear();
        program.observed.clear();
        program
    }
}
