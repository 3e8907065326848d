//! Generated histories satisfy their level, show what it allows, and violate exactly what they should.

mod brute;

use hobgoblin_core::{Anomaly, History, Kind, Level, Status};
use hobgoblin_gen::{
    Distribution, GenError, Generator, Order, Params, build, injectable, violates, weakest_violated,
};

/// Small enough for brute force, and crowded enough for things to happen.
fn small(level: Level, seed: u64) -> Params {
    Params {
        sessions: 3 + (seed % 2) as u32,
        transactions: 6,
        min_events: 1,
        max_events: 4,
        keys: 2 + (seed / 2 % 2) as u32,
        window: 6,
        timestamps: true,
        level,
        seed,
        ..Params::default()
    }
}

/// Variations that no level may mind.
fn varied(params: Params) -> [Params; 5] {
    [
        Params { order: Order::Session, ..params.clone() },
        Params { repeated_values: 0.6, ..params.clone() },
        Params {
            repeated_values: 1.0,
            values: 2,
            value_distribution: Distribution::Zipf(0.99),
            order: Order::Session,
            ..params.clone()
        },
        Params { aborted_share: 0.2, unknown_share: 0.3, ..params.clone() },
        Params { distribution: Distribution::Zipf(1.2), ..params },
    ]
}

#[test]
fn histories_satisfy_their_level() {
    for level in Level::ALL {
        for seed in 0..150 {
            for params in varied(small(level, seed)) {
                let history = build(&params).unwrap();
                assert!(brute::holds(&history, level), "{params:?}");
            }
        }
    }
}

/// Longer than any window, so that old versions have been forgotten; the order of commits is the proof.
#[test]
fn long_histories_satisfy_their_level_in_the_order_of_commits() {
    for level in Level::ALL.into_iter().filter(|&level| level != Level::RU) {
        for (seed, window) in (0..).zip([0, 1, 3, 10, 40]) {
            let params = Params {
                sessions: 5,
                transactions: 120,
                min_events: 1,
                max_events: 8,
                keys: 12,
                unknown_share: 0.1,
                window,
                level,
                seed,
                ..Params::default()
            };
            let history = build(&params).unwrap();
            assert!(brute::recorded_order_shows(&history, level), "{params:?}");
        }
    }
}

#[test]
fn weak_levels_show_weak_behaviour() {
    for (level, stronger) in [
        (Level::RU, vec![Level::RC]),
        (Level::RC, vec![Level::RA]),
        (Level::RA, vec![Level::CC]),
        (Level::CC, vec![Level::PC, Level::PSI]),
        (Level::PC, vec![Level::PSI]),
        (Level::PSI, vec![Level::PC]),
        (Level::SI, vec![Level::SER]),
        (Level::SER, vec![Level::SSER]),
    ] {
        for stronger in stronger {
            let shows = |seed| !brute::holds(&build(&small(level, seed)).unwrap(), stronger);
            let count = (0..300).filter(|&seed| shows(seed)).count();
            assert!(count >= 3, "{level} satisfies {stronger} but {count} times of 300");
        }
    }
}

/// The levels that a history with an anomaly must satisfy and must violate, checked by brute force.
fn check_injected(history: &History, base: Level, anomaly: Anomaly, params: &Params) {
    for level in Level::ALL {
        if violates(anomaly, level) {
            assert!(!brute::holds(history, level), "{anomaly:?} satisfies {level}: {params:?}");
        } else if base.implies(level) {
            assert!(brute::holds(history, level), "{anomaly:?} violates {level}: {params:?}");
        }
    }
}

#[test]
fn injected_anomalies_violate_exactly_the_levels_they_should() {
    for anomaly in injectable() {
        for base in Level::ALL {
            for seed in 0..8 {
                let params =
                    Params { sessions: 4, keys: 5, anomaly: Some(anomaly), ..small(base, seed) };
                for params in [params.clone()].into_iter().chain(varied(params)) {
                    let history = build(&params).unwrap();
                    assert_eq!(history.txns().len(), 6);
                    check_injected(&history, base, anomaly, &params);
                }
            }
        }
    }
}

