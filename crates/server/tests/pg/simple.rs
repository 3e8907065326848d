//! The simple query.

use crate::support::{Raw, addr, bind, execute, message, parse, pg, serve, status, tags};

#[test]
fn statements_are_answered_in_their_order() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    let answer = raw.query("SELECT 1; SELECT 2;");
    assert_eq!(tags(&answer), "TDCTDCZ");
    assert_eq!(answer[4].values(), [Some(b"2".to_vec())]);
    assert_eq!(answer[5].body, b"SELECT 1\0");
    assert_eq!(tags(&raw.query("")), "IZ");
    assert_eq!(tags(&raw.query(" ; ; ")), "IZ");
}

#[test]
fn an_error_ends_the_query_and_not_the_connection() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    let answer = raw.query("SELECT 1; SELECT 1/0; SELECT 2");
    assert_eq!(tags(&answer), "TDCEZ");
    assert_eq!(answer[3].field('S'), "ERROR");
    assert_eq!(answer[3].field('V'), "ERROR");
    assert_eq!(answer[3].field('C'), "22012");
    assert_eq!(answer[3].field('M'), "division by zero");
    assert_eq!(status(&answer), 'I');
    assert_eq!(tags(&raw.query("SELEC")), "EZ");
    assert_eq!(raw.rows("SELECT 3"), [["3"]]);
}

#[test]
fn rows_that_are_found_before_an_error_are_sent() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    let sql = "SELECT 1 / (1000 - g) FROM generate_series(1, 2000) g";
    let rows = "D".repeat(999);
    assert_eq!(tags(&raw.query(sql)), format!("T{rows}EZ"));
    raw.send(&parse("", sql, &[]));
    raw.send(&bind("", "", &[], &[], &[1]));
    raw.send(&execute("", 0));
    raw.send(&message(b'S', b""));
    assert_eq!(tags(&raw.until_ready()), format!("12{rows}EZ"));
    let all = raw.query("SELECT g FROM generate_series(1, 500) g");
    assert_eq!(tags(&all), format!("T{}CZ", "D".repeat(500)));
    assert_eq!(all[501].body, b"SELECT 500\0");
    assert_eq!(all[500].values(), [Some(b"500".to_vec())]);
}

#[test]
fn who_looks_sees_all_that_was_sent() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    let own = "SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid();";
    assert_eq!(raw.rows(own), [[own]]);
    let two = format!("SELECT query FROM pg_stat_activity WHERE pid = 0; /* two */ {own} ");
    assert_eq!(raw.rows(&two), [[two.as_str()]]);
}

#[test]
fn a_failed_transaction_waits_for_its_end() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    assert_eq!(status(&raw.query("BEGIN")), 'T');
    assert_eq!(status(&raw.query("SELECT 1/0")), 'E');
    let answer = raw.query("SELECT 1");
    assert_eq!((tags(&answer).as_str(), status(&answer)), ("EZ", 'E'));
    assert_eq!(answer[0].field('C'), "25P02");
    assert_eq!(status(&raw.query("ROLLBACK")), 'I');
    assert_eq!(raw.rows("SELECT 1"), [["1"]]);
}

#[test]
fn many_rows_are_many_messages() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    let answer = raw.query("SELECT * FROM generate_series(1, 50000)");
    assert_eq!(answer.len(), 50_003);
    assert_eq!(answer[50_000].values(), [Some(b"50000".to_vec())]);
}

#[test]
fn text_that_is_no_utf8_is_an_error_like_any_other() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    raw.send(&message(b'Q', b"SELECT '\xff'\0"));
    let answer = raw.until_ready();
    assert_eq!(answer[0].field('C'), "22021");
    assert_eq!(raw.rows("SELECT 1"), [["1"]]);
}

#[test]
fn function_calls_are_not_there() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    raw.send(&message(b'F', &[0; 10]));
    assert_eq!(raw.until_ready()[0].field('C'), "0A000");
}
