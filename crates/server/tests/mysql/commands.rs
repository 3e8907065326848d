//! One command after the other, and how each is answered.

use hobgoblin_server::MySqlConfig;
use hobgoblin_wire::mysql::Capabilities;

use crate::packet::packet;
use crate::support::{Answer, BASE, Raw, addr, failed, mysql, serve};

fn ok() -> Answer {
    Answer::Ok { affected: 0, insert_id: 0, status: 2, warnings: 0 }
}

#[test]
fn commands_without_sql() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    assert_eq!(raw.command(0x0e, b""), ok());
    assert_eq!(raw.command(0x1f, b""), ok());
    assert_eq!(raw.command(0x1b, b"\0\0").status(), 2);
    assert_eq!(raw.command(0x1b, b"\x01\0").status(), 2);
    assert_eq!(raw.command(0x1b, b"\x07\0").error(), 1047);
    raw.send(&packet(0, b"\x09"));
    let line = raw.next().expect("a line");
    assert!(line.payload.starts_with(b"Uptime: "), "{line:?}");
    raw.send(&packet(0, b"\x01"));
    assert!(raw.until_end().is_empty());
}

#[test]
fn unknown_commands_are_told() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    for number in [0x0b, 0x0f, 0x10, 0x13, 0x1d, 0x20, 0x80, 0xfe, 0xff] {
        let unknown = Answer::Error {
            number: 1047,
            state: "08S01".to_owned(),
            words: "Unknown command".to_owned(),
        };
        assert_eq!(raw.command(number, b"whatever"), unknown, "{number:x}");
    }
    raw.send(&packet(0, b""));
    assert_eq!(raw.answer().error(), 1047);
    assert_eq!(raw.texts("SELECT 1"), [["1"]]);
}

#[test]
fn rows_and_counts_of_text() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    raw.run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(20), b DATETIME(3))");
    let inserted =
        raw.run("INSERT INTO t (a, b) VALUES ('x', '2020-01-02 03:04:05.678'), (NULL, NULL)");
    assert_eq!(inserted, Answer::Ok { affected: 2, insert_id: 1, status: 2, warnings: 0 });
    let rows = raw.texts("SELECT id, a, b FROM t ORDER BY id");
    assert_eq!(rows, [["1", "x", "2020-01-02 03:04:05.678"], ["2", "NULL", "NULL"]]);
    let changed = raw.run("UPDATE t SET a = 'x'");
    assert_eq!(changed, Answer::Ok { affected: 1, insert_id: 0, status: 2, warnings: 0 });
    // Who asks for it hears how many rows were found.
    let mut found = Raw::enter(addr(&server), BASE.with(Capabilities::FOUND_ROWS));
    let changed = found.run("UPDATE t SET a = 'x'");
    assert_eq!(changed, Answer::Ok { affected: 2, insert_id: 0, status: 2, warnings: 0 });
    // And who lets blanks stand before a parenthesis reads so.
    let mut spaced = Raw::enter(addr(&server), BASE.with(Capabilities::IGNORE_SPACE));
    assert_eq!(spaced.texts("SELECT COUNT (*) FROM t"), [["2"]]);
    assert!(spaced.texts("SELECT @@sql_mode")[0][0].starts_with("IGNORE_SPACE,STRICT_TRANS"));
    spaced.run("SET sql_mode = DEFAULT");
    assert_eq!(spaced.query("SELECT COUNT (*) FROM t").error(), 1064);
    assert_eq!(raw.query("SELECT nothing").error(), 1054);
    assert_eq!(raw.query("SELEKT").error(), 1064);
    assert_eq!(raw.query("").error(), 1065);
    assert_eq!(raw.run("BEGIN").status(), 3);
    assert_eq!(raw.run("SELECT 1").status() & 3, 3);
    assert_eq!(raw.run("COMMIT").status(), 2);
    assert_eq!(raw.run("SET autocommit = 0").status(), 0);
}

#[test]
fn packets_are_numbered() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    raw.send(&packet(0, b"\x03SELECT 1 UNION ALL SELECT 2"));
    let numbers: Vec<u8> = (0..6).map(|_| raw.next().expect("a packet").number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
    // More packets than there are numbers.
    raw.run("CREATE TABLE n (i INT PRIMARY KEY)");
    let values: Vec<String> = (0..600).map(|i| format!("({i})")).collect();
    raw.run(&format!("INSERT INTO n VALUES {}", values.join(",")));
    raw.send(&packet(0, b"\x03SELECT i FROM n"));
    for number in 1..=604u32 {
        let packet = raw.next().expect("a packet");
        assert_eq!(u32::from(packet.number), number % 256);
    }
}

