//! Clients that nobody wants. The server stays up.

use std::net::TcpStream;

use hobgoblin_server::PgConfig;

use crate::support::{Raw, addr, hello, message, pg, serve};

#[test]
fn a_thousand_connections_opened_and_dropped() {
    let server = serve(pg());
    let addr = addr(&server);
    for number in 0..1000 {
        match number % 4 {
            0 => drop(TcpStream::connect(addr).expect("it listens")),
            1 => Raw::silent(addr).send(b"\0\0\0"),
            2 => Raw::silent(addr).send(&hello(&[("user", "hob")])),
            _ => drop(Raw::open(addr)),
        }
    }
    assert_eq!(Raw::open(addr).rows("SELECT 1"), [["1"]]);
}

#[test]
fn garbage_before_and_after_the_startup() {
    let server = serve(pg());
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut garbage = |length: usize| -> Vec<u8> {
        (0..length)
            .map(|_| {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                (seed >> 32) as u8
            })
            .collect()
    };
    for length in (1..200).step_by(3) {
        let mut raw = Raw::silent(addr(&server));
        // A server that has heard enough closes before all is written.
        let _ = std::io::Write::write_all(raw.socket(), &garbage(length));
        raw.hang_up();
        raw.until_end();
        let mut raw = Raw::open(addr(&server));
        let _ = std::io::Write::write_all(raw.socket(), &garbage(length));
        raw.hang_up();
        raw.until_end();
    }
    assert_eq!(Raw::open(addr(&server)).rows("SELECT 1"), [["1"]]);
}

#[test]
fn bodies_of_garbage_in_good_frames() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    for tag in *b"PBDCEcfdH" {
        for length in 0..40u8 {
            let body: Vec<u8> = (0..length).map(|at| at.wrapping_mul(89) ^ tag).collect();
            raw.send(&message(tag, &body));
        }
        raw.send(b"S\0\0\0\x04");
        raw.until_ready();
    }
    assert_eq!(raw.rows("SELECT 1"), [["1"]]);
}

#[test]
fn lengths_that_lie_are_told() {
    let server = serve(PgConfig { max_message: 1 << 20, ..pg() });
    for (bytes, words) in [
        (&b"Q\x7f\xff\xff\xff"[..], "message length 2147483647 exceeds the limit of 1048576 bytes"),
        (b"Q\0\x10\0\x01", "message length 1048577 exceeds the limit of 1048576 bytes"),
        (b"S\0\0\xff\xff", "message length 65535 exceeds the limit of 10000 bytes"),
        (b"Q\0\0\0\0", "invalid message length 0"),
        (b"Q\xff\xff\xff\xff", "invalid message length -1"),
        (b"~\0\0\0\x04", "invalid frontend message type 126"),
        (b"p\0\0\0\x04", "invalid frontend message type 112"),
    ] {
        let mut raw = Raw::open(addr(&server));
        raw.send(bytes);
        let error = raw.until_end().pop().expect("it is told");
        assert_eq!((error.field('S').as_str(), error.field('C').as_str()), ("FATAL", "08P01"));
        assert_eq!(error.field('M'), words);
    }
    assert_eq!(Raw::open(addr(&server)).rows("SELECT 1"), [["1"]]);
}

#[test]
fn a_cancel_request_with_a_wrong_secret_does_nothing() {
    let server = serve(pg());
    let mut raw = Raw::open(addr(&server));
    let mut cancel = Raw::silent(addr(&server));
    cancel.send(b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x01\0\0\0\x01");
    assert!(cancel.until_end().is_empty());
    assert_eq!(raw.rows("SELECT 1"), [["1"]]);
}
