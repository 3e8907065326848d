//! From a file to its [`Report`].

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use hobgoblin_check::verify::{VerifyError, verify};
use hobgoblin_check::{LevelVerdict, Limits, check, check_levels, explain, strongest};
use hobgoblin_core::{History, Level, Target, Verdict, Witness};
use hobgoblin_format::{Format, ReadError, load};

use super::progress::Progress;
use super::report::{LevelReport, Outcome, Report, Size, WitnessReport, cycle};
use super::stop::Stop;
use super::{Explain, Levels, Question};
use crate::diagnostic::Diagnostic;

/// Where bugs are reported.
const ISSUES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");

/// Reads and checks a file; nothing if somebody asked to stop before.
pub(crate) fn examine(
    file: &str,
    question: &Question,
    stop: &Stop,
    progress: &Progress,
) -> Option<Report> {
    if stop.asked() {
        return None;
    }
    // One file must not take the others down, whatever is wrong with it or with us.
    let examined = catch_unwind(AssertUnwindSafe(|| {
        progress.doing(|| format!("reading {file}"));
        let start = Instant::now();
        let (history, format) = match load(file, question.format) {
            Ok(loaded) => loaded,
            Err(error) => return Report::failed(file, explain_read_error(file, error)),
        };
        let reading = start.elapsed().as_secs_f64();
        stop.gently();
        let limits = stop.limits(start);
        let mut report = answer(file, &history, format, question, &limits, progress);
        report.read_seconds = question.timing.then_some(reading);
        report
    }));
    progress.file_done();
    Some(examined.unwrap_or_else(|_| {
        let help = format!("please report it with the file at {ISSUES}");
        Report::failed(file, Diagnostic::new("internal error in the check", help).in_file(file))
    }))
}

fn explain_read_error(file: &str, error: ReadError) -> Diagnostic {
    let undetected = matches!(error, ReadError::Undetected { .. });
    let mut diagnostic = Diagnostic::from(error);
    if undetected && file != "-" && Path::new(file).is_dir() {
        diagnostic.message = "this directory is not a history".to_owned();
        diagnostic.help =
            Some("name the files in it, or add `--recursive` to check them all".to_owned());
    }
    diagnostic
}

fn answer(
    file: &str,
    history: &History,
    format: Format,
    question: &Question,
    limits: &Limits,
    progress: &Progress,
) -> Report {
    let mut levels: Vec<Level> = match &question.levels {
        Levels::All => Level::ALL.into(),
        Levels::Chosen(levels) => levels.clone(),
        Levels::Mixed(default) => vec![*default],
    };
    if matches!(question.levels, Levels::All) && !history.has_times() {
        levels.retain(|&level| level != Level::SSER);
    }
    let clock = Clock::default();
    let asking = |level: Level| {
        clock.begin(level);
        progress.doing(|| format!("checking {level} of {file}"));
    };
    let target = |level| match question.levels {
        Levels::Mixed(default) => Target::Mixed(default),
        _ => Target::Level(level),
    };
    let answers = match question.levels {
        // A limit may have been reached before the first question.
        _ if limits.check().is_err() => unknown(&levels, limits),
        Levels::Mixed(default) => {
            asking(default);
            let verdict = check(history, target(default), limits);
            vec![LevelVerdict { level: default, verdict, implied_by: None }]
        }
        _ => check_levels(history, &levels, limits, asking),
    };
    let seconds = clock.end();
    let mut report = Report {
        file: file.to_owned(),
        format: Some(format.name()),
        size: Some(Size {
            sessions: history.num_sessions(),
            transactions: history.txns().len(),
            events: history.num_events(),
        }),
        ..Report::default()
    };
    if question.verify {
        progress.doing(|| format!("verifying the answers for {file}"));
        let rejected = answers
            .iter()
            .find_map(|a| verify(history, target(a.level), &a.verdict).err().map(|e| (a.level, e)));
        report.verified = Some(rejected.is_none());
        report.error = rejected.map(|(level, error)| rejection(file, level, &error));
    }
    if !matches!(question.levels, Levels::Mixed(_)) {
        report.strongest = strongest(&answers).into_iter().map(Level::name).collect();
    }
    let mut first = true;
    for answer in &answers {
        let wanted = Wanted::of(question, first, answer.implied_by.is_some());
        first &= !matches!(answer.verdict, Verdict::Violation(_));
        let mut level = level_report(history, answer, wanted);
        if matches!(question.levels, Levels::Mixed(_)) {
            level.level = None;
        }
        if question.timing {
            level.seconds = seconds.iter().find(|(l, _)| *l == answer.level).map(|&(_, s)| s);
        }
        report.levels.push(level);
    }
    report
}

