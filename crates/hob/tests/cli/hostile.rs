//! Input that nobody should have sent: a clear error or an answer, never a panic.

use std::fmt::Write;

use hobgoblin_core::Rng;
use hobgoblin_format::Format;

use crate::run::{Scratch, hob, hob_on};

/// Random bytes, the same every time.
fn noise(count: usize) -> Vec<u8> {
    let mut rng = Rng::new(7);
    (0..count).map(|_| rng.below(256) as u8).collect()
}

#[test]
fn ten_megabytes_of_random_bytes() {
    let scratch = Scratch::new("noise");
    let file = scratch.write("noise", &noise(10_000_000));
    let run = hob(&format!("check {file}"));
    assert_eq!(run.code, 2);
    assert!(run.err.contains("cannot tell which format"), "{}", run.err);
    for format in Format::ALL {
        let run = hob(&format!("check --format {format} {file}"));
        assert_eq!(run.code, 2, "{format}: {}", run.out);
        assert!(run.err.starts_with("error: "), "{format}: {}", run.err);
        assert!(run.err.contains("help: "), "{format}: {}", run.err);
        assert!(run.err.len() < 2000, "{format}: {}", run.err);
    }
}

#[test]
fn every_sample_cut_off_anywhere() {
    let scratch = Scratch::new("cut");
    for name in ["lost-update.bincode", "lost-update.edn", "lost-update-dbcop.json"] {
        let path = crate::run::root().join("corpus/formats").join(name);
        let whole = std::fs::read(path).expect("the sample is there");
        for part in 1..8 {
            let file = scratch.write(name, &whole[..whole.len() * part / 8]);
            let run = hob(&format!("check {file}"));
            assert!(run.code <= 2 && !run.err.contains("internal"), "{name} {part}: {}", run.err);
        }
    }
}

#[test]
fn a_transaction_with_a_million_events() {
    let mut text = String::from("{\"session\": 0, \"ops\": [");
    for i in 0..500_000 {
        write!(text, "[\"w\",{},{i}],[\"r\",{},{i}],", i % 1000, i % 1000).expect("memory");
    }
    text.truncate(text.len() - 1);
    text.push_str("]}\n");
    let run = hob_on("check --verify -", text.as_bytes());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.contains("1000000 events"), "{}", run.out);
}

#[test]
fn a_hundred_thousand_sessions() {
    let mut text = String::new();
    for i in 0..100_000 {
        let before = if i == 0 { "null".to_owned() } else { (i - 1).to_string() };
        writeln!(text, "{{\"session\":{i},\"ops\":[[\"r\",\"x\",{before}],[\"w\",\"x\",{i}]]}}")
            .expect("memory");
    }
    let run = hob_on("check --time-limit 60s --memory-limit 4GiB -", text.as_bytes());
    assert!(run.code == 0 || run.code == 3, "{}{}", run.out, run.err);
    assert!(run.out.contains("100000 sessions"), "{}", run.out);
}

#[test]
fn deeply_nested_values() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (format, text) in [
        ("jsonl", format!("{{\"session\": 0, \"ops\": [[\"w\",\"x\",{deep}]]}}")),
        ("elle-edn", deep.clone()),
        ("elle-json", deep.clone()),
        ("dbcop-json", deep.clone()),
    ] {
        let run = hob_on(&format!("check --format {format} -"), text.as_bytes());
        assert!(run.code <= 2, "{format}: {}", run.err);
        assert!(!run.err.contains("panicked"), "{format}: {}", run.err);
    }
}
