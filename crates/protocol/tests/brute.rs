//! The search beside one that is too simple to be wrong: every state by its own name in a set, every execution tried,
//! each level as it is defined.

use std::collections::HashSet;

use hobgoblin_check::Limits;
use hobgoblin_core::{Kind, Level};
use hobgoblin_protocol::models::causal::Causal;
use hobgoblin_protocol::models::optimistic::Optimistic;
use hobgoblin_protocol::models::snapshot::Snapshot;
use hobgoblin_protocol::models::two_phase::TwoPhase;
use hobgoblin_protocol::{Finding, Found, Observed, Operation, Options, Protocol, search};

const LEVELS: [Level; 3] = [Level::RC, Level::SI, Level::SER];

/// All states, and by level the depth of the first that violates it.
struct Brute<S> {
    states: HashSet<S>,
    first: [Option<usize>; 3],
    depth: usize,
}

fn brute<P: Protocol>(protocol: &P) -> Brute<P::State> {
    let mut all = Brute { states: HashSet::new(), first: [None; 3], depth: 0 };
    let mut layer = protocol.initial();
    while !layer.is_empty() {
        layer.retain(|state| all.states.insert(state.clone()));
        if layer.is_empty() {
            break;
        }
        all.depth += 1;
        let mut next = Vec::new();
        for state in &layer {
            let mut observed = Observed::new(protocol.transactions());
            protocol.observed(state, &mut observed);
            for (level, first) in LEVELS.iter().zip(&mut all.first) {
                if first.is_none() && !satisfies(&observed, protocol.resources(), *level) {
                    *first = Some(all.depth);
                }
            }
            protocol.next(state, &mut |_, state| next.push(state));
        }
        layer = next;
    }
    all
}

/// Whether some order of the transactions passes the test of a level.
fn satisfies(observed: &Observed, resources: usize, level: Level) -> bool {
    let mut order: Vec<&[Operation]> = Vec::new();
    let all: Vec<&[Operation]> = observed.transactions().iter().map(|t| &t[..]).collect();
    fn extend<'a>(
        order: &mut Vec<&'a [Operation]>,
        rest: &[&'a [Operation]],
        passes: &dyn Fn(&[&[Operation]]) -> bool,
    ) -> bool {
        if rest.is_empty() {
            return passes(order);
        }
        (0..rest.len()).any(|at| {
            let mut left = rest.to_vec();
            order.push(left.remove(at));
            let found = extend(order, &left, passes);
            order.pop();
            found
        })
    }
    extend(&mut order, &all, &|order| {
        let mut states = vec![vec![0; resources]];
        for transaction in order {
            let parent = states.len() - 1;
            let serves = |state: usize, at: usize| {
                let o = transaction[at];
                o.kind == Kind::Write
                    || states[state][o.resource] == o.value
                    || transaction[..at].iter().any(|w| {
                        w.kind == Kind::Write && (w.resource, w.value) == (o.resource, o.value)
                    })
            };
            let all = 0..transaction.len();
            let complete = |state: usize| all.clone().all(|at| serves(state, at));
            let written = || transaction.iter().filter(|o| o.kind == Kind::Write);
            let quiet = |state: usize| {
                written().all(|o| states[state][o.resource] == states[parent][o.resource])
            };
            let passes = match level {
                Level::SER => complete(parent),
                Level::SI => (0..=parent).any(|state| complete(state) && quiet(state)),
                Level::RC => all.clone().all(|at| (0..=parent).any(|state| serves(state, at))),
                other => panic!("{other} is not tried"),
            };
            if !passes {
                return false;
            }
            let mut next = states[parent].clone();
            written().for_each(|o| next[o.resource] = o.value);
            states.push(next);
        }
        true
    })
}

fn compare<P: Protocol>(name: &str, protocol: &P) {
    let brute = brute(protocol);
    let renamings = protocol.renamings();
    let one = |state: &P::State| protocol.representative(state, &renamings);
    let representatives: HashSet<P::State> = brute.states.iter().map(one).collect();
    // Whatever it is called, a state has the same representative, and that is one of its names.
    for state in brute.states.iter().step_by(7) {
        let names = renamings.iter().map(|renaming| protocol.renamed(state, renaming));
        let names: HashSet<P::State> = names.collect();
        assert!(names.contains(&one(state)), "{name}");
        assert!(names.iter().all(|named| one(named) == one(state)), "{name}");
    }
    for (symmetry, threads, states) in [
        (false, 1, brute.states.len()),
        (true, 1, representatives.len()),
        (true, 3, representatives.len()),
    ] {
        // RU keeps nothing open, so a level that is never violated keeps the search from stopping.
        let options = Options::default().symmetry(symmetry).threads(threads);
        let label = format!("{name}, symmetry {symmetry}, {threads} threads");
        let found = search(protocol, &options, &Limits::none());
        if found.complete {
            assert_eq!((found.states, found.depth), (states, brute.depth), "{label}");
        }
        for (level, first) in LEVELS.iter().zip(brute.first) {
            let wrong = found.wrong(|finding| *finding == Finding::Level(*level));
            let length = wrong.map(|wrong| wrong.trace.states.len());
            assert_eq!(length, first, "{label}, {level}");
        }
        found.wrong.iter().for_each(|wrong| is_a_run(protocol, &wrong.trace.states));
        same(&found, &search(protocol, &options.clone().threads(2), &Limits::none()), &label);
    }
}

/// Two searches that differ by their threads found the same.
fn same<S: PartialEq + std::fmt::Debug, T>(one: &Found<S, T>, two: &Found<S, T>, label: &str) {
    assert_eq!((one.states, one.depth, one.complete), (two.states, two.depth, two.complete));
    assert_eq!((&one.levels, &one.invariants), (&two.levels, &two.invariants), "{label}");
    for (one, two) in one.wrong.iter().zip(&two.wrong) {
        assert_eq!((&one.finding, &one.trace.states), (&two.finding, &two.trace.states), "{label}");
    }
}

fn is_a_run<P: Protocol>(protocol: &P, states: &[P::State]) {
    assert!(protocol.initial().contains(&states[0]));
    for pair in states.windows(2) {
        let mut found = false;
        protocol.next(&pair[0], &mut |_, state| found |= state == pair[1]);
        assert!(found, "there is a step");
    }
}

#[test]
fn the_search_finds_what_brute_force_finds() {
    for bug in [false, true] {
        for (t, r) in [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (2, 3)] {
            let label = |name: &str| format!("{name} {t} × {r}, bug {bug}");
            compare(&label("occ"), &Optimistic::new(t, r, bug).expect("it fits"));
            compare(&label("si"), &Snapshot::new(t, r, bug).expect("it fits"));
            compare(&label("causal"), &Causal::new(t, r, bug).expect("it fits"));
            if t * r <= 2 {
                compare(&label("2pc"), &TwoPhase::new(t, r, bug).expect("it fits"));
            }
        }
        compare("causal 3 × 2", &Causal::new(3, 2, bug).expect("it fits"));
        compare("si 3 × 2", &Snapshot::new(3, 2, bug).expect("it fits"));
    }
}
