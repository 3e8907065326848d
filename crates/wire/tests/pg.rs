//! The codec against `pgwire`'s, and against bytes that nobody should send.

use bytes::{Bytes, BytesMut};
use hobgoblin_wire::pg::{Bind, Column, Decoder, Encoder, Frontend, Startup, Status, Target};
use pgwire::messages::extendedquery::{self, Close, Describe, Execute, Flush, Parse, Sync};
use pgwire::messages::startup::{GssEncRequest, SecretKey, SslRequest};
use pgwire::messages::{DecodeContext, Message, PgWireBackendMessage, cancel, copy, simplequery};
use proptest::prelude::*;

fn encoded(message: &impl Message) -> Vec<u8> {
    let mut bytes = BytesMut::new();
    message.encode(&mut bytes).expect("it is small");
    bytes.to_vec()
}

fn decoded(bytes: &[u8]) -> Frontend {
    let mut decoder = Decoder::new();
    decoder.push(bytes);
    let message = decoder.message().expect("it is good").expect("it is whole");
    assert!(decoder.is_empty());
    message
}

#[test]
fn messages_as_pgwire_encodes_them() {
    let text = |text: &str| text.to_owned();
    let check = |bytes: Vec<u8>, expect: Frontend| assert_eq!(decoded(&bytes), expect);
    check(
        encoded(&simplequery::Query::new(text("SELECT 'é'"))),
        Frontend::Query(text("SELECT 'é'")),
    );
    check(
        encoded(&Parse::new(Some(text("s")), text("SELECT $1"), vec![23, 0])),
        Frontend::Parse { name: text("s"), sql: text("SELECT $1"), types: vec![23, 0] },
    );
    let params = vec![None, Some(Bytes::from_static(b"12")), Some(Bytes::new())];
    check(
        encoded(&extendedquery::Bind::new(
            None,
            Some(text("s")),
            vec![1],
            params.clone(),
            vec![0, 1],
        )),
        Frontend::Bind(Bind {
            portal: String::new(),
            statement: text("s"),
            formats: vec![1],
            params,
            results: vec![0, 1],
        }),
    );
    check(
        encoded(&Describe::new(b'S', None)),
        Frontend::Describe(Target::Statement, String::new()),
    );
    check(encoded(&Close::new(b'P', Some(text("p")))), Frontend::Close(Target::Portal, text("p")));
    check(
        encoded(&Execute::new(None, 7)),
        Frontend::Execute { portal: String::new(), max_rows: 7 },
    );
    check(encoded(&Flush::new()), Frontend::Flush);
    check(encoded(&Sync::new()), Frontend::Sync);
    let data = Bytes::from_static(b"1\t2\n");
    check(encoded(&copy::CopyData::new(data.clone())), Frontend::CopyData(data));
    check(encoded(&copy::CopyDone::new()), Frontend::CopyDone);
    check(encoded(&copy::CopyFail::new(text("no"))), Frontend::CopyFail(text("no")));
}

