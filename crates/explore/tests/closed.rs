//! Programs whose number of histories is known in closed form.

mod support;

use hobgoblin_core::Level;
use hobgoblin_explore::{End, Options, explore};
use support::{counters, found, parse};

/// The program of which the paper's printed algorithm loses one history at CC.
#[test]
fn two_reads_and_three_writes() {
    let program = parse("r(y) r(x) | w(x)=1; w(y)=1 | w(x)=2");
    for (level, histories) in [(Level::CC, 5), (Level::RA, 6), (Level::RC, 6)] {
        assert_eq!(found(&program, level).histories, histories, "{level}");
    }
}

/// At CC every session reads from init or from another, without a cycle: the rooted forests on n nodes.
#[test]
fn counters_at_causal_are_forests() {
    for n in 2..=5_u32 {
        let forests = u64::from(n + 1).pow(n - 1);
        let found = found(&counters(n as usize), Level::CC);
        assert_eq!((found.histories, found.end_states), (forests, forests), "{n} sessions");
        assert_eq!(found.fruitless, 0, "{n} sessions");
    }
}

/// At SI and SER each counts on from the one before: the orders of n sessions.
#[test]
fn counters_at_serializable_and_snapshot_are_orders() {
    for n in 2..=5_u64 {
        let orders: u64 = (1..=n).product();
        for level in [Level::SER, Level::SI, Level::PSI] {
            let histories = found(&counters(n as usize), level).histories;
            assert_eq!(histories, orders, "{n} sessions at {level}");
        }
    }
}

/// Readers of one key with n blind writers choose each for itself.
#[test]
fn readers_of_blind_writes_are_powers() {
    for (readers, writers) in [(1, 4), (2, 3), (3, 2), (4, 1)] {
        let mut sessions = vec!["r(x)".to_owned(); readers];
        sessions.extend((1..=writers).map(|n| format!("w(x)={n}")));
        let program = parse(&sessions.join(" | "));
        let expected = (writers as u64 + 1).pow(readers as u32);
        for level in [Level::RC, Level::RA, Level::CC] {
            assert_eq!(found(&program, level).histories, expected, "{sessions:?} at {level}");
        }
    }
}

#[test]
fn pruning_saves_two_calls_of_five() {
    let program = counters(5);
    let calls = |prune: bool| {
        let options = Options { prune, ..Options::new(Level::SER) };
        let found = explore(&program, &options, &|_: &End<'_>| {}).expect("the program is good");
        assert_eq!(found.histories, 120);
        found.calls
    };
    let (pruned, all) = (calls(true), calls(false));
    assert!(pruned * 10 <= all * 6, "{pruned} of {all} calls");
}
