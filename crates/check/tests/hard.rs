//! Hard histories: those of formulas, which satisfy PC, SI and SER exactly if the formula is satisfiable
//! [Biswas 2019, section 3.2], and those that a search over frontiers can still decide. And what happens when
//! there is not enough time for them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hobgoblin_check::verify::{VerifyError, verify};
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Conclusion, History, Level, StopReason, Verdict};
use hobgoblin_gen::{
    Cnf, Distribution, Literal, Order, Params, SmallParams, build, history_of, random_cnf,
    random_history,
};
use hobgoblin_oracle::frontier;

const HARD: [Level; 3] = [Level::PC, Level::SI, Level::SER];

/// How many times the histories of `make test` to run: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// Whether a formula can be satisfied, by unit propagation and splitting (DPLL).
fn is_satisfiable(cnf: &Cnf) -> bool {
    let mut open = vec![vec![None; cnf.vars as usize]];
    while let Some(mut assignment) = open.pop() {
        match propagate(cnf, &mut assignment) {
            Err(()) => {}
            Ok(None) => return true,
            Ok(Some(var)) => {
                for value in [false, true] {
                    let mut branch = assignment.clone();
                    branch[var] = Some(value);
                    open.push(branch);
                }
            }
        }
    }
    false
}

/// Assigns what clauses with one literal left ask for. Says which variable to split on, if any clause is
/// left, and fails where a clause is false.
fn propagate(cnf: &Cnf, assignment: &mut [Option<bool>]) -> Result<Option<usize>, ()> {
    loop {
        let (mut split, mut unit) = (None, None);
        for clause in &cnf.clauses {
            let value = |l: &Literal| assignment[l.var as usize].map(|value| value != l.negated);
            if clause.iter().any(|l| value(l) == Some(true)) {
                continue;
            }
            let free: Vec<&Literal> = clause.iter().filter(|l| value(l).is_none()).collect();
            match free[..] {
                [] => return Err(()),
                [only] => unit = Some(*only),
                [first, ..] => split = Some(first.var as usize),
            }
        }
        match unit {
            Some(literal) => assignment[literal.var as usize] = Some(!literal.negated),
            None => return Ok(split),
        }
    }
}

/// Decides a history at a level, and verifies the certificate. Where the proof is "by search", the
/// verifier may give up on repeating it.
fn holds(history: &History, level: Level, label: &str) -> bool {
    let verdict = check(history, level, &Limits::none());
    let searched = |verdict: &Verdict| match verdict {
        Verdict::Violation(witness) => witness.proof.conclusion == Conclusion::Search,
        _ => false,
    };
    match verify(history, level, &verdict) {
        Ok(()) => {}
        Err(VerifyError::TooLarge) if searched(&verdict) => {}
        Err(error) => panic!("{label} at {level}: {error}: {verdict:?}"),
    }
    match verdict {
        Verdict::Consistent(_) => true,
        Verdict::Violation(_) => false,
        Verdict::Unknown(reason) => panic!("{label} at {level}: {reason} without a limit"),
    }
}

/// A random formula of this many variables, near the threshold where half of them are satisfiable.
fn formula(vars: u32, seed: u64) -> Cnf {
    // Small formulas are satisfiable at the threshold of large ones.
    let clauses = 2 + vars * 17 / 4 + u32::from(vars < 6) * 3;
    random_cnf(seed, vars, clauses, 3)
}

#[test]
fn histories_of_formulas_are_decided_as_the_formulas_are() {
    let mut answers = [0, 0];
    // That a level holds is found quickly; making the witness small is what takes long.
    let most = if scale() > 1 { 10 } else { 4 };
    for vars in 3..=12 {
        for seed in 0..4 {
            let cnf = formula(vars, seed);
            let expected = is_satisfiable(&cnf);
            if !expected && vars > most {
                continue;
            }
            answers[usize::from(expected)] += 1;
            let history = history_of(&cnf).expect("it is well formed");
            let label = format!("{vars} variables, seed {seed}");
            for level in HARD {
                assert_eq!(holds(&history, level, &label), expected, "{label} at {level}");
            }
            assert!(holds(&history, Level::CC, &label));
        }
    }
    assert!(answers.iter().all(|&n| n >= 3), "both answers occur: {answers:?}");
}

