//! Suspects: no story is made up, and the usual anomalies are found among everything else that happened.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, Suspects};
use hobgoblin_core::{Anomaly, History, HistoryBuilder, Kind, Target, TxnInfo, Verdict};
use hobgoblin_oracle::{brute, notation, sample};

fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// The names of the suspects that are what they look like, with their keys.
fn found(history: &History) -> Vec<(Anomaly, Vec<String>)> {
    let suspects = Suspects::of(history, |_| false);
    let all = suspects.all().iter();
    all.filter_map(|suspect| {
        let witness = suspects.witness(suspect, &Limits::none())?;
        let keys = suspect.keys.iter().map(|&key| history.key(key).to_string()).collect();
        Some((witness.anomaly, keys))
    })
    .collect()
}

#[test]
fn what_is_shown_is_a_violation_by_brute_force() {
    let mut names: BTreeMap<Anomaly, u64> = BTreeMap::new();
    for (shape, seeds) in
        [(sample::Shape::PLAIN, 4000), (sample::Shape { repeated: 0, ..sample::Shape::WILD }, 4000)]
    {
        for seed in 0..seeds * scale() {
            let history = sample::history(&shape, seed);
            let suspects = Suspects::of(&history, |key| key.index() % 2 == 0);
            for suspect in suspects.all() {
                let Some(witness) = suspects.witness(suspect, &Limits::none()) else { continue };
                *names.entry(witness.anomaly).or_default() += 1;
                let target = witness.target;
                assert!(!brute::satisfies(&history, target), "{seed}: {suspect:?} {witness:?}");
                let verdict = Verdict::Violation(Box::new(witness));
                verify(&history, target, &verdict).unwrap_or_else(|e| panic!("{seed}: {e}"));
            }
        }
    }
    for name in [
        Anomaly::LostUpdate,
        Anomaly::WriteSkew,
        Anomaly::FracturedRead,
        Anomaly::NonRepeatableRead,
        Anomaly::ReadYourWrites,
        Anomaly::NonMonotonicSession,
    ] {
        assert!(names.get(&name).is_some_and(|&count| count > 20), "{name:?} in {names:?}");
    }
}

#[test]
fn anomalies_are_found_by_their_names() {
    for (text, name, keys) in [
        ("init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }", Anomaly::LostUpdate, "x"),
        // The second update read the first by its lock only, and replaced it.
        (
            "init x=0\ns1: t1 { w(x)=1 }\ns2: t2 { r(x)=0 r!(x)=1<-t1 w(x)=2 }",
            Anomaly::LostUpdate,
            "x",
        ),
        (
            "init x=0 y=0\ns1: t1 { r(x)=0 r(y)=0 w(x)=1 }\ns2: t2 { r(x)=0 r(y)=0 w(y)=1 }",
            Anomaly::WriteSkew,
            "x y",
        ),
        (
            "init x=0 y=0\ns1: t1 { w(x)=1 w(y)=1 }\ns2: t2 { r(x)=1 r(y)=0 }",
            Anomaly::FracturedRead,
            "x y",
        ),
        ("init x=0\ns1: t1 { w(x)=1 }\ns2: t2 { r(x)=0 r(x)=1 }", Anomaly::NonRepeatableRead, "x"),
        ("init x=0\ns1: t1 { w(x)=1 }\ns1: t2 { r(x)=0 }", Anomaly::ReadYourWrites, "x"),
    ] {
        let history = notation::parse(text);
        let keys: Vec<String> = keys.split(' ').map(str::to_owned).collect();
        let found = found(&history);
        assert!(found.contains(&(name, keys)), "{text}: {found:?}");
    }
}

#[test]
fn a_serial_history_has_no_suspect_that_stands() {
    let mut text = "init x=0 y=0\n".to_owned();
    for n in 0..40 {
        let next = n + 1;
        text += &format!("s{}: t{n} {{ r(x)={n} r(y)={n} w(x)={next} w(y)={next} }}\n", n % 3);
    }
    assert_eq!(found(&notation::parse(&text)), []);
}

/// Sessions that update rows of their own, and two that lose an update in the middle.
fn long(txns: i64) -> History {
    let mut b = HistoryBuilder::new();
    let hot = b.key(&"hot".into());
    b.initial(hot, &0.into()).expect("once");
    let mut last = vec![0; 1000];
    for n in 1..=txns {
        let session = b.session(&format!("s{}", n % 20).into());
        b.begin(session);
        for row in [n % 1000, (n * 7) % 1000, (n * 13) % 1000] {
            let key = b.key(&format!("row[{row}]").into());
            match last[row as usize] {
                0 => b.event(Kind::Read, key, &hobgoblin_core::Value::Null),
                value => b.event_int(Kind::Read, key, value),
            };
        }
        let (row, value) = ((n % 1000) as usize, n);
        let key = b.key(&format!("row[{row}]").into());
        b.event_int(Kind::Write, key, value);
        last[row] = value;
        if n == txns / 2 || n == txns / 2 + 1 {
            b.event_int(Kind::Read, hot, 0);
            b.event_int(Kind::Write, hot, n);
        }
        b.end(TxnInfo::default()).expect("a transaction");
    }
    b.finish().expect("a history")
}

#[test]
fn a_hundred_thousand_events_are_no_burden() {
    let history = long(25_000);
    assert!(history.num_events() > 100_000);
    let begun = Instant::now();
    let lost = (Anomaly::LostUpdate, vec!["hot".to_owned()]);
    assert_eq!(found(&history), [lost]);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let suspects = Suspects::of(&history, |_| false);
    let witness = suspects.witness(&suspects.all()[0], &Limits::none()).expect("it stands");
    assert!(matches!(witness.target, Target::Level(level) if level.name() == "PSI"), "{witness:?}");
    assert_eq!(witness.txns.len(), 2);
}
