//! Bytes of any format, compressed or not.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hobgoblin_fuzz::parse(bytes, None));
