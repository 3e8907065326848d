//! Witnesses have as few transactions as can be: by brute force where there are few, and by construction where
//! a way with few edges is not the one with few transactions.

use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Conclusion, History, HistoryBuilder, Kind, Level, TxnId, TxnInfo, Verdict};
use hobgoblin_core::{Target, Witness};
use hobgoblin_gen::transform::restrict;
use hobgoblin_gen::{SmallParams, random_history};
use hobgoblin_oracle::brute;

/// How many times the histories of `make test` to run: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// The witness of a violation, verified.
fn witness(history: &History, level: Level, label: &str) -> Option<Box<Witness>> {
    let verdict = check(history, level, &Limits::none());
    verify(history, level, &verdict)
        .unwrap_or_else(|e| panic!("{label} at {level}: {e}: {verdict:?}"));
    match verdict {
        Verdict::Violation(witness) => Some(witness),
        Verdict::Consistent(_) | Verdict::Unknown(_) => None,
    }
}

/// The size of a smallest part below `most` that violates a level, or `most`.
fn smallest(history: &History, target: Target, most: usize) -> usize {
    let txns: Vec<TxnId> = history.txns().collect();
    let smaller = (1u32..1 << txns.len()).filter(|set| (set.count_ones() as usize) < most);
    let violates = |set: &u32| {
        let kept = txns.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, &t)| t);
        let part = restrict(history, kept).expect("it is well formed");
        !brute::satisfies(&part, target)
    };
    smaller.filter(violates).map(|set| set.count_ones() as usize).min().unwrap_or(most)
}

#[test]
fn small_histories_have_smallest_witnesses() {
    let (mut all, mut larger) = (0, Vec::new());
    for seed in 0..300 * scale() {
        let params = SmallParams {
            txns: 8,
            sessions: 2 + (seed % 4) as u32,
            keys: 2 + (seed % 3) as u32,
            events: 3,
            faults: false,
            ..SmallParams::default()
        };
        let history = random_history(seed, &params);
        for level in Level::ALL {
            let Some(witness) = witness(&history, level, &format!("seed {seed}")) else { continue };
            if matches!(witness.proof.conclusion, Conclusion::Read(_)) {
                continue;
            }
            assert!(witness.minimal, "seed {seed} at {level}: {witness:?}");
            all += 1;
            let (size, least) =
                (witness.txns.len(), smallest(&history, level.into(), witness.txns.len()));
            if least < size {
                larger.push((seed, level, size, least));
            }
        }
    }
    eprintln!("{} of {all} witnesses are not the smallest: {larger:?}", larger.len());
    assert!(all > 100 && larger.len() * 50 <= all, "{} of {all}", larger.len());
}

/// Writes histories of transactions that each read some values and write some.
#[derive(Default)]
struct Script {
    builder: HistoryBuilder,
    fillers: i64,
}

impl Script {
    fn txn(&mut self, session: &str, reads: &[(&str, i64)], writes: &[(&str, i64)]) {
        let session = self.builder.session(&session.into());
        self.builder.begin(session);
        let reads = reads.iter().map(|event| (Kind::Read, event));
        for (kind, &(key, value)) in reads.chain(writes.iter().map(|e| (Kind::Write, e))) {
            let key = self.builder.key(&key.into());
            self.builder.event_int(kind, key, value);
        }
        self.builder.end(TxnInfo::default()).expect("it is well formed");
    }

    /// Fifty transactions of a session that have nothing to do with anything.
    fn idle(&mut self, session: &str) {
        for _ in 0..50 {
            self.fillers += 1;
            self.txn(session, &[], &[(&format!("idle {session}"), self.fillers)]);
        }
    }

    /// Five transactions that hand on what the first of these names was written with; who reads the last one has the
    /// writer of the first in its past.
    fn hand_on(&mut self, names: [&str; 6]) {
        for pair in names.windows(2) {
            self.txn(&format!("session {}", pair[1]), &[(pair[0], 1)], &[(pair[1], 1)]);
        }
    }

    fn finish(mut self) -> History {
        for key in ["x", "y"] {
            let key = self.builder.key(&key.into());
            self.builder.initial(key, &0.into()).expect("it is well formed");
        }
        self.builder.finish().expect("it is well formed")
    }
}

/// The reader is far behind the writer in its session, and near to it by way of others.
fn causality_violation() -> History {
    let mut script = Script::default();
    script.txn("writer", &[], &[("x", 1), ("a", 1)]);
    script.hand_on(["a", "b", "c", "d", "e", "f"]);
    script.idle("writer");
    script.txn("writer", &[], &[("y", 1)]);
    script.txn("reader", &[("f", 1), ("y", 1), ("x", 0)], &[]);
    script.finish()
}

/// Either reader sees one of two writes, by its own session and by way of others.
fn long_fork() -> History {
    let mut script = Script::default();
    script.txn("left", &[], &[("x", 1), ("a", 1)]);
    script.txn("right", &[], &[("y", 1), ("g", 1)]);
    script.hand_on(["a", "b", "c", "d", "e", "f"]);
    script.hand_on(["g", "h", "i", "j", "k", "l"]);
    script.idle("left");
    script.idle("right");
    script.txn("left", &[("f", 1), ("y", 0)], &[]);
    script.txn("right", &[("l", 1), ("x", 0)], &[]);
    script.finish()
}

#[test]
fn a_way_through_a_session_takes_two_transactions() {
    let levels = [Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER];
    for (history, name, size) in
        [(causality_violation(), "causality violation", 3), (long_fork(), "long fork", 4)]
    {
        let violated = levels.into_iter().filter_map(|level| witness(&history, level, name));
        let sizes: Vec<usize> = violated.map(|witness| witness.txns.len()).collect();
        assert!(sizes.len() >= 3 && sizes.iter().all(|&found| found == size), "{name}: {sizes:?}");
    }
}
