//! Bytes as a program for the explorer; what parses is explored for a moment.
#![no_main]

use std::time::Duration;

use hobgoblin_core::Level;
use hobgoblin_explore::{End, Options, explore, parse};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(program) = parse(text, "fuzz.hob") else { return };
    let (max, time) = (Some(20), Some(Duration::from_millis(50)));
    let _ = explore(&program, &Options { max, time, ..Options::new(Level::CC) }, &|_: &End<'_>| {});
});
