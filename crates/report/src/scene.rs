//! What happened, where no history tells it: who acts, what they did in which order, and what follows from what.
//!
//! The prover and the protocols have runs of their own making. A scene gives them the timeline, the picture and the
//! sentences that violations of histories have.

use hobgoblin_core::{Edge, EventId, Reason, TxnId};

use crate::arrow::Arrow;
use crate::drawn::{self, DrawnLine};

/// What happened.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Who acts, from left to right.
    pub lanes: Vec<String>,
    /// The transactions, or whatever acts belong to.
    pub boxes: Vec<SceneBox>,
    /// What they did, from the first to the last.
    pub acts: Vec<Act>,
    /// What follows from it.
    pub arrows: Vec<SceneArrow>,
    /// What is to say beside the arrows, sentence by sentence.
    pub says: Vec<String>,
    /// What the order of the acts is, in words.
    pub order: String,
}

/// A transaction, or whatever acts belong to.
#[derive(Clone, Debug, Default)]
pub struct SceneBox {
    /// What arrows call it.
    pub name: String,
    /// What stands above its acts; may be empty.
    pub title: String,
    /// The lane it is in.
    pub lane: usize,
}

/// Something that was done.
#[derive(Clone, Debug, Default)]
pub struct Act {
    /// Whose it is, among the boxes.
    pub of: usize,
    /// What was done.
    pub text: String,
    /// What came of it.
    pub came: String,
    /// Why it matters, where it decides.
    pub mark: Option<String>,
    /// Its line in a file, or 0.
    pub line: u32,
}

/// An arrow from an act to another.
#[derive(Clone, Debug, Default)]
pub struct SceneArrow {
    /// The act it leaves from; the one it leads to.
    pub ends: (usize, usize),
    /// What stands beside it.
    pub label: String,
    /// What it says, as a sentence.
    pub says: String,
}

/// The transaction that stands for a box.
pub(crate) fn txn(of: usize) -> TxnId {
    TxnId::new(of + 1)
}

impl Scene {
    /// Its arrows, between acts as between events.
    pub(crate) fn arrows(&self) -> Vec<Arrow> {
        let of = |act: usize| self.acts.get(act).map_or(0, |act| act.of);
        let name =
            |act: usize| self.boxes.get(of(act)).map_or_else(String::new, |b| b.name.clone());
        let arrow = |drawn: &SceneArrow| {
            let (from, to) = drawn.ends;
            Arrow {
                edge: Edge { from: txn(of(from)), to: txn(of(to)), why: Reason::Session },
                from: name(from),
                to: name(to),
                label: drawn.label.clone(),
                tail: Some(EventId::new(from)),
                head: Some(EventId::new(to)),
                decides: true,
            }
        };
        self.arrows.iter().map(arrow).collect()
    }

    /// Its lines for a picture.
    pub(crate) fn drawn(&self) -> drawn::Drawn {
        let line = |(at, act): (usize, &Act)| {
            let (lane, title) =
                self.boxes.get(act.of).map_or((0, String::new()), |b| (b.lane, b.title.clone()));
            DrawnLine {
                lane,
                txn: txn(act.of),
                title,
                text: act.text.clone(),
                came: act.came.clone(),
                mark: act.mark.clone(),
                events: vec![EventId::new(at)],
                folded: false,
            }
        };
        drawn::Drawn {
            lanes: self.lanes.clone(),
            lines: self.acts.iter().enumerate().map(line).collect(),
            hidden: 0,
            txns: self.boxes.len(),
            initially: String::new(),
        }
    }
}
