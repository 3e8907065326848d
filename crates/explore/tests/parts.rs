//! However an exploration is cut up, over threads, over checkpoints or into single ends made again from
//! their tokens, it gives the same.

mod support;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use hobgoblin_core::Level;
use hobgoblin_explore::{
    Checkpoint, End, Options, Program, Stopped, Watch, explore, replay, resume,
};
use hobgoblin_oracle::program::{self as oracle, Run, Size};
use support::{LEVELS, counters, program, random_mix, random_programs, run_of, runs, scale};

/// Random programs, each at a level or in a mix, with what to explore.
fn cases(first: u64, count: u64) -> impl Iterator<Item = (String, Program, Options)> {
    let programs = random_programs(Size::MIDDLE, first, 1000).take((count * scale()) as usize);
    programs.map(|(seed, text, _)| {
        let level = LEVELS.get(seed as usize % 8);
        let mix = level.is_none().then(|| random_mix(&text, seed));
        let program = program(&text, mix.as_ref());
        let label = format!("{text}\nat {level:?} {mix:?}");
        (label, program, Options::new(level.copied().unwrap_or(Level::RU)))
    })
}

#[test]
fn two_threads_find_what_one_finds() {
    for (label, program, options) in cases(300_000, 60) {
        let (one, found) = runs(&program, &options);
        for threads in [2, 3] {
            let (more, other) = runs(&program, &Options { threads, ..options.clone() });
            assert_eq!(one, more, "{label}");
            assert_eq!(found, other, "{label}");
        }
    }
}

#[test]
fn many_threads_find_each_history_of_many_once() {
    let program = counters(5);
    let options = Options { threads: 4, ..Options::new(Level::CC) };
    let (runs, found) = runs(&program, &options);
    assert_eq!((runs.len(), found.histories), (1296, 1296));
}

/// Collects runs, and asks to stop after some.
struct Part {
    runs: Mutex<BTreeMap<Run, u64>>,
    sessions: usize,
    seen: AtomicU64,
    stop: u64,
}

impl Watch for Part {
    fn end(&self, end: &End<'_>) {
        let run = run_of(&end.history(), self.sessions);
        *self.runs.lock().expect("nobody panicked").entry(run).or_default() += 1;
        self.seen.fetch_add(1, Ordering::Relaxed);
    }

    fn stop(&self) -> bool {
        self.seen.load(Ordering::Relaxed) >= self.stop
    }
}

/// Explores a program in parts of `size` histories, and gives the runs and the number of parts.
fn in_parts(program: &Program, options: &Options, size: u64) -> (BTreeMap<Run, u64>, usize) {
    let sessions = program.sessions().len();
    let mut runs = BTreeMap::new();
    let mut left: Option<Checkpoint> = None;
    for parts in 1..3000 {
        let (seen, all) = (AtomicU64::new(0), Mutex::new(runs));
        let part = Part { runs: all, sessions, seen, stop: u64::MAX };
        let options = Options { max: Some(size), ..options.clone() };
        let (found, rest) = resume(program, &options, left.as_ref(), &part).expect("it goes on");
        runs = part.runs.into_inner().expect("nobody panicked");
        assert_eq!(found.complete, rest.is_none(), "{found:?}");
        let Some(rest) = rest else { return (runs, parts) };
        assert_eq!(found.stopped, Some(Stopped::Max));
        left = Some(rest);
    }
    panic!("an exploration in parts never ends");
}

#[test]
fn parts_from_checkpoints_are_the_whole() {
    for (label, program, options) in cases(400_000, 40) {
        let (whole, _) = runs(&program, &options);
        for (size, threads) in [(1, 1), (3, 1), (2, 2)] {
            let options = Options { threads, ..options.clone() };
            let (parts, count) = in_parts(&program, &options, size);
            assert_eq!(whole, parts, "{label} in {count} parts of {size}");
        }
    }
}

#[test]
fn as_many_as_asked_for_with_every_number_of_threads() {
    let program = counters(6);
    let all = 16_807;
    for threads in [1, 2, 3, 5] {
        for max in [0, 1, 2, 7, 255, 256, 257, 3_000, all - 1, all, all + 1] {
            let options = Options { max: Some(max), threads, ..Options::new(Level::CC) };
            let found = explore(&program, &options, &|_: &End<'_>| {}).expect("it is good");
            assert_eq!(found.histories, max.min(all), "{threads} threads, at most {max}");
            assert_eq!(found.complete, max >= all, "{threads} threads, at most {max}");
        }
    }
}

#[test]
fn whoever_watches_can_stop_it() {
    let program = counters(5);
    let options = Options::new(Level::CC);
    let part = Part { runs: Mutex::default(), sessions: 5, seen: AtomicU64::new(0), stop: 10 };
    let (found, left) = resume(&program, &options, None, &part).expect("the program is good");
    assert_eq!((found.complete, found.stopped), (false, Some(Stopped::Asked)));
    let left = left.expect("something is left");
    let rest = Part { stop: u64::MAX, seen: AtomicU64::new(0), ..part };
    let (found, left) = resume(&program, &options, Some(&left), &rest).expect("it goes on");
    assert!(found.complete && left.is_none());
    let runs = rest.runs.into_inner().expect("nobody panicked");
    assert_eq!(runs.len(), 1296);
    assert!(runs.values().all(|times| *times == 1));
}

#[test]
fn checkpoints_of_other_programs_are_refused() {
    let options = Options { max: Some(2), ..Options::new(Level::CC) };
    let (_, left) = resume(&counters(4), &options, None, &|_: &End<'_>| {}).expect("good");
    let left = left.expect("something is left");
    let nothing = |_: &End<'_>| {};
    let other = support::parse("w(x)=1 | r(x) r(y) | w(y)=1");
    assert!(resume(&other, &options, Some(&left), &nothing).is_err());
    for length in 0..left.0.len() {
        let Some(cut) = left.0.get(..length) else { continue };
        // A cut checkpoint is refused or is a smaller one; it never panics.
        let _ = resume(&counters(4), &options, Some(&Checkpoint(cut.to_owned())), &nothing);
    }
}

#[test]
fn every_token_makes_its_end_again() {
    for (label, program, options) in cases(500_000, 40) {
        let tokens = Mutex::new(BTreeMap::new());
        let sessions = program.sessions().len();
        let see = |end: &End<'_>| {
            let run = run_of(&end.history(), sessions);
            let twice = tokens.lock().expect("nobody panicked").insert(end.token(), run);
            assert!(twice.is_none(), "{label}: two ends have one token");
        };
        explore(&program, &options, &see).expect("the program is good");
        for (token, run) in tokens.into_inner().expect("nobody panicked") {
            let again = replay(&program, &token, |end| {
                assert_eq!(end.token(), token);
                run_of(&end.history(), sessions)
            });
            assert_eq!(again.as_ref(), Ok(&run), "{label}: {token}");
        }
    }
}

#[test]
fn wrong_tokens_are_refused() {
    let program = program(&oracle::Program::parse("r(x) w(x)=1 | r(x) r(y)"), None);
    for token in
        ["", "x", "0", "99999", "-1", "\u{1F600}", "0.0.0.0.0.0.0.0.0.0", "zzzzzzzzzzzzzzzzz"]
    {
        let _ = replay(&program, token, |end| end.history());
    }
}
