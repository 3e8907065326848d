//! Every recorded packet of the server is read and written again, to the same bytes.

use hobgoblin_wire::mysql::{Encoder, Greeting, Method, Scramble, Status};

use crate::exchange::{self, Session};
use crate::reader::Cursor;
use crate::recording;

#[test]
fn what_was_recorded_is_written_again() {
    let mut sessions = 0;
    let mut packets = 0;
    for (name, connections) in recording::all() {
        for session in connections.iter().filter_map(exchange::read) {
            greeting_again(&session);
            end_again(&session);
            for exchange in &session.exchanges {
                let mut out = Encoder::new();
                out.agree(session.agreed);
                out.reply_at(exchange.number);
                exchange.reply.write(&mut out);
                let key = &exchange.key[..exchange.key.len().min(300)];
                assert!(
                    out.bytes() == exchange.raw,
                    "{name}: {key}\nours   {:02x?}\ntheirs {:02x?}",
                    &out.bytes()[..out.bytes().len().min(600)],
                    &exchange.raw[..exchange.raw.len().min(600)],
                );
                packets += 1;
            }
            sessions += 1;
        }
    }
    assert!(sessions >= 10 && packets >= 300, "{packets} replies in {sessions} sessions");
}

/// The greeting, field by field.
fn greeting_again(session: &Session) {
    let mut cursor = Cursor { bytes: &session.greeting.payload, at: 1 };
    let end = cursor.bytes.iter().position(|&byte| byte == 0).expect("a version ends");
    let version = String::from_utf8(cursor.take(end - 1)).expect("it is ASCII");
    cursor.take(1);
    let connection = cursor.number(4) as u32;
    let mut scramble = cursor.take(8);
    cursor.take(1 + 2);
    let collation = cursor.number(1) as u8;
    let status = Status::from_bits(cursor.number(2) as u16);
    cursor.take(2 + 1 + 6 + 4);
    scramble.extend(cursor.take(12));
    let random = scramble.iter().map(|byte| byte - b'!').collect::<Vec<_>>();
    let mut out = Encoder::new();
    out.greeting(&Greeting {
        version: &version,
        connection,
        scramble: &Scramble::from_random(random.try_into().expect("they are twenty")),
        capabilities: session.offered,
        collation,
        status,
        method: Method::Native,
    });
    assert_eq!(out.bytes(), session.greeting.raw);
}

/// The OK or ERR of the login.
fn end_again(session: &Session) {
    let mut out = Encoder::new();
    out.agree(session.agreed);
    out.reply_at(session.number);
    match &session.end {
        Ok(end) => end.with(|end| out.ok(end)),
        Err(failure) => failure.write(&mut out),
    }
    let ended = out.sequence();
    assert_eq!(ended, session.number.wrapping_add(1));
    assert!(out.bytes() == session.last, "{:?}", session.end);
}
