//! Every state, breadth first.
//!
//! States are kept once, by their representative. Those of one depth are expanded before any of the next, so the
//! first state in which something is wrong is as near to the beginning as any. Of each depth, threads first take the
//! steps of all its states, with what was seen before only read, and then put what is new into the shards, each
//! filled by one thread in the order of the states it came from: what is found does not depend on the threads.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

use hobgoblin_check::Limits;
use hobgoblin_core::{Level, StopReason};

use crate::found::{Answer, Finding, Found, Wrong};
use crate::isolation::{Isolation, always_holds};
use crate::observed::Observed;
use crate::options::{Options, Progress};
use crate::parallel;
use crate::protocol::{Must, Phase, Protocol};
use crate::realtime::Timed;
use crate::renaming::Renaming;
use crate::seen::{Candidate, Id, NONE, SHARDS, Seen, hash_of, shard_of};
use crate::termination::{self, Ends};
use crate::trace::{Trace, walk};

/// How many states a thread takes at a time.
const CHUNK: usize = 1 << 10;

/// How many of those are expanded before what is new is kept.
const BLOCK: usize = 1 << 6;

/// After so many steps of one state somebody asks for limits.
const MANY_STEPS: usize = 1 << 12;

/// Visits every state of a protocol, until all levels asked for are violated or a limit is reached.
///
/// A panic of the protocol is one of the findings.
pub fn search<P: Protocol>(
    protocol: &P,
    options: &Options<'_>,
    limits: &Limits,
) -> Found<P::State, P::Step> {
    if options.levels.contains(&Level::SSER) {
        let found = Search::new(&Timed(protocol), options, limits).run();
        return Timed::<P>::untimed(found);
    }
    Search::new(protocol, options, limits).run()
}

struct Search<'a, P: Protocol> {
    protocol: &'a P,
    options: &'a Options<'a>,
    limits: &'a Limits,
    renamings: Vec<Renaming>,
    seen: Seen<P::State>,
    /// What threads know of observations; each takes one while it works.
    isolations: Mutex<Vec<Isolation>>,
    noted: Noted,
}

/// What was noted of some states.
#[derive(Default)]
struct Noted {
    wrong: Vec<(Finding, Id)>,
    /// Every invariant that was asked.
    invariants: Vec<&'static str>,
    /// Whether a step leads to a state that is no further from the beginning.
    back: bool,
    stopped: Option<StopReason>,
}

impl Noted {
    fn wrong(&mut self, finding: Finding, state: Id) {
        if self.wrong.iter().all(|(known, _)| *known != finding) {
            self.wrong.push((finding, state));
        }
    }

    fn invariant(&mut self, name: &'static str) {
        if !self.invariants.contains(&name) {
            self.invariants.push(name);
        }
    }

    fn add(&mut self, later: Noted) {
        later.wrong.into_iter().for_each(|(finding, state)| self.wrong(finding, state));
        later.invariants.into_iter().for_each(|name| self.invariant(name));
        self.back |= later.back;
        self.stopped = self.stopped.take().or(later.stopped);
    }
}

/// What a thread hands back: what it noted, and what may be new, by shard.
struct Expanded<S> {
    noted: Noted,
    candidates: Vec<Vec<Candidate<S>>>,
}

