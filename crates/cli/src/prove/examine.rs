//! From a file to its [`Report`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use hobgoblin_format::bytes_until;
use hobgoblin_prove::advice::advise;
use hobgoblin_prove::analysis::{Options, Questions, analyse_with};
use hobgoblin_prove::read::{ReadError, read};
use hobgoblin_prove::smt::Solver;
use hobgoblin_prove::specification::Conflicts;

use super::advice::{AdviceReport, repairs};
use super::complaint::{of_certificate, of_solver};
use super::question::{LevelFlag, Offered, SerialFlag, specification};
use super::report::{AnomalyReport, Answer, FailedProof, OpenQuestion, Report, Undecided};
use super::status::Status;
use crate::check::{Progress, Stop};
use crate::diagnostic::{Diagnostic, Failure, ISSUES, shown};

/// What is asked of every file.
pub(super) struct Question<'q> {
    pub(super) levels: &'q [LevelFlag],
    pub(super) serial: &'q [SerialFlag],
    pub(super) conflicts: Conflicts,
    /// A file of formulas.
    pub(super) spec: Option<&'q Path>,
    /// The levels that may be advised.
    pub(super) offered: Option<&'q Offered>,
    pub(super) options: &'q Options,
    pub(super) solver: &'q Solver,
    /// Where the questions of a proof go.
    pub(super) certificate: Option<&'q Path>,
}

/// Reads and analyses a file.
pub(super) fn examine(
    path: &Path,
    question: &Question<'_>,
    stop: &Stop,
    progress: &Progress,
) -> Report {
    let file = path.display().to_string();
    // One file must not take the others down, whatever is wrong with it or with us.
    let examined = catch_unwind(AssertUnwindSafe(|| answer(path, &file, question, stop, progress)));
    let examined = examined.unwrap_or_else(|_| {
        let help = format!("please report it with the file at {ISSUES}");
        Err(Diagnostic::new("internal error in the analysis", help).into())
    });
    match examined {
        Ok(answer) => Report { file, answer: Some(answer), error: None },
        Err(failure) => {
            let mut error = failure.diagnostic();
            error.file.get_or_insert_with(|| file.clone());
            Report { file, answer: None, error: Some(error) }
        }
    }
}

fn answer(
    path: &Path,
    file: &str,
    question: &Question<'_>,
    stop: &Stop,
    progress: &Progress,
) -> Result<Answer, Failure> {
    let start = Instant::now();
    progress.doing(|| format!("reading {}", shown(file)));
    let limits = stop.bounded_limits(start);
    let text = text_of(bytes_until(path, &|| limits.check().err())?)?;
    let program = read(file, &text).map_err(|error| misread(&text, &error))?;
    if program.transactions.is_empty() {
        let help = "put `-- transaction name(parameter type, …)` before its statements and `-- end` \
                    behind them, or write a PL/pgSQL function; see docs/prove.md";
        return Err(Diagnostic::new("there is no transaction in this file", help).into());
    }
    let mut specification =
        specification(&program, question.levels, question.serial, question.spec)?;
    specification.conflicts = question.conflicts;
    let levels: Vec<(String, &'static str)> = program
        .transactions
        .iter()
        .zip(&specification.levels)
        .map(|(transaction, level)| (transaction.name.clone(), level.name()))
        .collect();
    // From now on there is something to tell.
    stop.gently();
    let mut show = |asked: usize, name: &str| {
        progress.doing(|| format!("{}: question {asked}: {name}", shown(file)));
    };
    let asked_to_stop = || stop.asked();
    let questions = Questions::new(question.solver, question.options, &mut show, &asked_to_stop);
    let analysis = analyse_with(&program, &specification, question.options, &questions)
        .map_err(|error| of_solver(&error))?;
    let advice = match question.offered {
        Some(Offered(offered)) => Some(
            advise(&program, &specification, &analysis, offered, question.options, &questions)
                .map_err(|error| of_solver(&error))?,
        ),
        None => None,
    };
    let status = Status::of(&analysis);
    let proof = analysis.proof.as_ref().filter(|_| status == Status::Proved);
    let certificate = proof.and(question.certificate);
    if let (Some(proof), Some(directory)) = (proof, certificate) {
        let written = proof.write(directory, file, &text);
        written.map_err(|error| of_certificate(&error))?;
    }
    let name = |at: usize| program.transactions[at].name.clone();
    Ok(Answer {
        status,
        serial: specification.serial.iter().map(|&(a, b)| [name(a), name(b)]).collect(),
        k: question.options.instances,
        method: proof.map(|proof| proof.method.clone()),
        claim: proof.map(|proof| proof.claim.clone()),
        certificate: certificate.map(|directory| directory.display().to_string()),
        anomalies: analysis
            .anomalies
            .iter()
            .enumerate()
            .map(|(at, anomaly)| {
                let found = advice.as_ref().map(|advice| repairs(&program, &advice.repairs[at]));
                let told = AnomalyReport::of(&program, &levels, anomaly, question.options);
                AnomalyReport { repairs: found, ..told }
            })
            .collect(),
        advice: question.offered.zip(advice.as_ref()).map(|(Offered(offered), advice)| {
            let offered = offered.iter().map(|level| level.name()).collect();
            AdviceReport::of(&program, offered, advice)
        }),
        conflicts: match question.conflicts {
            Conflicts::Rows => "rows",
            Conflicts::Fields => "fields",
        },
        spec: question.spec.map(|path| path.display().to_string()),
        undecided: analysis
            .undecided
            .into_iter()
            .map(|(transactions, reason)| Undecided { transactions, reason })
            .collect(),
        failed_proofs: analysis
            .failed
            .into_iter()
            .map(|(method, questions)| FailedProof {
                method,
                questions: questions.into_iter().map(OpenQuestion::of).collect(),
            })
            .collect(),
        levels,
        proofs: question.options.proofs,
        interrupted: stop.asked(),
        solver: question.solver.name(),
        questions: questions.asked(),
        seconds: (start.elapsed().as_secs_f64() * 1e3).round() / 1e3,
    })
}

fn text_of(mut bytes: Vec<u8>) -> Result<String, Failure> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    if bytes.trim_ascii().is_empty() {
        let help = "whoever should have written it may have failed";
        return Err(Diagnostic::new("this file is empty", help).into());
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|&&b| b == b'\n').count() as u64 + 1;
        let told = Diagnostic::new("this is not UTF-8", "save the file as UTF-8");
        Diagnostic { line, ..told }.into()
    })
}

/// Where and what is wrong with a file.
fn misread(text: &str, error: &ReadError) -> Diagnostic {
    let (line, _) = error.line_column(text);
    let at = error.place.start as usize;
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    Diagnostic {
        line: line as u64,
        column: (at - start) as u64 + 1,
        excerpt: Some((text[start..end].to_owned(), 1)),
        ..Diagnostic::new(error.to_string(), error.help())
    }
}