#[test]
fn a_search_over_frontiers_agrees() {
    let mut answers = std::collections::BTreeMap::new();
    for seed in 0..300 * scale() {
        let params = SmallParams {
            txns: 12 + (seed % 29) as u32,
            sessions: 2 + (seed % 3) as u32,
            keys: 4,
            locks: seed % 4 == 0,
            statuses: seed % 5 == 0,
            ..SmallParams::default()
        };
        let history = random_history(seed, &params);
        for level in HARD {
            let expected = frontier::satisfies(&history, level);
            assert_eq!(holds(&history, level, &format!("seed {seed}")), expected, "{seed} {level}");
            *answers.entry((level, expected)).or_insert(0) += 1;
        }
    }
    eprintln!("{answers:?}");
    assert!(answers.len() == 6 && answers.values().all(|&n| n >= 10), "{answers:?}");
}

/// Limits that stop a check when it has asked this often.
fn stop_after(asked: u32) -> Limits {
    let left = AtomicU32::new(asked);
    Limits::new(move || {
        let go_on = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        go_on.is_err().then_some(StopReason::Interrupted)
    })
}

#[test]
fn a_check_that_stops_early_says_so() {
    let mut stopped = 0;
    for (vars, seed) in [(5, 0), (5, 1), (6, 2), (6, 3)] {
        let cnf = formula(vars, seed);
        let history = history_of(&cnf).expect("it is well formed");
        let expected = is_satisfiable(&cnf);
        for level in HARD {
            for asked in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89] {
                match check(&history, level, &stop_after(asked)) {
                    Verdict::Consistent(_) => assert!(expected, "{vars} {seed} {level} {asked}"),
                    Verdict::Violation(_) => assert!(!expected, "{vars} {seed} {level} {asked}"),
                    Verdict::Unknown(StopReason::Interrupted) => stopped += 1,
                    Verdict::Unknown(other) => panic!("{other}"),
                }
            }
        }
    }
    assert!(stopped >= 12, "{stopped}");
}

#[test]
fn time_runs_out() {
    // Far too hard for a millisecond, whatever the machine.
    let history = history_of(&formula(60, 1)).expect("it is well formed");
    for level in HARD {
        let verdict = check(&history, level, &Limits::time(Duration::from_millis(1)));
        assert_eq!(verdict, Verdict::Unknown(StopReason::Time), "{level}");
    }
}

#[test]
fn limits_hold_while_sources_are_searched() {
    // Every read has hundreds of candidates, and hardly anything is known.
    let history = build(&Params {
        sessions: 20,
        transactions: 2_000,
        min_events: 8,
        max_events: 8,
        keys: 10,
        repeated_values: 1.0,
        values: 2,
        order: Order::Session,
        level: Level::RC,
        seed: 3,
        ..Params::default()
    })
    .expect("the parameters make sense");
    for level in [Level::CC, Level::SI, Level::SER] {
        let start = Instant::now();
        let verdict = check(&history, level, &Limits::time(Duration::from_millis(300)));
        let took = start.elapsed();
        assert_eq!(verdict, Verdict::Unknown(StopReason::Time), "{level}");
        assert!(took < Duration::from_secs(3), "{level} took {took:?}");
    }
}

#[test]
fn values_that_repeat_at_keys_that_many_write_are_decided() {
    // At such keys runs by value go wrong; bets on sources get them through.
    for seed in 1..=2 * scale() {
        let history = build(&Params {
            sessions: 25,
            transactions: 1_000,
            min_events: 8,
            max_events: 8,
            keys: 500,
            distribution: Distribution::Zipf(0.99),
            repeated_values: 1.0,
            values: 100,
            order: Order::Session,
            seed,
            ..Params::default()
        })
        .expect("the parameters make sense");
        for level in [Level::RC, Level::CC, Level::SI, Level::SER] {
            assert!(holds(&history, level, &format!("seed {seed}")));
        }
    }
}
