//! From a file to its [`Report`].

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use hobgoblin_check::report::WitnessReport;
use hobgoblin_check::verify::{VerifyError, verify};
use hobgoblin_check::{LevelVerdict, Limits, check, check_levels, explain};
use hobgoblin_core::{History, Level, StopReason, Target, Verdict, Witness};
use hobgoblin_format::{Format, ReadError, load_until};
use hobgoblin_report::Anomaly;

use super::progress::Progress;
use super::question::{Levels, Question, Semantics, Wanted};
use super::report::{LevelReport, Outcome, Report, Size};
use super::state;
use super::stop::Stop;
use crate::diagnostic::{Diagnostic, ISSUES};

/// Reads and checks a file; nothing if somebody asked to stop before.
pub(crate) fn examine(
    path: &Path,
    question: &Question,
    stop: &Stop,
    progress: &Progress,
) -> Option<Report> {
    if stop.asked() {
        return None;
    }
    let file = &*path.display().to_string();
    // One file must not take the others down, whatever is wrong with it or with us.
    let examined = catch_unwind(AssertUnwindSafe(|| {
        progress.doing(|| format!("reading {file}"));
        let start = Instant::now();
        let while_reading = stop.bounded_limits(start);
        let (history, format) = match load_until(path, question.format, &|| {
            while_reading.check().err()
        }) {
            Ok((history, format)) => (question.initial_transaction.apply(history), format),
            Err(ReadError::Stopped { reason: StopReason::Interrupted, .. }) => return None,
            Err(ReadError::Stopped { reason, .. }) => {
                stop.gently();
                let report = Report { file: file.to_owned(), ..Report::default() };
                let levels = levels(&question.levels, false);
                return Some(unknown(report, question, &levels, &while_reading_reason(&reason)));
            }
            Err(error) => return Some(Report::failed(file, explain_read_error(path, error))),
        };
        let reading = start.elapsed().as_secs_f64();
        stop.gently();
        let limits = &stop.limits(start);
        let (history, clock) = (&history, Clock::default());
        let task = Task { file, history, question, limits, progress, clock };
        let mut report = answer(&task, format);
        report.read_seconds = question.timing.then_some(reading);
        Some(report)
    }));
    progress.file_done();
    examined.unwrap_or_else(|_| {
        let help = format!("please report it with the file at {ISSUES}");
        let error = Diagnostic::new("internal error in the check", help).in_file(file);
        Some(Report::failed(file, error))
    })
}

fn explain_read_error(path: &Path, error: ReadError) -> Diagnostic {
    let undetected = matches!(error, ReadError::Undetected { .. });
    let mut diagnostic = Diagnostic::from(error);
    if undetected && path != Path::new("-") && path.is_dir() {
        diagnostic.message = "this directory is not a history".to_owned();
        diagnostic.help =
            Some("name the files in it, or add `--recursive` to check them all".to_owned());
    }
    diagnostic
}

/// Why there is no answer for a file of which only a part was read.
fn while_reading_reason(reason: &StopReason) -> String {
    format!("{reason} while reading")
}

/// The levels that a question asks of a history, with times or without.
fn levels(asked: &Levels, has_times: bool) -> Vec<Level> {
    match asked {
        Levels::All if has_times => Level::ALL.into(),
        Levels::All => Level::ALL.into_iter().filter(|level| !level.respects_real_time()).collect(),
        Levels::Chosen(levels) => levels.clone(),
        Levels::Mixed(default) => vec![*default],
    }
}

/// The report of a file for which no level was looked at.
fn unknown(mut report: Report, question: &Question, levels: &[Level], reason: &str) -> Report {
    for level in Level::ALL.into_iter().filter(|level| levels.contains(level)) {
        let mut answer = LevelReport::new(level);
        (answer.verdict, answer.reason) = (Outcome::Unknown, Some(reason.to_owned()));
        if let Levels::Mixed(_) = question.levels {
            answer.level = None;
        }
        report.levels.push(answer);
    }
    report
}

/// What is asked of one history, and how far one may go to answer it.
struct Task<'a> {
    file: &'a str,
    history: &'a History,
    question: &'a Question,
    limits: &'a Limits,
    progress: &'a Progress,
    clock: Clock,
}

