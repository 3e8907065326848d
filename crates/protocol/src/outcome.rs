//! What a search found, in words: the same for every protocol.

use hobgoblin_core::{Level, StopReason};

use crate::chart::draw;
use crate::found::{Answer, Finding, Found};
use crate::observed::Observed;
use crate::protocol::{Line, Process, Protocol};

/// What a search found, without the protocol's own states and steps.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How many transactions there are.
    pub transactions: usize,
    /// How many resources there are.
    pub resources: usize,
    /// How many states there are, up to names where symmetry was asked for.
    pub states: usize,
    /// How many states the longest of the shortest runs has, the initial one included.
    pub depth: usize,
    /// The levels asked for, weakest first, and what became of them.
    pub levels: Vec<(Level, Answer)>,
    /// The invariants of the protocol, and what became of them.
    pub invariants: Vec<(&'static str, Answer)>,
    /// Whether every transaction ends.
    pub termination: Answer,
    /// Whether every state was seen.
    pub complete: bool,
    /// The limit that was reached.
    pub stopped: Option<StopReason>,
    /// The states in which something is wrong.
    pub runs: Vec<Run>,
}

/// A run to a state in which something is wrong.
#[derive(Clone, Debug)]
pub struct Run {
    /// All that is wrong in that state.
    pub findings: Vec<Finding>,
    /// How many states it has, the initial one included; none, if it panicked before there was one.
    pub states: usize,
    /// Its steps, and who takes them.
    pub steps: Vec<(Process, Line)>,
    /// Its steps as a chart.
    pub chart: String,
    /// What transactions have observed at its end.
    pub observed: Observed,
    /// By transaction, its session.
    pub sessions: Vec<usize>,
}

impl<S: PartialEq, T> Found<S, T> {
    /// The same in words.
    pub fn outcome<P: Protocol<State = S, Step = T>>(&self, protocol: &P) -> Outcome {
        let mut runs: Vec<(&[S], Run)> = Vec::new();
        for wrong in &self.wrong {
            let states = &wrong.trace.states[..];
            if let Some((_, run)) = runs.iter_mut().find(|(known, _)| *known == states) {
                run.findings.push(wrong.finding.clone());
                continue;
            }
            let line = |step: &T| (protocol.process(step), protocol.line(step));
            let steps: Vec<(Process, Line)> = wrong.trace.steps.iter().map(line).collect();
            let run = Run {
                findings: vec![wrong.finding.clone()],
                states: states.len(),
                chart: draw(&steps),
                steps,
                observed: wrong.observed.clone(),
                sessions: (0..protocol.transactions()).map(|t| protocol.session(t)).collect(),
            };
            runs.push((states, run));
        }
        Outcome {
            transactions: protocol.transactions(),
            resources: protocol.resources(),
            states: self.states,
            depth: self.depth,
            levels: self.levels.clone(),
            invariants: self.invariants.clone(),
            termination: self.termination,
            complete: self.complete,
            stopped: self.stopped.clone(),
            runs: runs.into_iter().map(|(_, run)| run).collect(),
        }
    }
}
