//! Histories as streams of transactions, and as a whole.

use std::collections::VecDeque;

use hobgoblin_core::{History, HistoryBuilder, TxnInfo};

use crate::dirty::Dirty;
use crate::error::GenError;
use crate::inject::Injection;
use crate::log::Log;
use crate::params::{Order, Params};
use crate::store::Store;
use crate::txn::GenTxn;

/// Generates a history, one transaction at a time, in memory that does not grow with the history.
///
/// ```
/// use hobgoblin_gen::{Generator, Params};
///
/// let mut generator = Generator::new(&Params { transactions: 3, ..Params::default() })?;
/// let mut events = 0;
/// while let Some(txn) = generator.next_txn() {
///     events += txn.ops.len();
/// }
/// assert_eq!(events, 30);
/// # Ok::<(), hobgoblin_gen::GenError>(())
/// ```
#[derive(Debug)]
pub struct Generator {
    source: Source,
    txn: GenTxn,
}

#[derive(Debug)]
enum Source {
    Log(Box<Arrivals<Log>>),
    Dirty(Box<Arrivals<Dirty>>),
    BySession(Box<BySession>),
}

impl Generator {
    /// A generator of the history that these parameters describe.
    pub fn new(params: &Params) -> Result<Generator, GenError> {
        params.validate()?;
        // One session's transactions arrive in session order.
        let grouped = params.order == Order::Session && params.sessions > 1;
        let source = if grouped {
            Source::BySession(Box::new(BySession::new(params)?))
        } else {
            let injection = params.anomaly.map(|anomaly| Injection::new(anomaly, params));
            let random = params.transactions - injection.as_ref().map_or(0, Injection::len);
            if !params.level.has_axiom() {
                let store = Dirty::new(params, random);
                Source::Dirty(Box::new(Arrivals::new(store, random, injection)))
            } else {
                Source::Log(Box::new(Arrivals::new(Log::new(params), random, injection)))
            }
        };
        Ok(Generator { source, txn: GenTxn::default() })
    }

    /// The next transaction, or none at the end. Its buffers are used again for the one after.
    pub fn next_txn(&mut self) -> Option<&GenTxn> {
        let txn = &mut self.txn;
        let more = match &mut self.source {
            Source::Log(arrivals) => arrivals.next(txn),
            Source::Dirty(arrivals) => arrivals.next(txn),
            Source::BySession(sessions) => sessions.next(txn),
        };
        more.then_some(&self.txn)
    }
}

/// The transactions of a store, as they end, with an anomaly somewhere in the middle third.
#[derive(Debug)]
struct Arrivals<S> {
    store: S,
    /// How many random transactions are still to come.
    left: u32,
    injection: Option<Injection>,
    /// The anomaly comes when so many random transactions are left.
    inject_at: u32,
    queue: VecDeque<GenTxn>,
}

impl<S: Store> Arrivals<S> {
    fn new(mut store: S, random: u32, injection: Option<Injection>) -> Self {
        let third = random / 3;
        let inject_at = match injection {
            Some(_) => third + store.choose().rng.below(random - 2 * third),
            None => 0,
        };
        Arrivals { store, left: random, injection, inject_at, queue: VecDeque::new() }
    }

    fn next(&mut self, txn: &mut GenTxn) -> bool {
        if self.left <= self.inject_at
            && let Some(injection) = &self.injection
        {
            // Transactions that are running end before the anomaly.
            if self.left > 0 && self.store.drain(txn) {
                self.left -= 1;
                return true;
            }
            injection.run(&mut self.store, &mut self.queue);
            self.injection = None;
        }
        if let Some(scripted) = self.queue.pop_front() {
            *txn = scripted;
            return true;
        }
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.store.next(txn);
        true
    }
}

/// The same transactions, session after session.
///
/// The history is generated several times over, and each pass keeps the transactions of as many
/// sessions as fit a buffer of about [`BUFFERED`] events, so memory stays bounded.
#[derive(Debug)]
struct BySession {
    params: Params,
    /// The first session that the buffer does not hold.
    next: u32,
    per_pass: u32,
    /// Transactions in reverse order.
    buffer: Vec<GenTxn>,
}

/// How many events a pass keeps, about.
const BUFFERED: u64 = 4_000_000;

impl BySession {
    fn new(params: &Params) -> Result<BySession, GenError> {
        let params = Params { order: Order::Arrival, ..params.clone() };
        let per_txn = (u64::from(params.min_events) + u64::from(params.max_events)) / 2 + 1;
        let events = u64::from(params.transactions) * per_txn;
        let per_pass = u64::from(params.sessions) * BUFFERED / events.max(1);
        let per_pass = per_pass.clamp(1, u64::from(params.sessions)) as u32;
        Ok(BySession { params, next: 0, per_pass, buffer: Vec::new() })
    }

    fn next(&mut self, txn: &mut GenTxn) -> bool {
        while self.buffer.is_empty() && self.next < self.params.sessions {
            self.fill();
        }
        match self.buffer.pop() {
            Some(next) => {
                *txn = next;
                true
            }
            None => false,
        }
    }

    fn fill(&mut self) {
        let sessions = self.next..self.next.saturating_add(self.per_pass);
        let mut generator =
            Generator::new(&self.params).expect("the parameters have been checked before");
        while let Some(txn) = generator.next_txn() {
            if sessions.contains(&txn.session) {
                self.buffer.push(txn.clone());
            }
        }
        self.buffer.sort_by_key(|txn| txn.session);
        self.buffer.reverse();
        self.next = sessions.end;
    }
}

/// Generates a whole history. Keys and sessions are called by their numbers, and every key starts as 0.
pub fn build(params: &Params) -> Result<History, GenError> {
    let mut generator = Generator::new(params)?;
    let mut builder = HistoryBuilder::new();
    let mut used = vec![false; params.keys as usize];
    while let Some(txn) = generator.next_txn() {
        let session = builder.session(&i64::from(txn.session).into());
        builder.begin(session);
        for op in &txn.ops {
            let key = builder.key_int(i64::from(op.key));
            if !std::mem::replace(&mut used[op.key as usize], true) {
                builder.initial(key, &0.into())?;
            }
            builder.event_int(op.kind, key, op.value);
        }
        builder.end(TxnInfo {
            status: txn.status,
            begin: txn.times.map(|(begin, _)| begin),
            end: txn.times.map(|(_, end)| end),
            ..TxnInfo::default()
        })?;
    }
    Ok(builder.finish()?)
}
