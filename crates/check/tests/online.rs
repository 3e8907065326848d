//! The online checker against brute force: for random histories and orders of arrival, a level is
//! reported exactly at the first prefix that violates it.

use hobgoblin_check::online::{ArrivedEvent, ArrivedTxn, OnlineChecker, OnlineError, Violation};
use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{
    Anomaly, EventId, Fault, History, HistoryError, Level, Source, TxnId, Value, Verdict, Writer,
};
use hobgoblin_gen::{Draft, DraftWriter, Params, build, injectable, transform};
use hobgoblin_oracle::brute;
use hobgoblin_oracle::notation::parse;
use hobgoblin_oracle::sample::{self, Shape};

const LEVELS: [Level; 3] = [Level::CC, Level::RA, Level::RC];

/// How many times the histories of `make test` to run: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// A checker that has been told the initial values.
fn checker(history: &History, levels: &[Level]) -> OnlineChecker {
    let mut checker = OnlineChecker::new(levels).expect("these are online levels");
    for key in history.keys().filter(|&k| history.initial_given(k)) {
        checker.initial(history.key(key), &history.initial(key)).expect("once a key");
    }
    checker
}

fn push(
    checker: &mut OnlineChecker,
    history: &History,
    txn: TxnId,
) -> Result<Vec<Violation>, OnlineError> {
    let name = history.name(txn);
    let arrived = ArrivedTxn {
        session: history.session(history.session_of(txn).expect("not init")),
        name: Some(&name),
        status: history.status(txn),
        line: history.line(txn),
    };
    let values: Vec<Value> = history.event_ids(txn).map(|e| history.value(e)).collect();
    let names: Vec<Option<String>> = history
        .event_ids(txn)
        .map(|e| Some(history.name(history.writer_given(e)?).into_owned()))
        .collect();
    let events = history.event_ids(txn).enumerate().map(|(i, event)| ArrivedEvent {
        kind: history.event(event).kind(),
        key: history.key(history.event(event).key()),
        value: &values[i],
        writer: names[i].as_deref().map(Writer::Name),
        lock: history.is_locking(event),
    });
    checker.push(arrived, events)
}

/// Checks what a violation rests on.
fn believe(violation: Violation, label: &str) {
    let Violation { level, history, witness, arrivals } = violation;
    assert_eq!(arrivals.len(), history.num_txns() - 1, "{label}");
    verify(&history, level, &Verdict::Violation(Box::new(witness)))
        .unwrap_or_else(|error| panic!("{label}: {error}"));
}

/// After how many arrivals each level is reported.
fn reported(history: &History, label: &str) -> Vec<Option<usize>> {
    let mut checker = checker(history, &LEVELS);
    let mut at = vec![None; LEVELS.len()];
    for (i, txn) in history.txns().enumerate() {
        let violations =
            push(&mut checker, history, txn).unwrap_or_else(|e| panic!("{label}: {e}"));
        for violation in violations {
            let level = LEVELS.iter().position(|&l| l == violation.level).expect("asked for");
            assert_eq!(at[level].replace(i + 1), None, "{label}: once a level");
            believe(violation, label);
        }
    }
    at
}

/// After how many arrivals each level is violated, by definition.
fn expected(history: &History) -> Vec<Option<usize>> {
    let txns: Vec<TxnId> = history.txns().collect();
    let mut at = vec![None; LEVELS.len()];
    for count in 1..=txns.len() {
        let part = transform::restrict(history, txns[..count].iter().copied()).expect("a part");
        // Such a read is wrong whoever else wrote its value, so it does not wait for them.
        let mismatch = history.faults().iter().any(|&event| {
            let name = history.name(history.txn_of(event));
            history.source(event) == Source::Fault(Fault::InternalMismatch)
                && part.txns().any(|t| part.name(t) == name && part.counts(t))
        });
        for (at, level) in at.iter_mut().zip(LEVELS) {
            if at.is_none() && (mismatch || !brute::satisfies(&part, level.into())) {
                *at = Some(count);
            }
        }
    }
    at
}

fn has_thin_air(history: &History) -> bool {
    let thin = |e: &EventId| history.source(*e) == Source::Fault(Fault::ThinAir);
    history.faults().iter().any(thin)
}

