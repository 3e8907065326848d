//! Random histories through the native formats, and random bytes through every reader.

mod support;

use hobgoblin_core::{
    EventInfo, History, HistoryBuilder, Index, Key, KeyId, Kind, Level, Schema, SortedMap, Status,
    Table, TxnId, TxnInfo, Value, Writer,
};
use hobgoblin_format::{Format, detect, read, write};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use support::dump;

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-c][0-9]?",
        1 => Just("aborted".to_owned()),
        1 => Just("SI".to_owned()),
        1 => Just("order".to_owned()),
        1 => "#[0-9]",
        1 => "-?[0-9]{1,3}",
        2 => any::<String>(),
    ]
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        2 => (0..4i64).prop_map(Key::Int),
        1 => any::<i64>().prop_map(Key::Int),
        3 => name().prop_map(|name| Key::from(&*name)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    const JSON: [&str; 7] = [
        "1.5",
        "-1e+99",
        "18446744073709551616",
        "[]",
        "{}",
        "[1,[\"a\",null]]",
        r#"{"a":{"b":2.5}}"#,
    ];
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        4 => (0..4i64).prop_map(Value::Int),
        1 => any::<i64>().prop_map(Value::Int),
        1 => any::<String>().prop_map(|text| Value::from(&*text)),
        1 => proptest::sample::select(&JSON[..]).prop_map(|text| Value::Json(text.into())),
    ]
}

#[derive(Debug, Clone)]
struct Event {
    write: bool,
    key: usize,
    value: Value,
    writer: Option<usize>,
    lock: bool,
    statement: Option<u32>,
    at: Option<i64>,
}

#[derive(Debug, Clone)]
struct Txn {
    session: usize,
    name: Option<String>,
    status: Status,
    level: Option<Level>,
    begin: Option<i64>,
    length: Option<i64>,
    statements: Vec<String>,
    events: Vec<Event>,
}

#[derive(Debug, Clone)]
struct Sketch {
    keys: Vec<(Key, Option<Value>, bool)>,
    sessions: Vec<Key>,
    txns: Vec<Txn>,
    schema: Schema,
}

fn event() -> impl Strategy<Value = Event> {
    let writer = prop_oneof![3 => Just(None), 1 => (0..8usize).prop_map(Some)];
    let statement = prop_oneof![2 => Just(None), 1 => (0..3u32).prop_map(Some)];
    let at = prop_oneof![2 => Just(None), 1 => any::<i64>().prop_map(Some)];
    (any::<bool>(), 0..4usize, value(), writer, any::<bool>(), statement, at).prop_map(
        |(write, key, value, writer, lock, statement, at)| Event {
            write,
            key,
            value,
            writer,
            lock: lock && !write,
            statement,
            at,
        },
    )
}

fn txn() -> impl Strategy<Value = Txn> {
    let status =
        proptest::sample::select(&[Status::Committed, Status::Aborted, Status::Unknown][..]);
    let level = of(proptest::sample::select(&Level::ALL[..]));
    let begin = of(any::<i64>());
    let length = of(0..1_000_000i64);
    let statements = vec(any::<String>(), 0..3);
    (0..3usize, of(name()), status, level, begin, length, statements, vec(event(), 0..6)).prop_map(
        |(session, name, status, level, begin, length, statements, events)| Txn {
            session,
            name,
            status,
            level,
            begin,
            length,
            statements,
            events,
        },
    )
}

fn names() -> impl Strategy<Value = Vec<Box<str>>> {
    vec(name().prop_map(Into::into), 0..3)
}

fn schema() -> impl Strategy<Value = Schema> {
    let table = (names(), names()).prop_map(|(columns, key)| Table { columns, key });
    let index = (name(), names(), any::<bool>()).prop_map(|(table, columns, unique)| Index {
        table: table.into(),
        columns,
        unique,
    });
    let tables = btree_map(name().prop_map(Into::into), table, 0..3);
    let indexes = btree_map(name().prop_map(Into::into), index, 0..3);
    (tables, indexes).prop_map(|(tables, indexes)| Schema {
        tables: SortedMap::of(tables.into_iter().collect()),
        indexes: SortedMap::of(indexes.into_iter().collect()),
    })
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let keys = vec((key(), of(value()), any::<bool>()), 4);
    (keys, vec(key(), 3), vec(txn(), 0..8), schema())
        .prop_map(|(keys, sessions, txns, schema)| Sketch { keys, sessions, txns, schema })
}

