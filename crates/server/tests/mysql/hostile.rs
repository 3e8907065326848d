//! Clients that nobody wants. The server stays up, and tells them MySQL's errors.

use std::io::Write;
use std::net::TcpStream;

use hobgoblin_server::MySqlConfig;

use crate::packet::{login, packet};
use crate::support::{Answer, BASE, Raw, addr, failed, mysql, serve};

#[test]
fn a_thousand_connections_opened_and_dropped() {
    let server = serve(mysql());
    let addr = addr(&server);
    for number in 0..1000 {
        match number % 4 {
            0 => drop(TcpStream::connect(addr).expect("it listens")),
            1 => Raw::silent(addr).send(b"\x20\0\0"),
            2 => {
                let mut raw = Raw::silent(addr);
                let scramble = raw.greeted();
                raw.send(&packet(1, &login(&scramble, BASE, "hob", "", "test")));
            }
            _ => drop(Raw::open(addr)),
        }
    }
    assert_eq!(Raw::open(addr).texts("SELECT 1"), [["1"]]);
}

fn garbage(seed: &mut u64, length: usize) -> Vec<u8> {
    let mut next = || {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        (*seed >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn garbage_before_and_after_the_login() {
    let server = serve(mysql());
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for length in (1..200).step_by(3) {
        let mut raw = Raw::silent(addr(&server));
        // A server that has heard enough closes before all is written.
        let _ = raw.stream.write_all(&garbage(&mut seed, length));
        raw.hang_up();
        raw.until_end();
        let mut raw = Raw::open(addr(&server));
        let _ = raw.stream.write_all(&garbage(&mut seed, length));
        raw.hang_up();
        raw.until_end();
    }
    assert_eq!(Raw::open(addr(&server)).texts("SELECT 1"), [["1"]]);
}

/// Every command with bytes that mean nothing: one answer each, or the end of the connection.
#[test]
fn bodies_of_garbage_in_good_packets() {
    let server = serve(mysql());
    let mut seed = 0x1234_5678_9abc_def1_u64;
    let mut raw = Raw::open(addr(&server));
    for command in 2..=0x20u8 {
        // COM_CHANGE_USER ends the connection, and so may COM_PROCESS_KILL; these have no answer.
        if matches!(command, 0x0c | 0x11 | 0x18 | 0x19) {
            continue;
        }
        for length in 0..20 {
            let body = garbage(&mut seed, length);
            raw.send(&packet(0, &[&[command], &body[..]].concat()));
            if command == 0x09 {
                raw.next().expect("a line");
                continue;
            }
            raw.answer();
        }
    }
    assert_eq!(raw.texts("SELECT 1"), [["1"]]);
}

#[test]
fn wrong_numbers_of_packets() {
    let server = serve(mysql());
    for number in [1, 2, 77, 255] {
        let mut raw = Raw::open(addr(&server));
        raw.send(&packet(number, b"\x0e"));
        let packets = raw.until_end();
        let told = failed(&packets[0].payload);
        assert_eq!((packets.len(), told.error()), (1, 1156), "{number}");
        let mut raw = Raw::silent(addr(&server));
        let scramble = raw.greeted();
        raw.send(&packet(number.wrapping_add(1), &login(&scramble, BASE, "hob", "", "test")));
        assert_eq!(failed(&raw.until_end()[0].payload).error(), 1156, "{number}");
    }
    assert_eq!(Raw::open(addr(&server)).texts("SELECT 1"), [["1"]]);
}

/// Longer than `max_allowed_packet`: told when the length is known, and the end.
#[test]
fn packets_that_are_too_long() {
    let too_long = Answer::Error {
        number: 1153,
        state: "08S01".to_owned(),
        words: "Got a packet bigger than 'max_allowed_packet' bytes".to_owned(),
    };
    let server = serve(MySqlConfig { max_packet: Some(1 << 20), ..mysql() });
    let mut raw = Raw::open(addr(&server));
    raw.send(b"\x01\0\x10\0\x03");
    assert_eq!(failed(&raw.until_end()[0].payload), too_long);
    // One of 64 MB, from a client that sends it whole before it listens.
    let mut raw = Raw::open(addr(&server));
    for number in 0..4u8 {
        if raw.stream.write_all(&packet(number, &vec![b'x'; 0xff_ffff])).is_err() {
            break;
        }
    }
    raw.until_end();
    let mut raw = Raw::open(addr(&server));
    let text = [&b"\x03SELECT LENGTH('"[..], &vec![b'x'; 1 << 19], b"')"].concat();
    raw.send(&packet(0, &text));
    assert_eq!(raw.answer().texts(), [[(1 << 19).to_string()]]);
    // Nobody unknown sends that much.
    let mut raw = Raw::silent(addr(&server));
    raw.greeted();
    raw.send(b"\xff\xff\xff\x01");
    assert_eq!(failed(&raw.until_end()[0].payload).error(), 1153);
}

/// The limit is a variable of the server.
#[test]
fn the_longest_packet_can_be_set() {
    let settings = vec![("max_allowed_packet".to_owned(), "1048576".to_owned())];
    let server = serve(MySqlConfig { settings, ..mysql() });
    let mut raw = Raw::open(addr(&server));
    assert_eq!(raw.texts("SELECT @@max_allowed_packet"), [["1048576"]]);
    raw.send(b"\x01\0\x10\0\x03");
    assert_eq!(failed(&raw.until_end()[0].payload).error(), 1153);
}

/// Half packets, in pieces of one byte, arrive whole.
#[test]
fn packets_in_pieces() {
    let server = serve(mysql());
    let mut raw = Raw::silent(addr(&server));
    let scramble = raw.greeted();
    let hello = packet(1, &login(&scramble, BASE, "hob", "", "test"));
    let query = packet(0, b"\x03SELECT 'whole'");
    for (bytes, is_login) in [(hello, true), (query, false)] {
        for byte in bytes {
            raw.send(&[byte]);
        }
        match (raw.answer(), is_login) {
            (Answer::Ok { .. }, true) => {}
            (answer, _) => assert_eq!(answer.texts(), [["whole"]]),
        }
    }
}
