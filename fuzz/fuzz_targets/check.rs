//! Small histories, at every level, against brute force.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hobgoblin_fuzz::check(bytes));
