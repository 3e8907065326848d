//! What a store keeps of its run: the transactions that ended, and the requests it was sent.
//!
//! Both grow with every request, so a store that runs for long keeps a part only, as
//! [`Config::keep`](crate::Config::keep) says: the last transactions, and the log as long as it is whole.

use std::collections::VecDeque;

use crate::event::texts;
use crate::log::Entry;
use crate::record::Ended;
use crate::request::{Request, SessionRequest, TransactionRequest};

/// The transactions that have ended, or the last of them, for the history.
#[derive(Debug)]
pub(crate) struct Past {
    /// The transactions, each with its size in bytes.
    ended: VecDeque<(Ended, usize)>,
    size: usize,
    most: usize,
    /// How many ended before these; they were taken or forgotten.
    before: usize,
    forgotten: u64,
}

impl Past {
    /// Nothing yet; about so many bytes will be kept.
    pub(crate) fn new(most: usize) -> Past {
        Past { ended: VecDeque::new(), size: 0, most, before: 0, forgotten: 0 }
    }

    /// How many bytes a transaction may take to be kept at all.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Adds a transaction. The oldest may be forgotten for it.
    pub(crate) fn push(&mut self, ended: Ended) {
        let size = ended.size();
        self.size += size;
        self.ended.push_back((ended, size));
        while self.size > self.most {
            let Some((_, size)) = self.ended.pop_front() else { break };
            self.size -= size;
            self.before += 1;
            self.forgotten += 1;
        }
    }

    /// Notes that a transaction has ended which is too large to be kept. None before it is kept
    /// either.
    pub(crate) fn forget_all(&mut self) {
        self.before += self.ended.len() + 1;
        self.forgotten += self.ended.len() as u64 + 1;
        self.ended.clear();
        self.size = 0;
    }

    /// How many transactions have ended, kept or not. It is the place of the next.
    pub(crate) fn len(&self) -> usize {
        self.before + self.ended.len()
    }

    /// How many were forgotten.
    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// The transaction at a place, unless it was taken or forgotten.
    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut Ended> {
        Some(&mut self.ended.get_mut(place.checked_sub(self.before)?)?.0)
    }

    /// The transactions that are kept, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Ended> {
        self.ended.iter().map(|(ended, _)| ended)
    }

    /// Takes all that are kept.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = Ended> + use<> {
        self.before += self.ended.len();
        self.size = 0;
        std::mem::take(&mut self.ended).into_iter().map(|(ended, _)| ended)
    }
}

/// The log since it was last taken, unless it became too long.
#[derive(Debug)]
pub(crate) struct Requests {
    entries: Vec<Entry>,
    size: usize,
    most: usize,
    /// Whether an entry was dropped. Then all are, for a log without its beginning is of no use.
    cut: bool,
}

impl Requests {
    /// Nothing yet; about so many bytes will be kept.
    pub(crate) fn new(most: usize) -> Requests {
        Requests { entries: Vec::new(), size: 0, most, cut: false }
    }

    /// Adds an entry, unless the log is cut already.
    pub(crate) fn push(&mut self, entry: impl FnOnce() -> Entry) {
        if self.cut {
            return;
        }
        let entry = entry();
        self.size += size(&entry);
        self.entries.push(entry);
        if self.size > self.most {
            (self.entries, self.size, self.cut) = (Vec::new(), 0, true);
        }
    }

    /// All entries; none once the log is cut.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    pub(crate) fn take(&mut self) -> Vec<Entry> {
        self.size = 0;
        std::mem::take(&mut self.entries)
    }
}

/// About how many bytes an entry takes; texts of keys and values are others' as well, and count all the same.
fn size(entry: &Entry) -> usize {
    let more = match entry {
        Entry::Request { request, choices, .. } => {
            4 * choices.len()
                + match request {
                    Request::Transaction(
                        TransactionRequest::Put { key, value }
                        | TransactionRequest::Insert { key, value },
                    ) => texts(key, value),
                    Request::Transaction(
                        TransactionRequest::Get { key, .. }
                        | TransactionRequest::Reserve { key, .. },
                    ) => texts(key, &hobgoblin_core::Value::Null),
                    Request::Session(SessionRequest::Statement(text)) => text.len(),
                    _ => 0,
                }
        }
        _ => 0,
    };
    size_of::<Entry>() + more
}