/// The history of a sketch, with what does not fit left out.
fn build(sketch: &Sketch) -> History {
    let mut b = HistoryBuilder::new();
    b.schema(sketch.schema.clone());
    let mut names: Vec<Option<&str>> = Vec::new();
    for txn in &sketch.txns {
        let name = txn.name.as_deref().filter(|name| !name.is_empty() && *name != "init");
        names.push(name.filter(|_| !names.contains(&name)));
    }
    for (txn, name) in sketch.txns.iter().zip(&names) {
        let session = b.session(&sketch.sessions[txn.session]);
        b.begin(session);
        for event in &txn.events {
            let kind = if event.write { Kind::Write } else { Kind::Read };
            let key = b.key(&sketch.keys[event.key].0);
            let id = b.event(kind, key, &event.value);
            let writer = event.writer.filter(|&w| !event.write && w <= sketch.txns.len());
            let writer = writer.map(|w| match w.checked_sub(1).and_then(|w| names[w]) {
                Some(name) => Writer::Name(name),
                None => Writer::Txn(TxnId::new(w)),
            });
            let statement = event.statement.filter(|&s| (s as usize) < txn.statements.len());
            let (lock, at) = (event.lock, event.at);
            b.describe(id, EventInfo { writer, lock, statement, at, line: 0 })
                .expect("a read may name its writer");
        }
        b.end(TxnInfo {
            name: *name,
            status: txn.status,
            level: txn.level,
            begin: txn.begin,
            end: txn
                .begin
                .unwrap_or(0)
                .checked_add(txn.length.unwrap_or(0))
                .filter(|_| txn.length.is_some()),
            statements: txn.statements.iter().map(|s| s.as_str().into()).collect(),
            line: 0,
        })
        .expect("names are unique and times in order");
    }
    for key in (0..b.num_keys()).map(KeyId::new) {
        let name = b.key_name(key).clone();
        let index = sketch.keys.iter().position(|k| k.0 == name).expect("a key of the sketch");
        let (_, initial, ordered) = &sketch.keys[index];
        if let Some(initial) = initial {
            b.initial(key, initial).expect("once");
        }
        let writes = |txn: &Txn| {
            let mut events = txn.events.iter();
            txn.status != Status::Aborted && events.any(|e| e.write && sketch.keys[e.key].0 == name)
        };
        if *ordered {
            let writers = sketch.txns.iter().zip(&names).filter(|(txn, _)| writes(txn));
            let order = writers.filter_map(|(_, name)| name.map(Into::into)).rev().collect();
            b.order(key, order).expect("once");
        }
    }
    b.finish().expect("well formed")
}

fn written(history: &History, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    write(history, format, &mut out).expect("native formats hold everything");
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn native_formats_lose_nothing(sketch in sketch()) {
        let history = build(&sketch);
        let expect = dump(&history);
        for format in [Format::Jsonl, Format::Txn] {
            let text = written(&history, format);
            let shown = String::from_utf8_lossy(&text).into_owned();
            let back = read(&text[..], "x", Some(format));
            let back = back.unwrap_or_else(|e| panic!("{e} {:?}\n{shown}", e.place()));
            prop_assert_eq!(&dump(&back), &expect, "{}", &shown);
            prop_assert_eq!(&written(&back, format).len(), &text.len(), "{}", &shown);
            if history.num_txns() > 1 {
                prop_assert_eq!(detect(&text, "x"), Some(format), "{}", &shown);
            }
        }
    }

    #[test]
    fn plume_and_awdit_lose_only_labels(txns in vec((0..3i64, any::<bool>(), vec((any::<bool>(), 0..3i64, 0..9i64), 1..5)), 0..6)) {
        let mut text = String::new();
        for (i, (session, aborted, events)) in txns.iter().enumerate() {
            let number = if *aborted { -1 } else { i as i64 };
            for (write, key, value) in events {
                let kind = if *write { 'w' } else { 'r' };
                text.push_str(&format!("{kind}({key},{value},{session},{number})\n"));
            }
        }
        let history = read(text.as_bytes(), "x", Some(Format::Plume)).expect("good");
        prop_assert_eq!(String::from_utf8(written(&history, Format::Plume)).expect("ASCII"), text);
        let mut awdit = Vec::new();
        if write(&history, Format::Awdit, &mut awdit).is_ok() {
            let back = read(&awdit[..], "x", Some(Format::Awdit)).expect("good");
            prop_assert_eq!(back.num_events(), history.num_events());
            prop_assert_eq!(back.faults().len(), history.faults().len());
            let mut again = Vec::new();
            write(&back, Format::Awdit, &mut again).expect("just read");
            prop_assert_eq!(again, awdit);
        }
    }

    #[test]
    fn random_bytes_are_an_answer_or_an_error(bytes in vec(any::<u8>(), 0..200)) {
        try_all(&bytes);
    }

    #[test]
    fn nearly_good_bytes_are_too(text in "[rw(){}\\[\\]0-9,:=<>@#\"\\\\ \n\\-xs!.eaborted]{0,80}") {
        try_all(text.as_bytes());
    }

    #[test]
    fn broken_files_are_too(sketch in sketch(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let history = build(&sketch);
        for format in [Format::Jsonl, Format::Txn] {
            let mut text = written(&history, format);
            if !text.is_empty() {
                let at = at.index(text.len());
                text[at] = byte;
                try_all(&text);
                try_all(&text[..at]);
            }
        }
    }
}

/// Reads the bytes as everything; errors must have a next step, and a place if they are about one.
fn try_all(bytes: &[u8]) {
    let formats = Format::ALL.into_iter().map(Some).chain([None]);
    for format in formats.filter(|f| *f != Some(Format::Cobra)) {
        if let Err(error) = read(bytes, "x", format) {
            assert!(!error.help().is_empty() && !error.to_string().is_empty());
        }
    }
}
