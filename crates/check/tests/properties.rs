//! What must be true of the checkers whatever the history, at sizes beyond brute force. Every certificate
//! is verified.

use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Anomaly, History, Key, Level, Rng, Status, TxnId, Value, Verdict, Witness};
use hobgoblin_gen::transform::{
    closed, rename_keys, rename_sessions, rename_values, restrict, shuffle, with_unrelated_session,
};
use hobgoblin_gen::{
    Draft, Order, Params, SmallParams, build, injectable, random_history, violates,
    weakest_violated,
};
use hobgoblin_oracle::brute;
use hobgoblin_oracle::notation::parse;

/// How many times the histories of `make test` to run: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// The answer, after its certificate has been verified.
fn answer(history: &History, level: Level, label: &str) -> Verdict {
    let verdict = check(history, level, &Limits::none());
    verify(history, level, &verdict)
        .unwrap_or_else(|e| panic!("{label} at {level}: {e}: {verdict:?}"));
    verdict
}

fn holds(history: &History, level: Level, label: &str) -> bool {
    matches!(answer(history, level, label), Verdict::Consistent(_))
}

/// Which levels hold.
fn levels(history: &History, label: &str) -> Vec<Level> {
    Level::ALL.into_iter().filter(|&level| holds(history, level, label)).collect()
}

/// A history of some kind: at some level, of 20 to 200 transactions, with or without repeated values,
/// aborted and unknown transactions, times, and an anomaly.
fn some_history(seed: u64) -> (History, Params) {
    let mut rng = Rng::new(seed);
    let anomalies: Vec<Anomaly> = injectable().collect();
    let params = Params {
        sessions: rng.between(4, 9),
        transactions: rng.between(20, 200),
        min_events: 1,
        max_events: rng.between(2, 7),
        keys: rng.between(4, 40),
        repeated_values: *rng.pick(&[0.0, 0.0, 0.05]).expect("there are shares"),
        aborted_share: *rng.pick(&[0.0, 0.1]).expect("there are shares"),
        unknown_share: *rng.pick(&[0.0, 0.1]).expect("there are shares"),
        timestamps: true,
        window: rng.between(1, 32),
        level: Level::ALL[seed as usize % 9],
        anomaly: if rng.one_in(2) { rng.pick(&anomalies).copied() } else { None },
        order: if rng.one_in(2) { Order::Arrival } else { Order::Session },
        seed,
        ..Params::default()
    };
    let history = build(&params).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    (history, params)
}

#[test]
fn weaker_levels_accept_more() {
    let mut held = [0; 9];
    for seed in 0..90 * scale() {
        let (history, params) = some_history(seed);
        let levels = levels(&history, &format!("seed {seed}"));
        for &level in &levels {
            held[level as usize] += 1;
            let weaker = Level::ALL.into_iter().filter(|&weaker| level.implies(weaker));
            let missing: Vec<Level> = weaker.filter(|l| !levels.contains(l)).collect();
            assert!(missing.is_empty(), "seed {seed}: {level} holds, but not {missing:?}");
        }
        let expected = |l: Level| params.level.implies(l);
        match params.anomaly {
            None => assert!(Level::ALL.iter().all(|&l| !expected(l) || levels.contains(&l))),
            Some(a) => assert!(levels.iter().all(|&l| !violates(a, l)), "seed {seed}: {a:?}"),
        }
    }
    assert!(held.iter().all(|&n| n >= 3), "every level holds somewhere: {held:?}");
}

#[test]
fn names_and_file_order_do_not_matter() {
    for seed in 1000..1000 + 27 * scale() {
        let (history, _) = some_history(seed);
        let label = format!("seed {seed}");
        let expected = levels(&history, &label);
        let key = |key: &Key| Key::from(format!("{:?}", key.to_string().as_bytes()).as_str());
        let value = |_: &Key, value: &Value| Value::from(format!("<{value}>").as_str());
        let changed = [
            ("keys renamed", rename_keys(&history, key)),
            ("values renamed", rename_values(&history, value)),
            ("sessions renamed", rename_sessions(&history, key)),
            ("shuffled", shuffle(&history, seed)),
            ("shuffled again", shuffle(&history, seed + 1)),
            ("with an unrelated session", with_unrelated_session(&history, seed)),
        ];
        for (what, history) in changed {
            let history = history.expect("it is well formed");
            assert_eq!(levels(&history, &label), expected, "{label} {what}");
        }
    }
}

#[test]
fn closed_parts_keep_a_level() {
    for seed in 2000..2000 + 60 * scale() {
        let (history, _) = some_history(seed);
        let mut rng = Rng::new(seed);
        let all: Vec<TxnId> = history.txns().collect();
        let some: Vec<TxnId> = (0..4).filter_map(|_| rng.pick(&all).copied()).collect();
        let part = restrict(&history, closed(&history, some)).expect("it is well formed");
        let label = format!("seed {seed}");
        for level in levels(&history, &label) {
            assert!(
                holds(&part, level, &label),
                "{label}: the whole satisfies {level}, a part not"
            );
        }
    }
}

/// The second half of a lost update may be a locking read, as in an UPDATE after a SELECT: it is one at every level
/// that forbids it.
#[test]
fn an_update_lost_behind_a_locking_read_is_called_so() {
    let text = "init x=0\n s1: t1 { r(x)=0 w(x)=1 }\n s2: t2 { r(x)=0 r!(x)=1 w(x)=2 }";
    let history = parse(text);
    for level in Level::ALL {
        match answer(&history, level, "lost") {
            Verdict::Violation(witness) => assert_eq!(witness.anomaly, Anomaly::LostUpdate),
            _ => assert!(!level.implies(Level::PSI), "{level}"),
        }
    }
}

