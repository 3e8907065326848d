//! Commands by their bytes, and errors by theirs.

use hobgoblin_wire::mysql::{
    Capabilities, Command, Encoder, LongData, ProtocolError, Scramble, UNKNOWN_COMMAND, Version,
};

fn decoded(payload: &'static [u8]) -> Result<Command, ProtocolError> {
    Command::decode(payload.into(), Capabilities::OF_MYSQL)
}

#[test]
fn every_command() {
    let long = LongData { statement: 7, parameter: 258, data: "ab".into() };
    for (payload, expected) in [
        (&b"\x01"[..], Command::Quit),
        (b"\x02shop", Command::InitDb("shop".into())),
        (b"\x02", Command::InitDb("".into())),
        (b"\x03SELECT '\xff'", Command::Query((&b"SELECT '\xff'"[..]).into())),
        (b"\x04t\0a%", Command::FieldList { table: "t".into(), pattern: "a%".into() }),
        (b"\x09", Command::Statistics),
        (b"\x0c\x02\x01\0\0", Command::ProcessKill(258)),
        (b"\x0e", Command::Ping),
        (b"\x16SELECT ?", Command::Prepare("SELECT ?".into())),
        (b"\x18\x07\0\0\0\x02\x01ab", Command::SendLongData(long)),
        (b"\x19\x07\0\0\0", Command::Close(7)),
        (b"\x1a\x07\0\0\0", Command::Reset(7)),
        (b"\x1b\0\0", Command::SetMultiStatements(true)),
        (b"\x1b\x01\0", Command::SetMultiStatements(false)),
        (b"\x1b\x02\0", Command::Unknown(Some(0x1b))),
        (b"\x1c\x07\0\0\0\x02\x01\0\0", Command::Fetch { statement: 7, rows: 258 }),
        (b"\x1f", Command::ResetConnection),
        // These have no answer, even if they say too little.
        (b"\x18\x07\0\0\0\x02", Command::Nothing),
        (b"\x19\x07\0\0", Command::Nothing),
        (b"", Command::Unknown(None)),
    ] {
        assert_eq!(decoded(payload), Ok(expected), "{payload:?}");
    }
    let known = [1, 2, 3, 4, 9, 0x0c, 0x0e, 0x11, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1f];
    for number in 0..=255 {
        let command = Command::decode(vec![number].into(), Capabilities::OF_MARIADB);
        let unknown = command == Ok(Command::Unknown(Some(number)));
        assert_eq!(unknown, !known.contains(&number), "{number:#x}");
    }
}

#[test]
fn commands_that_end_early() {
    for payload in [
        &b"\x04table"[..],
        b"\x0c\x01\0\0",
        b"\x17\x01\0\0\0\0\x01\0\0",
        b"\x1a\x01\0\0",
        b"\x1b\0",
        b"\x1c\x07\0\0\0\x02\x01\0",
    ] {
        assert_eq!(decoded(payload), Err(ProtocolError::Malformed), "{payload:?}");
    }
}

#[test]
fn errors_are_mysqls() {
    for (error, code, state, fatal) in [
        (ProtocolError::TooLarge, 1153, "08S01", true),
        (ProtocolError::OutOfOrder { expected: 0, found: 1 }, 1156, "08S01", true),
        (ProtocolError::BadHandshake, 1043, "08S01", true),
        (ProtocolError::Malformed, 1835, "HY000", false),
        (ProtocolError::WrongParameters, 1210, "HY000", false),
        (ProtocolError::NoSuchParameter, 1210, "HY000", false),
        (ProtocolError::LongDataTooLarge, 1105, "HY000", false),
    ] {
        assert_eq!((error.code(), error.state(), error.is_fatal()), (code, state, fatal));
    }
    // What MariaDB says in place of a greeting.
    let mut out = Encoder::new();
    out.error(1040, "08004", b"Too many connections");
    assert_eq!(out.bytes(), b"\x17\0\0\0\xff\x10\x04Too many connections");
    let scramble = Scramble::from_random([0; 20]);
    out.greeting_of(Version::Mysql97, 1, &scramble, Capabilities::OF_MYSQL);
    out.clear();
    let (code, state, words) = UNKNOWN_COMMAND;
    out.error(code, state, words.as_bytes());
    assert_eq!(out.bytes(), b"\x18\0\0\x02\xff\x17\x04#08S01Unknown command");
    // A state is five characters, whatever it was.
    out.clear();
    out.reply_at(2);
    out.error(1, "HY", b"x");
    out.error(1, "HY00000", b"x");
    assert_eq!(out.bytes(), b"\x0a\0\0\x02\xff\x01\0#HY000x\x0a\0\0\x03\xff\x01\0#HY000x");
}
