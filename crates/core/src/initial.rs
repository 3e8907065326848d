//! Initial transactions that are written out.
//!
//! Some tools put the initial state of the database into their files as a transaction:
//!
//! ```text
//! s0: t0 { w(x)=0 w(y)=0 }          this is init
//! s1: t1 { r(x)=0 w(y)=1 }          so t1 and t2 both read the initial state, which is write skew
//! s2: t2 { r(y)=0 w(x)=1 }
//! ```
//!
//! Taken for one like any other, t0 might commit between or after the others, and the history would be
//! serializable. So what it writes becomes the writes of [`TxnId::INIT`]. The transaction keeps its place, without
//! events, so that all are numbered as in the file; and what was taken from it is kept, for whoever knows better
//! ([`History::initial_txns_apart`]).

use std::ops::Range;

use crate::builder::HistoryBuilder;
use crate::error::HistoryError;
use crate::event::Status;
use crate::history::History;
use crate::ids::{EventId, TxnId};
use crate::sides::{InitialTxns, put};
use crate::sort::sort_dedup;
use crate::value::{Packed, Value, Values};

impl HistoryBuilder {
    /// The transactions that can be the initial one, where keys start as `value`: committed, first in
    /// their session, and all they do is to write that value to every key there is, once. Where several fit,
    /// those that are alone in their session do.
    pub fn find_initial(&mut self, value: &Value) -> Result<Vec<TxnId>, HistoryError> {
        self.gather()?;
        let value = self.values.pack(value);
        let mut txns = vec![(TxnId::INIT, 0u32); self.sessions.names.len()];
        for (t, &session) in self.txn_session.iter().enumerate().skip(1) {
            let (first, count) = &mut txns[session as usize];
            if *count == 0 {
                *first = TxnId::new(t);
            }
            *count += 1;
        }
        let keys = self.keys.names.len();
        let mut seen_in = vec![TxnId::INIT; keys];
        let mut writes_all = |txn: TxnId| {
            let events = &self.events[range(&self.event_start, txn.index())];
            let mut count = 0;
            let fits = events.len() == keys
                && events.iter().all(|event| {
                    let seen = &mut seen_in[event.key().index()];
                    count += usize::from(*seen != txn);
                    *seen = txn;
                    event.is_write() && self.datums.value(event.datum) == value
                });
            fits && count == keys
        };
        txns.retain(|&(txn, count)| {
            count > 0
                && keys > 0
                && self.status[txn.index()] == Status::Committed
                && writes_all(txn)
        });
        if txns.len() > 1 {
            txns.retain(|&(_, count)| count == 1);
        }
        Ok(txns.into_iter().map(|(txn, _)| txn).collect())
    }

    /// Makes a transaction the initial one: what it wrote is what keys start as, who read from it read from
    /// [`TxnId::INIT`], and in the finished history it has no events of its own.
    pub fn make_initial(&mut self, txn: TxnId) {
        self.initial_txns.push(txn);
    }

    /// Takes the events of the initial transactions away; see [`HistoryBuilder::make_initial`].
    pub(crate) fn take_initial_txns(&mut self) {
        if self.initial_txns.is_empty() {
            return;
        }
        let mut txns = std::mem::take(&mut self.initial_txns);
        sort_dedup(&mut txns);
        let mut taken =
            InitialTxns { txns, initial: self.initial.clone(), ..InitialTxns::default() };
        let mut moved = Vec::with_capacity(self.events.len());
        let mut kept = Vec::with_capacity(self.events.len());
        for t in 0..self.status.len() {
            let events = range(&self.event_start, t);
            self.event_start[t] = kept.len() as u32;
            if taken.txns.binary_search(&TxnId::new(t)).is_err() {
                moved
                    .extend((kept.len()..kept.len() + events.len()).map(|e| Some(EventId::new(e))));
                kept.extend_from_slice(&self.events[events]);
                continue;
            }
            moved.extend(events.clone().map(|_| None));
            taken.counts.push(events.len());
            let lines = &self.sides.event_line;
            taken.lines.extend(events.clone().map(|e| lines.get(e).copied().unwrap_or(0)));
            for event in &self.events[events] {
                taken.events.push(*event);
                if event.is_write() {
                    let value = self.datums.value(event.datum);
                    put(&mut self.initial, event.key().index(), Some(value));
                }
            }
        }
        *self.event_start.last_mut().expect("one start per transaction and one more") =
            kept.len() as u32;
        self.events = kept;
        self.sides.move_events(&|event| moved[event.index()]);
        for (&event, writer) in self.sides.writer.iter_mut() {
            if taken.txns.binary_search(writer).is_ok() {
                taken.writers.push((event, *writer));
                *writer = TxnId::INIT;
            }
        }
        self.sides.initial_txns = Some(Box::new(taken));
    }
}

