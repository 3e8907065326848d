//! Bytes as Elle's operations as JSON.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hobgoblin_fuzz::parse(
    bytes,
    Some(hobgoblin_format::Format::ElleJson)
));
