//! Bytes as what a MySQL client sends: a login, then commands in pieces, among them executions of statements with parameters.
#![no_main]

use hobgoblin_wire::mysql::{
    Authentication, Capabilities, Command, Decoder, Encoder, Hello, Method, Parameters, Scramble,
    Step,
};

/// All payloads, the bytes arriving in pieces; whether it ended with an error.
fn payloads(bytes: &[u8], piece: usize) -> (Vec<Vec<u8>>, bool) {
    let mut decoder = Decoder::with_limit(1 << 16);
    let mut all = Vec::new();
    for part in bytes.chunks(piece) {
        decoder.push(part);
        loop {
            match decoder.command() {
                Ok(Some(payload)) => all.push(payload.to_vec()),
                Ok(None) => break,
                Err(_) => return (all, true),
            }
        }
    }
    (all, false)
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let whole = payloads(bytes, bytes.len().max(1));
    assert_eq!(payloads(bytes, 3), whole, "pieces do not matter");

    let scramble = Scramble::from_random([7; 20]);
    let mut authentication = Authentication::new(scramble, Some(b"word".to_vec()), Method::Native);
    let mut out = Encoder::new();
    if let Ok(Hello::Login(login)) = Hello::decode(bytes.to_vec().into()) {
        out.agree(login.capabilities.both(Capabilities::OF_MARIADB));
        let _ = authentication.login(&login, &mut out);
    }

    // The bytes are one command, and then many.
    let all = whole.0.into_iter().chain([bytes.to_vec()]);
    let mut parameters = Parameters::new(u16::from(bytes.first().copied().unwrap_or(0)), 1 << 10);
    for payload in all {
        match Command::decode(payload.into(), out.agreed()) {
            Ok(Command::Execute(execute)) => {
                if let Ok(bound) = parameters.bind(&execute) {
                    write_back(&mut out, &bound);
                }
            }
            Ok(Command::SendLongData(piece)) => parameters.append(&piece),
            Ok(Command::Reset(_)) => parameters.reset(),
            Ok(Command::ChangeUser(login)) => {
                assert_ne!(authentication.change(&login, &mut out), Step::Accepted);
            }
            _ => {}
        }
        out.clear();
    }
});

/// What was read can be written: a parameter is of its type, or came in pieces and is bytes.
fn write_back(out: &mut Encoder, bound: &[hobgoblin_wire::mysql::Parameter]) {
    use hobgoblin_wire::mysql::{ColumnType, Value};
    let types: Vec<ColumnType> = bound
        .iter()
        .map(|parameter| match parameter.value {
            Value::Bytes(_) => ColumnType::Blob,
            _ => parameter.ty.ty,
        })
        .collect();
    let mut row = out.binary_row(&types);
    for parameter in bound {
        row.value(&parameter.value).expect("it is of its type");
    }
    row.finish().expect("all were written");
}
