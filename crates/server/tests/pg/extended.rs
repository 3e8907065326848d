//! The extended protocol.

use crate::support::{
    FLUSH, Raw, SYNC, addr, bind, close, describe, execute, message, parse, pg, serve, tags,
};

#[test]
fn a_statement_from_parse_to_close() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    raw.send(
        &[
            &parse("s", "SELECT $1::int4", &[])[..],
            &describe(b'S', "s"),
            &bind("", "s", &[], &[Some(b"42")], &[]),
            &describe(b'P', ""),
            &execute("", 0),
            &close(b'S', "s"),
            &close(b'P', "no such portal"),
            SYNC,
        ]
        .concat(),
    );
    let answer = raw.until_ready();
    assert_eq!(tags(&answer), "1tT2TDC33Z");
    assert_eq!(answer[1].body, [0, 1, 0, 0, 0, 23]);
    assert_eq!(answer[5].values(), [Some(b"42".to_vec())]);
    assert_eq!(answer[6].body, b"SELECT 1\0");
}

#[test]
fn binary_both_ways() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    let seven: &[u8] = &[0, 0, 0, 7];
    for (formats, results, sent, expect) in [
        (&[1][..], &[1][..], seven, seven),
        (&[0], &[1], b"7", seven),
        (&[1], &[0], seven, b"7"),
        (&[1], &[], seven, b"7"),
    ] {
        raw.send(
            &[
                &parse("", "SELECT $1::int4", &[23])[..],
                &bind("", "", formats, &[Some(sent)], results),
                &describe(b'P', ""),
                &execute("", 0),
                SYNC,
            ]
            .concat(),
        );
        let answer = raw.until_ready();
        assert_eq!(tags(&answer), "12TDCZ");
        assert_eq!(answer[3].values(), [Some(expect.to_vec())]);
        let format = answer[2].body.last().copied();
        assert_eq!(format, Some(results.first().copied().unwrap_or(0) as u8));
    }
}

#[test]
fn a_portal_gives_its_rows_in_parts() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    raw.send(
        &[
            &parse("", "SELECT * FROM generate_series(1, 5)", &[])[..],
            &bind("p", "", &[], &[], &[]),
            &execute("p", 2),
            FLUSH,
        ]
        .concat(),
    );
    assert_eq!(tags(&raw.take(5)), "12DDs");
    raw.send(&[&execute("p", 2)[..], FLUSH].concat());
    let part = raw.take(3);
    assert_eq!(tags(&part), "DDs");
    assert_eq!(part[1].values(), [Some(b"4".to_vec())]);
    raw.send(&[&execute("p", 2)[..], SYNC].concat());
    let part = raw.until_ready();
    assert_eq!(tags(&part), "DCZ");
    assert_eq!(part[1].body, b"SELECT 1\0");
}

#[test]
fn after_an_error_everything_up_to_sync_is_skipped() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    raw.send(
        &[
            &parse("", "SELECT 1/0", &[])[..],
            &bind("", "", &[], &[], &[]),
            &execute("", 0),
            &parse("", "SELECT 1", &[]),
            &execute("", 0),
            SYNC,
        ]
        .concat(),
    );
    // Whether the constant is divided when it is prepared or when it runs, one error is told.
    let answer = raw.until_ready();
    let errors: Vec<_> = answer.iter().filter(|message| message.tag == 'E').collect();
    assert_eq!(errors.len(), 1, "{answer:?}");
    assert_eq!(errors[0].field('C'), "22012");
    assert!(tags(&answer).ends_with("EZ"));
    assert_eq!(raw.rows("SELECT 1"), [["1"]]);
}

#[test]
fn an_error_is_sent_before_the_sync_comes() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    raw.send(&bind("", "no such statement", &[], &[], &[]));
    let error = raw.take(1).remove(0);
    assert_eq!(error.field('C'), "26000");
    raw.send(&query_that_is_skipped());
    raw.send(SYNC);
    assert_eq!(tags(&raw.until_ready()), "Z");
}

fn query_that_is_skipped() -> Vec<u8> {
    crate::support::query("SELECT 1")
}

#[test]
fn binds_that_do_not_fit() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    for (bytes, state, words) in [
        (
            bind("", "s", &[], &[], &[]),
            "08P01",
            "bind message supplies 0 parameters, but prepared statement \"s\" requires 1",
        ),
        (
            bind("", "s", &[0, 0], &[Some(b"1")], &[]),
            "08P01",
            "bind message has 2 parameter formats but 1 parameters",
        ),
        (
            bind("", "s", &[], &[Some(b"1")], &[0, 0]),
            "08P01",
            "bind message has 2 result formats but query has 1 columns",
        ),
        (bind("", "s", &[2], &[Some(b"1")], &[]), "22023", "unsupported format code: 2"),
        (
            bind("", "s", &[], &[Some(b"x")], &[]),
            "22P02",
            "invalid input syntax for type integer: \"x\"",
        ),
        (bind("", "s", &[1], &[Some(b"12345")], &[]), "22P03", "incorrect binary data format"),
        (bind("", "s", &[], &[Some(b"\xff")], &[]), "22021", "invalid byte sequence"),
        (execute("no such portal", 0), "34000", "portal \"no such portal\" does not exist"),
        (describe(b'S', "nothing"), "26000", "prepared statement \"nothing\" does not exist"),
        (describe(b'X', "s"), "08P01", "invalid DESCRIBE message subtype 88"),
        (message(b'B', b"\0s\0\0\x05"), "08P01", "insufficient data left in message"),
    ] {
        raw.send(&[&parse("s", "SELECT $1::int4", &[])[..], &bytes, SYNC].concat());
        let answer = raw.until_ready();
        let error = answer.iter().find(|message| message.tag == 'E');
        let error = error.unwrap_or_else(|| panic!("{words}: {answer:?}"));
        assert_eq!(error.field('C'), state, "{}", error.field('M'));
        assert!(error.field('M').contains(words), "{}", error.field('M'));
        raw.send(&[&close(b'S', "s")[..], SYNC].concat());
        assert_eq!(tags(&raw.until_ready()), "3Z");
    }
}

#[test]
fn nothing_to_run_is_empty() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    raw.send(
        &[
            &parse("", "", &[])[..],
            &bind("", "", &[], &[], &[]),
            &describe(b'P', ""),
            &execute("", 0),
            SYNC,
        ]
        .concat(),
    );
    assert_eq!(tags(&raw.until_ready()), "12nIZ");
}

#[test]
fn cycles_may_be_sent_ahead() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    let cycle =
        [&parse("", "SELECT 1", &[])[..], &bind("", "", &[], &[], &[]), &execute("", 0), SYNC]
            .concat();
    raw.send(&cycle.repeat(100));
    for _ in 0..100 {
        assert_eq!(tags(&raw.until_ready()), "12DCZ");
    }
}
