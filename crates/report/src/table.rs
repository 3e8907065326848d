//! The transactions of a history, as data that the script of a page draws, and a few in plain HTML.
//!
//! The data is arrays by column, since there may be a hundred thousand transactions: names, sessions, keys and values
//! stand in tables and are numbered.
//!
//! ```text
//! {"names":["t1","t2"], "sessions":["s1"], "session":[0,0], "status":"cc", "lines":[2,3], "keys":["x"],
//!  "values":["0","1"], "sizes":[2,1], "events":[0,0, 1,1, 0,1], "witness":[1], …}
//! ```
//!
//! An event is two numbers: four times its key, plus 1 for a write and 2 for a lock; and its value.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use hobgoblin_core::{EventId, History, KeyId, SessionId, Status, TxnId, Witness};

use crate::anomaly::status;
use crate::escape::json;
use crate::layout::count;
use crate::names;

/// Of a larger history, only a part is held.
const MOST: usize = 20_000;
/// How many transactions beside those of the witnesses that part has.
const NEIGHBOURS: usize = 2_000;
/// How many before and after one of a witness in its session, and how many by each key.
const NEAR: usize = 5;
const NEAR_BY_KEY: usize = 20;
/// A part holds values of at most this length, and this many events of a transaction.
const VALUE: usize = 200;
const EVENTS: usize = 200;
/// And this is how much of them is seen when a transaction is looked at.
const OPENED: Kept = Kept { events: 1000, value: 2000 };
/// How many rows are plain HTML.
const PLAIN: usize = 100;

/// The transactions of a history, ready to be shown when the history is gone.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) json: String,
    /// Whether a server has the transactions, and the page asks it for those in view.
    pub(crate) is_served: bool,
    /// The transactions of the witnesses.
    pub(crate) guilty: BTreeSet<TxnId>,
    pub(crate) rows: Vec<PlainRow>,
    /// How many transactions the data has.
    pub(crate) shown: usize,
    /// What the history has, in words.
    pub(crate) counts: String,
    /// What the data leaves out, in words.
    pub(crate) hides: Vec<String>,
}

/// A row of the table in plain HTML.
#[derive(Clone, Debug)]
pub(crate) struct PlainRow {
    pub(crate) name: String,
    pub(crate) session: String,
    pub(crate) status: &'static str,
    pub(crate) line: u32,
    pub(crate) events: String,
    pub(crate) witness: bool,
}

impl Table {
    /// The table of a history. Above 20,000 transactions it holds those of the witnesses and their neighbours by
    /// session and key, unless `all` is asked for.
    pub fn of(history: &History, witnesses: &[&Witness], all: bool) -> Table {
        let guilty: BTreeSet<TxnId> =
            witnesses.iter().flat_map(|w| w.txns.iter().copied()).collect();
        let total = history.num_txns() - 1;
        let whole = all || total <= MOST;
        let shown: Vec<TxnId> = match whole {
            true => history.txns().collect(),
            false => neighbours(history, &guilty),
        };
        let mut hides = Vec::new();
        if shown.len() < total {
            hides.push(format!(
                "{} of {} are here: those of the anomalies, and their neighbours by session and key. \
                 --report-all embeds the rest.",
                shown.len(),
                count(total, "transaction")
            ));
        }
        let kept = match () {
            () if all => Kept { events: usize::MAX, value: usize::MAX },
            () if shown.len() > MOST || shown.len() < total => {
                Kept { events: EVENTS, value: VALUE }
            }
            () => Kept { events: usize::MAX, value: VALUE },
        };
        let (json, cut) = data(history, &shown, &guilty, kept);
        if cut > 0 {
            hides.push(format!("{} of long transactions left out.", count(cut, "event")));
        }
        let few = shown.len() <= PLAIN;
        let rows: Vec<PlainRow> = shown
            .iter()
            .filter(|txn| few || guilty.contains(txn))
            .take(PLAIN)
            .map(|&txn| plain(history, txn, guilty.contains(&txn)))
            .collect();
        let (shown, counts) = (shown.len(), counts(history));
        Table { json, is_served: false, guilty, rows, shown, counts, hides }
    }

