//! One end, for people: what its transactions did and returned, and which anomaly its history shows.

use std::time::Duration;

use hobgoblin_check::{LevelVerdict, Limits, check_levels, exact, explain, strongest};
use hobgoblin_core::{
    History, HistoryBuilder, Key, Kind, Level, Source, Status, Target, TxnId, Value, Verdict,
    Witness,
};
use hobgoblin_format::{EventRecord, Header, TxnRecord, WriterRecord};
use serde::Serialize;

use crate::end::End;
use crate::error::ExploreError;
use crate::explorer::replay;
use crate::program::Program;
use crate::record::Outcome;
use crate::script::Session;

/// How long the explanation of one history may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// An end of the program.
#[derive(Debug, Serialize)]
pub struct EndReport {
    /// The token that makes it again.
    pub token: String,
    /// Its transactions, session by session.
    pub transactions: Vec<TxnReport>,
    /// The anomaly that its history shows.
    pub diagnosis: Diagnosis,
    /// Whether a database that keeps the rows of a table apart does not have it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub doubtful: bool,
    /// The history of the end as a Graphviz graph, if it shows an anomaly.
    #[serde(skip)]
    pub dot: Option<String>,
    /// The history and the anomaly, to be shown in other forms.
    #[serde(skip)]
    #[doc(hidden)]
    pub told: Option<Box<(History, Witness)>>,
}

/// What a transaction did.
#[derive(Debug, Serialize)]
pub struct TxnReport {
    /// Its name in the history.
    pub id: String,
    /// The name of its session.
    pub session: String,
    /// Its level, if it has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<&'static str>,
    /// Its reads and writes, as in `.txn` files.
    pub events: String,
    /// Whether it aborted.
    pub aborted: bool,
    /// What it returned, if it committed and is not the one that observes the final values.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "exact::some_value")]
    pub returned: Option<Value>,
}

/// What a history shows: the anomaly that the weakest level forbids.
#[derive(Debug, Serialize)]
pub struct Diagnosis {
    /// The anomaly's name for machines; `none`, or `undecided`.
    pub anomaly: &'static str,
    /// Its name for people.
    pub title: String,
    /// The weakest level that forbids it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violates: Option<&'static str>,
    /// The strongest levels that allow the history.
    pub strongest: Vec<&'static str>,
    /// The transactions that show it.
    pub transactions: Vec<String>,
    /// What went wrong and where, in plain words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub headline: String,
    /// What is wrong with it, with the values.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub wrong: String,
    /// What would have prevented it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prevented: Vec<String>,
    /// Why the level forbids it, sentence by sentence.
    pub explanation: Vec<String>,
    /// The explanation as one text for people.
    #[serde(skip)]
    pub text: Option<String>,
}

/// Makes an end again from its token and describes it.
pub fn describe(program: &Program, token: &str) -> Result<EndReport, ExploreError> {
    let look = |end: &End<'_>| {
        let history = end.history();
        let txns = history.txns();
        let transactions = txns.map(|txn| txn_report(program, end, &history, txn)).collect();
        let (diagnosis, told) = diagnose(program, history);
        let dot = told.as_ref().map(|told| explain::dot(&told.0, &told.1));
        let token = token.to_owned();
        EndReport { token, transactions, diagnosis, doubtful: end.is_doubtful(), dot, told }
    };
    replay(program, token, look)
}

fn txn_report(program: &Program, end: &End<'_>, history: &History, txn: TxnId) -> TxnReport {
    let session = history.session_of(txn).map(|session| history.session(session));
    let outcome = place(program, history, txn).map(|(session, at)| end.outcome(session, at));
    TxnReport {
        id: history.name(txn).into_owned(),
        session: session.map(Key::to_string).unwrap_or_default(),
        level: own_level(program, history, txn).map(Level::name),
        events: events(history, txn),
        aborted: history.status(txn) == Status::Aborted,
        returned: match outcome {
            Some(Outcome::Committed(value)) => Some(value.clone()),
            _ => None,
        },
    }
}

/// What a transaction did, as `r(x)=0 w(x)=1`.
fn events(history: &History, txn: TxnId) -> String {
    let event = |event| {
        let packed = history.event(event);
        let kind = if packed.is_write() { 'w' } else { 'r' };
        format!("{kind}({})={}", history.key(packed.key()), history.value(event))
    };
    history.event_ids(txn).map(event).collect::<Vec<_>>().join(" ")
}

