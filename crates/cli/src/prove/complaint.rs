//! What solvers and certificates complain of, with what to do about it.

use hobgoblin_prove::certificate::CertificateError;
use hobgoblin_prove::smt::SolverError;

use crate::diagnostic::{Diagnostic, reason};

/// What to do about a solver that gave no answer.
pub(super) fn of_solver(error: &SolverError) -> Diagnostic {
    let help = match error {
        SolverError::Missing { name, help } => {
            let help = match name.as_str() {
                "z3" | "cvc5" => help.clone(),
                _ => format!("{help}; `apt-get install z3` installs Z3"),
            };
            return Diagnostic::new(format!("the solver `{name}` is not installed"), help);
        }
        SolverError::Stranger { .. } => "give `z3`, `cvc5` or the path of one of them",
        SolverError::Old { .. } => "install a newer one, or give another to `--solver`",
        _ => "try another with `--solver`, such as z3 or cvc5; `apt-get install z3` installs Z3",
    };
    Diagnostic::new(error.to_string(), help)
}

/// What to do about a certificate that is not written or not read.
pub(super) fn of_certificate(error: &CertificateError) -> Diagnostic {
    match error {
        CertificateError::File { path, error } => {
            let help = match error.kind() {
                std::io::ErrorKind::NotFound => "give the directory that `--certificate` wrote",
                std::io::ErrorKind::PermissionDenied => "choose a place that you may use",
                _ => "",
            };
            Diagnostic::new(reason(error), help).in_path(path)
        }
        CertificateError::Occupied { path } => {
            let help = "choose a directory that is empty, or is not there yet";
            Diagnostic::new("this has files that are of no proof", help).in_path(path)
        }
        CertificateError::Index { path, error } => {
            let help = "give the directory that `--certificate` wrote";
            Diagnostic::new(format!("this is no list of questions: {error}"), help).in_path(path)
        }
        CertificateError::Wrong { path, wrong } => {
            let help = "do not trust this proof; prove the file anew, with `--certificate`";
            Diagnostic::new(wrong.clone(), help).in_path(path)
        }
        CertificateError::Solver { error, .. } => of_solver(error),
        other => Diagnostic::new(other.to_string(), ""),
    }
}
