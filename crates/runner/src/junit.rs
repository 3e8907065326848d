//! The report as JUnit XML, which continuous integration reads: a test case a level.

use std::fmt::Write;

use crate::diagnosis::Diagnosis;
use crate::report::{FailureReport, LevelReport, Report};

/// The report as a file.
pub fn junit(report: &Report) -> String {
    let failures = report.levels.iter().filter(|level| level.failures > 0).count();
    let errors = u32::from(report.baseline.failures > 0);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let tests = report.levels.len() + 1;
    let command = escape(&report.command.join(" "));
    let open = format!(
        "  <testsuite name=\"hob test\" tests=\"{tests}\" failures=\"{failures}\" \
         errors=\"{errors}\" skipped=\"0\">\n    <properties>\n      \
         <property name=\"command\" value=\"{command}\"/>\n      \
         <property name=\"seed\" value=\"{}\"/>\n    </properties>\n",
        report.seed
    );
    xml.push_str(&open);
    let mut case = |name: &str, inner: String| {
        let name = escape(name);
        let _ = write!(xml, "    <testcase classname=\"hob test\" name=\"{name}\"");
        match inner.is_empty() {
            true => xml.push_str("/>\n"),
            false => _ = writeln!(xml, ">\n{inner}    </testcase>"),
        }
    };
    let baseline = report.baseline.failure.as_ref().map_or(String::new(), |failure| {
        let message = "the test fails without weak isolation";
        element("error", message, "baseline", &details(failure))
    });
    case("baseline (SER)", baseline);
    for level in &report.levels {
        let title = format!("{} ({})", level.level.info().title, level.level);
        let inner = level.failure.as_ref().map_or(String::new(), |failure| {
            element("failure", &headline(level), failure.diagnosis.code(), &details(failure))
        });
        case(&title, inner);
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
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
        let _ = writeln!(text, "hob test --replay {}", log.display());
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

    #[test]
    fn whatever_a_command_prints_stays_text() {
        assert_eq!(escape("a<b>&\"c\"\u{1b}[0m\n"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}[0m\n");
    }
}