/// What the witness of an injected anomaly may be called, at the weakest level that it violates.
///
/// The recipes of [`hobgoblin_gen::anomaly`] are the textbook cases of their names, but some are cases of
/// another name as well, and their transactions do other things besides, which may be simpler to blame.
fn names(anomaly: Anomaly) -> Vec<Anomaly> {
    match anomaly {
        // A circle of versions shows only in reads that go back, of one key or of two.
        Anomaly::WriteCycle => vec![Anomaly::NonMonotonicRead, Anomaly::FracturedRead],
        // Skewed reads of one writer's two keys are what RA forbids as fractured.
        Anomaly::ReadSkew => vec![Anomaly::FracturedRead],
        // The reader may write some other key, and then it is a cycle like any other.
        Anomaly::ReadOnlyAnomaly => vec![anomaly, Anomaly::DependencyCycle],
        // The recipe is a write skew of three.
        Anomaly::DependencyCycle => vec![Anomaly::WriteSkew],
        _ => vec![anomaly],
    }
}

#[test]
fn injected_anomalies_violate_what_they_should_and_are_named() {
    let mut wrong = Vec::new();
    for (size, keys) in [(50, 20), (400, 100), (2000, 400)] {
        for (at, anomaly) in injectable().enumerate() {
            for order in [Order::Arrival, Order::Session] {
                let seed = size + at as u64;
                let params = Params {
                    transactions: size as u32,
                    min_events: 2,
                    max_events: 6,
                    keys,
                    level: Level::SSER,
                    anomaly: Some(anomaly),
                    order,
                    seed,
                    ..Params::default()
                };
                let history = build(&params).expect("it is well formed");
                let label = format!("{} in {size} by {order:?}", anomaly.code());
                for level in Level::ALL {
                    let verdict = answer(&history, level, &label);
                    let violated = matches!(verdict, Verdict::Violation(_));
                    assert_eq!(violated, violates(anomaly, level), "{label} at {level}");
                    if let Verdict::Violation(witness) = verdict
                        && weakest_violated(anomaly).contains(&level)
                        && !names(anomaly).contains(&witness.anomaly)
                    {
                        wrong.push(format!("{label} at {level}: {}", witness.anomaly.code()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_same_history_gives_the_same_answer() {
    for seed in 3000..3000 + 27 * scale() {
        let (history, _) = some_history(seed);
        let again = Draft::of(&history).build().expect("it is well formed");
        for level in Level::ALL {
            let first = format!("{:?}", check(&history, level, &Limits::none()));
            let second = format!("{:?}", check(&history, level, &Limits::none()));
            let third = format!("{:?}", check(&again, level, &Limits::none()));
            assert!(first == second && first == third, "seed {seed} at {level}");
        }
    }
}

/// Whether the transactions of a witness violate its level by themselves.
fn violates_alone(history: &History, witness: &Witness, without: Option<TxnId>) -> bool {
    let kept = witness.txns.iter().copied().filter(|&t| Some(t) != without);
    let part = restrict(history, kept).expect("it is well formed");
    let verdict = check(&part, witness.target, &Limits::none());
    let violated = matches!(verdict, Verdict::Violation(_));
    if part.txns().len() <= 7 {
        assert_eq!(violated, !brute::satisfies(&part, witness.target), "{verdict:?}");
    }
    violated
}

/// The same history with every unknown transaction that counts committed: its reader may be no part of
/// the witness.
fn settled(history: &History) -> History {
    let mut draft = Draft::of(history);
    for txn in history.txns().filter(|&t| history.counts(t)) {
        draft.txns[txn.index() - 1].status = Status::Committed;
    }
    draft.build().expect("it is well formed")
}

/// What a violation can be called where SI holds.
const SI_ALLOWS: [Anomaly; 4] = [
    Anomaly::WriteSkew,
    Anomaly::ReadOnlyAnomaly,
    Anomaly::DependencyCycle,
    Anomaly::RealTimeViolation,
];

/// Tests the witnesses of a history; returns how many were minimal, and how many not.
fn test_witnesses(history: &History, label: &str) -> (u32, u32) {
    let (mut minimal, mut others) = (0, 0);
    let (history, mut snapshots) = (&settled(history), false);
    for level in Level::ALL {
        let Verdict::Violation(witness) = answer(history, level, label) else {
            snapshots |= level == Level::SI;
            continue;
        };
        let name = witness.anomaly;
        assert!(!snapshots || SI_ALLOWS.contains(&name), "{label} at {level}: {name:?}");
        assert!(violates_alone(history, &witness, None), "{label} at {level}: {witness:?}");
        if !witness.minimal {
            others += 1;
            continue;
        }
        minimal += 1;
        for &txn in &witness.txns {
            let still = violates_alone(history, &witness, Some(txn));
            assert!(!still, "{label} at {level}: {txn} is not needed: {witness:?}");
        }
    }
    (minimal, others)
}

#[test]
fn witnesses_are_minimal() {
    let mut count = (0, 0);
    let mut add = |(minimal, others)| count = (count.0 + minimal, count.1 + others);
    for seed in 4000..4000 + 45 * scale() {
        let (history, _) = some_history(seed);
        add(test_witnesses(&history, &format!("seed {seed}")));
    }
    let small = SmallParams { txns: 12, ..SmallParams::default() };
    for seed in 0..300 * scale() {
        add(test_witnesses(&random_history(seed, &small), &format!("small seed {seed}")));
    }
    eprintln!("{} minimal witnesses, {} others", count.0, count.1);
    assert!(count.0 > 10 * count.1, "{count:?}");
}
