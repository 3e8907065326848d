//! Reading `wr` off the values: what a finished [`History`] knows beyond what it was told.
//!
//! One walk finds the last write of each key in each transaction, and so who wrote each datum for
//! others to see; a second tells every read its source. Where several transactions wrote a value, the
//! read is ambiguous and a check has to search; where none did, the read has a [`Fault`].

use crate::error::HistoryError;
use crate::event::{Event, Status};
use crate::history::{Fault, History, PackedSource, Source};
use crate::ids::{EventId, TxnId};
use crate::sorted::SortedMap;

impl History {
    /// Marks the last write of each key in each transaction, and notes who wrote each datum.
    pub(crate) fn find_final_writes(&mut self) {
        self.datum_writer = vec![History::NOBODY; self.datum_value.len()];
        for &datum in &self.initial {
            self.datum_writer[datum as usize] = TxnId::INIT.raw();
        }
        let mut seen_in = vec![0u32; self.keys.len()];
        for t in 1..self.status.len() {
            let range = self.event_start[t] as usize..self.event_start[t + 1] as usize;
            for i in range.rev() {
                let event = self.events[i];
                if !event.is_write() || seen_in[event.key().index()] == t as u32 {
                    continue;
                }
                seen_in[event.key().index()] = t as u32;
                self.events[i].packed |= Event::FINAL;
                if self.status[t] != Status::Aborted {
                    self.add_writer(event.datum, TxnId::new(t));
                }
            }
        }
    }

    fn add_writer(&mut self, datum: u32, txn: TxnId) {
        let writer = &mut self.datum_writer[datum as usize];
        if *writer == History::NOBODY {
            *writer = txn.raw();
        } else if *writer & History::SHARED != 0 {
            self.shared[(*writer & !History::SHARED) as usize].push(txn);
        } else {
            self.shared.push(vec![TxnId::new(*writer as usize), txn]);
            *writer = History::SHARED | (self.shared.len() - 1) as u32;
        }
    }

    /// Tells every read its source.
    pub(crate) fn find_sources(&mut self) {
        let mut source = Vec::with_capacity(self.events.len());
        // The transaction that last wrote each key in this walk, and what it wrote.
        let mut own = vec![(0u32, 0u32); self.keys.len()];
        let named = !self.sides.writer.is_empty();
        let mut unsourced = Vec::new();
        for t in 1..self.status.len() {
            let (first, last) = (self.event_start[t] as usize, self.event_start[t + 1] as usize);
            for i in first..last {
                let event = self.events[i];
                let own = &mut own[event.key().index()];
                if event.is_write() {
                    *own = (t as u32, event.datum);
                    source.push(PackedSource::new(Source::Write));
                    continue;
                }
                let from = if own.0 == t as u32 {
                    if own.1 == event.datum {
                        Source::Internal
                    } else {
                        Source::Fault(Fault::InternalMismatch)
                    }
                } else {
                    let writer = self.datum_writer[event.datum as usize];
                    let given = if named { self.sides.writer.get(&EventId::new(i)) } else { None };
                    if given.is_none() && writer < History::SHARED && writer != t as u32 {
                        Source::Txn(TxnId::new(writer as usize))
                    } else {
                        self.external_source(TxnId::new(t), event.datum, given.copied())
                    }
                };
                if self.status[t] != Status::Aborted {
                    match from {
                        Source::Fault(fault) => {
                            self.faults.push(EventId::new(i));
                            if fault == Fault::ThinAir {
                                unsourced.push(i);
                            }
                        }
                        Source::Ambiguous => self.ambiguous.push(EventId::new(i)),
                        _ => {}
                    }
                }
                source.push(PackedSource::new(from));
            }
        }
        self.source = source;
        self.classify(&unsourced);
    }

    /// The source of an external read; where there is none, [`Fault::ThinAir`] until [`History::classify`].
    fn external_source(&self, reader: TxnId, datum: u32, given: Option<TxnId>) -> Source {
        let writers = match self.datum_writer[datum as usize] {
            History::NOBODY => &[][..],
            w if w & History::SHARED != 0 => &self.shared[(w & !History::SHARED) as usize],
            w => &[TxnId::new(w as usize)],
        };
        if let Some(given) = given {
            return if given != reader && writers.contains(&given) {
                Source::Txn(given)
            } else {
                Source::Fault(Fault::ThinAir)
            };
        }
        let mut others = writers.iter().filter(|&&w| w != reader);
        match (others.next(), others.next()) {
            (None, _) => Source::Fault(Fault::ThinAir),
            (Some(&only), None) => Source::Txn(only),
            _ => Source::Ambiguous,
        }
    }

    /// Finds, for reads without a source, the better name of their fault.
    fn classify(&mut self, unsourced: &[usize]) {
        if unsourced.is_empty() {
            return;
        }
        // For each datum in question, the transactions that wrote it at all.
        let asked = unsourced.iter().map(|&i| (self.events[i].datum, Vec::new()));
        let mut wrote: SortedMap<u32, Vec<TxnId>> = SortedMap::of(asked.collect());
        for t in self.txns() {
            for event in self.events(t) {
                if event.is_write()
                    && let Some(txns) = wrote.get_mut(&event.datum)
                    && txns.last() != Some(&t)
                {
                    txns.push(t);
                }
            }
        }
        for &i in unsourced {
            let reader = self.txn_of(EventId::new(i));
            let given = self.sides.writer.get(&EventId::new(i));
            let meant = |t: &&TxnId| given.is_none_or(|g| g == *t);
            let wrote = wrote.get(&self.events[i].datum).into_iter().flatten().filter(meant);
            let fault = wrote
                .map(|&t| match self.status(t) {
                    _ if t == reader => Fault::OwnLaterWrite,
                    Status::Aborted => Fault::Aborted,
                    _ => Fault::Intermediate,
                })
                .max_by_key(|fault| match fault {
                    Fault::Intermediate => 2,
                    Fault::Aborted => 1,
                    _ => 0,
                });
            if let Some(fault) = fault {
                self.source[i] = PackedSource::new(Source::Fault(fault));
            }
        }
    }

    /// Counts the transactions of unknown status that a counted transaction read from.
    pub(crate) fn count_unknown(&mut self) {
        if !self.status.contains(&Status::Unknown) {
            return;
        }
        let mut queue: Vec<TxnId> = self.txns().filter(|&t| self.counts(t)).collect();
        while let Some(t) = queue.pop() {
            for event in self.event_ids(t) {
                if let Source::Txn(from) = self.source(event)
                    && !self.counts[from.index()]
                {
                    self.counts[from.index()] = true;
                    queue.push(from);
                }
            }
        }
    }

    pub(crate) fn check_order(&self) -> Result<(), HistoryError> {
        for &(key, ref txns) in &self.sides.order {
            let mut seen = txns.clone();
            seen.sort_unstable();
            for &txn in txns {
                let range = seen.partition_point(|&t| t < txn)..seen.partition_point(|&t| t <= txn);
                let problem = if range.len() > 1 {
                    "but twice"
                } else if !self.writes(txn, key) {
                    "which does not write it"
                } else if self.status(txn) == Status::Aborted {
                    "which aborted"
                } else {
                    continue;
                };
                let (key, name) = (self.key(key).clone(), self.name(txn).into_owned());
                return Err(HistoryError::BadOrder { key, name, problem });
            }
        }
        Ok(())
    }
}
