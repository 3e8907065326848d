//! Random histories: what replicas really did is admitted, what the search finds is verified.

use std::time::{Duration, Instant};

use hobgoblin_oracle::crdt::history::Kind;

#[test]
fn what_happened_is_admitted() {
    for (kind, _) in Kind::ALL {
        for seed in 0..2000 {
            let (history, witness) = hobgoblin_oracle::crdt::honest(kind, seed);
            let text = history.to_string();
            let replayed = hobgoblin_oracle::crdt::verify(&text, &witness);
            assert_eq!(replayed, Ok(()), "{kind} {seed} {text} {witness:?}");
            assert_eq!(hobgoblin_oracle::crdt::admits(&text), Ok(true), "{kind} {seed} {text}");
        }
    }
}

/// Prints how fast the oracle is, and how many samples it admits.
#[test]
#[allow(clippy::print_stdout)]
fn about_half_are_admitted() {
    for (kind, _) in Kind::ALL {
        let (mut admitted, mut black, mut black_admitted) = (0, 0, 0);
        let (mut total, mut worst) = (Duration::ZERO, Duration::ZERO);
        let samples = 2000;
        for seed in 0..samples {
            let text = hobgoblin_oracle::crdt::sample(kind, seed);
            let begin = Instant::now();
            let found = hobgoblin_oracle::crdt::find(&text)
                .unwrap_or_else(|error| panic!("{kind} {seed} {error} {text}"));
            let took = begin.elapsed();
            total += took;
            worst = worst.max(took);
            let dark = !["sees", "sync", "final"].iter().any(|word| text.contains(word));
            black += u32::from(dark);
            if let Some(witness) = found {
                admitted += 1;
                black_admitted += u32::from(dark);
                let replayed = hobgoblin_oracle::crdt::verify(&text, &witness);
                assert_eq!(replayed, Ok(()), "{kind} {seed} {text} {witness:?}");
            }
        }
        println!(
            "{kind:8} admitted {}%, black box {}% ({}% of it admitted), mean {:?}, worst {worst:?}",
            admitted * 100 / samples,
            u64::from(black) * 100 / samples,
            black_admitted * 100 / black.max(1),
            total / samples as u32,
        );
    }
}

/// Every feature of the format is in samples that are admitted and in samples that are not.
#[test]
fn every_feature_is_sampled() {
    let everywhere = [
        "\"sees\"",
        "\"sees_min\"",
        "\"sees_max\"",
        "\"at\"",
        "\"final\"",
        "\"info\"",
        "\"fail\"",
        "\"noop\"",
        "\"init\"",
        "\"unknown\"",
        "\"sync\":{\"from\":\"A\"}",
        "\"format\"",
        "\"D\"",
    ];
    let some: [(&str, &[&str]); 7] = [
        ("aw-set", &["\"elements\"", "\"x\":[]", "\"x\":true"]),
        ("rw-set", &["\"elements\"", "\"y\":[]", "\"y\":true"]),
        ("mvr", &["\"multiset\"", "\"delete\""]),
        ("lww", &["\"per-key\"", "\"ts\"", "\"delete\"", ",null]"]),
        ("counter", &["\"dec\"", ",2]", ",-2]", ",0]"]),
        ("rga", &["\"per-key\"", "\"strict_anchor\"", "[\"y\",null", "\"remove\"", "{\"\":["]),
        ("list", &["\"strict_anchor\"", "[\"y\",null", "\"remove\"", "{\"\":["]),
    ];
    for (kind, _) in Kind::ALL {
        let texts: Vec<String> =
            (0..2000).map(|seed| hobgoblin_oracle::crdt::sample(kind, seed)).collect();
        let verdicts: Vec<bool> =
            texts.iter().map(|text| hobgoblin_oracle::crdt::admits(text).unwrap()).collect();
        let own = some.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, words)| words);
        for word in everywhere.iter().chain(own) {
            for verdict in [true, false] {
                let both = texts.iter().zip(&verdicts);
                let count =
                    both.filter(|(text, is)| **is == verdict && text.contains(word)).count();
                assert!(count >= 5, "{kind}: {word} in {count} samples with verdict {verdict}");
            }
        }
        for text in &texts {
            let operations = text.matches("\"args\"").count() + text.matches("\"sync\"").count();
            assert!((4..=8).contains(&operations), "{kind}: {operations} operations");
        }
    }
}