/// The rows of the litmus table that the recipes follow: RC, RA, CC, PC, PSI, SI, SER.
#[test]
fn recipes_agree_with_the_litmus_table() {
    for (anomaly, row) in [
        (Anomaly::AbortedRead, "-------"),
        (Anomaly::IntermediateRead, "-------"),
        (Anomaly::ThinAirRead, "-------"),
        (Anomaly::InternalRead, "-------"),
        (Anomaly::CircularInformationFlow, "-------"),
        (Anomaly::NonRepeatableRead, "+------"),
        (Anomaly::NonMonotonicRead, "-------"),
        (Anomaly::FracturedRead, "+------"),
        (Anomaly::ReadYourWrites, "+------"),
        (Anomaly::CausalityViolation, "++-----"),
        (Anomaly::LongFork, "+++-+--"),
        (Anomaly::LostUpdate, "++++---"),
        (Anomaly::WriteSkew, "++++++-"),
        (Anomaly::ReadSkew, "+------"),
        (Anomaly::ReadOnlyAnomaly, "++++++-"),
        (Anomaly::NonMonotonicSession, "++-----"),
        (Anomaly::DependencyCycle, "++++++-"),
    ] {
        let mark = |&level| if violates(anomaly, level) { '-' } else { '+' };
        assert_eq!(Level::ALL[1..8].iter().map(mark).collect::<String>(), row, "{anomaly:?}");
        assert!(!weakest_violated(anomaly).is_empty());
    }
}

