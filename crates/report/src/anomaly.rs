//! A violation as a page shows it: the telling, the picture, the proof, the statements.

use hobgoblin_check::explain::{self, Telling};
use hobgoblin_check::state::StateViolation;
use hobgoblin_core::{EventId, History, Status, Target, TxnId, Witness};

use crate::arrow::{Arrow, arrows};
use crate::block::Block;
use crate::names;
use crate::proof::{Sentence, sentences};
use crate::scene::{self, Act, Scene, SceneArrow};
use crate::svg::Sketch;

/// A violation, ready to be shown when the history is gone.
#[derive(Clone, Debug, Default)]
pub struct Anomaly {
    pub(crate) headline: String,
    pub(crate) wrong: String,
    pub(crate) prevented: Vec<String>,
    /// The names that the field has for it.
    pub(crate) names: String,
    /// What forbids it.
    pub(crate) violated: String,
    /// How far the order of the timeline is known, in words.
    pub(crate) order: String,
    pub(crate) columns: Vec<String>,
    pub(crate) moments: Vec<Moment>,
    pub(crate) proof: Vec<Sentence>,
    pub(crate) sketch: Option<Sketch>,
    pub(crate) participants: Vec<Participant>,
    pub(crate) beside: Vec<Block>,
}

/// A line of the timeline.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub(crate) column: usize,
    pub(crate) txn: TxnId,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) came: String,
    pub(crate) mark: Option<String>,
    pub(crate) events: Vec<EventId>,
    /// What a line stands for that folds several events.
    pub(crate) folded: Vec<String>,
    /// Its line in the file, or 0.
    pub(crate) line: u32,
}

/// A transaction of the witness, with its statements or events.
#[derive(Clone, Debug)]
pub(crate) struct Participant {
    pub(crate) name: String,
    pub(crate) session: String,
    pub(crate) status: &'static str,
    pub(crate) line: u32,
    pub(crate) statements: Vec<String>,
    pub(crate) events: Vec<String>,
    /// How many events are not listed.
    pub(crate) more: usize,
}

/// Of a transaction with more events, only these are listed.
const LISTED: usize = 100;
/// Of a witness with more transactions, only these are listed.
const PARTICIPANTS: usize = 200;

impl Anomaly {
    /// What a witness of this history shows.
    pub fn of(history: &History, witness: &Witness) -> Anomaly {
        Anomaly::told(history, witness, explain::tell(history, witness))
    }

    /// What a violation of a state-based level shows; `history` is the one that was checked.
    pub fn of_state(history: &History, violation: &StateViolation) -> Anomaly {
        let telling = explain::tell_state(history, violation);
        match explain::state_witness(history, violation) {
            Some((history, witness)) => Anomaly::told(history, &witness, telling),
            None => {
                Anomaly::in_words(&telling.headline, &telling.wrong, &[]).called(&telling.names)
            }
        }
    }

    fn told(history: &History, witness: &Witness, telling: Telling) -> Anomaly {
        let arrows = arrows(history, witness);
        let proof = sentences(history, witness, &arrows);
        Anomaly {
            violated: violated(witness),
            order: order(&telling).to_owned(),
            columns: telling.columns.iter().map(|column| column.title.clone()).collect(),
            moments: moments(history, &telling),
            proof,
            sketch: Some(Sketch::of(history, &telling, arrows)),
            participants: participants(history, witness),
            beside: Vec::new(),
            headline: telling.headline,
            wrong: telling.wrong,
            prevented: telling.prevented,
            names: telling.names,
        }
    }

    /// A violation that is known in words only: what went wrong, and why, sentence by sentence.
    pub fn in_words(headline: &str, wrong: &str, why: &[String]) -> Anomaly {
        Anomaly {
            headline: headline.to_owned(),
            wrong: wrong.to_owned(),
            proof: why.iter().map(|text| Sentence::of(text)).collect(),
            ..Anomaly::default()
        }
    }

