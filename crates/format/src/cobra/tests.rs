use std::sync::atomic::{AtomicU32, Ordering};

use hobgoblin_core::Fault;
use proptest::prelude::*;

use super::*;
use crate::error::WriteError;
use crate::refuse::testing::{Shape, histories, outline, parse_error};

/// A directory of its own for every use, removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Directory {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("hobgoblin-cobra-{}-{number}", std::process::id());
        Directory(std::env::temp_dir().join(name))
    }

    fn with(files: &[(&str, &[u8])]) -> Directory {
        let directory = Directory::new();
        fs::create_dir_all(&directory.0).unwrap();
        for (name, bytes) in files {
            fs::write(directory.0.join(name), bytes).unwrap();
        }
        directory
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A log of records such as `S 1 W 10 0 7 C 1`; numbers may be hexadecimal.
fn log_of(records: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in records.split_whitespace() {
        match word.strip_prefix("0x") {
            Some(hex) => bytes.extend(i64::from_str_radix(hex, 16).unwrap().to_be_bytes()),
            None => match word.parse::<i64>() {
                Ok(number) => bytes.extend(number.to_be_bytes()),
                Err(_) => bytes.extend(word.as_bytes()),
            },
        }
    }
    bytes
}

fn read_logs(logs: &[&str]) -> Result<History, Failure> {
    let bytes: Vec<_> = logs.iter().map(|log| log_of(log)).collect();
    let names: Vec<_> = (1..=logs.len()).map(|n| format!("T{n}.log")).collect();
    let files: Vec<_> = names.iter().zip(&bytes).map(|(n, b)| (n.as_str(), b.as_slice())).collect();
    read(&Directory::with(&files).0, None)
}

#[test]
fn logs_are_read() {
    let cases: &[(&[&str], &str)] = &[
        (
            &["S 1 W 10 0 7 C 1 S 2 R 3 11 0 7 C 2", "S 3 W 11 0 7 R 1 10 0 7 C 3"],
            "1: w(0)=10\n1: r(0)=11\n2: w(0)=11 r(0)=10\n",
        ),
        // Initial versions; a value of the initial version is the key's initial value.
        (
            &["S 1 R 0xbebeebee 0xbebeebee 0 5 R 0xdeadbeef 0xdeadbeef 1 0 C 1"],
            "init 0=5\n1: r(0)=5 r(1)=null\n",
        ),
        (&["S 1 R 0xbebeebee 0x23332333 4 0 C 1"], "1: r(4)=null\n"),
        // ... unless that number is a write id.
        (&["S 1 R 0xbebeebee 0xbebeebee 0 5 W 5 0 1 C 1"], "1: r(0)=null w(0)=5\n"),
        // No commit: unknown.
        (&["S 1 W 10 0 7 S 2 C 2 S 3"], "1: w(0)=10 unknown\n1:\n1: unknown\n"),
        // A write id twice: reads name their writer.
        (
            &["S 1 W 10 0 7 C 1", "S 2 W 10 0 7 C 2", "S 3 R 2 10 0 7 R 0xabddefee 10 0 7 C 3"],
            "1: w(0)=10\n2: w(0)=10\n3: r(0)=10<-2 r(0)=10\n",
        ),
        // Versions of no log.
        (&["S 1 W 10 0 7 R 8 10 0 7 R 1 11 0 7 C 1"], "1: w(0)=10 r(0)=[8,10] r(0)=[1,11]\n"),
        // Unknown write ids: the key is known by its values.
        (
            &["S 1 W 0xabddefee 0 7 C 1", "S 2 W 0xabddefee 0 8 R 0xabddefee 0xabddefee 0 7 C 2"],
            "1: w(0)=7\n2: w(0)=8 r(0)=7\n",
        ),
    ];
    for (logs, expected) in cases {
        assert_eq!(outline(&read_logs(logs).unwrap()), *expected, "{logs:?}");
    }
}

#[test]
fn files_are_sessions_in_their_order() {
    let log = |n: i64| log_of(&format!("S {n} C {n}"));
    let (two, ten, other) = (log(2), log(10), log(3));
    let directory = Directory::with(&[
        ("T10.log", &ten),
        ("T2.log", &two),
        ("client.log", &other),
        ("notes.txt", b"not a log"),
    ]);
    assert!(looks_like(&directory.0) && !looks_like(&directory.0.join("T2.log")));
    let history = read(&directory.0, None).unwrap();
    assert_eq!(outline(&history), "2:\n10:\nclient:\n");
    assert_eq!(history.name(hobgoblin_core::TxnId::new(2)), "10");
}

#[test]
fn broken_logs_are_placed() {
    let cases: &[(&[&str], &str, u64, &str)] = &[
        (&["S 1 X"], "T1.log", 9, "no record begins with the byte 0x58"),
        (&["S 1 C 1", "S 1 C 1"], "T2.log", 0, "transaction 1 is already in T1.log"),
        (&["S 1 C 2"], "T1.log", 9, "transaction 2 commits, but has not begun"),
        (&["S 1 C 1 W 1 2 3"], "T1.log", 18, "an operation is outside of any transaction"),
        (&["S 1 W 1 2"], "T1.log", 9, "the log ends in the middle of a record W"),
        (&["", "S"], "T2.log", 0, "the log ends in the middle of a record S"),
        (&["S 0xbebeebee"], "T1.log", 0, "a transaction is called 0xbebeebee, which is reserved"),
    ];
    for (logs, file, offset, message) in cases {
        let error = parse_error(read_logs(logs));
        assert_eq!(error.message, *message, "{logs:?}");
        assert_eq!(error.place.file.as_deref(), Some(*file), "{logs:?}");
        assert_eq!(error.place.offset, Some(*offset), "{logs:?}");
        assert!(!error.help.is_empty());
    }
    let empty = Directory::with(&[]);
    assert_eq!(parse_error(read(&empty.0, None)).message, "the directory holds no `.log` files");
    assert!(!looks_like(&empty.0));
    assert!(matches!(read(&empty.0.join("missing"), None), Err(Failure::Io(_))));
}

#[test]
fn a_read_of_nobodys_version_is_a_fault() {
    let history = read_logs(&["S 1 R 8 10 0 7 C 1"]).unwrap();
    let read = history.faults()[0];
    assert_eq!(history.source(read), hobgoblin_core::Source::Fault(Fault::ThinAir));
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |status, key: Key, values: &[Value]| -> String {
        let mut builder = HistoryBuilder::new();
        let (s, x) = (builder.session(&0.into()), builder.key(&key));
        for value in values {
            builder.begin(s);
            builder.event(Kind::Write, x, value);
            builder.end(TxnInfo { status, ..TxnInfo::default() }).unwrap();
        }
        let directory = Directory::new();
        let result: Result<(), WriteError> = write(&builder.finish().unwrap(), &directory.0);
        assert!(!directory.0.exists());
        result.unwrap_err().to_string()
    };
    let done = Status::Committed;
    let cases = [
        (refused(done, "x".into(), &[1.into()]), "the key x; keys are integers"),
        (refused(done, 0.into(), &["a".into()]), "the value \"a\" of 0 in t1"),
        (refused(done, 0.into(), &[INIT.into()]), "the value 3200183278 of 0 in t1"),
        (
            refused(done, 0.into(), &[1.into(), 1.into()]),
            "0=1, which is written twice; versions are unique",
        ),
        (refused(Status::Aborted, 0.into(), &[1.into()]), "the aborted transaction t1"),
    ];
    for (error, what) in cases {
        assert_eq!(error, format!("cobra cannot express {what}"));
    }
}

#[test]
fn logs_that_are_there_are_not_mixed_with_others() {
    let directory = Directory::with(&[("T9.log", b"")]);
    let history = read(&directory.0, None).unwrap();
    let error = write(&history, &directory.0).unwrap_err();
    assert!(error.to_string().contains("is there already"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn logs_round_trip(
        nulls in any::<bool>(),
        (zero, null) in (
            histories(Shape { initial: Some(0), text_keys: false, aborted: false, times: false }),
            histories(Shape { initial: None, text_keys: false, aborted: false, times: false }),
        ),
    ) {
        let history = if nulls { null } else { zero };
        prop_assume!(history.num_sessions() > 0);
        let directory = Directory::new();
        write(&history, &directory.0).unwrap();
        // An initial value that nobody read is not told; sessions come in the order of their names.
        let lines = |history: &History| {
            let text = outline(history);
            let mut lines: Vec<_> =
                text.lines().filter(|l| !l.starts_with("init")).map(str::to_owned).collect();
            lines.sort_by_key(|line| line.split_once(':').map(|(session, _)| session.to_owned()));
            lines
        };
        prop_assert_eq!(lines(&read(&directory.0, None).unwrap()), lines(&history));
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'S'), Just(b'W'), Just(0)], 0..200)) {
        let _ = log::parse(&bytes);
    }
}