fn compare(shape: &Shape, seeds: u64, label: &str) {
    let mut early = [0; 3];
    let mut clean = 0;
    for seed in 0..seeds * scale() {
        let history = sample::history(shape, seed);
        let history = transform::shuffle(&history, seed).expect("a history");
        if has_thin_air(&history) {
            continue;
        }
        let label = format!("{label} {seed}");
        let expected = expected(&history);
        assert_eq!(reported(&history, &label), expected, "{label}\n{history:?}");
        for (early, at) in early.iter_mut().zip(&expected) {
            *early += u64::from(at.is_some_and(|at| at < history.num_txns() - 1));
        }
        clean += u64::from(expected[0].is_none());
    }
    let some = seeds / 40;
    assert!(clean > some && early.iter().all(|&n| n > some), "{label}: {clean} {early:?}");
}

#[test]
fn plain_histories() {
    compare(&Shape { txns: 7, ..Shape::PLAIN }, 3000, "plain");
    compare(&Shape { txns: 8, sessions: 2, stray: 60, ..Shape::PLAIN }, 1000, "two sessions");
}

#[test]
fn unsettled_transactions_and_locks() {
    let wild = Shape { txns: 7, unsettled: 20, locks: 15, odd: 4, ..Shape::PLAIN };
    compare(&wild, 4000, "wild");
    compare(&Shape { unsettled: 30, stray: 60, keys: 2, ..wild }, 2000, "unsettled");
}

/// The answer at the end is that of the offline check, thin-air reads and all.
#[test]
fn whole_histories() {
    let shape = Shape { txns: 12, odd: 8, unsettled: 10, stray: 10, ..Shape::PLAIN };
    for seed in 0..3000 * scale() {
        let history = sample::history(&shape, seed);
        let history = transform::shuffle(&history, seed).expect("a history");
        for level in LEVELS {
            let mut checker = checker(&history, &[level]);
            let mut violations = Vec::new();
            for txn in history.txns() {
                violations.extend(push(&mut checker, &history, txn).expect("well formed"));
            }
            violations.extend(checker.finish().expect("well formed"));
            let offline = check(&history, level, &Limits::none());
            let holds = matches!(offline, Verdict::Consistent(_));
            assert_eq!(violations.is_empty(), holds, "{seed} {level}");
            assert_eq!(checker.levels().is_empty(), !holds);
            violations.into_iter().for_each(|v| believe(v, "whole"));
        }
    }
}

/// Larger histories in random order of arrival, with hardly any clock held and with all: both report at
/// the first prefix that the offline check finds violated.
#[test]
fn clocks_found_again() {
    let anomalies: Vec<Anomaly> = injectable().collect();
    let mut found = 0;
    for seed in 0..40 * scale() {
        let many = seed % 4 == 3;
        let params = Params {
            sessions: if many { 700 } else { 2 + seed as u32 % 7 },
            transactions: if many { 1000 } else { 300 },
            max_events: 12,
            min_events: 1,
            keys: 1 + (seed as u32 * 7) % 40,
            unknown_share: 0.02,
            aborted_share: 0.05,
            level: if seed % 2 == 0 { Level::SER } else { Level::CC },
            anomaly: anomalies.get(seed as usize % (anomalies.len() + 3)).copied(),
            seed,
            ..Params::default()
        };
        let Ok(history) = build(&params) else { continue };
        // Some in the order of commits, some session by session in random turns.
        let history = match seed % 3 {
            0 if !many => transform::shuffle(&history, seed).expect("a history"),
            _ => history,
        };
        let mut answers = Vec::new();
        for entries in [0, 500, usize::MAX] {
            let mut checker = checker(&history, &[Level::CC]).with_recent_clocks(entries);
            let mut at = None;
            for (i, txn) in history.txns().enumerate() {
                for violation in push(&mut checker, &history, txn).expect("unique values") {
                    believe(violation, "found again");
                    at = Some(i + 1);
                }
            }
            answers.push(at);
        }
        assert!(answers.iter().all(|&a| a == answers[0]), "{seed}: {answers:?}");
        if has_thin_air(&history) {
            continue;
        }
        let holds = |count: usize| {
            let part = transform::restrict(&history, history.txns().take(count)).expect("a part");
            matches!(check(&part, Level::CC, &Limits::none()), Verdict::Consistent(_))
        };
        match answers[0] {
            None => assert!(holds(history.num_txns() - 1), "{seed}"),
            Some(at) => assert!(holds(at - 1) && !holds(at), "{seed} {at}"),
        }
        found += u64::from(answers[0].is_some());
    }
    assert!(found >= 8, "{found}");
}

