//! Histories in a few lines of text, for tests: the part of the `.txn` form that they need.
//!
//! ```
//! let history = hobgoblin_oracle::notation::parse(
//!     "init x=0
//!      s1: t1 { r(x)=0 w(x)=1 }
//!      s2: t2 unknown SI @10..20 { r!(x)=1<-t1 }
//!      order x: t1",
//! );
//! assert_eq!(history.num_txns(), 3);
//! ```
//!
//! `r!(x)=1` is a locking read. Values are integers, or text where they are not.

use hobgoblin_core::{EventInfo, History, HistoryBuilder, Kind, Status, TxnInfo, Value, Writer};

/// Reads a history. Panics when the text is wrong, as befits a test.
pub fn parse(text: &str) -> History {
    let mut builder = HistoryBuilder::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if let Some(initial) = line.strip_prefix("init ") {
            for pair in initial.split_whitespace() {
                let (key, v) = pair.split_once('=').expect("init has key=value");
                let key = builder.key(&key.into());
                builder.initial(key, &value(v)).expect("initial values are given once");
            }
        } else if let Some(order) = line.strip_prefix("order ") {
            let (key, txns) = order.split_once(':').expect("order has a key and a colon");
            let key = builder.key(&key.trim().into());
            let txns = txns.split_whitespace().map(Into::into).collect();
            builder.order(key, txns).expect("orders are given once");
        } else {
            transaction(&mut builder, line);
        }
    }
    builder.finish().expect("the history is well formed")
}

fn transaction(builder: &mut HistoryBuilder, line: &str) {
    let (session, rest) = line.split_once(':').expect("a transaction has a session");
    let (head, body) = rest.split_once('{').expect("a transaction has events in braces");
    let body = body.trim_end().strip_suffix('}').expect("the brace is closed");
    let mut words = head.split_whitespace();
    let mut info = TxnInfo { name: words.next(), ..TxnInfo::default() };
    for word in words {
        if let Some(times) = word.strip_prefix('@') {
            let (begin, end) = times.split_once("..").expect("times are @begin..end");
            (info.begin, info.end) = (begin.parse().ok(), end.parse().ok());
        } else {
            match word {
                "committed" => {}
                "aborted" => info.status = Status::Aborted,
                "unknown" => info.status = Status::Unknown,
                level => info.level = Some(level.parse().expect("a level")),
            }
        }
    }
    let session = builder.session(&session.trim().into());
    builder.begin(session);
    for word in body.split_whitespace() {
        let (kind, rest) = word.split_once('(').expect("an event has a key in brackets");
        let (key, v) = rest.split_once(")=").expect("an event has a value");
        let (v, writer) = v.split_once("<-").map_or((v, None), |(v, w)| (v, Some(w)));
        let key = builder.key(&key.into());
        let what = if kind == "w" { Kind::Write } else { Kind::Read };
        let event = builder.event(what, key, &value(v));
        let writer = writer.map(Writer::Name);
        let about = EventInfo { writer, lock: kind == "r!", ..EventInfo::default() };
        builder.describe(event, about).expect("only reads name writers");
    }
    builder.end(info).expect("the transaction is well formed");
}

fn value(text: &str) -> Value {
    match text {
        "null" => Value::Null,
        _ => text.parse::<i64>().map_or_else(|_| text.trim_matches('"').into(), Value::Int),
    }
}
