//! `hob prove --recheck`: the questions of a proof, asked again.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ColorChoice;
use hobgoblin_prove::certificate::{Recheck, read_index, recheck};
use hobgoblin_prove::smt::{Answer, Solver};
use serde_json::{Value, json};

use super::complaint::of_certificate;
use crate::check::Stop;
use crate::diagnostic::{Diagnostic, Failure, reason};
use crate::exit::Exit;
use crate::style::{Ink, Style};
use crate::units::counted;

/// How the answer is printed.
pub(super) struct Print {
    pub(super) color: ColorChoice,
    pub(super) json: bool,
    pub(super) quiet: bool,
}

pub(super) fn run(
    directory: &Path,
    files: &[PathBuf],
    solver: &Solver,
    limit: Duration,
    stop: &Stop,
    print: Print,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let start = Instant::now();
    let index = read_index(directory).map_err(|error| of_certificate(&error))?;
    if let [file, ..] = files {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Diagnostic::new(reason(&error), "").in_path(file))?;
        if !index.program.is_of(&text) {
            let message = "this file has changed since it was proved, or is another";
            let help = "prove it anew, with `--certificate`";
            return Err(Diagnostic::new(message, help).in_path(file).into());
        }
    }
    stop.gently();
    let solvers = std::slice::from_ref(solver);
    let asked = recheck(directory, solvers, limit, &|| stop.asked())
        .map_err(|error| of_certificate(&error))?;
    let refuted = asked.iter().any(|one| matches!(one.answer, Answer::Sat(_)));
    let exit = match (refuted, asked.iter().all(Recheck::holds)) {
        (true, _) => Exit::Violation,
        (false, true) => Exit::Holds,
        (false, false) => Exit::Unknown,
    };
    if print.json {
        let questions: Vec<Value> = asked.iter().map(question).collect();
        let status = match exit {
            Exit::Holds => "proved",
            Exit::Violation => "refuted",
            Exit::Unknown | Exit::Error => "unknown",
        };
        let report = json!({
            "certificate": directory.display().to_string(),
            "file": index.program.file,
            "status": status,
            "method": index.method,
            "claim": index.claim,
            "solver": solver.name(),
            "rechecked": questions,
            "seconds": (start.elapsed().as_secs_f64() * 1e3).round() / 1e3,
        });
        writeln!(out, "{report}")?;
    } else if !print.quiet {
        let style = Style::of_stdout(print.color);
        for one in asked.iter().filter(|one| !one.holds()) {
            let (ink, word) = match &one.answer {
                Answer::Sat(_) => (Ink::Bad, "satisfiable, so this is no proof".to_owned()),
                Answer::Unknown(why) => (Ink::Doubtful, format!("unknown: {why}")),
                Answer::Unsat => (Ink::Good, "unsatisfiable, as the proof needs".to_owned()),
            };
            writeln!(out, "{}: {} ({})", one.file, style.paint(ink, word), one.why)?;
        }
        let word = match exit {
            Exit::Holds => style.paint(Ink::Good, "PROVED"),
            Exit::Violation => style.paint(Ink::Bad, "REFUTED"),
            Exit::Unknown | Exit::Error => style.paint(Ink::Doubtful, "UNKNOWN"),
        };
        let holding = asked.iter().filter(|one| one.holds()).count();
        writeln!(
            out,
            "{}: {word}: {} of {} answered as the proof needs, by {}",
            directory.display(),
            holding,
            counted(asked.len(), "question"),
            solver.name()
        )?;
        if exit == Exit::Holds {
            writeln!(out, "{}: {}", index.program.file, index.claim)?;
        }
    }
    Ok(exit)
}

fn question(one: &Recheck) -> Value {
    let (answer, reason) = match &one.answer {
        Answer::Unsat => ("unsat", None),
        Answer::Sat(_) => ("sat", None),
        Answer::Unknown(why) => ("unknown", Some(why)),
    };
    let mut question = json!({"file": one.file, "why": one.why, "answer": answer});
    if let Some(reason) = reason {
        question["reason"] = json!(reason);
    }
    question
}