/// What the module docs promise of the clocks held.
#[test]
fn few_clocks_are_held() {
    let sessions = 40;
    let params = Params { sessions, transactions: 20_000, keys: 200, ..Params::default() };
    let history = build(&params).expect("good parameters");
    let mut checker = checker(&history, &[Level::CC]).with_recent_clocks(10_000);
    for txn in history.txns() {
        assert!(push(&mut checker, &history, txn).expect("unique values").is_empty());
    }
    let stats = checker.stats();
    assert_eq!((stats.txns, stats.waiting_reads), (20_000, 0));
    assert!(stats.clock_entries <= 10_000 + 4 * stats.txns, "{stats:?}");
    assert!(stats.clock_entries * 4 < stats.txns * sessions as usize, "{stats:?}");
}

/// Pushes all of a history, and what it says in the end.
fn run(text: &str) -> Result<Vec<(Level, Anomaly, Vec<String>)>, OnlineError> {
    let history = parse(text);
    let mut checker = checker(&history, &LEVELS);
    let mut violations = Vec::new();
    for txn in history.txns() {
        violations.extend(push(&mut checker, &history, txn)?);
    }
    violations.extend(checker.finish()?);
    let mut said = Vec::new();
    for violation in violations {
        let (history, witness) = (&violation.history, &violation.witness);
        let names = witness.txns.iter().map(|&t| history.name(t).into_owned()).collect();
        said.push((violation.level, witness.anomaly, names));
        believe(violation, text);
    }
    Ok(said)
}

#[test]
fn named_violations() {
    for (text, anomaly, txns) in [
        ("s1: t1 { r(x)=1 }", Anomaly::ThinAirRead, "t1"),
        ("s1: t1 { r(x)=1 }\n s2: t2 aborted { w(x)=1 }", Anomaly::AbortedRead, "t1 t2"),
        ("s2: t2 aborted { w(x)=1 }\n s1: t1 { r(x)=1 }", Anomaly::AbortedRead, "t1 t2"),
        ("s1: t1 { r(x)=1 }\n s2: t2 { w(x)=1 w(x)=2 }", Anomaly::IntermediateRead, "t1 t2"),
        ("s1: t1 { r(x)=1 w(x)=1 w(x)=2 }", Anomaly::FutureRead, "t1"),
        ("s1: t1 { w(x)=1 r(x)=2 }", Anomaly::InternalRead, "t1"),
        (
            "s1: t1 { r(x)=2<-t2 }\n s2: t2 { w(x)=1 }\n s3: t3 { w(x)=2 }",
            Anomaly::ThinAirRead,
            "t1",
        ),
        (
            "s1: t1 unknown { w(y)=1 w(x)=1 r(x)=2 }\n s2: t2 { r(y)=1 }",
            Anomaly::InternalRead,
            "t1",
        ),
        (
            "s1: t1 { r(x)=1 w(y)=1 }\n s2: t2 { r(y)=1 w(x)=1 }",
            Anomaly::CircularInformationFlow,
            "t1 t2",
        ),
    ] {
        let said = run(text).expect("unique values");
        let levels: Vec<Level> = said.iter().map(|s| s.0).collect();
        assert_eq!(levels, LEVELS, "{text}");
        for (_, name, names) in said {
            let mut names = names;
            names.sort();
            assert_eq!((name, names.join(" ")), (anomaly, txns.to_owned()), "{text}");
        }
    }
}

