//! The usual names of anomalies, read off the proof of a violation.

use hobgoblin_core::{
    Anomaly, Conclusion, Edge, Event, Fault, History, Level, Proof, Reason, Source, Target, TxnId,
};

/// What went wrong, by name.
pub(crate) fn name(history: &History, target: Target, proof: &Proof) -> Anomaly {
    let cycle = match &proof.conclusion {
        Conclusion::Read(event) => {
            return match history.source(*event) {
                Source::Fault(Fault::Aborted) => Anomaly::AbortedRead,
                Source::Fault(Fault::Intermediate) => Anomaly::IntermediateRead,
                Source::Fault(Fault::OwnLaterWrite) => Anomaly::FutureRead,
                Source::Fault(Fault::InternalMismatch) => Anomaly::InternalRead,
                _ => Anomaly::ThinAirRead,
            };
        }
        Conclusion::Cycle(cycle) => cycle,
        Conclusion::Sources { cases, .. } => {
            return cases.first().map_or(Anomaly::DependencyCycle, |(_, p)| name(history, target, p));
        }
        Conclusion::Search => return Anomaly::DependencyCycle,
    };
    let names = std::iter::once(cycle.as_slice()).chain(proof.steps.iter().filter_map(|step| {
        match &step.otherwise.conclusion {
            Conclusion::Cycle(cycle) => Some(cycle.as_slice()),
            _ => None,
        }
    }));
    // The cycles of the proof are facets of one anomaly; the most particular name says most.
    let inferred = !proof.steps.is_empty();
    let names = names.map(|cycle| match name_cycle(history, target, cycle) {
        // Names of what weaker levels forbid do not fit where they hold, and the version order that
        // makes the cycle follows only from this level.
        Anomaly::NonMonotonicRead
        | Anomaly::NonRepeatableRead
        | Anomaly::FracturedRead
        | Anomaly::ReadYourWrites
            if inferred && target != Target::Level(Level::RC) && target != Target::Level(Level::RA) =>
        {
            match target {
                Target::Level(Level::CC) => Anomaly::CausalityViolation,
                _ => Anomaly::ReadSkew,
            }
        }
        name => name,
    });
    let plain = |a: &Anomaly| {
        matches!(a, Anomaly::WriteCycle | Anomaly::DependencyCycle | Anomaly::ReadSkew)
    };
    let names: Vec<Anomaly> = names.collect();
    let particular = names.iter().find(|a| !plain(a));
    let skew = names.iter().find(|&&a| a == Anomaly::ReadSkew);
    particular.or(skew).copied().unwrap_or(names[0])
}

fn level(history: &History, target: Target, txn: TxnId) -> Level {
    match target {
        Target::Level(level) => level,
        Target::Mixed(other) => history.level(txn).unwrap_or(other),
    }
}

fn name_cycle(history: &History, target: Target, cycle: &[Edge]) -> Anomaly {
    let is_rw = |e: &&Edge| matches!(e.why, Reason::Overwrite(_));
    let is_ww = |e: &&Edge| matches!(e.why, Reason::Write(_));
    let reversals = cycle.iter().filter(is_rw).count();
    if cycle.iter().any(|e| e.why == Reason::RealTime) {
        return Anomaly::RealTimeViolation;
    }
    if reversals == 0 {
        return match cycle.iter().any(|e| is_ww(&e)) {
            true => Anomaly::WriteCycle,
            false => Anomaly::CircularInformationFlow,
        };
    }
    if let Some(name) = lost_update(history, cycle) {
        return name;
    }
    if reversals == 1 {
        let at = cycle.iter().position(|e| is_rw(&e)).expect("there is one");
        let back: Vec<&Edge> = (1..cycle.len()).map(|i| &cycle[(at + i) % cycle.len()]).collect();
        return saw_more(history, target, cycle[at], &back);
    }
    let n = cycle.len();
    let adjacent = (0..n).any(|i| is_rw(&&cycle[i]) && is_rw(&&cycle[(i + 1) % n]));
    if !adjacent {
        return Anomaly::LongFork;
    }
    let read_only = |t: TxnId| !history.events(t).iter().any(|e: &Event| e.is_write());
    if reversals == 2 && n == 3 && cycle.iter().any(|e| is_rw(&e) && read_only(e.from)) {
        return Anomaly::ReadOnlyAnomaly;
    }
    if reversals == n { Anomaly::WriteSkew } else { Anomaly::DependencyCycle }
}

/// Two transactions, each of which read a version of a key that both replaced.
fn lost_update(history: &History, cycle: &[Edge]) -> Option<Anomaly> {
    let [a, b] = cycle else { return None };
    let key = |e: &Edge| match e.why {
        Reason::Overwrite(read) => Some(history.event(read).key()),
        Reason::Write(key) => Some(key),
        _ => None,
    };
    let same = key(a).is_some() && key(a) == key(b);
    let read = |e: &Edge| matches!(e.why, Reason::Overwrite(_));
    (same && (read(a) || read(b))).then_some(Anomaly::LostUpdate)
}

/// A reader that saw a transaction, by `back`, and read a version older than that one's.
fn saw_more(history: &History, target: Target, rw: Edge, back: &[&Edge]) -> Anomaly {
    let Reason::Overwrite(read) = rw.why else { return Anomaly::ReadSkew };
    let key = history.event(read).key();
    match back {
        [Edge { why: Reason::Read(earlier), .. }] => {
            let same_key = history.event(*earlier).key() == key;
            match (same_key, *earlier < read) {
                (true, true) => Anomaly::NonMonotonicRead,
                (true, false) => Anomaly::NonRepeatableRead,
                _ => Anomaly::FracturedRead,
            }
        }
        [Edge { why: Reason::Session, .. }] => Anomaly::ReadYourWrites,
        _ if back.iter().any(|e| matches!(e.why, Reason::Write(_) | Reason::RealTime)) => {
            Anomaly::ReadSkew
        }
        [Edge { why: Reason::Read(_), .. }, Edge { why: Reason::Session, to, .. }]
            if *to == rw.from && level(history, target, rw.from).implies(Level::CC) =>
        {
            Anomaly::NonMonotonicSession
        }
        _ => Anomaly::CausalityViolation,
    }
}