impl Task<'_> {
    fn asking(&self, level: Level) {
        self.clock.begin(level);
        self.progress.doing(|| format!("checking {level} of {}", self.file));
    }

    /// Answers by the axioms.
    fn axiomatic(&self, report: &mut Report) {
        let Question { levels, verify, .. } = self.question;
        let answers = match levels {
            Levels::Mixed(default) => {
                self.asking(*default);
                let verdict = check(self.history, Target::Mixed(*default), self.limits);
                vec![LevelVerdict { level: *default, verdict, implied_by: None }]
            }
            _ => {
                let levels = self.levels();
                check_levels(self.history, &levels, self.limits, |level| self.asking(level))
            }
        };
        self.clock.stop();
        if *verify {
            self.progress.doing(|| format!("verifying the answers for {}", self.file));
            self.verify(&answers, report);
        }
        let mut first = true;
        for answer in &answers {
            let wanted = Wanted::of(self.question, first, answer.implied_by.is_some());
            first &= !matches!(answer.verdict, Verdict::Violation(_));
            report.levels.push(level_report(self.history, answer, wanted));
        }
        report.table = self.question.page.map(|held| {
            let witnesses: Vec<&Witness> = answers
                .iter()
                .filter_map(|answer| match &answer.verdict {
                    Verdict::Violation(witness) => Some(&**witness),
                    _ => None,
                })
                .collect();
            held.table(self.history, &witnesses)
        });
    }

    fn levels(&self) -> Vec<Level> {
        levels(&self.question.levels, self.history.has_times())
    }

    fn verify(&self, answers: &[LevelVerdict], report: &mut Report) {
        let target = |level| match self.question.levels {
            Levels::Mixed(default) => Target::Mixed(default),
            _ => Target::Level(level),
        };
        let decided = answers.iter().filter(|a| !matches!(a.verdict, Verdict::Unknown(_)));
        let rejected = decided.into_iter().find_map(|answer| {
            let error = verify(self.history, target(answer.level), &answer.verdict).err()?;
            Some((answer.level, error))
        });
        report.verified = Some(rejected.is_none());
        // What takes too long to verify may still be right.
        let rejected = rejected.filter(|(_, error)| *error != VerifyError::TooLarge);
        report.error = rejected.map(|(level, error)| rejection(self.file, level, &error));
    }

    /// Answers by states.
    fn state_based(&self, report: &mut Report) -> Result<(), Box<Diagnostic>> {
        report.semantics = Some("state");
        let levels = state::levels(self.history, &self.question.levels);
        if let Some(names) = &self.question.execution {
            let (answers, execution) = state::execution(self.history, names, &levels)?;
            (report.levels, report.execution) = (answers, Some(execution));
            return Ok(());
        }
        let mut verified = true;
        for level in levels {
            self.asking(level);
            let first = report.violations().next().is_none();
            let (answer, accepted) =
                state::level_report(self.history, level, self.limits, self.question, first);
            verified &= accepted || answer.verdict == Outcome::Unknown;
            report.levels.push(answer);
        }
        self.clock.stop();
        report.table = self.question.page.map(|held| held.table(self.history, &[]));
        report.verified = self.question.verify.then_some(verified);
        Ok(())
    }
}

/// Checks a history that was read from somewhere.
pub(crate) fn look(
    (file, history, format): (&str, &History, Format),
    question: &Question,
    stop: &Stop,
    progress: &Progress,
) -> Report {
    let limits = &stop.limits(Instant::now());
    let task = Task { file, history, question, limits, progress, clock: Clock::default() };
    answer(&task, format)
}

fn answer(task: &Task<'_>, format: Format) -> Report {
    let Task { file, history, question, .. } = task;
    let mut report = Report {
        file: file.to_string(),
        format: Some(format.name()),
        size: Some(Size {
            sessions: history.num_sessions(),
            transactions: history.txns().len(),
            events: history.num_events(),
        }),
        initial_transactions: history
            .initial_txns()
            .iter()
            .map(|&txn| history.name(txn).into_owned())
            .collect(),
        ..Report::default()
    };
    if history.txns().len() == 0 {
        report.notes.push("The history has no transactions, so every level holds.".to_owned());
    }
    match (task.limits.check(), question.semantics) {
        // Reading alone took too long.
        (Err(reason), _) => return unknown(report, question, &task.levels(), &reason.to_string()),
        (Ok(()), Semantics::Axiomatic) => task.axiomatic(&mut report),
        (Ok(()), Semantics::State) => {
            if let Err(error) = task.state_based(&mut report) {
                report.error = Some(error.in_file(*file));
            }
        }
    }
    if question.timing {
        for answer in &mut report.levels {
            answer.seconds = answer.level.and_then(|level| task.clock.seconds(level));
        }
    }
    match question.levels {
        Levels::Mixed(_) => report.levels.iter_mut().for_each(|answer| answer.level = None),
        _ => report.find_strongest(),
    }
    report
}

pub(crate) fn rejection(file: &str, level: Level, error: &VerifyError) -> Diagnostic {
    let message = format!("internal error: the certificate for {level} was rejected: {error}");
    let help = format!("do not trust this answer; please report it with the file at {ISSUES}");
    Diagnostic::new(message, help).in_file(file)
}

fn level_report(history: &History, answer: &LevelVerdict, wanted: Wanted) -> LevelReport {
    let implied_by = answer.implied_by.map(Level::name);
    let report = LevelReport { implied_by, ..LevelReport::new(answer.level) };
    match &answer.verdict {
        Verdict::Consistent(_) => report,
        Verdict::Unknown(reason) => {
            LevelReport { verdict: Outcome::Unknown, reason: Some(reason.to_string()), ..report }
        }
        Verdict::Violation(witness) => report.violated(history, witness, wanted),
    }
}

impl LevelReport {
    /// The same level, violated.
    pub(crate) fn violated(
        self,
        history: &History,
        witness: &Witness,
        wanted: Wanted,
    ) -> LevelReport {
        let reported = match wanted.sentences {
            true => WitnessReport::of(history, witness),
            false => WitnessReport::brief(history, witness),
        };
        LevelReport {
            verdict: Outcome::Violated,
            witness: Some(reported),
            text: wanted.text.then(|| wanted.tell(history, witness)),
            dot: wanted.dot.then(|| explain::dot(history, witness)),
            shown: wanted.page.then(|| Box::new(Anomaly::of(history, witness))),
            ..self
        }
    }
}

/// How long each level takes: until the next one begins.
#[derive(Debug, Default)]
struct Clock {
    /// When each level began, and at last when all was done.
    marks: RefCell<Vec<(Option<Level>, Instant)>>,
}

impl Clock {
    fn begin(&self, level: Level) {
        self.marks.borrow_mut().push((Some(level), Instant::now()));
    }

    fn stop(&self) {
        self.marks.borrow_mut().push((None, Instant::now()));
    }

    fn seconds(&self, level: Level) -> Option<f64> {
        let marks = self.marks.borrow();
        let at = marks.iter().position(|&(marked, _)| marked == Some(level))?;
        let end = marks.get(at + 1)?.1;
        Some((end - marks[at].1).as_secs_f64())
    }
}