fn diagnose(program: &Program, history: History) -> (Diagnosis, Option<Box<(History, Witness)>>) {
    let limits = Limits::time(PATIENCE);
    let levels: Vec<Level> = Level::ALL.into_iter().filter(|l| !l.respects_real_time()).collect();
    let weakest = |answers: &[LevelVerdict]| {
        let violated = |a: &&LevelVerdict| matches!(a.verdict, Verdict::Violation(_));
        answers.iter().find(violated).map(|answer| answer.level)
    };
    let mut answers = check_levels(&history, &levels, &limits, |_| {});
    // The history alone is explained with fewer words; the rest counts where that says more.
    let mut shown = None;
    if let Some(whole) = as_explored(program, &history) {
        let more = check_levels(&whole, &levels, &limits, |_| {});
        if weakest(&more) != weakest(&answers) {
            (answers, shown) = (more, Some(whole));
        }
    }
    let history = shown.unwrap_or(history);
    let mut diagnosis = Diagnosis {
        anomaly: "none",
        title: "serializable".to_owned(),
        violates: None,
        strongest: strongest(&answers).into_iter().map(Level::name).collect(),
        transactions: Vec::new(),
        headline: String::new(),
        wrong: String::new(),
        prevented: Vec::new(),
        explanation: Vec::new(),
        text: None,
    };
    let found = answers.iter().find_map(|answer| match &answer.verdict {
        Verdict::Violation(witness) => Some((answer.level, witness)),
        _ => None,
    });
    if let Some((level, witness)) = found {
        diagnosis.fill(&history, level, witness);
        let witness = Witness::clone(witness);
        return (diagnosis, Some(Box::new((history, witness))));
    }
    let unknown = answers.iter().find_map(|answer| match &answer.verdict {
        Verdict::Unknown(reason) => Some(reason.to_string()),
        _ => None,
    });
    if let Some(reason) = unknown {
        (diagnosis.anomaly, diagnosis.title) = ("undecided", reason);
    }
    (diagnosis, None)
}

impl Diagnosis {
    fn fill(&mut self, history: &History, level: Level, witness: &Witness) {
        self.anomaly = witness.anomaly.code();
        self.title = witness.anomaly.title().to_owned();
        self.violates = Some(level.name());
        let telling = explain::tell(history, witness);
        (self.headline, self.wrong) = (telling.headline, telling.wrong);
        self.prevented = telling.prevented;
        let name = |&txn: &TxnId| history.name(txn).into_owned();
        self.transactions = witness.txns.iter().map(name).collect();
        self.explanation = explain::sentences(history, witness);
        self.text = Some(explain::text(history, witness));
    }
}

/// The history of an end as the explorer looks at it, and what it is checked against at a level:
/// transactions keep levels of their own.
pub(crate) fn checked(program: &Program, end: &End<'_>, level: Level) -> (History, Target) {
    let history = end.history();
    let history = as_explored(program, &history).unwrap_or(history);
    let own = |txn: TxnId| own_level(program, &history, txn);
    if !history.txns().any(|txn| own(txn).is_some()) {
        return (history, Target::Level(level));
    }
    let levels = |record: &mut TxnRecord, txn| record.level = own(txn);
    match rebuilt(&history, levels) {
        Some(rebuilt) => (rebuilt, Target::Mixed(level)),
        None => (history, Target::Mixed(level)),
    }
}

/// The level that the program gives a transaction.
fn own_level(program: &Program, history: &History, txn: TxnId) -> Option<Level> {
    let (session, at) = place(program, history, txn)?;
    program.sessions()[session].txns[at].level
}

/// Where in the program a transaction is; nowhere if it observes the final values.
fn place(program: &Program, history: &History, txn: TxnId) -> Option<(usize, usize)> {
    let name = history.session(history.session_of(txn)?);
    let named = |session: &Session| Key::from(session.name.as_str()) == *name;
    let session = program.sessions().iter().position(named)?;
    let at = history.position(txn);
    (at < program.sessions()[session].txns.len()).then_some((session, at))
}

