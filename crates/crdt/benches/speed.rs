//! How long histories take: black box by type and size, and with recorded delivery.
//!
//! `-- --bars` compares with what is required. Black box are three replicas with ten objects; seeds are fixed.

#![allow(clippy::print_stdout, reason = "a table is what it prints")]

use std::time::{Duration, Instant};

use hobgoblin_crdt::{CrdtVerdict, DataType, Generate, Limits, check, read, verify, write};

/// The types of the bars; the others are told.
const REQUIRED: [DataType; 5] =
    [DataType::Counter, DataType::AwSet, DataType::Lww, DataType::Mvr, DataType::Rga];

/// How long a history of 3,000 operations may take.
const PATIENCE: Duration = Duration::from_secs(30);

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bars = args.iter().any(|argument| argument == "--bars");
    let first: u64 = args
        .iter()
        .position(|a| a == "--seed")
        .map_or(0, |at| args[at + 1].parse().expect("a number"));
    let mut failed = false;
    for (values, name) in [(None, "every value once"), (Some(3), "three values")] {
        println!(
            "black box, {name}: seconds of 800 operations (the slowest of 10), of 3,000 (each of 10)"
        );
        let mut within = 0;
        for data_type in DataType::ALL {
            let matters = matches!(data_type, DataType::Counter | DataType::Lww | DataType::Mvr);
            if values.is_some() && !matters {
                continue;
            }
            let times = |operations: u32, patience: Duration| -> Vec<Option<f64>> {
                let run = |seed| black_box(data_type, operations, values, first + seed, patience);
                (0..10).map(run).collect()
            };
            let small = times(800, PATIENCE);
            let slowest = small.iter().map(|s| s.unwrap_or(f64::INFINITY)).fold(0.0, f64::max);
            let large = times(3_000, PATIENCE);
            let told: Vec<String> = large
                .iter()
                .map(|s| s.map_or("unknown".to_owned(), |s| format!("{s:.2}")))
                .collect();
            println!("  {:8} {slowest:.3}   {}", data_type.name(), told.join(" "));
            if values.is_none() && REQUIRED.contains(&data_type) {
                failed |= slowest >= 0.5;
                within += usize::from(large.iter().flatten().count() >= 9);
            }
        }
        if values.is_none() {
            let holds = within >= 4 && !failed;
            failed |= !holds;
            let word = if holds { "holds" } else { "FAILED" };
            println!(
                "  required: 800 under 0.5; 3,000 under 30 in 9 of 10 of 4 of 5 types ({within}): {word}"
            );
        }
    }
    println!("with `sees`, 1,000,000 operations: seconds to read, to check, MB of the file");
    for data_type in DataType::ALL {
        let mut wanted = Generate::new(data_type);
        wanted.operations = 1_000_000;
        wanted.sees = true;
        let text = write(&wanted.run());
        let start = Instant::now();
        let history = read(text.as_bytes(), None).expect("a history");
        let read = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let verdict = check(&history, &Limits::time(PATIENCE));
        let checked = start.elapsed().as_secs_f64();
        let known = matches!(verdict, CrdtVerdict::Admitted(_));
        let holds = known && read + checked < 5.0;
        failed |= !holds;
        let word = if holds { "holds" } else { "FAILED" };
        println!(
            "  {:8} {read:.2} {checked:.2} {}; required: 5 in all: {word}",
            data_type.name(),
            text.len() / 1_000_000
        );
    }
    if bars && failed {
        std::process::exit(1);
    }
}

/// How long one takes, unless it takes too long. The witness is verified.
fn black_box(
    data_type: DataType,
    operations: u32,
    values: Option<u32>,
    seed: u64,
    patience: Duration,
) -> Option<f64> {
    let mut wanted = Generate::new(data_type);
    (wanted.operations, wanted.values, wanted.seed) = (operations, values, seed);
    let history = wanted.run();
    let start = Instant::now();
    match check(&history, &Limits::time(patience)) {
        CrdtVerdict::Admitted(witness) => {
            let took = start.elapsed().as_secs_f64();
            assert_eq!(verify(&history, &witness), Ok(()), "{data_type}, seed {seed}");
            Some(took)
        }
        CrdtVerdict::Violation(violation) => panic!("{data_type}, seed {seed}: {violation:?}"),
        CrdtVerdict::Unknown(_) => None,
    }
}
