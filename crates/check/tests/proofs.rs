//! Whatever proof the verifier accepts, the level does fail.
//!
//! A blind prover guesses steps and cycles, true and false ones alike, and keeps what the verifier
//! accepts. If it ever "proves" a violation of a history that satisfies the level, the rules of proofs
//! are unsound. It also proves enough real violations to show that the rules are of use.

use hobgoblin_check::verify::{VerifyError, verify};
use hobgoblin_core::{
    Anomaly, Conclusion, Edge, History, Level, Proof, Reason, Source, Status, Step, Target, TxnId,
    Verdict, Witness,
};
use hobgoblin_oracle::brute;
use hobgoblin_oracle::sample::{self, Random, Shape};

fn check(history: &History, target: Target, proof: &Proof) -> Result<(), VerifyError> {
    let live = |t: &TxnId| history.status(*t) != Status::Aborted;
    let witness = Witness {
        target,
        anomaly: Anomaly::DependencyCycle,
        txns: history.txns().filter(live).collect(),
        minimal: false,
        proof: proof.clone(),
    };
    verify(history, target, &Verdict::Violation(Box::new(witness)))
}

/// Every edge that could be there under some order of versions.
fn possible_edges(history: &History) -> Vec<Edge> {
    let txns: Vec<TxnId> = history.txns().filter(|&t| history.counts(t)).collect();
    let mut edges = Vec::new();
    for &from in &txns {
        for &to in txns.iter().filter(|&&to| to != from) {
            let mut add = |why| edges.push(Edge { from, to, why });
            if history.so(from, to) {
                add(Reason::Session);
            }
            if history.end(from) < history.begin(to) {
                add(Reason::RealTime);
            }
            for key in history.keys() {
                if history.writes(from, key) && history.writes(to, key) {
                    add(Reason::Write(key));
                }
            }
            for read in history.event_ids(to) {
                if history.source(read) == Source::Txn(from) {
                    add(Reason::Read(read));
                }
            }
            for read in history.event_ids(from) {
                let key = history.event(read).key();
                if matches!(history.source(read), Source::Txn(_)) && history.writes(to, key) {
                    add(Reason::Overwrite(read));
                }
            }
        }
    }
    edges
}

fn guess_cycle(edges: &[Edge], first: Option<Edge>, random: &mut Random) -> Option<Vec<Edge>> {
    let mut cycle = vec![first.unwrap_or(edges[random.below(edges.len())])];
    for _ in 0..4 {
        let (start, end) = (cycle[0].from, cycle[cycle.len() - 1].to);
        if start == end {
            return Some(cycle);
        }
        let closing: Vec<&Edge> = edges.iter().filter(|e| e.from == end && e.to == start).collect();
        let next: Vec<&Edge> = edges.iter().filter(|e| e.from == end).collect();
        let choice = if random.chance(50) && !closing.is_empty() { closing } else { next };
        if choice.is_empty() {
            return None;
        }
        cycle.push(*choice[random.below(choice.len())]);
    }
    None
}

/// Guesses until something is accepted, or gives up.
fn prove(history: &History, target: Target, random: &mut Random) -> Option<Proof> {
    let edges = possible_edges(history);
    let writes = |e: &&Edge| matches!(e.why, Reason::Write(_));
    let mut steps: Vec<Step> = Vec::new();
    for round in 0..2 {
        for edge in edges.iter().filter(writes) {
            let Reason::Write(key) = edge.why else { continue };
            let (first, second) = (edge.from, edge.to);
            for _ in 0..30 {
                let contrary = Edge { from: second, to: first, why: edge.why };
                let contrary = random.chance(70).then_some(contrary);
                let Some(cycle) = guess_cycle(&edges, contrary, random) else { continue };
                let conclusion = Conclusion::Cycle(cycle);
                let otherwise = Proof { steps: Vec::new(), conclusion };
                let mut longer = steps.clone();
                longer.push(Step { key, first, second, otherwise });
                // A proof with right steps and no conclusion fails only for want of one.
                let proof = Proof { steps: longer, conclusion: Conclusion::Cycle(Vec::new()) };
                if check(history, target, &proof) == Err(VerifyError::BrokenCycle(0)) {
                    steps = proof.steps;
                    break;
                }
            }
        }
        for _ in 0..if edges.is_empty() { 0 } else { 40 + 40 * round } {
            let Some(cycle) = guess_cycle(&edges, None, random) else { continue };
            let proof = Proof { steps: steps.clone(), conclusion: Conclusion::Cycle(cycle) };
            if check(history, target, &proof).is_ok() {
                return Some(proof);
            }
        }
    }
    None
}

#[test]
fn what_is_proved_is_true() {
    let shape = Shape {
        odd: 0,
        stray: 40,
        levels: 60,
        locks: 20,
        orders: 10,
        times: true,
        txns: 5,
        ..Shape::PLAIN
    };
    let (mut proved, mut violated) = (0, 0);
    for seed in 0..1200 {
        let history = sample::history(&shape, seed);
        let mut random = Random(seed);
        let level = Level::ALL[random.below(9)];
        for target in [Target::Level(level), Target::Mixed(level)] {
            let holds = brute::satisfies(&history, target);
            if let Some(proof) = prove(&history, target, &mut random) {
                assert!(!holds, "seed {seed} {target:?} {proof:#?}");
                proved += 1;
            }
            violated += usize::from(!holds);
        }
    }
    assert!(proved * 10 > violated * 8, "proved {proved} of {violated}");
}
