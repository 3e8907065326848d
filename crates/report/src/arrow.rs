//! The edges of a witness as arrows of a picture: from event to event, with a label.

use hobgoblin_core::{
    Conclusion, Edge, EventId, History, KeyId, Proof, Reason, Step, TxnId, Witness,
};

use crate::names;

/// An edge of a witness.
#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    pub(crate) edge: Edge,
    /// What the transactions at its ends are called.
    pub(crate) from: String,
    pub(crate) to: String,
    /// `so`, `rt`, or a relation and its key, such as `rw(x)`.
    pub(crate) label: String,
    /// The event it leaves from and the one it leads to, where they are events.
    pub(crate) tail: Option<EventId>,
    pub(crate) head: Option<EventId>,
    /// Whether the contradiction itself has it; the others are orders it rests on.
    pub(crate) decides: bool,
}

impl Arrow {
    fn of(history: &History, edge: Edge, decides: bool) -> Arrow {
        let write = |txn: TxnId, key: KeyId| {
            let last = |e: &EventId| {
                let event = history.event(*e);
                event.is_final_write() && event.key() == key
            };
            history.event_ids(txn).find(last)
        };
        let of_key = |relation: &str, key: KeyId| {
            format!("{relation}({})", names::cut(&history.key(key).to_string(), 24))
        };
        let (label, tail, head) = match edge.why {
            Reason::Session => ("so".to_owned(), None, None),
            Reason::RealTime => ("rt".to_owned(), None, None),
            Reason::Read(read) => {
                let key = history.event(read).key();
                (of_key("wr", key), write(edge.from, key), Some(read))
            }
            Reason::Write(key) => (of_key("ww", key), write(edge.from, key), write(edge.to, key)),
            Reason::Overwrite(read) => {
                let key = history.event(read).key();
                (of_key("rw", key), Some(read), write(edge.to, key))
            }
        };
        let (from, to) = (names::txn(history, edge.from), names::txn(history, edge.to));
        Arrow { edge, from, to, label, tail, head, decides }
    }

    /// The events at its ends.
    pub(crate) fn events(&self) -> Vec<EventId> {
        self.tail.into_iter().chain(self.head).collect()
    }
}

/// The arrows of a witness: those of the contradiction first, each once.
pub(crate) fn arrows(history: &History, witness: &Witness) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    let add = |arrows: &mut Vec<Arrow>, edge: Edge, decides: bool| {
        if !arrows.iter().any(|a| a.edge == edge) {
            arrows.push(Arrow::of(history, edge, decides));
        }
    };
    let mut rest = Vec::new();
    match &witness.proof.conclusion {
        Conclusion::Cycle(cycle) => cycle.iter().for_each(|&edge| add(&mut arrows, edge, true)),
        Conclusion::Read(read) => {
            // Who wrote what should not have been read, where somebody did.
            let reader = history.txn_of(*read);
            let writers = history.writes_of_same_value(*read);
            if let Some(write) = writers.into_iter().find(|&w| history.txn_of(w) != reader) {
                let edge =
                    Edge { from: history.txn_of(write), to: reader, why: Reason::Read(*read) };
                arrows.push(Arrow { tail: Some(write), ..Arrow::of(history, edge, true) });
            }
        }
        Conclusion::Sources { cases, .. } => rest.extend(cases.iter().map(|(_, proof)| proof)),
        Conclusion::Search => {}
    }
    for step in &witness.proof.steps {
        add(&mut arrows, order(step), false);
    }
    for edge in witness.proof.steps.iter().flat_map(facts) {
        if arrows.len() < MOST {
            add(&mut arrows, edge, false);
        }
    }
    while let Some(proof) = rest.pop() {
        let Proof { steps, conclusion } = proof;
        for step in steps {
            add(&mut arrows, order(step), false);
        }
        match conclusion {
            Conclusion::Cycle(cycle) => {
                cycle.iter().for_each(|&edge| add(&mut arrows, edge, false))
            }
            Conclusion::Sources { cases, .. } => rest.extend(cases.iter().map(|(_, p)| p)),
            Conclusion::Read(_) | Conclusion::Search => {}
        }
    }
    arrows
}

/// Facts that derived orders rest on are drawn up to so many arrows.
const MOST: usize = 24;

/// The edges of what a step leads to that are facts, whatever is supposed.
fn facts(step: &Step) -> impl Iterator<Item = Edge> {
    let cycle: &[Edge] = match &step.otherwise.conclusion {
        Conclusion::Cycle(cycle) => cycle,
        Conclusion::Read(_) | Conclusion::Sources { .. } | Conclusion::Search => &[],
    };
    cycle.iter().copied().filter(|edge| match edge.why {
        Reason::Session | Reason::Read(_) | Reason::RealTime => true,
        Reason::Write(_) | Reason::Overwrite(_) => false,
    })
}

/// What a step establishes.
pub(crate) fn order(step: &Step) -> Edge {
    Edge { from: step.first, to: step.second, why: Reason::Write(step.key) }
}