impl<'a, P: Protocol> Search<'a, P> {
    fn new(protocol: &'a P, options: &'a Options<'a>, limits: &'a Limits) -> Search<'a, P> {
        let renamings = if options.symmetry { protocol.renamings() } else { Vec::new() };
        Search {
            protocol,
            options,
            limits,
            renamings,
            seen: Seen::new(),
            isolations: Mutex::default(),
            noted: Noted::default(),
        }
    }

    fn run(mut self) -> Found<P::State, P::Step> {
        if let Err(Thrown::Panic(message)) = caught(|| self.begin()) {
            // There is no state to show it with.
            self.noted.wrong(Finding::Panic(message), NONE);
        }
        let mut depth = 0;
        let mut begins = [0; SHARDS];
        let complete = loop {
            let ends: [usize; SHARDS] = std::array::from_fn(|at| self.seen.shards[at].states.len());
            if begins == ends {
                break true;
            }
            depth += 1;
            self.depth(depth, begins, ends);
            if self.noted.stopped.is_some() || self.is_decided() {
                break false;
            }
            begins = ends;
        };
        let panicked = self.noted.wrong.iter().any(|(what, _)| matches!(what, Finding::Panic(_)));
        self.found(depth, complete && !panicked)
    }

    fn begin(&mut self) {
        for state in self.protocol.initial() {
            let candidate = self.candidate(state, NONE);
            self.seen.shards[shard_of(candidate.hash)].add(candidate);
        }
    }

    /// Takes the steps of all states of one depth: in each shard, those from `begins` to `ends`.
    fn depth(&mut self, depth: usize, begins: [usize; SHARDS], ends: [usize; SHARDS]) {
        let of_shard = |shard: usize| {
            let starts = (begins[shard]..ends[shard]).step_by(CHUNK);
            starts.map(move |start| (shard, start..ends[shard].min(start + CHUNK)))
        };
        let chunks: Vec<(usize, Range<usize>)> = (0..SHARDS).flat_map(of_shard).collect();
        let mut waiting: usize = chunks.iter().map(|(_, range)| range.len()).sum();
        for block in chunks.chunks(BLOCK) {
            // Threads take longer to begin than a few states to expand.
            let threads = if waiting > CHUNK { self.options.threads } else { 1 };
            let work = |(shard, range)| self.expand(shard, range, &ends);
            let expanded = parallel::map(threads, block.to_vec(), work);
            let mut by_shard: Vec<Vec<Vec<Candidate<P::State>>>> = Vec::new();
            by_shard.resize_with(SHARDS, || Vec::with_capacity(expanded.len()));
            for Expanded { noted, candidates } in expanded {
                self.noted.add(noted);
                for (shard, candidates) in candidates.into_iter().enumerate() {
                    by_shard[shard].push(candidates);
                }
            }
            let shards = self.seen.shards.iter_mut().zip(by_shard).collect();
            parallel::map(threads, shards, |(shard, candidates)| {
                candidates.into_iter().flatten().for_each(|candidate| shard.add(candidate));
            });
            waiting -= block.iter().map(|(_, range)| range.len()).sum::<usize>();
            if let Some(watch) = self.options.watch {
                let states = self.seen.len();
                let next: usize = ends.iter().sum();
                watch(Progress { states, waiting: waiting + states - next, depth });
            }
            if self.seen.is_full() {
                self.noted.stopped = Some(StopReason::Memory);
            }
            if self.noted.stopped.is_some() {
                return;
            }
        }
    }

    /// Looks at some states, and takes their steps.
    fn expand(
        &self,
        shard: usize,
        range: Range<usize>,
        ends: &[usize; SHARDS],
    ) -> Expanded<P::State> {
        let mut candidates = Vec::new();
        candidates.resize_with(SHARDS, Vec::new);
        let mut expanded = Expanded { noted: Noted::default(), candidates };
        if let Err(reason) = self.limits.check() {
            expanded.noted.stopped = Some(reason);
            return expanded;
        }
        let free = self.isolations.lock().expect("nobody panics with it").pop();
        let mut isolation = free.unwrap_or_else(|| {
            let transactions = self.protocol.transactions();
            Isolation::new(&self.options.levels, self.options.semantics, transactions)
        });
        for at in range {
            let state = &self.seen.shards[shard].states[at];
            let id = Seen::<P::State>::id(shard, at);
            let look = || self.look(state, id, ends, &mut isolation, &mut expanded);
            match caught(look) {
                Ok(()) => {}
                Err(Thrown::Stop(reason)) => expanded.noted.stopped = Some(reason),
                Err(Thrown::Panic(message)) => expanded.noted.wrong(Finding::Panic(message), id),
            }
            if expanded.noted.stopped.is_some() {
                break;
            }
        }
        self.isolations.lock().expect("nobody panics with it").push(isolation);
        expanded
    }

    /// Looks at one state.
    fn look(
        &self,
        state: &P::State,
        id: Id,
        ends: &[usize; SHARDS],
        isolation: &mut Isolation,
        expanded: &mut Expanded<P::State>,
    ) {
        let Expanded { noted, candidates } = expanded;
        let violated = |level| noted.wrong(Finding::Level(level), id);
        if let Err(reason) = isolation.look(self.protocol, state, self.limits, violated) {
            noted.stopped = Some(reason);
            return;
        }
        let mut hear = |name: &'static str, holds: bool| {
            noted.invariant(name);
            if !holds {
                noted.wrong(Finding::Invariant(name), id);
            }
        };
        self.protocol.invariants(state, &mut Must::new(&mut hear));
        let mut steps = 0;
        self.protocol.next(state, &mut |_, next| {
            steps += 1;
            if steps % MANY_STEPS == 0
                && let Err(reason) = self.limits.check()
            {
                // The only way out of a protocol that never stops to hand out steps.
                resume_unwind(Box::new(Thrown::Stop(reason)));
            }
            let candidate = self.candidate(next, id);
            let shard = shard_of(candidate.hash);
            match self.seen.shards[shard].find(candidate.hash, &candidate.state) {
                None => candidates[shard].push(candidate),
                Some(known) => noted.back |= known < ends[shard],
            }
        });
        if steps == 0 && !has_ended(self.protocol, state) {
            noted.wrong(Finding::Deadlock, id);
        }
    }

    fn candidate(&self, state: P::State, from: Id) -> Candidate<P::State> {
        let state = match self.renamings.is_empty() {
            true => state,
            false => self.protocol.representative(&state, &self.renamings),
        };
        Candidate { hash: hash_of(&state), state, from }
    }

    /// Whether there is nothing left to find out: the protocol panicked, or every level asked for is violated. RU by
    /// states never is.
    fn is_decided(&self) -> bool {
        let wrong = |is: &dyn Fn(&Finding) -> bool| self.noted.wrong.iter().any(|(f, _)| is(f));
        let mut open = self.options.levels.iter().filter(|level| {
            !always_holds(**level, self.options.semantics)
                && !wrong(&|finding| *finding == Finding::Level(**level))
        });
        wrong(&|finding| matches!(finding, Finding::Panic(_)))
            || wrong(&|finding| matches!(finding, Finding::Level(_))) && open.next().is_none()
    }

    fn found(mut self, depth: usize, complete: bool) -> Found<P::State, P::Step> {
        let Search { protocol, options, .. } = self;
        let renamings = std::mem::take(&mut self.renamings);
        let mut stopped = self.noted.stopped.take();
        let mut wrong: Vec<_> = Vec::new();
        for (finding, id) in &self.noted.wrong {
            let path = self.seen.path(*id);
            let trace = match path.is_empty() {
                true => Trace { states: Vec::new(), steps: Vec::new() },
                false => walk(protocol, &renamings, &path),
            };
            wrong.push(of(protocol, finding.clone(), trace));
        }
        let has =
            |is: &dyn Fn(&Finding) -> bool| wrong.iter().any(|w: &Wrong<_, _>| is(&w.finding));
        let answer = |violated: bool| match (violated, complete) {
            (true, _) => Answer::Violated,
            (false, true) => Answer::Holds,
            (false, false) => Answer::Unknown,
        };
        let levels = Level::ALL.into_iter().filter(|level| options.levels.contains(level));
        let levels = levels.map(|level| match always_holds(level, options.semantics) {
            true => (level, Answer::Holds),
            false => (level, answer(has(&|finding| *finding == Finding::Level(level)))),
        });
        let levels = levels.collect();
        let invariants = self.noted.invariants.iter();
        let invariants = invariants
            .map(|&name| (name, answer(has(&|finding| *finding == Finding::Invariant(name)))));
        let invariants = invariants.collect();
        let mut termination = answer(has(&|finding| *finding == Finding::Deadlock));
        let (states, back) = (self.seen.len(), self.noted.back);
        drop(std::mem::replace(&mut self.seen, Seen::new()));
        if termination == Answer::Holds && back {
            match termination::ends(protocol, &renamings, self.limits) {
                Ok(Ends::Always) => {}
                Ok(Ends::Not { transaction, trace, from }) => {
                    termination = Answer::Violated;
                    wrong.push(of(protocol, Finding::Endless { transaction, from }, trace));
                }
                Err(reason) => {
                    termination = Answer::Unknown;
                    stopped = Some(reason);
                }
            }
        }
        Found { states, depth, levels, invariants, termination, wrong, complete, stopped }
    }
}

/// A finding with what was observed at its end.
fn of<P: Protocol>(
    protocol: &P,
    finding: Finding,
    trace: Trace<P::State, P::Step>,
) -> Wrong<P::State, P::Step> {
    let mut observed = Observed::new(protocol.transactions());
    if let (Some(last), false) = (trace.states.last(), matches!(finding, Finding::Panic(_))) {
        protocol.observed(last, &mut observed);
    }
    Wrong { finding, trace, observed }
}

/// Whether all transactions and all processes have come to their end.
fn has_ended<P: Protocol>(protocol: &P, state: &P::State) -> bool {
    protocol.is_done(state)
        && (0..protocol.transactions()).all(|t| protocol.phase(state, t) == Phase::Ended)
}

/// What left a protocol other than by its end.
enum Thrown {
    /// A limit was reached.
    Stop(StopReason),
    /// It panicked, with this message.
    Panic(String),
}

fn caught(work: impl FnOnce()) -> Result<(), Thrown> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let payload = match payload.downcast::<Thrown>() {
            Ok(thrown) => return *thrown,
            Err(payload) => payload,
        };
        let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Thrown::Panic(text.unwrap_or_else(|| "no message".to_owned()))
    })
}
