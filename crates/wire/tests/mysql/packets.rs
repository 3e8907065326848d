//! Packets: cut, joined, numbered, limited.

use hobgoblin_wire::mysql::{
    BINARY, Column, ColumnFlags, ColumnType, Completion, Decoder, Encoder, MAX_PACKET,
    ProtocolError, Value,
};
use proptest::prelude::*;

use crate::packet::packet;

/// A payload in packets, the first of which has this number. Written without the encoder.
fn framed(payload: &[u8], mut number: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = payload;
    loop {
        let (part, after) = rest.split_at(rest.len().min(MAX_PACKET));
        bytes.extend(packet(number, part));
        number = number.wrapping_add(1);
        rest = after;
        if part.len() < MAX_PACKET {
            return bytes;
        }
    }
}

/// What a decoder gives and how it ends, the bytes arriving in pieces.
fn fed(bytes: &[u8], piece: usize, max: usize) -> (Vec<Vec<u8>>, Option<ProtocolError>) {
    let mut decoder = Decoder::with_limit(max);
    let mut all = Vec::new();
    for part in bytes.chunks(piece) {
        decoder.push(part);
        loop {
            match decoder.command() {
                Ok(Some(payload)) => all.push(payload.to_vec()),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(decoder.command(), Err(error), "an error stays");
                    return (all, Some(error));
                }
            }
        }
    }
    (all, None)
}

#[test]
fn long_payloads_are_split_and_joined() {
    for length in [0, 1, MAX_PACKET - 1, MAX_PACKET, MAX_PACKET + 1, 2 * MAX_PACKET, 40_000_000] {
        let payload = vec![7; length];
        let bytes = framed(&payload, 0);
        assert_eq!(fed(&bytes, 1 << 20, length), (vec![payload.clone()], None), "{length}");
        let mut out = Encoder::new();
        out.statistics(&payload);
        assert!(out.bytes() == bytes, "{length}");
        assert_eq!(usize::from(out.sequence()), length / MAX_PACKET + 1);
    }
}

#[test]
fn a_limit_holds_before_the_bytes_come() {
    let header = |length: u32, number: u8| {
        let mut header = length.to_le_bytes();
        header[3] = number;
        header
    };
    assert_eq!(fed(&header(11, 0), 4, 10), (vec![], Some(ProtocolError::TooLarge)));
    assert_eq!(fed(&header(10, 0), 4, 10), (vec![], None));
    // The second packet is the one that is too much.
    let mut decoder = Decoder::with_limit(MAX_PACKET + 5);
    decoder.push(&framed(&vec![0; MAX_PACKET], 0)[..4 + MAX_PACKET]);
    assert_eq!(decoder.command(), Ok(None));
    decoder.push(&header(6, 1));
    assert_eq!(decoder.command(), Err(ProtocolError::TooLarge));
    assert_eq!(decoder.sequence(), 2);
}

#[test]
fn numbers_are_those_that_are_due() {
    let mut decoder = Decoder::new();
    decoder.push(&packet(3, b"answer"));
    decoder.push(&packet(0, b"command"));
    decoder.push(&packet(1, b"not a command"));
    assert_eq!(decoder.answer(3), Ok(Some("answer".into())));
    assert_eq!(decoder.sequence(), 4);
    assert_eq!(decoder.command(), Ok(Some("command".into())));
    assert_eq!(decoder.command(), Err(ProtocolError::OutOfOrder { expected: 0, found: 1 }));
    assert!(!decoder.is_empty());
    let mut decoder = Decoder::with_limit(usize::MAX);
    let mut second = framed(&vec![0; MAX_PACKET + 1], 0);
    second[4 + MAX_PACKET + 3] = 2;
    decoder.push(&second);
    assert_eq!(decoder.command(), Err(ProtocolError::OutOfOrder { expected: 1, found: 2 }));
}

#[test]
fn numbers_go_round() {
    let mut out = Encoder::new();
    out.reply_at(255);
    out.ok(&Completion::default());
    assert_eq!(out.bytes()[3], 255);
    assert_eq!(out.sequence(), 0);
}

#[test]
fn a_row_that_is_not_finished_is_not_sent() {
    let mut out = Encoder::new();
    let types = [ColumnType::Tiny, ColumnType::VarString];
    let name: &[u8] = b"a";
    let column = Column {
        schema: b"",
        table: b"",
        original_table: b"",
        name,
        original_name: b"",
        extended: &[],
        collation: BINARY,
        length: 4,
        ty: ColumnType::Tiny,
        flags: ColumnFlags::NOT_NULL,
        decimals: 0,
    };
    out.columns(&[column], &Completion::default());
    let (length, number) = (out.bytes().len(), out.sequence());
    let mut row = out.binary_row(&types);
    row.value(&Value::<&[u8]>::Signed(1)).expect("it is a number");
    let wrong = row.value(&Value::<&[u8]>::Signed(2)).expect_err("it is no text");
    assert_eq!(wrong.column, 1);
    assert_eq!(row.finish().expect_err("a value is missing").column, 1);
    let mut row = out.binary_row(&types[..1]);
    assert!(row.value(&Value::<&[u8]>::Unsigned(256)).is_err(), "it has one byte");
    assert!(row.value(&Value::<&[u8]>::Null).is_ok());
    assert!(row.value(&Value::<&[u8]>::Null).is_err(), "there is one column");
    drop(row);
    out.text_row().value(b"forgotten");
    assert_eq!((out.bytes().len(), out.sequence()), (length, number));
}

proptest! {
    /// However the bytes arrive, the payloads are the same.
    #[test]
    fn pieces_do_not_matter(
        payloads in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..8),
        piece in 1usize..9,
    ) {
        let bytes: Vec<u8> = payloads.iter().flat_map(|payload| framed(payload, 0)).collect();
        prop_assert_eq!(fed(&bytes, piece, 100), (payloads, None));
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), piece in 1usize..50) {
        prop_assert_eq!(fed(&bytes, piece, 100), fed(&bytes, bytes.len().max(1), 100));
    }
}
