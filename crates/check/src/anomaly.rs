//! The usual names of anomalies, read off the proof of a violation.

use hobgoblin_core::{
    Anomaly, Conclusion, Edge, Event, Fault, History, Level, Proof, Reason, Source, TxnId,
};

/// What went wrong, by name. `weakest` is the weakest level that the transactions of the proof violate:
/// names of what a level forbids do not fit where it holds.
pub(crate) fn name(history: &History, weakest: Level, proof: &Proof) -> Anomaly {
    match &proof.conclusion {
        Conclusion::Read(event) => match history.source(*event) {
            Source::Fault(Fault::Aborted) => Anomaly::AbortedRead,
            Source::Fault(Fault::Intermediate) => Anomaly::IntermediateRead,
            Source::Fault(Fault::OwnLaterWrite) => Anomaly::FutureRead,
            Source::Fault(Fault::InternalMismatch) => Anomaly::InternalRead,
            _ => Anomaly::ThinAirRead,
        },
        Conclusion::Cycle(cycle) => {
            let name = name_cycle(history, weakest, cycle);
            if fits(weakest, name) {
                return name;
            }
            // Versions are in a circle, or in this order, because a read, in some step, puts one before
            // another.
            let steps = proof.steps.iter().rev();
            let steps = steps.filter_map(|step| match &step.otherwise.conclusion {
                Conclusion::Cycle(cycle) => Some(name_cycle(history, weakest, cycle)),
                _ => None,
            });
            let otherwise = if only_serial(weakest) { Anomaly::DependencyCycle } else { name };
            steps.into_iter().find(|&n| fits(weakest, n)).unwrap_or(otherwise)
        }
        Conclusion::Sources { cases, .. } => {
            cases.first().map_or(Anomaly::DependencyCycle, |(_, p)| name(history, weakest, p))
        }
        Conclusion::Search => Anomaly::DependencyCycle,
    }
}

/// Whether a name may be that of a circle, whichever levels hold.
pub(crate) fn fits_circle(history: &History, name: Anomaly, circle: &[Edge]) -> bool {
    let levels = [Level::RC, Level::CC, Level::SI, Level::SER];
    levels.into_iter().any(|weakest| name_cycle(history, weakest, circle) == name)
}

/// Whether a name says what is wrong. A circle of versions says too little, and where SI holds, what SI
/// forbids is an artifact of the proof's order of steps.
fn fits(weakest: Level, name: Anomaly) -> bool {
    match name {
        Anomaly::WriteCycle => false,
        Anomaly::WriteSkew
        | Anomaly::ReadOnlyAnomaly
        | Anomaly::DependencyCycle
        | Anomaly::RealTimeViolation => true,
        _ => !only_serial(weakest),
    }
}

/// Whether a level is the weakest that is violated when SI holds.
fn only_serial(weakest: Level) -> bool {
    match weakest {
        Level::SER => true,
        Level::RU | Level::RC | Level::RA | Level::CC => false,
        Level::PC | Level::PSI | Level::SI | Level::SSER => false,
    }
}

fn name_cycle(history: &History, weakest: Level, cycle: &[Edge]) -> Anomaly {
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
        return saw_more(history, weakest, cycle[at], &back);
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

/// Two transactions, each of which read a version of a key that both replaced. That the second replaced the
/// first's it may have learned by a locking read.
fn lost_update(history: &History, cycle: &[Edge]) -> Option<Anomaly> {
    let [a, b] = cycle else { return None };
    let key = |e: &Edge| match e.why {
        Reason::Overwrite(read) => Some(history.event(read).key()),
        Reason::Write(key) => Some(key),
        Reason::Read(read) if history.is_locking(read) => {
            let key = history.event(read).key();
            let writes = |event: &Event| event.is_write() && event.key() == key;
            history.events(e.to).iter().any(writes).then_some(key)
        }
        _ => None,
    };
    let same = key(a).is_some() && key(a) == key(b);
    let read = |e: &Edge| matches!(e.why, Reason::Overwrite(_));
    (same && (read(a) || read(b))).then_some(Anomaly::LostUpdate)
}

/// A reader that saw a transaction, by `back`, and read a version older than that one's.
fn saw_more(history: &History, weakest: Level, rw: Edge, back: &[&Edge]) -> Anomaly {
    let Reason::Overwrite(read) = rw.why else { return Anomaly::ReadSkew };
    let key = history.event(read).key();
    match (weakest, back) {
        (Level::RC | Level::RA, [Edge { why: Reason::Read(earlier), .. }]) => {
            let same_key = history.event(*earlier).key() == key;
            match (same_key, *earlier < read) {
                (true, true) => Anomaly::NonMonotonicRead,
                (true, false) => Anomaly::NonRepeatableRead,
                _ => Anomaly::FracturedRead,
            }
        }
        (Level::RC | Level::RA, [Edge { why: Reason::Session, .. }]) => Anomaly::ReadYourWrites,
        (Level::CC, [Edge { why: Reason::Read(_), .. }, Edge { why: Reason::Session, .. }]) => {
            Anomaly::NonMonotonicSession
        }
        (Level::RC | Level::RA | Level::CC, _) => Anomaly::CausalityViolation,
        (Level::RU | Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER, _) => {
            Anomaly::ReadSkew
        }
    }
}
