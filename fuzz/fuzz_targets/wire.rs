//! Bytes as what a PostgreSQL client sends: packets of a startup, messages in pieces, a SCRAM exchange.
#![no_main]

use hobgoblin_wire::pg::{Decoder, Frontend, scram};

/// All messages, the bytes arriving in pieces; whether it ended with an error that is fatal.
fn messages(bytes: &[u8], piece: usize) -> (Vec<Frontend>, bool) {
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

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut decoder = Decoder::new();
    decoder.push(bytes);
    while let Ok(Some(_)) = decoder.startup() {}
    let whole = messages(bytes, bytes.len().max(1));
    assert_eq!(messages(bytes, 3), whole, "pieces do not matter");
    for message in whole.0 {
        if let Frontend::Password(body) = message {
            let _ = scram::initial(&body);
        }
    }
});
