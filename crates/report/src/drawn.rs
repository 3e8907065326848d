//! The lines of a picture: those of the telling, and what the arrows need beside.
//!
//! A telling leaves out transactions that a person does not need. The proof may need them, so a picture has them
//! too, above the others, each with the events that its arrows meet.

use hobgoblin_check::explain::{Line, Telling};
use hobgoblin_core::{EventId, History, Status, TxnId};

use crate::arrow::Arrow;
use crate::names;

/// Of a longer telling, only the lines that an arrow or a mark needs are drawn.
const LINES: usize = 60;
/// Longer names of transactions, keys and values are cut.
const TITLE: usize = 40;
const VALUE: usize = 40;
/// How many transactions are drawn beside those of the telling.
const BESIDE: usize = 12;

/// The lines of a picture in the lanes of sessions.
pub(crate) struct Drawn {
    pub(crate) lanes: Vec<String>,
    pub(crate) lines: Vec<DrawnLine>,
    /// How many lines of the telling are left out.
    pub(crate) hidden: usize,
    /// How many transactions there are, drawn or not.
    pub(crate) txns: usize,
    /// What was there first, for those who read that.
    pub(crate) initially: String,
}

/// A line of a picture.
pub(crate) struct DrawnLine {
    pub(crate) lane: usize,
    pub(crate) txn: TxnId,
    /// The title of its transaction.
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) came: String,
    pub(crate) mark: Option<String>,
    pub(crate) events: Vec<EventId>,
    pub(crate) folded: bool,
}

/// Chooses the lines of a picture.
pub(crate) fn drawn(history: &History, telling: &Telling, arrows: &[Arrow]) -> Drawn {
    let met: Vec<EventId> = arrows.iter().flat_map(Arrow::events).collect();
    let mut lanes: Vec<String> = telling.columns.iter().map(|c| c.title.clone()).collect();
    let mut sessions: Vec<_> = telling
        .columns
        .iter()
        .map(|column| column.txns.first().and_then(|&txn| history.session_of(txn)))
        .collect();
    let mut lines = Vec::new();
    for txn in beside(telling, arrows) {
        let session = history.session_of(txn);
        let lane = sessions.iter().position(|&s| s == session).unwrap_or_else(|| {
            let name = session.map_or_else(String::new, |s| history.session(s).to_string());
            lanes.push(format!("session {name}"));
            sessions.push(session);
            lanes.len() - 1
        });
        lines.extend(needed(history, txn, lane, &met));
    }
    let told: Vec<&Line> = telling.lines.iter().filter(|line| !line.heading).collect();
    let matters = |line: &&Line| line.mark.is_some() || line.events.iter().any(|e| met.contains(e));
    let all = told.len();
    let shown = told.into_iter().filter(|line| all <= LINES || matters(line)).take(LINES);
    let before = lines.len();
    lines.extend(shown.map(|line| DrawnLine {
        lane: line.column,
        txn: line.txn,
        title: title(history, line.txn),
        text: line.text.clone(),
        came: line.came.clone(),
        mark: line.mark.clone(),
        events: line.events.clone(),
        folded: line.folded > 0,
    }));
    let hidden = all - (lines.len() - before);
    let initially = initially(history, arrows);
    Drawn { lanes, lines, hidden, txns: history.num_txns() - 1, initially }
}

fn title(history: &History, txn: TxnId) -> String {
    let name = names::cut(&names::txn(history, txn), TITLE);
    match history.status(txn) {
        Status::Committed => name,
        Status::Aborted => format!("{name} · aborted"),
        Status::Unknown => format!("{name} · no answer"),
    }
}

/// The initial values that arrows leave from.
fn initially(history: &History, arrows: &[Arrow]) -> String {
    let from_start = arrows.iter().filter(|arrow| arrow.edge.from == TxnId::INIT);
    let mut values: Vec<String> = Vec::new();
    for event in from_start.filter_map(|arrow| arrow.head.or(arrow.tail)) {
        let key = history.event(event).key();
        let value = names::cut(&history.initial(key).to_string(), VALUE);
        let text = format!("{} = {value}", names::cut(&history.key(key).to_string(), VALUE));
        if !values.contains(&text) {
            values.push(text);
        }
    }
    values.join(", ")
}

/// The transactions that arrows meet and the telling does not have.
fn beside(telling: &Telling, arrows: &[Arrow]) -> Vec<TxnId> {
    let told = |txn: TxnId| telling.lines.iter().any(|line| line.txn == txn);
    let mut met: Vec<TxnId> = arrows.iter().flat_map(|a| [a.edge.from, a.edge.to]).collect();
    met.retain(|&txn| txn != TxnId::INIT && !told(txn));
    met.sort_unstable();
    met.dedup();
    met.truncate(BESIDE);
    met
}

/// The events of a transaction that arrows meet, and how many others it has.
fn needed(history: &History, txn: TxnId, lane: usize, met: &[EventId]) -> Vec<DrawnLine> {
    let line = |text: String, events: Vec<EventId>, folded: bool| DrawnLine {
        lane,
        txn,
        title: title(history, txn),
        text,
        came: String::new(),
        mark: None,
        events,
        folded,
    };
    let (needed, rest): (Vec<EventId>, Vec<EventId>) =
        history.event_ids(txn).partition(|event| met.contains(event));
    let others = match rest.len() {
        0 => None,
        1 => Some(line("(1 other event)".to_owned(), Vec::new(), true)),
        more => Some(line(format!("({more} other events)"), Vec::new(), true)),
    };
    let of_event = |event: EventId| {
        let sign = if history.event(event).is_write() { ":=" } else { "=" };
        let key = names::key(history, history.event(event).key());
        line(format!("{key} {sign} {}", history.value(event)), vec![event], false)
    };
    needed.into_iter().map(of_event).chain(others).collect()
}
