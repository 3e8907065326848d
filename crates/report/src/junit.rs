//! JUnit XML, which continuous integration reads.

use std::fmt::Write;

use crate::escape::text as escape;
use crate::page::{LevelRow, Page, Standing};

/// The test cases of a command.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// What ran them, such as `hob test`.
    pub name: String,
    /// What else is known, by name.
    pub properties: Vec<(String, String)>,
    /// How long it took, in seconds, where that is known.
    pub seconds: Option<f64>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// A test case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// What it is a case of, such as a file.
    pub class: String,
    /// Its name.
    pub name: String,
    /// How long it took, in seconds, where that is known.
    pub seconds: Option<f64>,
    /// What came of it.
    pub result: CaseResult,
    /// What is to say beside.
    pub output: String,
}

/// What came of a case.
#[derive(Clone, Debug, Default)]
pub enum CaseResult {
    /// It passed.
    #[default]
    Passed,
    /// It failed.
    Failed(Complaint),
    /// It could not be decided for an error.
    Error(Complaint),
    /// It was not decided, and why.
    Skipped(String),
}

/// Why a case did not pass.
#[derive(Clone, Debug, Default)]
pub struct Complaint {
    /// In a line.
    pub message: String,
    /// Of which kind, in a word.
    pub kind: String,
    /// In full.
    pub text: String,
}

impl Suite {
    /// The suite as a file.
    pub fn xml(&self) -> String {
        let count =
            |is: fn(&CaseResult) -> bool| self.cases.iter().filter(|c| is(&c.result)).count();
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"{}>",
            escape(&self.name),
            self.cases.len(),
            count(|result| matches!(result, CaseResult::Failed(_))),
            count(|result| matches!(result, CaseResult::Error(_))),
            count(|result| matches!(result, CaseResult::Skipped(_))),
            time(self.seconds)
        );
        if !self.properties.is_empty() {
            xml.push_str("    <properties>\n");
            for (name, value) in &self.properties {
                let (name, value) = (escape(name), escape(value));
                let _ = writeln!(xml, "      <property name=\"{name}\" value=\"{value}\"/>");
            }
            xml.push_str("    </properties>\n");
        }
        self.cases.iter().for_each(|one| case(&mut xml, one));
        xml.push_str("  </testsuite>\n</testsuites>\n");
        xml
    }
}

fn case(xml: &mut String, case: &Case) {
    let element = |name: &str, Complaint { message, kind, text }: &Complaint| {
        let (message, kind, text) = (escape(message), escape(kind), escape(text));
        format!("      <{name} message=\"{message}\" type=\"{kind}\">{text}</{name}>\n")
    };
    let mut inner = match &case.result {
        CaseResult::Passed => String::new(),
        CaseResult::Failed(complaint) => element("failure", complaint),
        CaseResult::Error(complaint) => element("error", complaint),
        CaseResult::Skipped(why) => format!("      <skipped message=\"{}\"/>\n", escape(why)),
    };
    if !case.output.is_empty() {
        let _ = writeln!(inner, "      <system-out>{}</system-out>", escape(&case.output));
    }
    let (class, name, time) = (escape(&case.class), escape(&case.name), time(case.seconds));
    let _ = write!(xml, "    <testcase classname=\"{class}\" name=\"{name}\"{time}");
    match inner.is_empty() {
        true => xml.push_str("/>\n"),
        false => _ = writeln!(xml, ">\n{inner}    </testcase>"),
    }
}

/// ` time="1.250"`, in seconds.
fn time(seconds: Option<f64>) -> String {
    seconds.map_or_else(String::new, |seconds| format!(" time=\"{seconds:.3}\""))
}

impl Page {
    /// A case a level; one where there is none, since nothing could be asked.
    pub fn cases(&self) -> Vec<Case> {
        let case = |row: &LevelRow| Case {
            class: self.title.clone(),
            name: format!("{} ({})", row.title, row.name),
            result: self.result(row),
            ..Case::default()
        };
        if self.levels.is_empty() {
            let message = self.notes.first().cloned().unwrap_or_else(|| self.told());
            let result = CaseResult::Error(Complaint {
                text: self.notes.join("\n"),
                kind: "error".to_owned(),
                message,
            });
            return vec![Case {
                class: self.title.clone(),
                name: self.command.clone(),
                result,
                ..Case::default()
            }];
        }
        self.levels.iter().map(case).collect()
    }

    fn result(&self, row: &LevelRow) -> CaseResult {
        let shown = row.anomaly.and_then(|at| self.anomalies.get(at));
        match row.standing {
            Standing::Holds => CaseResult::Passed,
            Standing::Unknown => CaseResult::Skipped(match row.why.is_empty() {
                true => "not decided".to_owned(),
                false => row.why.clone(),
            }),
            Standing::Violated => CaseResult::Failed(Complaint {
                message: shown.map_or_else(|| row.why.clone(), |one| one.headline.clone()),
                kind: match row.why.is_empty() {
                    true => "violated".to_owned(),
                    false => row.why.clone(),
                },
                text: shown.map_or_else(String::new, |one| one.wrong.clone()),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_said_stays_text() {
        let complaint = Complaint {
            message: "a<b>&\"c\"\u{1b}[0m\n".to_owned(),
            kind: "k".to_owned(),
            text: "]]>".to_owned(),
        };
        let failed = Case {
            name: "\u{ffff}".to_owned(),
            result: CaseResult::Failed(complaint),
            ..Case::default()
        };
        let skipped = Case { result: CaseResult::Skipped("why".to_owned()), ..Case::default() };
        let xml = Suite { cases: vec![failed, skipped, Case::default()], ..Suite::default() }.xml();
        for part in [
            "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">",
            "name=\"\\u{ffff}\"",
            "message=\"a&lt;b&gt;&amp;&quot;c&quot;\\u{1b}[0m\n\" type=\"k\">]]&gt;</failure>",
            "<skipped message=\"why\"/>",
            "<testcase classname=\"\" name=\"\"/>",
        ] {
            assert!(xml.contains(part), "{part}:\n{xml}");
        }
    }
}