#[test]
fn packets_of_a_beginning() {
    let mut decoder = Decoder::new();
    decoder.push(&encoded(&SslRequest::new()));
    decoder.push(&encoded(&GssEncRequest::new()));
    decoder.push(b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x07\0\0\0\x09");
    decoder.push(b"\0\0\0\x12\0\x03\0\x02user\0bob\0\0");
    assert_eq!(decoder.startup(), Ok(Some(Startup::Ssl)));
    assert_eq!(decoder.startup(), Ok(Some(Startup::GssEnc)));
    assert_eq!(decoder.startup(), Ok(Some(Startup::Cancel { pid: 7, secret: 9 })));
    let parameters = vec![("user".to_owned(), "bob".to_owned())];
    assert_eq!(decoder.startup(), Ok(Some(Startup::Session { minor: 2, parameters })));
    assert_eq!(decoder.startup(), Ok(None));
    assert_eq!(
        encoded(&cancel::CancelRequest::new(7, SecretKey::I32(9))),
        b"\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\x07\0\0\0\x09"
    );
}

#[test]
fn beginnings_that_are_none() {
    for (bytes, state) in [
        (&b"\0\0\0\x07\0\x03\0\0"[..], "08P01"),
        (b"\x7f\xff\xff\xff\0\x03\0\0", "08P01"),
        (b"GET / HTTP/1.1\r\n", "08P01"),
        (b"\0\0\0\x08\0\x02\0\0", "0A000"),
        (b"\0\0\0\x0d\0\x03\0\0user\0", "08P01"),
        (b"\0\0\0\x0f\0\x03\0\0user\0\0x", "08P01"),
        (b"\0\0\0\x0c\x04\xd2\x16\x2e\0\0\0\x07", "08P01"),
    ] {
        let mut decoder = Decoder::new();
        decoder.push(bytes);
        let error = decoder.startup().expect_err("it is none");
        assert!(error.fatal);
        assert_eq!(error.state, state, "{bytes:?}: {error}");
    }
}

#[test]
fn messages_that_are_none() {
    for (bytes, fatal, message) in [
        (&b"?"[..], true, "invalid frontend message type 63"),
        (b"Q\0\0\0\x03", true, "invalid message length 3"),
        (b"Q\xff\xff\xff\xff", true, "invalid message length -1"),
        (
            b"Q\x7f\xff\xff\xff",
            true,
            "message length 2147483647 exceeds the limit of 268435456 bytes",
        ),
        (b"S\0\0\x27\x11", true, "message length 10001 exceeds the limit of 10000 bytes"),
        (b"Q\0\0\0\x04", false, "invalid string in message"),
        (b"Q\0\0\0\x07a\0b", false, "invalid message format"),
        (b"Q\0\0\0\x06\xff\0", false, "invalid byte sequence for encoding \"UTF8\": 0xff"),
        (b"B\0\0\0\x08\0\0\0\x05", false, "insufficient data left in message"),
        (b"P\0\0\0\x08\0\0\xff\xff", false, "insufficient data left in message"),
        (b"D\0\0\0\x06X\0", false, "invalid DESCRIBE message subtype 88"),
    ] {
        let mut decoder = Decoder::new();
        decoder.push(bytes);
        // Those that lack a byte on purpose get the one they claim.
        let result = match decoder.message() {
            Ok(None) => {
                decoder.push(b"\0");
                decoder.message()
            }
            result => result,
        };
        let error = result.expect_err("it is none");
        assert_eq!((error.fatal, error.message.as_str()), (fatal, message), "{bytes:?}");
    }
}

/// Decodes all messages of a server with `pgwire`.
fn read_back(encoder: &Encoder) -> Vec<PgWireBackendMessage> {
    let mut bytes = BytesMut::from(encoder.bytes());
    let mut context = DecodeContext::default();
    context.awaiting_frontend_ssl = false;
    context.awaiting_frontend_startup = false;
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let message = PgWireBackendMessage::decode(&mut bytes, &context).expect("it is good");
        all.push(message.expect("it is whole"));
    }
    all
}

