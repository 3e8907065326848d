//! What a search came to, as `--json` prints it.

use std::collections::BTreeMap;
use std::time::Duration;

use hobgoblin_check::Limits;
use hobgoblin_check::explain::{self, Telling};
use hobgoblin_check::state::{StateVerdict, check_state};
use hobgoblin_core::{History, Level, Verdict};
use hobgoblin_protocol::models::ModelInfo;
use hobgoblin_protocol::{
    Answer, Finding, Line, Observed, Options, Outcome, Process, Run, Semantics,
};
use hobgoblin_report::Anomaly;
use serde::{Serialize, Serializer};

use crate::exit::Exit;

/// What was searched, and how long that took.
#[derive(Debug)]
pub(super) struct About {
    pub(super) model: ModelInfo,
    pub(super) bug: bool,
    pub(super) took: Duration,
}

/// What a search came to; docs/protocol.schema.json describes it.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) protocol: &'static str,
    #[serde(skip)]
    pub(super) title: &'static str,
    pub(super) transactions: usize,
    pub(super) resources: usize,
    pub(super) bug: bool,
    pub(super) symmetry: bool,
    pub(super) states: usize,
    pub(super) depth: usize,
    /// Whether every state was seen.
    pub(super) complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stopped: Option<String>,
    #[serde(serialize_with = "by_name")]
    pub(super) levels: Vec<(Level, Answer)>,
    #[serde(serialize_with = "by_name")]
    pub(super) invariants: Vec<(&'static str, Answer)>,
    #[serde(serialize_with = "word")]
    pub(super) termination: Answer,
    pub(super) violations: Vec<Violation>,
    pub(super) seconds: f64,
}

/// A state in which something is wrong, and how it comes to it.
#[derive(Debug, Serialize)]
pub(super) struct Violation {
    /// What is: levels, invariants, `deadlock`, `endless` or `panic`.
    pub(super) violates: Vec<String>,
    /// What is wrong with the state, in sentences.
    pub(super) says: Vec<String>,
    /// How many states the run has, the initial one included.
    pub(super) states: usize,
    pub(super) steps: Vec<Step>,
    /// Where a run that never ends goes round from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<usize>,
    /// The transactions that were observed, each by its name.
    pub(super) transactions: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) explanation: Option<String>,
    /// What the explanation is of, for a page.
    #[serde(skip)]
    pub(super) told: Option<Anomaly>,
    #[serde(skip)]
    pub(super) chart: String,
    #[serde(skip)]
    pub(super) history: Option<History>,
    #[serde(skip)]
    pub(super) observed: Observed,
}

/// One step of a run.
#[derive(Debug, Serialize)]
pub(super) struct Step {
    pub(super) process: String,
    pub(super) does: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) received: Option<Received>,
}

/// The message that a step is taken upon.
#[derive(Debug, Serialize)]
pub(super) struct Received {
    pub(super) from: String,
    pub(super) message: String,
}

impl Report {
    pub(super) fn of(about: &About, options: &Options<'_>, found: Outcome) -> Report {
        let resources = found.resources;
        let violation = |run| Violation::of(run, resources, options.semantics);
        Report {
            protocol: about.model.name,
            title: about.model.title,
            transactions: found.transactions,
            resources,
            bug: about.bug,
            symmetry: options.symmetry,
            states: found.states,
            depth: found.depth,
            complete: found.complete,
            stopped: found.stopped.as_ref().map(ToString::to_string),
            levels: found.levels,
            invariants: found.invariants,
            termination: found.termination,
            violations: found.runs.into_iter().map(violation).collect(),
            seconds: about.took.as_secs_f64(),
        }
    }

    /// Every answer, by what it is to.
    pub(super) fn answers(&self) -> impl Iterator<Item = Answer> + '_ {
        let levels = self.levels.iter().map(|(_, answer)| *answer);
        let invariants = self.invariants.iter().map(|(_, answer)| *answer);
        levels.chain(invariants).chain([self.termination])
    }

    pub(super) fn exit(&self) -> Exit {
        if self.answers().any(|answer| answer == Answer::Violated) {
            Exit::Violation
        } else if self.answers().any(|answer| answer == Answer::Unknown) {
            Exit::Unknown
        } else {
            Exit::Holds
        }
    }
}