fn range(event_start: &[u32], t: usize) -> Range<usize> {
    event_start[t] as usize..event_start[t + 1] as usize
}

impl History {
    /// The transactions by which the file wrote out what keys start as, if it did: they *are* init, and
    /// have no events of their own.
    #[doc(hidden)]
    pub fn initial_txns(&self) -> &[TxnId] {
        self.sides.initial_txns.as_ref().map_or(&[], |taken| &taken.txns)
    }

    /// The same history with its initial transactions as transactions like any other.
    #[doc(hidden)]
    pub fn initial_txns_apart(mut self) -> History {
        let Some(taken) = self.sides.initial_txns.take() else { return self };
        self.start_as(&taken.initial);
        for &(event, writer) in &taken.writers {
            self.sides.writer.insert(event, writer);
        }
        let mut events = Vec::with_capacity(self.events.len() + taken.events.len());
        let mut moved = Vec::with_capacity(self.events.len());
        let (mut back, mut lines) = (taken.events.iter(), Vec::new());
        let mut counts = taken.counts.iter();
        for t in 0..self.status.len() {
            let own = range(&self.event_start, t);
            self.event_start[t] = events.len() as u32;
            moved.extend(own.clone().map(|e| EventId::new(events.len() + e - own.start)));
            events.extend_from_slice(&self.events[own]);
            if taken.txns.binary_search(&TxnId::new(t)).is_ok() {
                let count = *counts.next().expect("every transaction was counted");
                for event in back.by_ref().take(count) {
                    lines.push((events.len(), taken.lines[lines.len()]));
                    events.push(*event);
                }
            }
        }
        *self.event_start.last_mut().expect("one start per transaction and one more") =
            events.len() as u32;
        self.events = events;
        self.sides.move_events(&|event| Some(moved[event.index()]));
        for (event, line) in lines {
            put(&mut self.sides.event_line, event, line);
        }
        self.resolve_again();
        self
    }

    /// Gives keys other initial values.
    fn start_as(&mut self, initial: &[Option<Packed>]) {
        let at = |key: usize| initial.get(key).copied().flatten();
        let value = |key: usize| at(key).unwrap_or(Values::NULL);
        let mut datums = vec![None; self.keys.len()];
        for event in &self.events {
            let key = event.key().index();
            if self.datum_value[event.datum as usize] == value(key) {
                datums[key] = Some(event.datum);
            }
        }
        for (key, datum) in datums.into_iter().enumerate() {
            self.initial_given[key] = at(key).is_some();
            if self.datum_value[self.initial[key] as usize] == value(key) {
                continue;
            }
            self.initial[key] = datum.unwrap_or_else(|| {
                self.datum_value.push(value(key));
                self.datum_value.len() as u32 - 1
            });
        }
    }