    /// The table of a history whose transactions a server has, as [`Rows`](crate::Rows) of this number.
    pub fn served(history: &History, witnesses: &[&Witness], number: u64) -> Table {
        let guilty: BTreeSet<TxnId> =
            witnesses.iter().flat_map(|w| w.txns.iter().copied()).collect();
        let total = history.num_txns() - 1;
        let mut sessions = String::new();
        for session in history.sessions() {
            comma(&mut sessions);
            json(&history.session(session).to_string(), &mut sessions);
        }
        let json = format!(
            "{{\"rows\":\"rows\",\"version\":{number},\"count\":{total},\"sessions\":[{sessions}]}}"
        );
        let rows: Vec<PlainRow> =
            guilty.iter().take(PLAIN).map(|&txn| plain(history, txn, true)).collect();
        let (counts, hides) = (counts(history), Vec::new());
        Table { json, is_served: true, guilty, rows, shown: total, counts, hides }
    }
}

/// These transactions as data, for who looks at them.
pub(crate) fn opened(history: &History, shown: &[TxnId], guilty: &BTreeSet<TxnId>) -> String {
    data(history, shown, guilty, OPENED).0
}

/// How much is held of a transaction: so many events, and values of this length.
#[derive(Clone, Copy)]
struct Kept {
    events: usize,
    value: usize,
}

fn counts(history: &History) -> String {
    let of = |status: Status| history.txns().filter(|&t| history.status(t) == status).count();
    let mut text = format!(
        "{}, {}, {}, {}",
        count(history.num_txns() - 1, "transaction"),
        count(history.num_events(), "event"),
        count(history.num_sessions(), "session"),
        count(history.num_keys(), "key")
    );
    let (aborted, unknown) = (of(Status::Aborted), of(Status::Unknown));
    if aborted > 0 {
        let _ = write!(text, "; {aborted} aborted");
    }
    if unknown > 0 {
        let _ = write!(text, "; {unknown} of unknown outcome");
    }
    text
}

/// The transactions of the witnesses, those around them in their sessions, and the nearest on their keys.
fn neighbours(history: &History, guilty: &BTreeSet<TxnId>) -> Vec<TxnId> {
    let mut shown = guilty.clone();
    let mut keys: HashMap<KeyId, Vec<TxnId>> = HashMap::new();
    for &txn in guilty {
        keys.extend(history.events(txn).iter().take(EVENTS).map(|e| (e.key(), Vec::new())));
    }
    for txn in history.txns() {
        for event in history.events(txn) {
            if let Some(users) = keys.get_mut(&event.key())
                && users.last() != Some(&txn)
            {
                users.push(txn);
            }
        }
    }
    for &txn in guilty {
        let Some(session) = history.session_of(txn) else { continue };
        shown.extend(around(history.session_txns(session), txn, NEAR));
    }
    let most = guilty.len() + NEIGHBOURS;
    for &txn in guilty {
        for event in history.events(txn).iter().take(EVENTS) {
            if shown.len() < most {
                shown.extend(around(&keys[&event.key()], txn, NEAR_BY_KEY));
            }
        }
    }
    shown.into_iter().collect()
}

/// Those near one of an ascending list.
fn around(txns: &[TxnId], txn: TxnId, near: usize) -> &[TxnId] {
    let at = txns.partition_point(|&t| t < txn);
    &txns[at.saturating_sub(near)..(at + near + 1).min(txns.len())]
}

fn plain(history: &History, txn: TxnId, witness: bool) -> PlainRow {
    const SHOWN: usize = 40;
    let ids = history.event_ids(txn);
    let more = ids.len().saturating_sub(SHOWN);
    let mut events: Vec<String> = ids.take(SHOWN).map(|e| event(history, e)).collect();
    if more > 0 {
        events.push(format!("… and {more} more"));
    }
    let session = history.session_of(txn).map(|s| history.session(s).to_string());
    PlainRow {
        name: history.name(txn).into_owned(),
        session: session.unwrap_or_default(),
        status: status(history.status(txn)),
        line: history.line(txn),
        events: events.join(", "),
        witness,
    }
}