#[test]
fn impossible_parameters_are_errors() {
    let none = Params { transactions: 0, ..Params::default() };
    assert_eq!(build(&none).unwrap().num_events(), 0);
    let d = Params::default;
    let cases = [
        (Params { sessions: 0, ..d() }, "there must be at least one session"),
        (Params { keys: 0, ..d() }, "there must be at least one key"),
        (Params { min_events: 3, max_events: 2, ..d() }, "at least 3 and at most 2 events"),
        (Params { read_share: 1.5, ..d() }, "the share of reads is 1.5"),
        (Params { repeated_values: f64::NAN, ..d() }, "the share of repeated values is NaN"),
        (Params { aborted_share: 0.7, unknown_share: 0.7, ..d() }, "1.4 together, more than 1"),
        (Params { distribution: Distribution::Zipf(-1.0), ..d() }, "the Zipf exponent is -1"),
        (Params { value_distribution: Distribution::Zipf(11.0), ..d() }, "the Zipf exponent is 11"),
        (Params { keys: u32::MAX, ..d() }, "4294967295 keys are too many"),
        (Params { values: 0, ..d() }, "there must be at least one value"),
        (Params { values: u32::MAX, ..d() }, "4294967295 values are too many"),
        (
            Params { transactions: 1 << 20, min_events: 1, max_events: 1 << 20, ..d() },
            "events are too many",
        ),
        (
            Params { sessions: 3, anomaly: Some(Anomaly::LongFork), ..d() },
            "the anomaly long-fork needs at least 4 sessions",
        ),
        (
            Params { anomaly: Some(Anomaly::RealTimeViolation), ..d() },
            "the anomaly real-time-violation needs timestamps",
        ),
    ];
    for (params, message) in cases {
        let error: GenError = Generator::new(&params).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

/// FNV-1a over everything that is emitted.
fn hash(params: &Params) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |word: i64| {
        for byte in word.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    let mut generator = Generator::new(params).unwrap();
    while let Some(txn) = generator.next_txn() {
        eat(i64::from(txn.index));
        eat(i64::from(txn.session));
        eat(match txn.status {
            Status::Committed => 0,
            Status::Aborted => 1,
            Status::Unknown => 2,
        });
        let (begin, end) = txn.times.unwrap_or_default();
        eat(begin);
        eat(end);
        for op in &txn.ops {
            eat(op.kind as i64);
            eat(i64::from(op.key));
            eat(op.value);
            eat(i64::from(op.writer));
        }
    }
    hash
}

/// A changed hash means that seeds people wrote down give other histories: do not change it lightly.
#[test]
fn seeds_give_the_same_bytes_for_ever() {
    let params = |level| Params {
        transactions: 500,
        aborted_share: 0.1,
        unknown_share: 0.1,
        repeated_values: 0.2,
        distribution: Distribution::Zipf(0.99),
        anomaly: Some(Anomaly::LostUpdate),
        min_events: 2,
        timestamps: true,
        level,
        seed: 42,
        ..Params::default()
    };
    let hashes: Vec<String> =
        Level::ALL.iter().map(|&level| format!("{level} {:016x}", hash(&params(level)))).collect();
    assert_eq!(
        hashes,
        [
            "RU 59b364eadab8264c",
            "RC 29252351322c1fff",
            "RA 7b798156df4e31a2",
            "CC 5a8534175fd96eed",
            "PC 9ebc9556260fb8e3",
            "PSI 57571d6618af2f24",
            "SI c77e438af7f7a5ce",
            "SER b57a30a01124d7a9",
            "SSER 6bf1c558865a1afa",
        ]
    );
}

#[test]
fn both_orders_give_the_same_transactions() {
    let params =
        Params { transactions: 300, level: Level::CC, timestamps: true, ..Params::default() };
    let txns = |order| {
        let mut generator = Generator::new(&Params { order, ..params.clone() }).unwrap();
        let mut txns = Vec::new();
        while let Some(txn) = generator.next_txn() {
            txns.push(txn.clone());
        }
        txns
    };
    let (arrival, mut grouped) = (txns(Order::Arrival), txns(Order::Session));
    assert!(arrival.is_sorted_by_key(|txn| txn.index) && !arrival.is_sorted_by_key(|t| t.session));
    assert!(grouped.is_sorted_by_key(|txn| (txn.session, txn.index)));
    grouped.sort_by_key(|txn| txn.index);
    assert_eq!(arrival, grouped);
}

#[test]
fn strict_histories_have_consistent_times() {
    for level in [Level::SSER, Level::SER, Level::SI, Level::CC, Level::RU] {
        let params = Params { transactions: 300, timestamps: true, level, ..Params::default() };
        let h = build(&params).unwrap();
        for s in h.sessions() {
            let sequential = |w: &[_]| h.end(w[0]) < h.begin(w[1]);
            assert!(
                h.session_txns(s).windows(2).all(sequential),
                "sessions do one thing at a time"
            );
        }
        assert!(h.txns().all(|t| h.begin(t) < h.end(t)));
        let overlap = h.txns().zip(h.txns().skip(1)).filter(|&(t, u)| h.begin(u) < h.end(t));
        assert!(overlap.count() > 100, "transactions overlap");
        if level == Level::SSER {
            for u in h.txns() {
                assert!(h.txns().filter(|&t| t > u).all(|t| h.end(t) > h.begin(u)), "in real time");
            }
        }
    }
}

#[test]
fn repeated_values_come_from_their_domain_as_often_as_asked() {
    let params = |value_distribution| Params {
        transactions: 5_000,
        repeated_values: 1.0,
        values: 4,
        value_distribution,
        order: Order::Session,
        ..Params::default()
    };
    let counts = |distribution| {
        let mut generator = Generator::new(&params(distribution)).unwrap();
        let mut counts = [0; 4];
        while let Some(txn) = generator.next_txn() {
            for op in txn.ops.iter().filter(|op| op.kind == Kind::Write) {
                counts[usize::try_from(op.value).unwrap()] += 1;
            }
        }
        counts
    };
    // Of 25,000 writes: a quarter each, and the weights 1, 1/2, 1/3, 1/4 of a total of 25/12.
    for (distribution, expected) in [
        (Distribution::Uniform, [6_250; 4]),
        (Distribution::Zipf(1.0), [12_000, 6_000, 4_000, 3_000]),
    ] {
        let counts = counts(distribution);
        for (seen, expected) in counts.into_iter().zip(expected) {
            assert!(i32::abs(seen - expected) < 500, "{distribution:?}: {counts:?}");
        }
    }
}
