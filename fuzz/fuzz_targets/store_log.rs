//! Bytes as the log of a store, and its text as a token.
#![no_main]

use hobgoblin_store::{Log, Token};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(file) = Log::read(bytes) {
        let token = Token::of(&file.log).to_string();
        assert!(Token::parse(&token).is_ok(), "a token is read back");
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Token::parse(text);
    }
});