#[test]
fn rows_and_errors_are_read_back() {
    let mut encoder = Encoder::new();
    let column =
        Column { name: "a\0b", table: 16384, column: 1, ty: 23, size: 4, modifier: -1, format: 1 };
    encoder.row_description([column].into_iter());
    let mut row = encoder.row();
    row.value(&[0, 0, 0, 7]);
    row.null();
    row.finish();
    encoder.error([(b'M', "bad\0 thing")].into_iter());
    encoder.ready(Status::Failed);
    let all = read_back(&encoder);
    assert_eq!(all.len(), 4);
    match &all[0] {
        PgWireBackendMessage::RowDescription(rows) => {
            let field = &rows.fields[0];
            let got = (field.name.as_str(), field.table_id, field.type_id, field.format_code);
            assert_eq!(got, ("ab", 16384, 23, 1));
        }
        other => panic!("{other:?}"),
    }
    match &all[1] {
        PgWireBackendMessage::DataRow(row) => {
            assert_eq!(row.field_count, 2);
            assert_eq!(&row.data[..], b"\0\0\0\x04\0\0\0\x07\xff\xff\xff\xff");
        }
        other => panic!("{other:?}"),
    }
    match &all[2] {
        PgWireBackendMessage::ErrorResponse(error) => {
            assert_eq!(error.fields, [(b'M', "bad thing".to_owned())]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(&encoder.bytes()[encoder.bytes().len() - 6..], b"Z\0\0\0\x05E");
}

/// Every message of a server, byte for byte.
#[test]
fn every_message_is_as_pgwire_encodes_it() {
    use pgwire::messages::{data, response, startup};
    let same = |write: &dyn Fn(&mut Encoder), expected: Vec<u8>| {
        let mut encoder = Encoder::new();
        write(&mut encoder);
        assert_eq!(encoder.bytes(), expected);
    };
    let (one, two) = ("one".to_owned(), "two words".to_owned());
    same(&|e| e.authentication_ok(), encoded(&startup::Authentication::Ok));
    let mechanisms = vec!["SCRAM-SHA-256".to_owned(), "PLAIN".to_owned()];
    let sasl = startup::Authentication::SASL(mechanisms);
    same(&|e| e.sasl(&["SCRAM-SHA-256", "PLAIN"]), encoded(&sasl));
    let data = || bytes::Bytes::from_static(b"r=abc");
    let step = startup::Authentication::SASLContinue(data());
    same(&|e| e.sasl_continue(b"r=abc"), encoded(&step));
    same(&|e| e.sasl_final(b"r=abc"), encoded(&startup::Authentication::SASLFinal(data())));
    let names = vec![one.clone(), two.clone()];
    let negotiate = startup::NegotiateProtocolVersion::new(3 << 16, names.clone());
    same(&|e| e.negotiate_version(0, &names), encoded(&negotiate));
    let status = startup::ParameterStatus::new(one.clone(), two.clone());
    same(&|e| e.parameter_status("one", "two words"), encoded(&status));
    let key = startup::BackendKeyData::new(7, SecretKey::I32(-9));
    same(&|e| e.backend_key(7, -9), encoded(&key));
    for (status, theirs) in [
        (Status::Idle, response::TransactionStatus::Idle),
        (Status::Active, response::TransactionStatus::Transaction),
        (Status::Failed, response::TransactionStatus::Error),
    ] {
        same(&|e| e.ready(status), encoded(&response::ReadyForQuery::new(theirs)));
    }
    same(&|e| e.parse_complete(), encoded(&extendedquery::ParseComplete::new()));
    same(&|e| e.bind_complete(), encoded(&extendedquery::BindComplete::new()));
    same(&|e| e.close_complete(), encoded(&extendedquery::CloseComplete::new()));
    same(&|e| e.portal_suspended(), encoded(&extendedquery::PortalSuspended::new()));
    same(&|e| e.no_data(), encoded(&data::NoData::new()));
    same(&|e| e.empty_query(), encoded(&response::EmptyQueryResponse::new()));
    let complete = response::CommandComplete::new("SELECT 1".to_owned());
    same(&|e| e.command_complete("SELECT\0 1"), encoded(&complete));
    let types = data::ParameterDescription::new(vec![23, 25, 1 << 31]);
    same(&|e| e.parameter_description(&[23, 25, 1 << 31]), encoded(&types));
    let field = |name: &str| data::FieldDescription::new(name.to_owned(), -1, 3, 23, -1, -1, 1);
    let rows = data::RowDescription::new(vec![field("one"), field("two")]);
    let column = |name| Column {
        name,
        table: u32::MAX,
        column: 3,
        ty: 23,
        size: -1,
        modifier: -1,
        format: 1,
    };
    same(&|e| e.row_description(["one", "two"].map(column).into_iter()), encoded(&rows));
    let fields = || vec![(b'S', one.clone()), (b'M', two.clone())];
    let ours = || [(b'S', "one"), (b'M', "two words")].into_iter();
    same(&|e| e.error(ours()), encoded(&response::ErrorResponse::new(fields())));
    same(&|e| e.notice(ours()), encoded(&response::NoticeResponse::new(fields())));
    let notification = response::NotificationResponse::new(7, one.clone(), two.clone());
    same(&|e| e.notification(7, "one", "two words"), encoded(&notification));
    let copy_in = copy::CopyInResponse::new(1, 2, vec![1, 1]);
    same(&|e| e.copy_in(true, 2), encoded(&copy_in));
    let copy_out = copy::CopyOutResponse::new(0, 3, vec![0, 0, 0]);
    same(&|e| e.copy_out(false, 3), encoded(&copy_out));
    same(&|e| e.copy_data(b"1\t2\n"), encoded(&copy::CopyData::new(b"1\t2\n".as_slice().into())));
    same(&|e| e.copy_done(), encoded(&copy::CopyDone::new()));
}

/// Feeds bytes in pieces until nothing comes; the messages, and whether it ended with an error.
fn feed(bytes: &[u8], piece: usize) -> (Vec<Frontend>, bool) {
    let mut decoder = Decoder::with_limit(1 << 16);
    let mut all = Vec::new();
    for part in bytes.chunks(piece) {
        decoder.push(part);
        loop {
            match decoder.message() {
                Ok(Some(message)) => all.push(message),
                Ok(None) => break,
                Err(error) if error.fatal => return (all, true),
                Err(_) => {}
            }
        }
    }
    (all, false)
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut decoder = Decoder::new();
        decoder.push(&bytes);
        let _ = decoder.startup();
        feed(&bytes, 7);
    }

    /// A frame that is right around a body that is not.
    #[test]
    fn no_body_panics(
        tag in proptest::sample::select(b"QPBDCEHSXdcfpF".to_vec()),
        body in proptest::collection::vec(prop_oneof![Just(0u8), Just(1u8), any::<u8>()], 0..60),
    ) {
        let mut bytes = vec![tag];
        bytes.extend((body.len() as u32 + 4).to_be_bytes());
        bytes.extend(&body);
        bytes.extend(b"S\0\0\0\x04");
        let (all, broken) = feed(&bytes, bytes.len());
        prop_assert!(!broken);
        prop_assert_eq!(all.last(), Some(&Frontend::Sync));
    }

    /// However the bytes arrive, the messages are the same.
    #[test]
    fn pieces_do_not_matter(sql in "[a-z ]{0,40}", piece in 1usize..9) {
        let mut bytes = encoded(&simplequery::Query::new(sql.clone()));
        bytes.extend(encoded(&Parse::new(None, sql, vec![1, 2, 3])));
        bytes.extend(encoded(&Sync::new()));
        prop_assert_eq!(feed(&bytes, piece), feed(&bytes, bytes.len()));
    }
}
