//! `--junit`: a test case a level.

use std::fmt::Write;
use std::time::Duration;

use hobgoblin_report::{Case, CaseResult, Complaint, Suite};
use hobgoblin_runner::{Diagnosis, FailureReport, LevelReport, Phase, Report};

use super::words::UNUSED;

/// How long the phases took. The report does not know, so that the same runs give the same report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Times(pub(super) Vec<(Phase, Duration)>);

impl Times {
    /// In seconds; nothing for a phase that was not.
    fn seconds(&self, phases: impl Fn(Phase) -> bool) -> Option<f64> {
        let times: Vec<Duration> =
            self.0.iter().filter(|(phase, _)| phases(*phase)).map(|(_, time)| *time).collect();
        (!times.is_empty()).then(|| times.iter().sum::<Duration>().as_secs_f64())
    }
}

/// The cases of a report.
pub(super) fn suite(report: &Report, times: &Times) -> Suite {
    let case = |name: String, phase: Phase, result: CaseResult| Case {
        class: "hob test".to_owned(),
        name,
        seconds: times.seconds(|timed| timed == phase),
        result,
        output: String::new(),
    };
    let failure = report.baseline.failure.as_ref().filter(|_| report.baseline.stops());
    let baseline = failure.map_or(CaseResult::Passed, |failure| {
        let message = "the test fails without weak isolation";
        CaseResult::Error(complaint(message, "baseline", details(failure)))
    });
    let mut cases = vec![case("baseline".to_owned(), Phase::Baseline, baseline)];
    for level in &report.levels {
        let title = format!("{} ({})", level.level.info().title, level.level);
        let result = match &level.failure {
            Some(failure) => {
                let kind = failure.diagnosis.code();
                CaseResult::Failed(complaint(&headline(level), kind, details(failure)))
            }
            None if level.is_unused() => {
                let message = format!("none of the {} runs used its store", level.runs);
                CaseResult::Error(complaint(&message, "unused", UNUSED.to_owned()))
            }
            None => CaseResult::Passed,
        };
        let mut one = case(title, Phase::Level(level.level), result);
        if matches!(one.result, CaseResult::Passed) && !report.could_fail() && level.runs > 0 {
            one.output = NO_OVERLAP.to_owned();
        }
        cases.push(one);
    }
    Suite {
        name: "hob test".to_owned(),
        properties: vec![
            ("command".to_owned(), report.command.join(" ")),
            ("seed".to_owned(), report.seed.to_string()),
        ],
        seconds: times.seconds(|_| true),
        cases,
    }
}

/// What to do where no two transactions overlapped.
const NO_OVERLAP: &str = "No two transactions overlapped in any run: nothing could go wrong. Does the test \
                          use two connections?";

fn complaint(message: &str, kind: &str, text: String) -> Complaint {
    Complaint { message: message.to_owned(), kind: kind.to_owned(), text }
}

/// `7 of 100 runs failed: lost update`.
fn headline(level: &LevelReport) -> String {
    let what: Vec<&str> = level.anomalies.iter().map(|count| count.title).collect();
    format!("{} of {} runs failed: {}", level.failures, level.runs, what.join(", "))
}

fn details(failure: &FailureReport) -> String {
    let policy = failure.policy.map_or(String::new(), |policy| format!(", policy {policy}"));
    let mut text = format!("seed {}{policy}: {}\n", failure.seed, failure.ending);
    if let Some(log) = &failure.log {
        let _ = writeln!(text, "hob test --replay {} --yes", log.display());
    }
    match &failure.diagnosis {
        Diagnosis::Anomaly(finding) => _ = writeln!(text, "\n{}", finding.text.trim_end()),
        other => _ = writeln!(text, "\n{}", other.title()),
    }
    let _ = write!(text, "\n{}", failure.output.text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use hobgoblin_core::Level;

    #[test]
    fn times_are_seconds_of_the_phases_there_were() {
        let times = Times(vec![
            (Phase::Baseline, Duration::from_millis(1250)),
            (Phase::Level(Level::RC), Duration::from_millis(500)),
        ]);
        assert_eq!(times.seconds(|_| true), Some(1.75));
        assert_eq!(times.seconds(|phase| phase == Phase::Baseline), Some(1.25));
        assert_eq!(times.seconds(|phase| phase == Phase::Level(Level::SI)), None);
    }
}
