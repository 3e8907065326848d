//! Prepared statements: parameters, binary rows, cursors.

use crate::packet::packet;
use crate::support::{Answer, Raw, addr, mysql, serve};

/// Prepares a statement; its number, and how many columns and parameters it has.
fn prepare(raw: &mut Raw, sql: &str) -> (u32, u16, u16) {
    raw.send(&packet(0, &[b"\x16", sql.as_bytes()].concat()));
    let first = raw.next().expect("an answer").payload;
    assert_eq!((first[0], first.len()), (0, 12), "{sql}: {}", first.escape_ascii());
    let number = u32::from_le_bytes(first[1..5].try_into().unwrap());
    let [columns, parameters] = [5, 7].map(|at| u16::from_le_bytes([first[at], first[at + 1]]));
    for count in [parameters, columns] {
        if count > 0 {
            // With the EOF packet behind them.
            (0..=count).for_each(|_| drop(raw.next().expect("a column")));
        }
    }
    (number, columns, parameters)
}

fn execute(raw: &mut Raw, statement: u32, cursor: u8, rest: &[u8]) -> Answer {
    let head = [&[0x17][..], &statement.to_le_bytes(), &[cursor, 1, 0, 0, 0]].concat();
    raw.send(&packet(0, &[&head, rest].concat()));
    raw.answer()
}

fn rows(answer: Answer) -> Vec<Vec<u8>> {
    match answer {
        Answer::Rows { rows, .. } => rows,
        other => panic!("no rows: {other:?}"),
    }
}

/// A session with a table of three rows.
fn with_rows(raw: &mut Raw) {
    raw.run("CREATE TABLE t (id INT PRIMARY KEY, d DATE, v VARCHAR(10))");
    raw.run(
        "INSERT INTO t VALUES (1, '2020-01-02', 'one'), (2, NULL, 'two'), (3, '1999-12-31', NULL)",
    );
}

#[test]
fn rows_are_binary() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    with_rows(&mut raw);
    let (statement, columns, parameters) =
        prepare(&mut raw, "SELECT id, d, v FROM t WHERE id >= ? ORDER BY id");
    assert_eq!((columns, parameters), (3, 1));
    let all = [
        b"\0\0\x01\0\0\0\x04\xe4\x07\x01\x02\x03one".to_vec(),
        b"\0\x08\x02\0\0\0\x03two".to_vec(),
        b"\0\x10\x03\0\0\0\x04\xcf\x07\x0c\x1f".to_vec(),
    ];
    let one = b"\0\x01\x03\0\x01\0\0\0";
    assert_eq!(rows(execute(&mut raw, statement, 0, one)), all);
    // The types of the last time hold on, and the number of the last statement is known.
    assert_eq!(rows(execute(&mut raw, statement, 0, b"\0\0\x03\0\0\0")), all[2..]);
    assert_eq!(rows(execute(&mut raw, u32::MAX, 0, b"\0\0\x02\0\0\0")), all[1..]);
    assert!(rows(execute(&mut raw, statement, 0, b"\x01\0")).is_empty());
}

#[test]
fn rows_wait_in_a_cursor() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    with_rows(&mut raw);
    let (statement, ..) = prepare(&mut raw, "SELECT id FROM t ORDER BY id");
    let fetch = |raw: &mut Raw, count: u32| {
        let rest = [statement.to_le_bytes(), count.to_le_bytes()].concat();
        raw.send(&packet(0, &[&[0x1c], &rest[..]].concat()));
        let mut rows = Vec::new();
        match raw.rows(&mut rows) {
            Ok(error) => Err(error.error()),
            Err(status) => Ok((rows.len(), status)),
        }
    };
    assert_eq!(fetch(&mut raw, 1), Err(1421));
    assert_eq!(execute(&mut raw, statement, 1, b"").status(), 0x42);
    assert_eq!(fetch(&mut raw, 2), Ok((2, 0x42)));
    assert_eq!(fetch(&mut raw, 0), Ok((0, 0x42)));
    assert_eq!(fetch(&mut raw, 9), Ok((1, 0x82)));
    assert_eq!(fetch(&mut raw, 1), Err(1421));
    // COM_STMT_RESET closes it.
    execute(&mut raw, statement, 1, b"");
    assert!(matches!(raw.command(0x1a, &statement.to_le_bytes()), Answer::Ok { .. }));
    assert_eq!(fetch(&mut raw, 1), Err(1421));
    // What gives no rows leaves no cursor.
    let (change, ..) = prepare(&mut raw, "UPDATE t SET v = 'x'");
    assert!(matches!(execute(&mut raw, change, 1, b""), Answer::Ok { affected: 3, .. }));
}

