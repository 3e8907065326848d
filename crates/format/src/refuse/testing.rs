//! What the tests of the foreign formats share: histories as short text, and random ones.

use std::fmt::Write;

use hobgoblin_core::{History, HistoryBuilder, Key, Kind, Status, TxnInfo, Value};
use proptest::prelude::*;

use crate::error::{Failure, ParseError};

/// A history as text: initial values, then a line a transaction, session by session.
pub(crate) fn outline(history: &History) -> String {
    let mut text = String::new();
    for key in history.keys().filter(|&k| history.initial_given(k)) {
        writeln!(text, "init {}={}", history.key(key), history.initial(key)).unwrap();
    }
    for session in history.sessions() {
        for &txn in history.session_txns(session) {
            write!(text, "{}:", history.session(session)).unwrap();
            for id in history.event_ids(txn) {
                let event = history.event(id);
                let kind = if event.is_write() { "w" } else { "r" };
                write!(text, " {kind}({})={}", history.key(event.key()), history.value(id))
                    .unwrap();
                if let Some(writer) = history.writer_given(id) {
                    write!(text, "<-{}", history.name(writer)).unwrap();
                }
            }
            match history.status(txn) {
                Status::Committed => {}
                Status::Aborted => text.push_str(" aborted"),
                Status::Unknown => text.push_str(" unknown"),
            }
            if history.begin(txn).is_some() || history.end(txn).is_some() {
                let time = |t: Option<i64>| t.map_or(String::new(), |t| t.to_string());
                write!(text, " @{}..{}", time(history.begin(txn)), time(history.end(txn))).unwrap();
            }
            text.push('\n');
        }
    }
    for key in history.ordered_keys() {
        let order = history.order(key).unwrap();
        let names: Vec<_> = order.iter().map(|&t| history.name(t)).collect();
        writeln!(text, "order {}: {}", history.key(key), names.join(" ")).unwrap();
    }
    text
}

/// The error a reader gave, or a panic with the history it read instead.
pub(crate) fn parse_error(result: Result<History, Failure>) -> ParseError {
    match result {
        Ok(history) => panic!("this was read, as\n{}", outline(&history)),
        Err(Failure::Io(error)) => panic!("this could not be read: {error}"),
        Err(Failure::Parse(error)) => *error,
    }
}

/// What to make a random history of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The initial value of every key, where one is given.
    pub(crate) initial: Option<i64>,
    /// Whether keys have names instead of numbers.
    pub(crate) text_keys: bool,
    pub(crate) aborted: bool,
    pub(crate) times: bool,
}

/// Random histories: unique values, reads of any value ever written or of the initial one.
pub(crate) fn histories(shape: Shape) -> impl Strategy<Value = History> {
    let event = (any::<bool>(), 0..3i64, any::<prop::sample::Index>());
    let txn = (0..3i64, any::<bool>(), prop::collection::vec(event, 1..5));
    prop::collection::vec(txn, 0..8).prop_map(move |txns| {
        let mut builder = HistoryBuilder::new();
        let mut written = vec![Vec::new(); 3];
        let mut next = 0;
        for key in 0..3 {
            let id = builder.key(&key_name(key, shape));
            if let Some(value) = shape.initial {
                builder.initial(id, &Value::Int(value)).unwrap();
            }
        }
        for (session, committed, events) in txns {
            let session = builder.session(&Key::Int(session));
            builder.begin(session);
            for (write, key, pick) in events {
                let values: &mut Vec<Value> = &mut written[key as usize];
                let id = builder.key(&key_name(key, shape));
                if write {
                    next += 1;
                    values.push(Value::Int(next));
                    builder.event(Kind::Write, id, &Value::Int(next));
                } else {
                    let pick = pick.index(values.len() + 1);
                    let initial = shape.initial.map_or(Value::Null, Value::Int);
                    let value = values.get(pick).cloned().unwrap_or(initial);
                    builder.event(Kind::Read, id, &value);
                }
            }
            next += 1;
            let (begin, end) =
                if shape.times { (Some(next), Some(next + 1)) } else { (None, None) };
            let aborted = shape.aborted && !committed;
            let status = if aborted { Status::Aborted } else { Status::Committed };
            builder.end(TxnInfo { status, begin, end, ..TxnInfo::default() }).unwrap();
        }
        builder.finish().unwrap()
    })
}

fn key_name(key: i64, shape: Shape) -> Key {
    if shape.text_keys { ["x", "y", "some_key"][key as usize].into() } else { Key::Int(key) }
}