impl Violation {
    fn of(run: Run, resources: usize, semantics: Semantics) -> Violation {
        let step = |(process, line): (Process, Line)| {
            let received =
                line.received.map(|(from, message)| Received { from: from.to_string(), message });
            Step { process: process.to_string(), does: line.does, received }
        };
        let history = run.observed.history(resources, &|t| run.sessions[t]).ok();
        let mut violation = Violation {
            violates: run.findings.iter().map(name).collect(),
            says: run.findings.iter().map(ToString::to_string).collect(),
            states: run.states,
            steps: run.steps.into_iter().map(step).collect(),
            from: run.findings.iter().find_map(|finding| match finding {
                Finding::Endless { from, .. } => Some(*from),
                _ => None,
            }),
            transactions: history.as_ref().map(written).unwrap_or_default(),
            explanation: None,
            told: None,
            chart: run.chart,
            history,
            observed: run.observed,
        };
        violation.explain(semantics);
        violation
    }

    /// Whether a level is violated there.
    pub(super) fn violates_level(&self, level: Level) -> bool {
        self.violates.iter().any(|name| name == level.name())
    }

    /// Explains the weakest level that is violated.
    fn explain(&mut self, semantics: Semantics) {
        let weakest = Level::ALL.into_iter().find(|level| self.violates_level(*level));
        if let (Some(level), Some(history)) = (weakest, &self.history) {
            (self.explanation, self.told) = explanation(history, level, semantics);
        }
    }
}

/// What is wrong, as a word.
fn name(finding: &Finding) -> String {
    match finding {
        Finding::Level(level) => level.name().to_owned(),
        Finding::Invariant(name) => (*name).to_owned(),
        Finding::Deadlock => "deadlock".to_owned(),
        Finding::Endless { .. } => "endless".to_owned(),
        _ => "panic".to_owned(),
    }
}

/// Why a history violates a level. Repairs are for applications, and this is what they run on.
fn explanation(
    history: &History,
    level: Level,
    semantics: Semantics,
) -> (Option<String>, Option<Anomaly>) {
    let of = |mut telling: Telling, shown: Option<Anomaly>| {
        telling.prevented.clear();
        (Some(explain::render(&telling)), shown.map(Anomaly::without_repairs))
    };
    if semantics == Semantics::State
        && let Ok(StateVerdict::Violation(violation)) = check_state(history, level, &Limits::none())
    {
        let shown = explain::state_witness(history, &violation)
            .map(|_| Anomaly::of_state(history, &violation));
        return of(explain::tell_state(history, &violation), shown);
    }
    match hobgoblin_check::check(history, level, &Limits::none()) {
        Verdict::Violation(witness) => {
            of(explain::tell(history, &witness), Some(Anomaly::of(history, &witness)))
        }
        _ => (None, None),
    }
}

/// By transaction, what it observed, as in .txn files.
fn written(history: &History) -> BTreeMap<String, String> {
    let mut text = Vec::new();
    let format = hobgoblin_format::Format::Txn;
    hobgoblin_format::write(history, format, &mut text).expect("memory takes all");
    let text = String::from_utf8_lossy(&text);
    let transaction = |line: &str| {
        let (head, events) = line.split_once(" { ")?;
        let name = head.split_whitespace().nth(1)?;
        Some((name.to_owned(), events.trim_end_matches('}').trim_end().to_owned()))
    };
    text.lines().filter_map(transaction).collect()
}

fn by_name<N: ToString, S: Serializer>(
    answers: &[(N, Answer)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer
        .collect_map(answers.iter().map(|(name, answer)| (name.to_string(), answer.to_string())))
}

fn word<S: Serializer>(answer: &Answer, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(answer)
}