    /// A violation that no history tells of: what went wrong, and how it came to it.
    pub fn staged(headline: &str, wrong: &str, scene: &Scene) -> Anomaly {
        let title = |of: usize| scene.boxes.get(of).map_or("", |one| &one.title);
        let moment = |(at, act): (usize, &Act)| Moment {
            column: scene.boxes.get(act.of).map_or(0, |one| one.lane),
            txn: scene::txn(act.of),
            name: title(act.of).to_owned(),
            text: act.text.clone(),
            came: act.came.clone(),
            mark: act.mark.clone(),
            events: vec![EventId::new(at)],
            folded: Vec::new(),
            line: act.line,
        };
        let arrows = scene.arrows();
        let sentence = |(at, drawn): (usize, &SceneArrow)| Sentence {
            arrow: Some(at),
            events: arrows[at].events(),
            ..Sentence::of(&drawn.says)
        };
        let drawn = scene.arrows.iter().enumerate().map(sentence);
        let (headline, wrong) = (headline.to_owned(), wrong.to_owned());
        Anomaly {
            order: scene.order.clone(),
            columns: scene.lanes.clone(),
            moments: scene.acts.iter().enumerate().map(moment).collect(),
            proof: drawn.chain(scene.says.iter().map(|text| Sentence::of(text))).collect(),
            sketch: Some(Sketch::staged(&headline, &wrong, scene, arrows)),
            headline,
            wrong,
            ..Anomaly::default()
        }
    }

    /// Its picture, a whole SVG file, where there is one.
    pub fn svg(&self) -> Option<String> {
        self.sketch.as_ref().map(Sketch::alone)
    }

    /// Says what forbids it.
    pub fn violating(mut self, what: &str) -> Anomaly {
        self.violated = what.to_owned();
        self
    }

    /// Says where it was found, on a page about several files.
    pub fn found_in(mut self, file: &str) -> Anomaly {
        self.violated = match self.violated.is_empty() {
            true => format!("what is asked of {file}"),
            false => format!("{} in {file}", self.violated),
        };
        self
    }

    /// Says what the field calls it.
    pub fn called(mut self, names: &str) -> Anomaly {
        self.names = names.to_owned();
        self
    }

    /// Says nothing of what would have prevented it: who made the database has other means.
    pub fn without_repairs(mut self) -> Anomaly {
        self.prevented.clear();
        self
    }

    /// Says something beside, under a heading of its own.
    pub fn beside(mut self, block: Block) -> Anomaly {
        self.beside.push(block);
        self
    }

    pub(crate) fn arrows(&self) -> &[Arrow] {
        self.sketch.as_ref().map_or(&[], |sketch| &sketch.arrows)
    }

    /// Says what would have prevented it, beside what is said already.
    pub fn prevented(mut self, by: impl IntoIterator<Item = String>) -> Anomaly {
        self.prevented.extend(by);
        self
    }
}

fn violated(witness: &Witness) -> String {
    match witness.target {
        Target::Level(level) => format!("{} ({level})", level.info().title),
        Target::Mixed(_) => "the levels of its transactions".to_owned(),
    }
}

fn order(telling: &Telling) -> &'static str {
    match telling.order {
        explain::Order::Log => "In the order of the log.",
        _ => "In an order that fits what everyone saw; the real one is not known.",
    }
}

fn moments(history: &History, telling: &Telling) -> Vec<Moment> {
    let moment = |line: &explain::Line| {
        let folded = match line.folded {
            0 => Vec::new(),
            _ => line.events.iter().map(|&e| event(history, e)).collect(),
        };
        Moment {
            column: line.column,
            txn: line.txn,
            name: names::txn(history, line.txn),
            text: line.text.clone(),
            came: line.came.clone(),
            mark: line.mark.clone(),
            events: line.events.clone(),
            folded,
            line: line.events.first().map_or(0, |&e| history.event_line(e)),
        }
    };
    telling.lines.iter().filter(|line| !line.heading).map(moment).collect()
}

/// An event in words.
fn event(history: &History, event: EventId) -> String {
    let what = names::assignment(history, event);
    match (history.event(event).is_write(), history.is_locking(event)) {
        (true, _) => format!("wrote {what}"),
        (false, true) => format!("read {what}, locking it"),
        (false, false) => format!("read {what}"),
    }
}

fn participants(history: &History, witness: &Witness) -> Vec<Participant> {
    let participant = |&txn: &TxnId| {
        let events: Vec<String> =
            history.event_ids(txn).take(LISTED).map(|e| event(history, e)).collect();
        Participant {
            name: names::txn(history, txn),
            session: history
                .session_of(txn)
                .map_or_else(String::new, |s| history.session(s).to_string()),
            status: status(history.status(txn)),
            line: history.line(txn),
            statements: history.statements(txn).iter().map(|sql| sql.to_string()).collect(),
            more: history.events(txn).len() - events.len(),
            events,
        }
    };
    witness.txns.iter().take(PARTICIPANTS).map(participant).collect()
}

/// What became of a transaction, in a word.
pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Committed => "committed",
        Status::Aborted => "aborted",
        Status::Unknown => "unknown",
    }
}