    /// Reads `wr` off the values once more.
    fn resolve_again(&mut self) {
        self.shared.clear();
        self.faults.clear();
        self.ambiguous.clear();
        self.counts = self.status.iter().map(|&s| s == Status::Committed).collect();
        self.find_final_writes();
        self.find_sources();
        self.count_unknown();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Kind;
    use crate::history::Source;
    use crate::info::{EventInfo, TxnInfo, Writer};

    /// Adds a transaction of writes (key, value) to a session.
    fn writes(b: &mut HistoryBuilder, session: i64, writes: &[(i64, i64)]) -> TxnId {
        let session = b.session_int(session);
        b.begin(session);
        for &(key, value) in writes {
            let key = b.key_int(key);
            let event = b.event_int(Kind::Write, key, value);
            b.event_line(event, 100 * key.raw() + 7);
        }
        b.end(TxnInfo::default()).expect("good")
    }

    #[test]
    fn what_writes_zero_everywhere_is_found() {
        type Txns<'a> = &'a [(i64, &'a [(i64, i64)])];
        let cases: [(Txns<'_>, &[usize]); 9] = [
            (&[(0, &[(1, 0), (2, 0)]), (1, &[(1, 5)])], &[1]),
            (&[(1, &[(1, 5)]), (0, &[(1, 0), (2, 0)]), (0, &[(2, 1)])], &[2]),
            // A key twice; not first in its session; not every key; another value.
            (&[(1, &[(1, 5)]), (0, &[(1, 0), (2, 0), (1, 0)]), (0, &[(2, 1)])], &[]),
            (&[(0, &[(1, 5)]), (0, &[(1, 0)])], &[]),
            (&[(0, &[(1, 0)]), (1, &[(2, 5)])], &[]),
            (&[(0, &[(1, 0), (2, 1)]), (1, &[(2, 5)])], &[]),
            // Several: those alone in their session.
            (&[(0, &[(1, 0)]), (0, &[(1, 3)]), (1, &[(1, 0)]), (2, &[(1, 0)])], &[3, 4]),
            (&[(0, &[(1, 0)]), (0, &[(1, 3)]), (1, &[(1, 0)]), (1, &[(1, 4)])], &[]),
            (&[], &[]),
        ];
        for (txns, expected) in cases {
            let mut b = HistoryBuilder::new();
            for (session, events) in txns {
                writes(&mut b, *session, events);
            }
            let found = b.find_initial(&Value::Int(0)).expect("good");
            let found: Vec<usize> = found.iter().map(|t| t.index()).collect();
            assert_eq!(found, expected, "{txns:?}");
        }
    }

    /// A history with an initial transaction, which is its second.
    fn sample(make_initial: bool) -> History {
        let mut b = HistoryBuilder::new();
        writes(&mut b, 1, &[(2, 9)]);
        let first = writes(&mut b, 0, &[(1, 30), (1, 40), (2, 50)]);
        let (s, x, y) = (b.session_int(2), b.key_int(1), b.key_int(2));
        b.begin(s);
        let e = b.event_int(Kind::Read, x, 40);
        let writer = Some(Writer::Txn(first));
        b.describe(e, EventInfo { writer, line: 3, ..EventInfo::default() }).expect("good");
        b.event_int(Kind::Read, y, 50);
        let e = b.event_int(Kind::Read, y, 9);
        b.describe(e, EventInfo { lock: true, ..EventInfo::default() }).expect("good");
        b.end(TxnInfo::default()).expect("good");
        if make_initial {
            b.make_initial(first);
        }
        b.finish().expect("good")
    }

    fn describe(h: &History) -> String {
        let mut text = String::new();
        for key in h.keys() {
            text += &format!("{}={} {}\n", h.key(key), h.initial(key), h.initial_given(key));
        }
        for t in h.txns() {
            for e in h.event_ids(t) {
                let event = h.event(e);
                text += &format!(
                    "{t} {:?} {} {} {:?} {:?} {} {} {}\n",
                    event.kind(),
                    h.key(event.key()),
                    h.value(e),
                    h.source(e),
                    h.writer_given(e),
                    h.event_line(e),
                    h.is_locking(e),
                    event.is_final_write(),
                );
            }
        }
        text
    }

    #[test]
    fn readers_of_the_initial_transaction_read_from_init() {
        let h = sample(true);
        let (first, reader) = (TxnId::new(2), TxnId::new(3));
        assert_eq!((h.initial_txns(), h.events(first).len(), h.num_events()), (&[first][..], 0, 4));
        let initial: Vec<_> = h.keys().map(|k| (h.key(k).clone(), h.initial(k))).collect();
        assert_eq!(initial, [(2.into(), Value::Int(50)), (1.into(), Value::Int(40))]);
        let init = Source::Txn(TxnId::INIT);
        let sources: Vec<Source> = h.event_ids(reader).map(|e| h.source(e)).collect();
        assert_eq!(sources, [init, init, Source::Txn(TxnId::new(1))]);
        let lines = h.txns().flat_map(|t| h.event_ids(t)).map(|e| h.event_line(e));
        assert_eq!(lines.collect::<Vec<_>>(), [7, 3, 0, 0]);
        let locks: Vec<bool> = h.event_ids(reader).map(|e| h.is_locking(e)).collect();
        assert_eq!(locks, [false, false, true]);
    }

    #[test]
    fn apart_is_as_if_nothing_had_been_made_initial() {
        let (plain, apart) = (sample(false), sample(true).initial_txns_apart());
        assert!(apart.initial_txns().is_empty());
        assert_eq!(describe(&apart), describe(&plain));
        assert_eq!(describe(&plain), describe(&sample(false).initial_txns_apart()));
    }
}
