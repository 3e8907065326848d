//! The choices a history leaves open: whom reads of repeated values read from, and with that, which
//! transactions of unknown status count.

use std::collections::BTreeMap;

use hobgoblin_core::{EventId, History, Source, TxnId};

/// One way to resolve what a history leaves open.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The transactions that count, ascending, without init.
    pub(crate) txns: Vec<TxnId>,
    /// Whom each ambiguous read of theirs read from.
    pub(crate) sources: BTreeMap<EventId, TxnId>,
}

impl Choice {
    /// The choice of exactly these sources.
    pub(crate) fn new(history: &History, sources: BTreeMap<EventId, TxnId>) -> Choice {
        let mut choice = Choice { txns: Vec::new(), sources };
        choice.txns = history.txns().filter(|&t| history.counts(t)).collect();
        let mut next = 0;
        while next < choice.txns.len() {
            for event in history.event_ids(choice.txns[next]) {
                if let Some(source) = choice.source(history, event)
                    && source != TxnId::INIT
                    && !choice.txns.contains(&source)
                {
                    choice.txns.push(source);
                }
            }
            next += 1;
        }
        choice.txns.sort_unstable();
        choice
    }

    /// Whom an external read read from; none for other events, faults, and reads not yet resolved.
    pub(crate) fn source(&self, history: &History, event: EventId) -> Option<TxnId> {
        match history.source(event) {
            Source::Txn(source) => Some(source),
            Source::Ambiguous => self.sources.get(&event).copied(),
            _ => None,
        }
    }

    /// An ambiguous read of a transaction that counts which this choice does not resolve.
    pub(crate) fn open_read(&self, history: &History) -> Option<EventId> {
        let open = |e: &&EventId| {
            !self.sources.contains_key(e) && self.txns.contains(&history.txn_of(**e))
        };
        history.ambiguous_reads().iter().find(open).copied()
    }

    /// All choices that resolve everything, and count no more transactions than they must.
    pub(crate) fn all(history: &History) -> Vec<Choice> {
        let mut done = Vec::new();
        let mut open = vec![Choice::new(history, BTreeMap::new())];
        while let Some(choice) = open.pop() {
            let Some(read) = choice.open_read(history) else {
                done.push(choice);
                continue;
            };
            for source in history.candidates(read) {
                let mut sources = choice.sources.clone();
                sources.insert(read, source);
                open.push(Choice::new(history, sources));
            }
        }
        done
    }
}
