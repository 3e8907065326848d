//! Texts that are deep, long, or cut anywhere: they end in a tree or in an error, in time and without overflow.

#[path = "mariadb/random.rs"]
mod random;

use std::time::Instant;

use hobgoblin_sql_mysql::parse::{ParseError, Reading, Version, parse};
use random::Random;

/// A thread like those of tests, with the two megabytes that a thread gets.
fn on_a_thread(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(work)
        .expect("it starts")
        .join()
        .expect("it ends");
}

#[test]
fn deep_texts_are_refused() {
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(5_000), close.repeat(5_000))
    };
    let texts = [
        format!("SELECT {}", nested("(", "1", ")")),
        format!("SELECT {}", nested("(SELECT ", "1", ")")),
        format!("SELECT {}", nested("((", "SELECT 1", ") UNION (SELECT 1))")),
        format!("SELECT * FROM {}", nested("(", "t", ")")),
        format!("SELECT * FROM {}", nested("(SELECT * FROM ", "t", ") x")),
        format!("SELECT {}", nested("f(", "1", ")")),
        format!("SELECT {}", nested("CASE WHEN 1 THEN ", "1", " END")),
        "WITH x AS (".repeat(5_000),
        format!("SELECT {}1", "NOT ".repeat(5_000)),
        format!("SELECT {}1", "- ".repeat(5_000)),
        format!("SELECT {}1", "@a := ".repeat(5_000)),
        format!("SELECT {}1", "1 IN (".repeat(5_000)),
        format!("SELECT {}1", "EXISTS (SELECT ".repeat(5_000)),
        format!("SELECT {}1", "1 BETWEEN 2 AND ".repeat(5_000)),
        format!("SELECT {}1", "INTERVAL 1 DAY + ".repeat(5_000)),
        format!("SELECT 1 {}", "UNION SELECT 1 INTERSECT (SELECT 1 ".repeat(5_000)),
        format!("{}SELECT 1", "BEGIN NOT ATOMIC ".repeat(5_000)),
        format!("CREATE PROCEDURE p() {}SELECT 1", "IF 1 THEN ".repeat(5_000)),
        format!("{}SELECT 1", "SET STATEMENT a = 1 FOR ".repeat(5_000)),
        format!("{}SELECT 1", "EXPLAIN ".repeat(5_000)),
        format!("SELECT * FROM JSON_TABLE('', '' {}", "COLUMNS (NESTED PATH '' ".repeat(5_000)),
    ];
    on_a_thread(move || {
        for text in texts {
            let error = parse(&text, Reading::default()).expect_err(&text[..40]);
            let refused = matches!(error, ParseError::TooDeep { .. } | ParseError::Syntax { .. });
            assert!(refused, "{}: {error}", &text[..40]);
        }
    });
}

#[test]
fn long_texts_are_read_in_time() {
    let many = |item: &str, between: &str| vec![item; 20_000].join(between);
    let texts = [
        format!("SELECT {}", many("1", " + ")),
        format!("SELECT 1 WHERE {}", many("a = 1", " OR ")),
        format!("SELECT {}", many("'ä'", ", ")),
        format!("SELECT {}", many("'a'", " ")),
        format!("SELECT {}", many("(SELECT 1)", ", ")),
        format!("INSERT INTO t VALUES {}", many("(1, 'x', NULL, DEFAULT)", ", ")),
        format!("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE {}", many("a = VALUES(a)", ", ")),
        format!("SELECT 1 FROM {}", many("t", " JOIN ")),
        format!("SELECT 1 {}", many("UNION SELECT 1", " ")),
        format!("CREATE TABLE t ({})", many("a int NOT NULL DEFAULT '1' COMMENT 'x'", ", ")),
        format!("SELECT 1 {}", many("/* a */", " ")),
        format!("SELECT 1 {}", many("/*!99999 a */", " ")),
        many("SELECT 1", ";"),
        format!("SET {}", many("@a = 1", ", ")),
    ];
    on_a_thread(move || {
        for text in texts {
            let started = Instant::now();
            parse(&text, Reading::default())
                .unwrap_or_else(|error| panic!("{}: {error}", &text[..60]));
            let took = started.elapsed();
            assert!(took.as_secs() < 10, "{} took {took:?}", &text[..60]);
        }
    });
}

#[test]
fn a_chain_without_end_is_refused() {
    on_a_thread(|| {
        let text = format!("SELECT {}1", "1+".repeat(200_000));
        let error = parse(&text, Reading::default()).expect_err("it is too high");
        assert_eq!(error.number(), 1436);
    });
}

/// Bytes of texts that mean something.
const PIECES: &[&str] = &[
    "'", "\"", "`", "\\", "/*", "*/", "/*!", "/*!99999", "--", "-- ", "#", "\n", "@", "@@", ".",
    ";", "0x", "0b", "x'", "b'", "N'", "_utf8", "1e", "1", "a", "ä", "\u{0}", "(", ")", ",",
    "SELECT", "FROM", "WITH", "VALUES", "BEGIN", "END", "CREATE", "TABLE", "SET", "SHOW", "=",
    ":=", "?", "{", "}", "INTERVAL", "CASE", "NOT", "LIKE", "IN", "BETWEEN", " ",
];

#[test]
fn random_pieces_are_read_or_refused() {
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let count = 1 + random.below(20);
        let text: String = (0..count).map(|_| random.of(PIECES)).collect();
        for version in [Version::MariaDb10_11, Version::MariaDb11_8, Version::MySql9_7] {
            let reading = Reading {
                ansi_quotes: random.below(2) == 0,
                no_backslash_escapes: random.below(2) == 0,
                ..Reading::of(version)
            };
            match parse(&text, reading) {
                Ok(statements) => assert!(!statements.is_empty(), "{text:?}"),
                Err(error) => {
                    assert!(!error.to_string().is_empty() && error.number() > 1000, "{text:?}")
                }
            }
        }
    }
}
