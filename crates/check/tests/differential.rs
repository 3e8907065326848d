//! Every checker against brute force from the definitions, with every certificate verified.

use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{History, Level, Target, Verdict};
use hobgoblin_gen::{Order, Params, build};
use hobgoblin_oracle::{brute, sample};

/// How many times the histories of `make test` to run: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

fn targets() -> Vec<Target> {
    let levels = Level::ALL.into_iter().map(Target::Level);
    levels.chain([Level::RU, Level::RC, Level::PSI, Level::SER].map(Target::Mixed)).collect()
}

/// Compares `check` with brute force, and verifies its answer.
fn compare(history: &History, target: Target, label: &str) {
    let expected = brute::satisfies(history, target);
    let verdict = check(history, target, &Limits::none());
    let holds = matches!(verdict, Verdict::Consistent(_));
    assert_eq!(holds, expected, "{label} at {target:?}: {verdict:?}\n{}", show(history));
    if let Err(error) = verify(history, target, &verdict) {
        panic!("{label} at {target:?}: {error}: {verdict:?}\n{}", show(history));
    }
}

fn show(history: &History) -> String {
    let mut text = String::new();
    for t in history.txns() {
        let session = history.session(history.session_of(t).expect("not init"));
        text += &format!(
            "{session}: {} {:?} {:?} {:?}..{:?} {{",
            history.name(t),
            history.status(t),
            history.level(t),
            history.begin(t),
            history.end(t)
        );
        for e in history.event_ids(t) {
            let event = history.event(e);
            text += &format!(
                " {:?}({})={}<-{:?}{}",
                event.kind(),
                history.key(event.key()),
                history.value(e),
                history.source(e),
                if history.is_locking(e) { "!" } else { "" }
            );
        }
        text += " }\n";
    }
    for k in history.ordered_keys() {
        text += &format!("order {} {:?}\n", history.key(k), history.order(k));
    }
    text
}

fn run(shape: sample::Shape, seeds: u64, label: &str) {
    let mut held = std::collections::BTreeMap::new();
    for seed in 0..seeds * scale() {
        let history = sample::history(&shape, seed);
        for target in targets() {
            compare(&history, target, &format!("{label} {seed}"));
            let holds = brute::satisfies(&history, target);
            *held.entry((format!("{target:?}"), holds)).or_insert(0) += 1;
        }
    }
    eprintln!("{label}: {held:?}");
}

#[test]
fn plain_histories() {
    run(sample::Shape::PLAIN, 3000, "plain");
}

#[test]
fn histories_with_everything_but_repeated_values() {
    run(sample::Shape { repeated: 0, ..sample::Shape::WILD }, 3000, "single");
}

#[test]
fn histories_with_repeated_values() {
    run(sample::Shape { repeated: 40, ..sample::Shape::PLAIN }, 2000, "repeated");
}

#[test]
fn histories_with_everything() {
    run(sample::Shape::WILD, 3000, "wild");
}

/// Histories of a simulated store, grouped by session, whose values come from few: most of them satisfy the
/// level they were made at, and all of their reads are ambiguous.
#[test]
fn grouped_histories_of_few_values() {
    for seed in 0..40 * scale() {
        let level = Level::ALL[1 + (seed % 7) as usize];
        let params = Params {
            sessions: 2 + (seed % 3) as u32,
            transactions: 6,
            min_events: 1,
            max_events: 4,
            keys: 2,
            repeated_values: 1.0,
            values: 2 + (seed / 3 % 3) as u32,
            unknown_share: if seed % 5 == 0 { 0.2 } else { 0.0 },
            order: Order::Session,
            level,
            seed,
            ..Params::default()
        };
        let history = build(&params).expect("the parameters make sense");
        for target in targets() {
            compare(&history, target, &format!("grouped {seed}"));
        }
        let verdict = check(&history, level, &Limits::none());
        assert!(matches!(verdict, Verdict::Consistent(_)), "{seed} at {level}: {verdict:?}");
    }
}

/// A read of a value that two wrote, one of them of unknown status and with a read that no level allows: it
/// is dropped, so the other is the source.
#[test]
fn who_had_better_be_dropped_is_no_source() {
    let text = "s1: t1 unknown { r(x)=4 w(x)=101 }\n\
                s2: t2 { w(x)=4 w(x)=101 }\n\
                s1: t3 { r(x)=101 }\n";
    let history = hobgoblin_format::read(text.as_bytes(), "t.txn", None).expect("a history");
    for target in targets() {
        compare(&history, target, "dropped");
    }
}
