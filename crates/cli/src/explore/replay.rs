//! `--replay`: one end of a program again, by the token that an exploration gave it.

use hobgoblin_explore::{EndReport, ExploreError, Quantifier, describe};
use serde::Serialize;

use super::program::Loaded;
use super::report::{About, quantifier};
use crate::diagnostic::Failure;
use crate::exit::Exit;

/// One end, and what it does to the assertions.
#[derive(Debug, Serialize)]
pub(super) struct ReplayReport {
    pub(super) file: String,
    /// What the text says first of the program; not in JSON.
    #[serde(skip)]
    pub(super) about: About,
    #[serde(flatten)]
    pub(super) end: EndReport,
    pub(super) assertions: Vec<Answer>,
}

/// What an end does to an assertion.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) name: String,
    pub(super) quantifier: &'static str,
    /// Whether what is asserted is so in this end.
    pub(super) holds: bool,
    /// Whether that breaks the assertion.
    pub(super) broken: bool,
}

impl ReplayReport {
    pub(super) fn exit(&self) -> Exit {
        let broken = self.assertions.iter().any(|answer| answer.broken);
        match (broken, self.end.doubtful) {
            (false, _) => Exit::Holds,
            (true, true) => Exit::Unknown,
            (true, false) => Exit::Violation,
        }
    }
}

/// Makes the end of a token again.
pub(super) fn replay(loaded: &Loaded, token: &str) -> Result<ReplayReport, Failure> {
    let explain = |error| loaded.explain(error);
    let answers = hobgoblin_explore::replay(&loaded.program, token, |end| {
        let answer = |assertion: &hobgoblin_explore::Assertion| {
            let name = assertion.name.clone();
            let holds = (assertion.holds)(end)
                .map_err(|what| ExploreError::Assertion { name: name.clone(), what })?;
            let broken = match assertion.quantifier {
                Quantifier::Always => !holds,
                Quantifier::Never => holds,
                // One end cannot show that there is none.
                Quantifier::Exists => false,
            };
            Ok(Answer { name, quantifier: quantifier(assertion.quantifier), holds, broken })
        };
        loaded.assertions.iter().map(answer).collect::<Result<Vec<Answer>, ExploreError>>()
    });
    let assertions = answers.and_then(|answers| answers).map_err(explain)?;
    let (file, about) = (loaded.file.clone(), About::of(loaded));
    let end = describe(&loaded.program, token).map_err(explain)?;
    Ok(ReplayReport { file, about, end, assertions })
}
