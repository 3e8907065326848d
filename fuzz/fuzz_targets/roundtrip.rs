//! Native histories, written and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hobgoblin_fuzz::round_trip(bytes));
