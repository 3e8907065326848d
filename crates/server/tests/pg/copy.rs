//! COPY.

use crate::support::{Raw, SYNC, addr, bind, execute, message, parse, pg, query, serve, tags};

fn table() -> (hobgoblin_server::Server, Raw) {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    raw.rows("CREATE TABLE t (a int PRIMARY KEY)");
    (server, raw)
}

fn copied(raw: &mut Raw, messages: &[Vec<u8>]) -> Vec<crate::support::Message> {
    raw.send(&query("COPY t FROM STDIN"));
    let begin = raw.take(1).remove(0);
    assert_eq!((begin.tag, begin.body.as_slice()), ('G', &[0, 0, 1, 0, 0][..]));
    messages.iter().for_each(|message| raw.send(message));
    raw.until_ready()
}

#[test]
fn data_goes_in_and_out() {
    let (_server, mut raw) = table();
    let data = |text: &str| message(b'd', text.as_bytes());
    let answer = copied(&mut raw, &[data("1\n2"), data("\n3"), message(b'c', b"")]);
    assert_eq!(tags(&answer), "CZ");
    assert_eq!(answer[0].body, b"COPY 3\0");
    let answer = raw.query("COPY t TO STDOUT");
    assert_eq!(tags(&answer), "HdddcCZ");
    assert_eq!(answer[3].body, b"3\n");
}

#[test]
fn what_a_binary_file_begins_with_is_in_its_first_message() {
    let (_server, mut raw) = table();
    let mut messages = |rows: u32| {
        let rows = format!("SELECT g FROM generate_series(1, {rows}) g");
        let all = raw.query(&format!("COPY ({rows}) TO STDOUT (FORMAT binary)"));
        let sizes = all.iter().filter(|m| m.tag == 'd').map(|m| m.body.len());
        (tags(&all), sizes.collect::<Vec<_>>())
    };
    assert_eq!(messages(2), ("HdddcCZ".to_owned(), vec![19 + 10, 10, 2]));
    assert_eq!(messages(0), ("HdcCZ".to_owned(), vec![19 + 2]));
}

#[test]
fn a_copy_that_fails_leaves_nothing() {
    let (_server, mut raw) = table();
    let data = |text: &str| message(b'd', text.as_bytes());
    let answer = copied(&mut raw, &[data("1\n"), message(b'f', b"enough\0")]);
    assert_eq!(tags(&answer), "EZ");
    assert_eq!(answer[0].field('C'), "57014");
    assert_eq!(answer[0].field('M'), "COPY from stdin failed: enough");
    // The client goes on sending for a while; that is skipped.
    let answer = copied(&mut raw, &[data("x\n"), data("2\n"), message(b'c', b"")]);
    assert_eq!(tags(&answer), "EZ");
    assert_eq!(answer[0].field('C'), "22P02");
    assert_eq!(answer[0].field('D'), "COPY t, line 1, column a: \"x\"");
    assert_eq!(raw.rows("SELECT count(*) FROM t"), [["0"]]);
    let answer = copied(&mut raw, &[query("SELECT 1")]);
    assert_eq!(answer[0].field('C'), "08P01");
    assert_eq!(raw.rows("SELECT 1"), [["1"]]);
}

#[test]
fn copy_in_the_extended_protocol() {
    let (_server, mut raw) = table();
    raw.send(
        &[&parse("", "COPY t FROM STDIN", &[])[..], &bind("", "", &[], &[], &[]), &execute("", 0)]
            .concat(),
    );
    raw.send(b"H\0\0\0\x04");
    assert_eq!(tags(&raw.take(3)), "12G");
    raw.send(&[&message(b'd', b"7\n")[..], &message(b'c', b""), SYNC].concat());
    assert_eq!(tags(&raw.until_ready()), "CZ");
    assert_eq!(raw.rows("SELECT a FROM t"), [["7"]]);
}
