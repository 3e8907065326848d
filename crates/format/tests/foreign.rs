//! The foreign formats from outside: the sample files of `corpus/formats`, and inputs of a size or
//! kind that must neither panic nor overflow the stack.

use std::io::Cursor;
use std::path::PathBuf;

use hobgoblin_core::{EventId, History, Source, TxnId, Value};
use hobgoblin_format::{Format, ReadError, read, read_path, write};

const FOREIGN: [Format; 5] =
    [Format::DbcopBincode, Format::DbcopJson, Format::DbcopHist, Format::ElleEdn, Format::ElleJson];

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/formats").join(name)
}

fn as_txn(history: &History) -> String {
    let mut text = Vec::new();
    write(history, Format::Txn, &mut text).expect("txn expresses every history");
    String::from_utf8(text).expect("txn is text")
}

fn read_bytes(bytes: &[u8], format: Format) -> Result<History, ReadError> {
    read(Cursor::new(bytes), "test", Some(format))
}

/// Writes a history and reads it again.
fn round_trip(history: &History, format: Format) -> History {
    let mut bytes = Vec::new();
    write(history, format, &mut bytes).unwrap_or_else(|e| panic!("{format}: {e}"));
    read_bytes(&bytes, format).unwrap_or_else(|e| panic!("{format}: {e}"))
}

#[test]
fn samples_are_detected_and_read() {
    let cases = [
        "lost-update.hist",
        "lost-update-dbcop.json",
        "lost-update.bincode",
        "lost-update.edn",
        "lost-update-elle.json",
        "lost-update-cobra",
        "list-append.edn",
    ];
    let mut golden = String::new();
    for name in cases {
        let history = read_path(sample(name), None).unwrap_or_else(|e| panic!("{name}: {e}"));
        golden.push_str(&format!("## {name}\n{}\n", as_txn(&history)));
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/foreign.golden");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &golden).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("the golden file is there");
    assert_eq!(golden, expected, "run with UPDATE_GOLDEN=1 and read the difference");
}

#[test]
fn initial_transactions_are_found_and_written_out_again() {
    let zero = Value::Int(0);
    for (name, initial) in [
        ("initial-transaction.plume", 1),
        ("initial-transaction.awdit", 3),
        ("initial-transaction.bincode", 3),
        ("initial-transaction.hist", 1),
        ("initial-transaction-dbcop.json", 1),
        ("initial-transaction-cobra", 1),
    ] {
        let history = read_path(sample(name), None).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(history.initial_txns(), [TxnId::new(initial)], "{name}");
        assert_eq!((history.num_events(), history.faults().len()), (4, 0), "{name}");
        let from_init = |&e: &EventId| history.source(e) == Source::Txn(TxnId::INIT);
        let events = history.txns().flat_map(|txn| history.event_ids(txn));
        assert_eq!(events.filter(from_init).count(), 2, "{name}");
    }
    let history = read_path(sample("initial-transaction.plume"), None).expect("it is well formed");
    for format in FOREIGN[..3].iter().copied().chain([Format::Plume, Format::Awdit]) {
        let again = round_trip(&history, format);
        assert_eq!(again.initial_txns(), history.initial_txns(), "{format}");
        assert!(again.keys().all(|key| again.initial(key) == zero), "{format}");
        let apart = again.initial_txns_apart();
        assert_eq!((apart.num_events(), apart.initial_txns().len()), (6, 0), "{format}");
    }
}

#[test]
fn who_read_what_was_there_before_came_before() {
    let nothing_read = "[x:=0 y:=0]\n---\n[x==0 y:=1]\n";
    let history =
        read_bytes(nothing_read.as_bytes(), Format::DbcopHist).expect("it is well formed");
    assert_eq!(history.initial_txns().len(), 1);
    let uninitialised = format!("{nothing_read}---\n[y==?]\n");
    let history = read_bytes(uninitialised.as_bytes(), Format::DbcopHist).expect("so is this");
    assert_eq!(history.initial_txns(), []);
}

#[test]
fn noise_is_an_error() {
    // Ten megabytes from a fixed seed.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut bytes = Vec::with_capacity(10 << 20);
    while bytes.len() < 10 << 20 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    for format in FOREIGN {
        let error = read_bytes(&bytes, format).map(|_| ()).expect_err(format.name());
        assert!(matches!(error, ReadError::Parse { .. }), "{format}: {error}");
    }
}

#[test]
fn a_transaction_may_have_a_million_events() {
    let of_length = |length: usize| {
        let events: Vec<String> = (1..=length).map(|n| format!("5:={n}")).collect();
        let text = format!("[{}]\n", events.join(" "));
        read_bytes(text.as_bytes(), Format::DbcopHist).expect("it is well formed")
    };
    assert_eq!(of_length(1_000_000).num_events(), 1_000_000);
    // The other formats are the same code at a tenth of the size, to keep the test short.
    let history = of_length(100_000);
    for format in FOREIGN {
        assert_eq!(round_trip(&history, format).num_events(), 100_000, "{format}");
    }
}

#[test]
fn there_may_be_a_hundred_thousand_sessions() {
    let sessions: Vec<String> = (0..100_000).map(|n| format!("[{n}:=1 {n}==1]")).collect();
    let text = sessions.join("\n---\n");
    let history = read_bytes(text.as_bytes(), Format::DbcopHist).expect("it is well formed");
    assert_eq!(history.num_sessions(), 100_000);
    for format in FOREIGN {
        assert_eq!(round_trip(&history, format).num_sessions(), 100_000, "{format}");
    }
}

#[test]
fn samples_convert_into_each_other() {
    let history = read_path(sample("lost-update.hist"), None).expect("the sample is well formed");
    for format in [Format::DbcopJson, Format::ElleEdn, Format::ElleJson, Format::DbcopHist] {
        assert_eq!(as_txn(&round_trip(&history, format)), as_txn(&history), "{format}");
    }
    let error = write(&history, Format::DbcopBincode, &mut Vec::new()).expect_err("x is no number");
    assert!(error.to_string().contains("the key x"), "{error}");
}