#[test]
fn several_statements_in_one_text() {
    let server = serve(mysql());
    let mut raw = Raw::enter(addr(&server), BASE.with(Capabilities::MULTI_STATEMENTS));
    let first = raw.query("SELECT 1; SELECT 'a'; DO 1; SELECT nothing");
    assert_eq!((first.texts(), first.status() & 8), (vec![vec!["1".to_owned()]], 8));
    let second = raw.answer();
    assert_eq!((second.texts(), second.status() & 8), (vec![vec!["a".to_owned()]], 8));
    assert_eq!(raw.answer().status() & 8, 8);
    assert_eq!(raw.answer().error(), 1054);
    assert_eq!(raw.command(0x1b, b"\x01\0").status(), 2);
    assert_eq!(raw.query("SELECT 1; SELECT 2").error(), 1064);
    assert_eq!(raw.texts("SELECT 3"), [["3"]]);
}

/// Without EOF packets, and with what of the session changed.
#[test]
fn rows_end_with_ok_where_eof_is_unknown() {
    let server = serve(mysql());
    let modern = BASE.with(Capabilities::DEPRECATE_EOF).with(Capabilities::SESSION_TRACK);
    let mut raw = Raw::silent(addr(&server));
    raw.log_in(modern, "hob", "");
    raw.send(&packet(0, b"\x03SELECT 1"));
    let packets: Vec<Vec<u8>> = (0..4).map(|_| raw.next().expect("a packet").payload).collect();
    assert_eq!(packets[0], b"\x01");
    assert_eq!(packets[2], b"\x011");
    assert_eq!(packets[3], b"\xfe\0\0\x02\0\0\0");
    raw.send(&packet(0, b"\x03CREATE DATABASE shop"));
    raw.next().expect("an answer");
    raw.send(&packet(0, b"\x03USE shop"));
    let used = raw.next().expect("a packet").payload;
    // SESSION_STATE_CHANGED, no words, and the database.
    assert!(used.ends_with(b"\0\x07\x01\x05\x04shop"), "{}", used.escape_ascii());
    assert_eq!(used[4] & 0x40, 0x40);
}

#[test]
fn payloads_of_more_than_one_packet() {
    let settings = vec![("max_allowed_packet".to_owned(), (64 << 20).to_string())];
    let server = serve(MySqlConfig { settings, ..mysql() });
    let mut raw = Raw::open(addr(&server));
    let length = 20 << 20;
    let text = [&b"\x03SELECT LENGTH('"[..], &vec![b'x'; length], b"')"].concat();
    let (first, rest) = text.split_at(0xff_ffff);
    raw.send(&packet(0, first));
    raw.send(&packet(1, rest));
    assert_eq!(raw.answer().texts(), [[length.to_string()]]);
    raw.send(&packet(0, format!("\x03SELECT REPEAT('x', {length})").as_bytes()));
    for _ in 0..3 {
        raw.next().expect("columns");
    }
    let parts = [raw.next().expect("a part").payload, raw.next().expect("a part").payload];
    assert_eq!(parts[0].len(), 0xff_ffff);
    // The length of the value takes nine bytes.
    assert_eq!(parts[0].len() + parts[1].len(), length + 9);
    raw.next().expect("the end");
    assert_eq!(raw.texts("SELECT 1"), [["1"]]);
}

#[test]
fn files_of_clients_are_not_loaded() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    raw.run("CREATE TABLE t (a INT PRIMARY KEY)");
    let answer = raw.query("LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t");
    assert!(matches!(answer, Answer::Error { .. }), "{answer:?}");
    assert_eq!(raw.texts("SELECT 1"), [["1"]]);
}

#[test]
fn columns_of_a_table() {
    let server = serve(mysql());
    let mut raw = Raw::open(addr(&server));
    raw.run(
        "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) NOT NULL DEFAULT 'x')",
    );
    raw.send(&packet(0, b"\x04t\0na%"));
    let column = raw.next().expect("a column").payload;
    assert!(column.starts_with(b"\x03def\x04test\x01t\x01t\x04name\x04name\x0c"), "{column:?}");
    assert!(column.ends_with(b"\x01x"), "{}", column.escape_ascii());
    assert_eq!(raw.next().expect("an end").payload[0], 0xfe);
    raw.send(&packet(0, b"\x04nowhere\0"));
    assert_eq!(failed(&raw.next().expect("an error").payload).error(), 1146);
}
