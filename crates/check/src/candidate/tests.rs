//! Without clocks the answer is the one with clocks, however few the sessions are.

use hobgoblin_core::{CommitOrder, History, Level, Rng, Target, Verdict};
use hobgoblin_gen::transform::shuffle;
use hobgoblin_gen::{Draft, Order, Params, SmallParams, build, injectable, random_history};

use super::*;
use crate::decide::txns;
use crate::polynomial::{self, Decision, Edges};
use crate::verify::verify;
use crate::witness;

/// How many times the histories of `make test` to run: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// What came of the attempts without clocks.
#[derive(Debug, Default)]
struct Tally {
    orders: u64,
    cycles: u64,
    /// Orders that were found with clocks after all.
    gave_up: u64,
}

/// The answer with these edges, and whether an order came with them.
fn answer(problem: &Problem<'_>, edges: Edges) -> (Decision, bool) {
    match polynomial::force(problem, edges, &Limits::none()).expect("there are no limits") {
        Ok(facts) => (polynomial::decide_static(problem, &facts), facts.found.is_some()),
        Err(core) => (Decision::Core(core), false),
    }
}

/// Compares the answers with and without clocks, and verifies the latter.
fn compare(history: &History, target: Target, label: &str, tally: &mut Tally) {
    let problem = Problem::whole(history, target, &[]);
    if Problem::asks_nothing(history, target) {
        return;
    }
    let (expected, _) = answer(&problem, Edges::All);
    let (decision, found) = answer(&problem, Edges::Enough { sessions: 1 });
    let verdict = match decision {
        Decision::Order(order) => {
            assert!(matches!(expected, Decision::Order(_)), "{label} at {target:?}: {expected:?}");
            tally.orders += u64::from(found);
            tally.gave_up += u64::from(!found);
            Verdict::Consistent(CommitOrder { txns: txns(&problem, &order), sources: Vec::new() })
        }
        Decision::Core(core) => {
            assert!(matches!(expected, Decision::Core(_)), "{label} at {target:?}: {core:?}");
            let (part, _) = answer(&problem.restrict(&core), Edges::All);
            assert!(matches!(part, Decision::Core(_)), "{label} at {target:?}: {core:?} alone");
            // Elsewhere it may have been clocks that found it.
            tally.cycles += u64::from(history.has_times() || follows_commits(&problem));
            Verdict::Violation(Box::new(witness::of_core(&problem, core, &Limits::none())))
        }
    };
    if let Err(error) = verify(history, target, &verdict) {
        panic!("{label} at {target:?}: {error}: {verdict:?}");
    }
}

/// The same transactions, each at one of the levels that need no search.
fn mixed(history: &History, seed: u64) -> History {
    let mut rng = Rng::new(seed);
    let mut draft = Draft::of(history);
    for txn in &mut draft.txns {
        let levels = [None, Some(Level::RU), Some(Level::RC), Some(Level::RA), Some(Level::CC)];
        txn.level = *rng.pick(&levels).expect("there are levels");
    }
    draft.build().expect("it is well formed")
}

/// Compares at causal consistency and at mixes with it, in the order of the file and in another.
fn compare_all(history: &History, seed: u64, tally: &mut Tally) {
    let mixed = mixed(history, seed);
    for (history, order) in [
        (history, "as it is"),
        (&shuffle(history, seed).expect("it is well formed"), "shuffled"),
        (&mixed, "mixed"),
        (&shuffle(&mixed, seed).expect("it is well formed"), "mixed and shuffled"),
    ] {
        let label = format!("seed {seed} {order}");
        compare(history, Level::CC.into(), &label, tally);
        compare(history, Target::Mixed(Level::CC), &label, tally);
        compare(history, Target::Mixed(Level::RC), &label, tally);
    }
}

/// Reads of what anybody wrote, in 2 to 6 sessions, with all that a history can have.
#[test]
fn random_histories_without_clocks() {
    let mut tally = Tally::default();
    for seed in 0..300 * scale() {
        let params = SmallParams {
            txns: 4 + (seed % 12) as u32,
            sessions: 2 + (seed % 5) as u32,
            keys: 2 + (seed % 4) as u32,
            statuses: seed % 4 == 0,
            times: seed % 3 == 0,
            locks: seed % 2 == 0,
            orders: seed % 5 == 0,
            faults: false,
            ..SmallParams::default()
        };
        compare_all(&random_history(seed, &params), seed, &mut tally);
    }
    eprintln!("{tally:?}");
    let Tally { orders, cycles, gave_up } = tally;
    assert!(cycles * 10 > orders, "both answers are seen: {tally:?}");
    assert!(gave_up < orders, "clocks are not often needed: {tally:?}");
}

/// Runs of a store at some level, with and without an anomaly, in the order of arrival and by session.
#[test]
fn runs_of_a_store_without_clocks() {
    let mut tally = Tally::default();
    let anomalies: Vec<_> = injectable().collect();
    for seed in 0..30 * scale() {
        let mut rng = Rng::new(seed);
        let anomaly = if rng.one_in(2) { rng.pick(&anomalies).copied() } else { None };
        let params = Params {
            sessions: rng.between(2, 6),
            transactions: rng.between(20, 80),
            min_events: 1,
            max_events: rng.between(2, 6),
            keys: rng.between(4, 20),
            unknown_share: if rng.one_in(3) { 0.1 } else { 0.0 },
            timestamps: rng.one_in(3),
            window: rng.between(1, 32),
            level: *rng.pick(&[Level::CC, Level::SI, Level::SSER]).expect("there are levels"),
            anomaly,
            order: if rng.one_in(2) { Order::Arrival } else { Order::Session },
            seed,
            ..Params::default()
        };
        let Ok(history) = build(&params) else { continue };
        if witness::of_fault(&history, Level::CC.into()).is_none() {
            compare_all(&history, seed, &mut tally);
        }
    }
    eprintln!("{tally:?}");
    assert!(tally.orders > tally.cycles && tally.cycles > 0, "both answers are seen: {tally:?}");
}
