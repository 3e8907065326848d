//! Bytes as Cobra's logs.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hobgoblin_fuzz::parse_cobra(bytes));
