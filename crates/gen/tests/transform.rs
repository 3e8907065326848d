//! What changes of a history change, and what not.

mod brute;

use hobgoblin_core::{Key, Level, TxnId, Value};
use hobgoblin_gen::{Draft, SmallParams, random_history, transform};

fn params(txns: u32) -> SmallParams {
    SmallParams {
        txns,
        statuses: true,
        repeated_values: true,
        times: true,
        ..SmallParams::default()
    }
}

#[test]
fn renaming_reordering_and_unrelated_sessions_change_no_verdict() {
    for seed in 0..150 {
        let h = random_history(seed, &params(4));
        let levels = brute::levels(&h);
        let prefixed = |key: &Key| Key::from(format!("k{key}").as_str());
        let text = |_: &Key, value: &Value| Value::from(format!("v{value}").as_str());
        for (what, changed) in [
            ("keys", transform::rename_keys(&h, prefixed)),
            ("values", transform::rename_values(&h, text)),
            ("sessions", transform::rename_sessions(&h, prefixed)),
            ("order", transform::shuffle(&h, seed)),
            ("session", transform::with_unrelated_session(&h, seed)),
        ] {
            let changed = changed.unwrap();
            assert_eq!(brute::levels(&changed), levels, "seed {seed}: {what}");
            assert_eq!(changed.num_events() == h.num_events(), what != "session");
        }
    }
}

#[test]
fn a_closed_part_satisfies_what_the_whole_does() {
    let params = SmallParams { times: true, statuses: true, ..SmallParams::default() };
    for seed in 0..300 {
        let h = random_history(seed, &params);
        let some = h.txns().filter(|t| (seed >> (t.index() % 5)) & 1 == 1);
        let part = transform::closed(&h, some);
        let restricted = transform::restrict(&h, part.iter().copied()).unwrap();
        assert_eq!(restricted.txns().len(), part.len());
        for level in Level::ALL.into_iter().filter(|&level| brute::holds(&h, level)) {
            assert!(brute::holds(&restricted, level), "seed {seed}: {level}");
        }
    }
}

#[test]
fn restricting_drops_reads_of_what_is_gone_and_keeps_names() {
    for seed in 0..200 {
        let all =
            SmallParams { orders: true, writers: true, locks: true, levels: true, ..params(7) };
        let h = random_history(seed, &all);
        let kept: Vec<TxnId> = h.txns().filter(|t| t.index() % 2 == 1).collect();
        let part = transform::restrict(&h, kept.iter().copied()).unwrap();
        let names: Vec<_> = part.txns().map(|t| part.name(t).into_owned()).collect();
        assert_eq!(names, kept.iter().map(|&t| h.name(t)).collect::<Vec<_>>());
        assert!(part.faults().len() <= h.faults().len(), "seed {seed}: no new faults");
        let whole = transform::restrict(&h, h.txns()).unwrap();
        assert_eq!(Draft::of(&whole), Draft::of(&h));
    }
}