/// An event as `x := 1` or `x → 1`, as the script writes it too.
fn event(history: &History, event: EventId) -> String {
    let key = names::key(history, history.event(event).key());
    let value = names::cut(&history.value(event).to_string(), 40);
    match history.event(event).is_write() {
        true => format!("{key} := {value}"),
        false => format!("{key} → {value}"),
    }
}

/// Texts, each numbered when it is met first.
struct Numbered<K> {
    numbers: HashMap<K, usize>,
    json: String,
}

impl<K: std::hash::Hash + Eq> Numbered<K> {
    fn new() -> Self {
        Numbered { numbers: HashMap::new(), json: String::new() }
    }

    fn number(&mut self, of: K, text: impl FnOnce() -> String) -> usize {
        let next = self.numbers.len();
        let (number, new) = match self.numbers.entry(of) {
            std::collections::hash_map::Entry::Occupied(known) => (*known.get(), false),
            std::collections::hash_map::Entry::Vacant(free) => (*free.insert(next), true),
        };
        if new {
            comma(&mut self.json);
            json(&text(), &mut self.json);
        }
        number
    }
}

fn comma(text: &mut String) {
    if !text.is_empty() {
        text.push(',');
    }
}

fn push(text: &mut String, number: impl std::fmt::Display) {
    comma(text);
    let _ = write!(text, "{number}");
}

/// The transactions as JSON, and how many events of long ones it leaves out.
fn data(
    history: &History,
    shown: &[TxnId],
    guilty: &BTreeSet<TxnId>,
    kept: Kept,
) -> (String, usize) {
    let mut sessions: Numbered<SessionId> = Numbered::new();
    let mut keys: Numbered<KeyId> = Numbered::new();
    let mut values: Numbered<u32> = Numbered::new();
    let mut statements: Numbered<&str> = Numbered::new();
    let [
        mut names,
        mut session,
        mut outcome,
        mut lines,
        mut sizes,
        mut events,
        mut witness,
        mut sql,
    ] = [const { String::new() }; 8];
    let mut left_out = 0;
    for (at, &txn) in shown.iter().enumerate() {
        comma(&mut names);
        json(&history.name(txn), &mut names);
        let of = history.session_of(txn).expect("init is never shown");
        push(&mut session, sessions.number(of, || history.session(of).to_string()));
        outcome.push(match history.status(txn) {
            Status::Committed => 'c',
            Status::Aborted => 'a',
            Status::Unknown => 'u',
        });
        push(&mut lines, history.line(txn));
        let ids = history.event_ids(txn);
        let size = ids.len().min(kept.events);
        left_out += ids.len() - size;
        push(&mut sizes, size);
        for id in ids.take(size) {
            let event = history.event(id);
            let key = keys.number(event.key(), || history.key(event.key()).to_string());
            let value = values.number(event.datum(), || {
                let value = history.value(id).to_string();
                if kept.value == usize::MAX { value } else { names::cut(&value, kept.value) }
            });
            let kind = usize::from(event.is_write()) + 2 * usize::from(history.is_locking(id));
            push(&mut events, 4 * key + kind);
            push(&mut events, value);
        }
        if guilty.contains(&txn) {
            push(&mut witness, at);
        }
        let said = history.statements(txn);
        if !said.is_empty() {
            comma(&mut sql);
            let mut numbers = String::new();
            for statement in said {
                push(&mut numbers, statements.number(statement, || statement.to_string()));
            }
            let _ = write!(sql, "\"{at}\":[{numbers}]");
        }
    }
    let json = format!(
        "{{\"total\":{},\"names\":[{names}],\"sessions\":[{}],\"session\":[{session}],\"status\":\"{outcome}\",\
         \"lines\":[{lines}],\"keys\":[{}],\"values\":[{}],\"sizes\":[{sizes}],\"events\":[{events}],\
         \"witness\":[{witness}],\"statements\":[{}],\"sql\":{{{sql}}}}}",
        history.num_txns() - 1,
        sessions.json,
        keys.json,
        values.json,
        statements.json
    );
    (json, left_out)
}
