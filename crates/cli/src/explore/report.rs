//! What an exploration came to, as `--json` prints it.

use hobgoblin_core::Level;
use hobgoblin_explore::{
    Assertion, AssertionVerdict, Assessed, Count, EndReport, Found, Quantifier, Stopped, describe,
};
use serde::Serialize;

use super::doubt::Doubt;
use super::mode::ModeName;
use super::program::Loaded;
use super::session::{Explored, Session};
use crate::diagnostic::Failure;
use crate::exit::Exit;

/// The size of the program.
#[derive(Clone, Debug, Serialize)]
pub(super) struct About {
    pub(super) file: String,
    pub(super) sessions: usize,
    pub(super) transactions: usize,
}

/// What an exploration came to; docs/explore.schema.json describes it.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    pub(super) about: About,
    pub(super) level: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base: Option<&'static str>,
    pub(super) mode: ModeName,
    #[serde(flatten)]
    pub(super) counts: Counts,
    pub(super) assertions: Vec<AssertionReport>,
    pub(super) violations: Vec<Violation>,
    /// Why what is not broken is not proved either.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) doubts: Vec<Doubt>,
    /// Where what is left was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) saved: Option<String>,
    /// How long it took in seconds, with `--timing` only: JSON is the same for the same input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
    /// How long it took in seconds, for the text.
    #[serde(skip)]
    pub(super) took: f64,
}

/// How much was found.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Counts {
    pub(super) histories: u64,
    pub(super) end_states: u64,
    pub(super) calls: u64,
    pub(super) fruitless: u64,
    pub(super) complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stopped: Option<&'static str>,
}

/// What an assertion came to.
#[derive(Debug, Serialize)]
pub(super) struct AssertionReport {
    pub(super) name: String,
    pub(super) quantifier: &'static str,
    pub(super) verdict: AssertionVerdict,
    /// The histories that break it; those that show it, for `exists`.
    pub(super) histories: u64,
    /// How many of them are doubtful.
    #[serde(skip_serializing_if = "none")]
    pub(super) doubtful: u64,
    /// The smallest of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) token: Option<String>,
}

/// An assertion that is broken.
#[derive(Debug, Serialize)]
pub(super) struct Violation {
    pub(super) assertion: String,
    /// The smallest history that breaks it. None does where `exists` is broken: then none shows it.
    #[serde(flatten)]
    pub(super) end: Option<EndReport>,
    pub(super) histories: u64,
}

impl About {
    pub(super) fn of(loaded: &Loaded) -> About {
        let sessions = loaded.program.sessions();
        About {
            file: loaded.file.clone(),
            sessions: sessions.len(),
            transactions: sessions.iter().map(|session| session.txns.len()).sum(),
        }
    }
}

impl Counts {
    pub(super) fn of(found: &Found) -> Counts {
        let stopped = found.stopped.map(|stopped| match stopped {
            Stopped::Max => "max",
            Stopped::Time => "time",
            Stopped::Asked => "interrupted",
        });
        let Found { histories, end_states, calls, fruitless, complete, .. } = *found;
        Counts { histories, end_states, calls, fruitless, complete, stopped }
    }
}

impl AssertionReport {
    fn of(assertion: &Assertion, count: &Count, verdict: AssertionVerdict) -> AssertionReport {
        AssertionReport {
            name: assertion.name.clone(),
            quantifier: quantifier(assertion.quantifier),
            verdict,
            histories: count.histories,
            doubtful: count.doubtful,
            token: count.example.as_ref().map(|example| example.token.clone()),
        }
    }
}

impl AssertionReport {
    /// How many histories are not doubtful, where some are.
    pub(super) fn sure(&self) -> Option<u64> {
        (self.doubtful > 0).then(|| self.histories - self.doubtful)
    }
}

impl Violation {
    pub(super) fn dot(&self) -> Option<&str> {
        self.end.as_ref()?.dot.as_deref()
    }
}

impl Report {
    /// Describes what was found, with the counterexamples explained.
    pub(super) fn of(
        session: &Session<'_>,
        mode: ModeName,
        explored: &Explored,
    ) -> Result<Report, Failure> {
        let Session { loaded, options, .. } = session;
        let Explored { assessed, seconds } = explored;
        let assertions = assertions(loaded, assessed);
        let described =
            |token: &str| describe(&loaded.program, token).map_err(|error| loaded.explain(error));
        let mut violations = Vec::new();
        for report in assertions.iter().filter(|report| report.verdict == AssertionVerdict::Broken)
        {
            violations.push(Violation {
                assertion: report.name.clone(),
                end: report.token.as_deref().map(described).transpose()?,
                histories: report.histories,
            });
        }
        Ok(Report {
            about: About::of(loaded),
            level: options.level.name(),
            base: options.base.map(Level::name),
            mode,
            counts: Counts::of(&assessed.found),
            assertions,
            violations,
            doubts: Doubt::all(&assessed.found.meetings),
            saved: None,
            seconds: Some(*seconds),
            took: *seconds,
        })
    }

    pub(super) fn exit(&self) -> Exit {
        let unknown = |report: &AssertionReport| report.verdict == AssertionVerdict::Unknown;
        if !self.violations.is_empty() {
            Exit::Violation
        } else if !self.counts.complete || self.assertions.iter().any(unknown) {
            Exit::Unknown
        } else {
            Exit::Holds
        }
    }
}

/// What every assertion came to.
pub(super) fn assertions(loaded: &Loaded, assessed: &Assessed) -> Vec<AssertionReport> {
    let counted = loaded.assertions.iter().zip(&assessed.counts);
    let counted = counted.zip(assessed.verdicts(&loaded.assertions));
    counted.map(|((one, count), verdict)| AssertionReport::of(one, count, verdict)).collect()
}

/// Whether there is nothing to say of a count.
pub(super) fn none(count: &u64) -> bool {
    *count == 0
}

pub(super) fn quantifier(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Always => "always",
        Quantifier::Never => "never",
        Quantifier::Exists => "exists",
    }
}
