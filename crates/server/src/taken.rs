//! The history of a store as its status page shows it: taken from time to time, with the last anomalies in it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hobgoblin_check::{Limits, Suspects};
use hobgoblin_core::{History, Witness};
use hobgoblin_front::{Error, Stats};
use hobgoblin_report::{Anomaly, Rows, RowsAsked, Table};

use crate::run::Run;

/// How many anomalies are shown, the last ones.
const ANOMALIES: usize = 5;
/// How many that may be some are looked at, and for how long.
const SUSPECTS: usize = 40;
const PATIENCE: Duration = Duration::from_secs(1);
/// In a history with more transactions than this no anomalies are looked for.
const MOST: usize = 50_000;
/// The history is taken again after this time, or after so many times what taking it took: sessions wait meanwhile.
const REST: Duration = Duration::from_secs(1);
const RESTS: u32 = 20;

/// A history that was taken.
#[derive(Debug)]
pub(crate) struct Taken {
    /// The number of the store, and how many transactions had ended in it.
    of: (u32, u64),
    at: Instant,
    cost: Duration,
    rows: Rows,
    pub(crate) table: Table,
    pub(crate) anomalies: Vec<Anomaly>,
    /// What a reader should know beside.
    pub(crate) note: Option<String>,
}

/// The one that was taken last.
#[derive(Debug, Default)]
pub(crate) struct LastTaken(Mutex<Option<Arc<Taken>>>);

impl LastTaken {
    /// The history of a store, as it is now or was a short while ago.
    pub(crate) fn of(&self, run: &Run, stats: &Stats) -> Result<Arc<Taken>, Error> {
        // Who comes meanwhile waits, and has the same.
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = (run.number, stats.committed + stats.aborted + stats.refused);
        if let Some(taken) = &*last {
            let is_fresh = taken.at.elapsed() < REST.max(taken.cost * RESTS);
            if taken.of == of || (taken.of.0 == of.0 && is_fresh) {
                return Ok(taken.clone());
            }
        }
        let start = Instant::now();
        let history = run.store.history()?;
        let cost = start.elapsed();
        let number = last.as_ref().map_or(1, |taken| taken.rows.number() + 1);
        let witnesses = anomalies(&history);
        let seen: Vec<&Witness> = witnesses.iter().collect();
        let anomalies = seen.iter().map(|witness| Anomaly::of(&history, witness)).collect();
        let table = Table::served(&history, &seen, number);
        let note = (history.num_txns() > MOST).then(|| {
            format!(
                "No anomalies are looked for in more than {MOST} transactions; `hob check` does."
            )
        });
        let rows = Rows::of(history, &table, number);
        let taken = Taken { of, at: Instant::now(), cost, rows, table, anomalies, note };
        Ok(last.insert(Arc::new(taken)).clone())
    }

    /// Some transactions of the last one.
    pub(crate) fn rows(&self, asked: &RowsAsked) -> Result<String, u64> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        last.map_or(Err(0), |taken| taken.rows.page(asked))
    }
}

/// What a serial database would not have shown, the last first.
fn anomalies(history: &History) -> Vec<Witness> {
    if history.num_txns() > MOST {
        return Vec::new();
    }
    let suspects = Suspects::of(history, |_| false);
    let mut last: Vec<_> = suspects.all().iter().collect();
    last.sort_by_key(|suspect| std::cmp::Reverse(suspect.txns.last().copied()));
    let limits = Limits::time(PATIENCE);
    let mut found: Vec<Witness> = Vec::new();
    for suspect in last.into_iter().take(SUSPECTS) {
        if found.len() == ANOMALIES || limits.check().is_err() {
            break;
        }
        let is_told = |witness: &Witness| found.iter().any(|known| known.txns == witness.txns);
        if let Some(witness) = suspects.witness(suspect, &limits).filter(|w| !is_told(w)) {
            found.push(witness);
        }
    }
    found
}
