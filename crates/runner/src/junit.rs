//! The report as JUnit XML, which continuous integration reads: a test case a level.

use std::fmt::Write;
use std::time::Duration;

use crate::diagnosis::Diagnosis;
use crate::report::{FailureReport, LevelReport, Report};
use crate::watch::Phase;

/// How long the phases took. The report does not know, so that the same runs give the same report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times(pub Vec<(Phase, Duration)>);

impl Times {
    /// ` time="1.250"`, in seconds; nothing for a phase that was not.
    fn attribute(&self, phases: impl Fn(Phase) -> bool) -> String {
        let times: Vec<Duration> =
            self.0.iter().filter(|(phase, _)| phases(*phase)).map(|(_, time)| *time).collect();
        match times.is_empty() {
            true => String::new(),
            false => format!(" time=\"{:.3}\"", times.iter().sum::<Duration>().as_secs_f64()),
        }
    }
}

/// The report as a file.
pub fn junit(report: &Report, times: &Times) -> String {
    let failures = report.levels.iter().filter(|level| level.failures > 0).count();
    let unused = report.levels.iter().filter(|level| is_unused(level)).count();
    let errors = usize::from(report.baseline.stops()) + unused;
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let tests = report.levels.len() + 1;
    let command = escape(&report.command.join(" "));
    let open = format!(
        "  <testsuite name=\"hob test\" tests=\"{tests}\" failures=\"{failures}\" \
         errors=\"{errors}\" skipped=\"0\"{}>\n    <properties>\n      \
         <property name=\"command\" value=\"{command}\"/>\n      \
         <property name=\"seed\" value=\"{}\"/>\n    </properties>\n",
        times.attribute(|_| true),
        report.seed
    );
    xml.push_str(&open);
    let mut case = |name: &str, phase: Phase, inner: String| {
        let (name, time) = (escape(name), times.attribute(|timed| timed == phase));
        let _ = write!(xml, "    <testcase classname=\"hob test\" name=\"{name}\"{time}");
        match inner.is_empty() {
            true => xml.push_str("/>\n"),
            false => _ = writeln!(xml, ">\n{inner}    </testcase>"),
        }
    };
    let failure = report.baseline.failure.as_ref().filter(|_| report.baseline.stops());
    let baseline = failure.map_or(String::new(), |failure| {
        let message = "the test fails without weak isolation";
        element("error", message, "baseline", &details(failure))
    });
    case("baseline", Phase::Baseline, baseline);
    for level in &report.levels {
        let title = format!("{} ({})", level.level.info().title, level.level);
        let inner = match &level.failure {
            Some(failure) => {
                element("failure", &headline(level), failure.diagnosis.code(), &details(failure))
            }
            None if is_unused(level) => {
                let message = format!("none of the {} runs used its store", level.runs);
                element("error", &message, "unused", UNUSED)
            }
            None if !report.could_fail() && level.runs > 0 => {
                format!("      <system-out>{}</system-out>\n", escape(NO_OVERLAP))
            }
            None => String::new(),
        };
        case(&title, Phase::Level(level.level), inner);
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

/// What to do where no run used its store.
pub const UNUSED: &str = "HOB_HTTP_URL, DATABASE_URL and PGHOST, PGPORT, … told the command where its \
                          store was; does it read them?";

/// What to do where no two transactions overlapped.
const NO_OVERLAP: &str = "No two transactions overlapped in any run: nothing could go wrong. Does the test \
                          use two connections?";

/// Whether nothing was tested at a level. A failure says more.
fn is_unused(level: &LevelReport) -> bool {
    level.is_unused() && level.failures == 0
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

fn element(name: &str, message: &str, kind: &str, text: &str) -> String {
    let (message, text) = (escape(message), escape(text));
    format!("      <{name} message=\"{message}\" type=\"{kind}\">{text}</{name}>\n")
}

/// Text as XML has it; what no XML 1.0 document may contain is replaced.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(c),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
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
        assert_eq!(times.attribute(|_| true), " time=\"1.750\"");
        assert_eq!(times.attribute(|phase| phase == Phase::Baseline), " time=\"1.250\"");
        assert_eq!(times.attribute(|phase| phase == Phase::Level(Level::SI)), "");
    }

    #[test]
    fn whatever_a_command_prints_stays_text() {
        assert_eq!(escape("a<b>&\"c\"\u{1b}[0m\n"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}[0m\n");
    }
}