/// A history with what the explorer holds to the level and a history alone does not say; none if that
/// is nothing.
///
/// Aborted transactions are as if they had committed, without their writes: the checker looks at no aborted
/// ones, but here their reads obey the level. And the transaction that observes the final values comes after
/// all others in session order, though they are not of one session: it reads from each that it ended. Those
/// reads are its last, so that they say nothing about its other reads at RC, where session order does not.
fn as_explored(program: &Program, history: &History) -> Option<History> {
    let aborted = history.txns().any(|txn| history.status(txn) == Status::Aborted);
    let observes = |txn: TxnId| place(program, history, txn).is_none();
    let observed = history.txns().any(observes);
    if !aborted && !observed {
        return None;
    }
    let ended = |txn: TxnId| Key::from(format!("{} ended", history.name(txn)));
    rebuilt(history, |record, txn| {
        if record.status == Status::Aborted {
            record.status = Status::Committed;
            let mut sources = history.event_ids(txn).map(|event| history.source(event));
            let mut external =
                || sources.next().is_some_and(|s| !matches!(s, Source::Write | Source::Internal));
            record.events.retain(|_| external());
        }
        if observes(txn) {
            for other in history.txns().filter(|&other| other != txn) {
                let mut read = EventRecord::new(Kind::Read, ended(other), Value::Bool(true));
                read.writer = Some(WriterRecord::Name(history.name(other).into_owned()));
                record.events.push(read);
            }
        } else if observed {
            record.events.push(EventRecord::new(Kind::Write, ended(txn), Value::Bool(true)));
        }
    })
}

/// The history with its transactions changed.
fn rebuilt(history: &History, change: impl Fn(&mut TxnRecord, TxnId)) -> Option<History> {
    let mut builder = HistoryBuilder::new();
    for (key, value) in Header::of(history).initial {
        let key = builder.key(&key);
        builder.initial(key, &value).ok()?;
    }
    for txn in history.txns() {
        let mut record = TxnRecord::of(history, txn);
        change(&mut record, txn);
        record.add_to(&mut builder).ok()?;
    }
    builder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(text: &str) -> History {
        hobgoblin_format::read(text.as_bytes(), "", None).expect("it is a history")
    }

    /// A program of these sessions with so many transactions.
    fn program(sessions: &[(&str, usize)]) -> Program {
        let body = |_: &mut crate::transaction::Transaction<'_>| Ok(());
        sessions.iter().fold(Program::new(), |program, (name, txns)| {
            program.session(name, |s| (0..*txns).fold(s, |s, _| s.txn("t", body)))
        })
    }

    #[test]
    fn what_aborted_transactions_read_counts() {
        // t3 saw half of t1 and aborted.
        let program = program(&[("s1", 1), ("s2", 1)]);
        let text = "init x=0 y=0\ns1: t1 { w(x)=1 w(y)=1 }\n\
                    s2: t3 aborted { r(y)=0<-init r(x)=1<-t1 w(x)=7 r(x)=7 }\n";
        let (diagnosis, dot) = diagnose(&program, history(text));
        assert_eq!((diagnosis.anomaly, diagnosis.violates), ("fractured-read", Some("RA")));
        assert_eq!((diagnosis.strongest, dot.is_some()), (vec!["RC"], true));
        assert_eq!(as_explored(&program, &history(text)).expect("it aborted").num_events(), 4);
        let nobody = history("s1: t1 { w(x)=1 }\n");
        assert!(as_explored(&program, &nobody).is_none());
        assert_eq!(diagnose(&program, nobody).0.anomaly, "none");
    }

    #[test]
    fn who_observes_comes_after_all() {
        let program = program(&[("s1", 2), ("s2", 1)]);
        let text = |seen: &str| {
            history(&format!(
                "init x=0\ns1: t1 {{ w(x)=1 }}\ns2: t2 {{ w(x)=2 }}\nend: look {{ r(x)={seen} }}\n"
            ))
        };
        assert_eq!(diagnose(&program, text("2<-t2")).0.anomaly, "none");
        let (diagnosis, _) = diagnose(&program, text("0<-init"));
        assert_eq!((diagnosis.violates, diagnosis.strongest), (Some("RA"), vec!["RC"]));
        // After two of one session, the first is no longer to be seen.
        let text = "init x=0\ns1: t1 { w(x)=1 }\ns1: t2 { w(x)=2 }\nend: look { r(x)=1<-t1 }\n";
        assert_eq!(diagnose(&program, history(text)).0.violates, Some("RA"));
    }
}
