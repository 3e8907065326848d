//! Why a run failed, as far as its history tells: the anomaly that its level allows and a stronger one
//! does not.
//!
//! Every level from RC up is checked. As a rule what is violated is above the level the run was at; but a
//! command may begin transactions at weaker levels of its own, and an engine's levels promise less than
//! their names. If even serializability holds, weak isolation is no excuse: some serial order of the same
//! transactions shows the clients the same values.
//!
//! A history has many violations as soon as it has one, and the reader wants the one that explains the
//! failure. Of those that have a pattern ([`Suspects`]) the one is told that comes first by: whether its
//! transactions or all its keys are what the failing run looked at in the end ([`Focus`]); how well known
//! it is; how few keys and transactions it has. If no pattern fits, the witness of the weakest violated
//! level is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hobgoblin_check::{Limits, Suspect, Suspects, check_levels, explain, verify};
use hobgoblin_core::{
    Anomaly, Conclusion, History, KeyId, Level, Proof, Reason, StopReason, Target, Verdict, Witness,
};

use crate::focus::Focus;

/// How long the check of one history may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many suspects are looked at before the checker's own witness is good enough.
const SUSPECTS: usize = 2000;

/// What the history of a failing run shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Diagnosis {
    /// The history violates a level above its own, in the way this tells.
    Anomaly(Box<Finding>),
    /// The history is serializable, so weak isolation is not the cause.
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
    /// The keys it is about.
    pub keys: Vec<String>,
    /// What went wrong and where, in plain words.
    pub headline: String,
    /// What is wrong with it, with the values.
    pub wrong: String,
    /// What would have prevented it.
    pub prevented: Vec<String>,
    /// Why, sentence by sentence.
    pub sentences: Vec<String>,
    /// The whole explanation.
    pub text: String,
}

impl Diagnosis {
    /// Looks at the history of a run. When `stop` is set it is undecided.
    pub fn of(history: &History, stop: &Arc<AtomicBool>) -> Diagnosis {
        match found(history, stop) {
            Ok(Some((witness, keys))) => {
                Diagnosis::Anomaly(Box::new(Finding::of(history, &witness, &keys)))
            }
            Ok(None) => Diagnosis::Serializable,
            Err(reason) => Diagnosis::Undecided(reason.to_string()),
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

impl Finding {
    fn of(history: &History, witness: &Witness, keys: &[KeyId]) -> Finding {
        let level = match witness.target {
            Target::Level(level) | Target::Mixed(level) => level,
        };
        let telling = explain::tell(history, witness);
        Finding {
            level,
            code: witness.anomaly.code(),
            title: witness.anomaly.title(),
            transactions: witness.txns.iter().map(|&txn| history.name(txn).into_owned()).collect(),
            keys: keys.iter().map(|&key| history.key(key).to_string()).collect(),
            headline: telling.headline,
            wrong: telling.wrong,
            prevented: telling.prevented,
            sentences: explain::sentences(history, witness),
            text: explain::text(history, witness),
        }
    }
}

/// The violation that a history is told by: what [`Diagnosis::of`] tells, for who shows it in another form.
pub fn told(history: &History, stop: &Arc<AtomicBool>) -> Option<Witness> {
    found(history, stop).ok().flatten().map(|(witness, _)| witness)
}

/// The violation to tell and its keys, none if the history is serializable, or why that is not known.
fn found(
    history: &History,
    stop: &Arc<AtomicBool>,
) -> Result<Option<(Witness, Vec<KeyId>)>, StopReason> {
    let levels: Vec<Level> = Level::ALL.into_iter().filter(|level| level.is_usual()).collect();
    let limits = limits(stop.clone());
    if let Some(known) = known(history, &limits) {
        return Ok(Some(known));
    }
    let mut undecided = None;
    for answer in check_levels(history, &levels, &limits, |_| ()) {
        match answer.verdict {
            Verdict::Consistent(_) => {}
            Verdict::Unknown(reason) => undecided = undecided.or(Some(reason)),
            Verdict::Violation(witness) => {
                let keys = keys_of(history, &witness.proof);
                return Ok(Some((*witness, keys)));
            }
        }
    }
    undecided.map_or(Ok(None), Err)
}

/// The keys that the end of a proof speaks of.
fn keys_of(history: &History, proof: &Proof) -> Vec<KeyId> {
    let mut keys: Vec<KeyId> = match &proof.conclusion {
        Conclusion::Read(read) | Conclusion::Sources { read, .. } => {
            vec![history.event(*read).key()]
        }
        Conclusion::Cycle(cycle) => cycle
            .iter()
            .filter_map(|edge| match edge.why {
                Reason::Read(read) | Reason::Overwrite(read) => Some(history.event(read).key()),
                Reason::Write(key) => Some(key),
                Reason::Session | Reason::RealTime => None,
            })
            .collect(),
        Conclusion::Search => Vec::new(),
    };
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The violation that tells an author most, if one has a pattern he knows. Its witness is verified, so
/// that a story is never made up.
fn known(history: &History, limits: &Limits) -> Option<(Witness, Vec<KeyId>)> {
    let focus = Focus::of(history);
    let suspects = Suspects::of(history, |key| focus.has_key(key));
    let mut ranked: Vec<&Suspect> = suspects.all().iter().collect();
    ranked.sort_by_cached_key(|suspect| rank(&focus, suspect));
    ranked.into_iter().take(SUSPECTS).find_map(|suspect| {
        let witness = suspects.witness(suspect, limits)?;
        let verdict = Verdict::Violation(Box::new(witness.clone()));
        verify::verify(history, witness.target, &verdict).ok()?;
        Some((witness, suspect.keys.clone()))
    })
}

/// Smaller is told rather: see the [module docs](self).
fn rank(focus: &Focus, suspect: &Suspect) -> impl Ord + use<> {
    let in_focus = suspect.keys.iter().filter(|&&key| focus.has_key(key)).count();
    let looked = match () {
        () if suspect.txns.iter().any(|&txn| focus.has_txn(txn)) => 0,
        () if in_focus == suspect.keys.len() => 1,
        () if in_focus > 0 => 2,
        () => 3,
    };
    let name = match suspect.anomaly {
        Anomaly::LostUpdate => 0,
        Anomaly::WriteSkew => 1,
        _ => 2,
    };
    let together = suspect.keys.iter().map(|&key| focus.together(key)).min();
    let (keys, txns) = (suspect.keys.len(), suspect.txns.len());
    (looked, name, keys, txns, together, suspect.txns.clone(), suspect.keys.clone())
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
                    assert!(finding.text.contains(finding.title), "{}", finding.text);
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
