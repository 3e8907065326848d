//! Text as a body of PL/pgSQL: it is read or refused, and its tree has every token of it.
#![no_main]

use hobgoblin_plpgsql::{Place, read};

#[path = "../../crates/plpgsql/tests/support/shape.rs"]
mod shape;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = std::str::from_utf8(bytes) else { return };
    match read(source) {
        Ok(body) => shape::check(source, &body).expect("the tree is that of the source"),
        Err(error) => {
            let span = error.span();
            assert!(source.get(span.start..span.end).is_some(), "{error} is in the source");
            let _ = (Place::of(source, span.start), error.to_string());
        }
    }
});