fn unknown(levels: &[Level], limits: &Limits) -> Vec<LevelVerdict> {
    let Err(reason) = limits.check() else { return Vec::new() };
    let chosen = Level::ALL.into_iter().filter(|level| levels.contains(level));
    let unknown = |level| {
        let verdict = Verdict::Unknown(reason.clone());
        LevelVerdict { level, verdict, implied_by: None }
    };
    chosen.map(unknown).collect()
}

fn rejection(file: &str, level: Level, error: &VerifyError) -> Diagnostic {
    let message = format!("internal error: the certificate for {level} was rejected: {error}");
    let help = format!("do not trust this answer; please report it with the file at {ISSUES}");
    Diagnostic::new(message, help).in_file(file)
}

/// In which forms a violation is wanted.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    text: bool,
    sentences: bool,
    dot: bool,
}

impl Wanted {
    fn of(question: &Question, first: bool, implied: bool) -> Wanted {
        Wanted {
            text: match question.explain {
                Explain::Nothing => false,
                Explain::First => first,
                Explain::All => first || !implied,
            },
            sentences: question.json,
            dot: question.dot && first,
        }
    }
}

fn level_report(history: &History, answer: &LevelVerdict, wanted: Wanted) -> LevelReport {
    let (verdict, reason, witness) = match &answer.verdict {
        Verdict::Consistent(_) => (Outcome::Holds, None, None),
        Verdict::Unknown(reason) => (Outcome::Unknown, Some(reason.to_string()), None),
        Verdict::Violation(witness) => (Outcome::Violated, None, Some(witness)),
    };
    LevelReport {
        level: Some(answer.level),
        verdict,
        implied_by: answer.implied_by.map(Level::name),
        reason,
        witness: witness.map(|witness| witness_report(history, witness, wanted)),
        seconds: None,
    }
}

fn witness_report(history: &History, witness: &Witness, wanted: Wanted) -> WitnessReport {
    WitnessReport {
        anomaly: witness.anomaly.code(),
        title: witness.anomaly.title(),
        transactions: witness.txns.iter().map(|&txn| history.name(txn).into_owned()).collect(),
        minimal: witness.minimal,
        explanation: match wanted.sentences {
            true => explain::sentences(history, witness),
            false => Vec::new(),
        },
        cycle: cycle(history, witness),
        text: wanted.text.then(|| explain::text(history, witness)),
        dot: wanted.dot.then(|| explain::dot(history, witness)),
    }
}

/// How long each level takes: until the next one begins.
#[derive(Debug, Default)]
struct Clock {
    begun: RefCell<Vec<(Level, Instant)>>,
}

impl Clock {
    fn begin(&self, level: Level) {
        self.begun.borrow_mut().push((level, Instant::now()));
    }

    fn end(self) -> Vec<(Level, f64)> {
        let begun = self.begun.into_inner();
        let ends = begun.iter().skip(1).map(|&(_, at)| at).chain([Instant::now()]);
        begun
            .iter()
            .zip(ends)
            .map(|(&(level, at), end)| (level, (end - at).as_secs_f64()))
            .collect()
    }
}
