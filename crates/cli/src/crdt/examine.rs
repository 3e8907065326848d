//! From a history in a file to its [`Report`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use hobgoblin_crdt::{CrdtHistory, CrdtVerdict, DataType, check, read, verify};

use super::input::Entry;
use super::report::{Outcome, Report, Size, Stats, ViolationReport, WitnessReport};
use crate::check::Stop;
use crate::diagnostic::{Diagnostic, ISSUES};

/// What is asked of every history.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub(super) data_type: Option<DataType>,
    pub(super) verify: bool,
    /// Whether somebody wants to see the witness.
    pub(super) witness: bool,
}

/// Reads and checks a history; nothing if somebody asked to stop before.
pub(super) fn examine(entry: &Entry, question: Question, stop: &Stop) -> Option<Report> {
    if stop.asked() {
        return None;
    }
    let start = Instant::now();
    let report = Report { file: entry.file.to_string(), line: entry.line, ..Report::default() };
    // One history must not take the others down, whatever is wrong with it or with us.
    let examined = catch_unwind(AssertUnwindSafe(|| {
        let history = match read(entry.text(), question.data_type) {
            Ok(history) => history,
            Err(error) => return Report { error: Some(entry.diagnostic(&error)), ..report },
        };
        let verdict = check(&history, &stop.bounded_limits(start));
        answer(report, &history, &verdict, question, start)
    }));
    Some(examined.unwrap_or_else(|_| {
        let help = format!("please report it with the file at {ISSUES}");
        let mut error = Diagnostic::new("internal error in the check", help).in_file(&*entry.file);
        error.line = entry.line.unwrap_or(0);
        let (file, line) = (entry.file.to_string(), entry.line);
        Report { file, line, error: Some(error), ..Report::default() }
    }))
}

fn answer(
    mut report: Report,
    history: &CrdtHistory,
    verdict: &CrdtVerdict,
    question: Question,
    start: Instant,
) -> Report {
    report.data_type = Some(history.data_type());
    report.size = Some(Size::of(history));
    report.stats = Some(Stats { ms: (start.elapsed().as_secs_f64() * 1e6).round() / 1e3 });
    match verdict {
        CrdtVerdict::Unknown(reason) => return report.unknown(reason, ""),
        CrdtVerdict::Violation(violation) => {
            report.verdict = Some(Outcome::Violation);
            report.violation = Some(ViolationReport::of(history, violation));
        }
        CrdtVerdict::Admitted(witness) => {
            report.verdict = Some(Outcome::Ok);
            if question.verify {
                let verified = verify(history, witness);
                report.verified = Some(verified.is_ok());
                report.error = verified.err().map(|error| {
                    let message = format!("the witness was rejected: {error}");
                    let help = format!("do not trust this answer; please report it at {ISSUES}");
                    let line = report.line.unwrap_or(0);
                    Diagnostic { line, ..Diagnostic::new(message, help).in_file(&*report.file) }
                });
            }
            report.witness = question.witness.then(|| WitnessReport::of(history, witness));
        }
    }
    report
}