#[test]
fn repeated_values() {
    let repeated = |text: &str| matches!(run(text), Err(OnlineError::Repeated { .. }));
    // Two writers, whichever comes last: the second writer, or the read.
    assert!(repeated("s1: t1 { w(x)=1 }\n s2: t2 { w(x)=1 }\n s3: t3 { r(x)=1 }"));
    assert!(repeated("s1: t1 { w(x)=1 }\n s3: t3 { r(x)=1 }\n s2: t2 { w(x)=1 }"));
    assert!(repeated("s3: t3 { r(x)=1 }\n s1: t1 { w(x)=1 }\n s2: t2 { w(x)=1 }"));
    assert!(repeated("init x=1\n s3: t3 { r(x)=1 }\n s1: t1 { w(x)=1 }"));
    assert!(repeated("init x=1\n s1: t1 { w(x)=1 }\n s3: t3 { r(x)=1 }"));
    // Nobody reads them, only the other one can be meant, or an aborted one wrote it first.
    for text in [
        "s1: t1 { w(x)=1 }\n s2: t2 { w(x)=1 w(x)=2 w(x)=1 }\n s3: t3 { r(y)=null }",
        "init x=1\n s1: t1 { r(x)=1 w(x)=1 }",
        "s1: t1 { w(x)=1 }\n s2: t2 { r(x)=1 w(x)=1 }",
        "s1: t1 aborted { w(x)=1 }\n s2: t2 { w(x)=1 }\n s3: t3 { r(x)=1 }",
        "init x=0\n s1: t1 aborted { w(x)=0 }\n s3: t3 { r(x)=0 }",
    ] {
        let said = run(&text.replace("r(y)=null", "w(y)=1"));
        assert_eq!(said.map(|s| s.len()), Ok(0), "{text}");
    }
    // Reads that name their writers, before these come and after.
    let named = "init x=0
        s1: t1 { w(x)=1 }
        s2: t2 { r(x)=1<-t1 w(y)=1 }
        s4: t4 { r(y)=1<-t2 r(x)=1<-t3 r(x)=1<-t1 }
        s3: t3 { w(x)=1 r(y)=1<-t2 }
        s5: t5 { r(x)=0<-init }";
    let said = run(named).expect("all reads name their writers");
    assert_eq!(said.len(), 3, "t3 follows t1, and t4 saw it before t1: {said:?}");
    assert!(said.iter().all(|s| s.2.contains(&"t4".to_owned())), "{said:?}");
}

#[test]
fn repeated_values_with_named_writers_like_the_offline_check() {
    let shape = Shape { txns: 7, repeated: 80, keys: 2, odd: 0, unsettled: 10, ..Shape::PLAIN };
    for seed in 0..1500 * scale() {
        let plain = sample::history(&shape, seed);
        let mut draft = Draft::of(&plain);
        let mut random = sample::Random(seed);
        for txn in plain.txns() {
            for (at, event) in plain.event_ids(txn).enumerate() {
                let candidates = plain.candidates(event);
                if !candidates.is_empty() {
                    let chosen = candidates[random.below(candidates.len())];
                    let writer = match chosen {
                        TxnId::INIT => DraftWriter::Init,
                        txn => DraftWriter::Txn(txn.index() - 1),
                    };
                    draft.txns[txn.index() - 1].ops[at].writer = Some(writer);
                }
            }
        }
        let history = draft.build().expect("writers are candidates");
        let history = transform::shuffle(&history, seed).expect("a history");
        if has_thin_air(&history) {
            continue;
        }
        let label = format!("named {seed}");
        assert_eq!(reported(&history, &label), expected(&history), "{label}");
    }
}

#[test]
fn errors_are_values() {
    assert_eq!(
        OnlineChecker::new(&[Level::SER]).unwrap_err(),
        OnlineError::Level { level: Level::SER }
    );
    let history = parse("init x=0\n s1: t1 { w(x)=1 }\n s1: t2 { r(x)=1 }");
    let mut checker = checker(&history, &LEVELS);
    let late = checker.initial(&"x".into(), &1.into());
    assert_eq!(late, Err(OnlineError::InitialTooLate { key: "x".into() }));
    push(&mut checker, &history, TxnId::new(1)).expect("good");
    for _ in 0..2 {
        let again = push(&mut checker, &history, TxnId::new(1)).map(|v| v.len());
        let expected = HistoryError::DuplicateName { name: "t1".into(), first_line: 0, line: 0 };
        assert_eq!(again, Err(OnlineError::History(expected)));
    }
    assert!(checker.finish().is_err());
}