#[test]
fn parameters_in_pieces() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    let (statement, ..) = prepare(&mut raw, "SELECT ?, LENGTH(?)");
    let piece = |raw: &mut Raw, at: u16, text: &[u8]| {
        let head = [&[0x18][..], &statement.to_le_bytes(), &at.to_le_bytes()].concat();
        raw.send(&packet(0, &[&head, text].concat()));
    };
    piece(&mut raw, 0, b"a pie");
    piece(&mut raw, 0, b"ce");
    piece(&mut raw, 1, b"another");
    let got = rows(execute(&mut raw, statement, 0, b"\x02\x01\xfc\0\xfc\0"));
    assert!(got[0].starts_with(b"\0\0\x07a piece\x07"), "{got:?}");
    // A parameter that the statement has not: the next execution hears of it.
    piece(&mut raw, 9, b"nothing");
    assert_eq!(execute(&mut raw, statement, 0, b"\0\0\x01f\x02gg").error(), 1210);
    piece(&mut raw, 0, b"forgotten");
    raw.command(0x1a, &statement.to_le_bytes());
    let got = rows(execute(&mut raw, statement, 0, b"\0\0\x01d\x02ee"));
    assert!(got[0].starts_with(b"\0\0\x01d\x02"), "{got:?}");
}

#[test]
fn statements_that_are_not_there() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    let unknown = |command: &str| Answer::Error {
        number: 1243,
        state: "HY000".to_owned(),
        words: format!("Unknown prepared statement handler (77) given to mysqld_stmt_{command}"),
    };
    assert_eq!(execute(&mut raw, 77, 0, b""), unknown("execute"));
    assert_eq!(raw.command(0x1a, &77u32.to_le_bytes()), unknown("reset"));
    assert_eq!(raw.command(0x1c, &[77, 0, 0, 0, 1, 0, 0, 0]), unknown("fetch"));
    // These have no answer.
    raw.send(&packet(0, b"\x19\x4d\0\0\0"));
    raw.send(&packet(0, b"\x19\x4d"));
    raw.send(&packet(0, b"\x18\x4d\0\0\0\0\0piece"));
    let (statement, ..) = prepare(&mut raw, "SELECT 1");
    raw.send(&packet(0, &[&[0x19], &statement.to_le_bytes()[..]].concat()));
    assert_eq!(execute(&mut raw, statement, 0, b"").error(), 1243);
    assert_eq!(raw.command(0x16, b"SELEKT").error(), 1064);
    assert_eq!(raw.texts("SELECT 1"), [["1"]]);
}

#[test]
fn executions_that_end_early() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    let (statement, ..) = prepare(&mut raw, "SELECT ?");
    for (rest, expected) in [
        (&b""[..], 1210),
        (b"\0", 1210),
        (b"\0\x01", 1835),
        (b"\0\x01\x03", 1835),
        (b"\0\x01\x03\0\x01\0\0", 1210),
        (b"\0\x01\x63\0\x01\0\0\0", 1210),
    ] {
        assert_eq!(execute(&mut raw, statement, 0, rest).error(), expected, "{rest:?}");
    }
    assert_eq!(raw.command(0x17, b"").error(), 1835);
    assert_eq!(raw.command(0x1a, b"\x01").error(), 1835);
    assert_eq!(raw.texts("SELECT 1"), [["1"]]);
}
