//! Why a run failed, as far as its history tells: the anomaly that its level allows and a stronger one
//! does not.
//!
//! Every level from RC up is checked, and the weakest that is violated names the anomaly. As a rule it is
//! above the level the run was at; but a command may begin transactions at weaker levels of its own, and
//! an engine's levels promise less than their names. If even serializability holds, weak isolation is no
//! excuse: some serial order of the same transactions shows the clients the same values.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hobgoblin_check::{Limits, check_levels, explain};
use hobgoblin_core::{History, Level, StopReason, Verdict};

/// How long the check of one history may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the history of a failing run shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Diagnosis {
    /// It violates a level above its own.
    Anomaly(Box<Finding>),
    /// It is serializable.
    Serializable,
    /// The check of the history did not end; this is why.
    Undecided(String),
}

/// An anomaly found in a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The weakest level that forbids it.
    pub level: Level,
    /// Its name for machines.
    pub code: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The transactions involved.
    pub transactions: Vec<String>,
    /// Why, sentence by sentence.
    pub sentences: Vec<String>,
    /// The whole explanation.
    pub text: String,
}

impl Diagnosis {
    /// Looks at the history of a run.
    pub(crate) fn of(history: &History, stop: &Arc<AtomicBool>) -> Diagnosis {
        let levels: Vec<Level> = Level::ALL.into_iter().filter(|level| level.is_usual()).collect();
        let answers = check_levels(history, &levels, &limits(stop.clone()), |_| ());
        let mut undecided = None;
        for answer in answers {
            match answer.verdict {
                Verdict::Consistent(_) => {}
                Verdict::Unknown(reason) => undecided = undecided.or(Some(reason)),
                Verdict::Violation(witness) => {
                    let name = |&txn| history.name(txn).into_owned();
                    return Diagnosis::Anomaly(Box::new(Finding {
                        level: answer.level,
                        code: witness.anomaly.code(),
                        title: witness.anomaly.title(),
                        transactions: witness.txns.iter().map(name).collect(),
                        sentences: explain::sentences(history, &witness),
                        text: explain::text(history, &witness),
                    }));
                }
            }
        }
        match undecided {
            Some(reason) => Diagnosis::Undecided(reason.to_string()),
            None => Diagnosis::Serializable,
        }
    }

    /// Its name for machines: the anomaly's, `none` or `undecided`.
    pub fn code(&self) -> &'static str {
        match self {
            Diagnosis::Anomaly(finding) => finding.code,
            Diagnosis::Serializable => "none",
            Diagnosis::Undecided(_) => "undecided",
        }
    }

    /// Its name for people.
    pub fn title(&self) -> &'static str {
        match self {
            Diagnosis::Anomaly(finding) => finding.title,
            Diagnosis::Serializable => "no anomaly: the history is serializable",
            Diagnosis::Undecided(_) => "undecided: the check of the history took too long",
        }
    }
}

fn limits(stop: Arc<AtomicBool>) -> Limits {
    let deadline = Instant::now() + PATIENCE;
    Limits::new(move || match Instant::now() >= deadline {
        _ if stop.load(Ordering::Relaxed) => Some(StopReason::Interrupted),
        true => Some(StopReason::Time),
        false => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnose(text: &str, stopped: bool) -> Diagnosis {
        let history = hobgoblin_format::read(text.as_bytes(), "t.txn", None).expect("a history");
        Diagnosis::of(&history, &Arc::new(AtomicBool::new(stopped)))
    }

    const LOST_UPDATE: &str = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }\n";

    #[test]
    fn the_weakest_violated_level_names_the_anomaly() {
        let fractured = "init x=0\ns1: t1 { w(x)=1 w(y)=1 }\ns2: t2 { r(x)=1 r(y)=null }\n";
        let skew = "init x=0 y=0\ns1: t1 { r(x)=0 w(y)=1 }\ns2: t2 { r(y)=0 w(x)=1 }\n";
        for (text, code, level) in [
            (LOST_UPDATE, "lost-update", Level::PSI),
            (fractured, "fractured-read", Level::RC),
            (skew, "write-skew", Level::SER),
        ] {
            match diagnose(text, false) {
                Diagnosis::Anomaly(finding) => {
                    assert_eq!((finding.code, finding.level), (code, level));
                    assert_eq!(finding.transactions, ["t1", "t2"]);
                    assert!(finding.text.contains("t1, t2 violate"), "{}", finding.text);
                }
                other => panic!("{code}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_serializable_history_is_no_excuse() {
        let serial = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=1 w(x)=2 }\n";
        assert_eq!(diagnose(serial, false), Diagnosis::Serializable);
    }

    #[test]
    fn a_check_that_is_stopped_does_not_say_serializable() {
        let long: String =
            (0..9000).map(|i| format!("s{}: {{ r(x)={i} w(x)={} }}\n", i % 7, i + 1)).collect();
        match diagnose(&format!("init x=0\n{long}"), true) {
            Diagnosis::Undecided(reason) => assert_eq!(reason, "interrupted"),
            other => panic!("{other:?}"),
        }
    }
}
