//! What a store keeps of its run: the transactions that ended, and the requests it was sent.
//!
//! Both grow with every request, so a store that runs for long keeps a part only, as
//! [`Config::keep`](crate::Config::keep) says: the last transactions, and the log as long as it is whole.

use std::collections::VecDeque;

use crate::event::texts;
use crate::log::Entry;
use crate::record::Ended;
use crate::request::{Request, SessionRequest, TransactionRequest};

/// The transactions that ended, or the last of them.
#[derive(Debug)]
pub(crate) struct Past {
    /// Each with its size.
    ended: VecDeque<(Ended, usize)>,
    size: usize,
    most: usize,
    /// How many came before those, taken or forgotten.
    before: usize,
    forgotten: u64,
}

impl Past {
    /// One that keeps so many bytes.
    pub(crate) fn new(most: usize) -> Past {
        Past { ended: VecDeque::new(), size: 0, most, before: 0, forgotten: 0 }
    }

    /// How many bytes a transaction may take to be kept at all.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Adds one, for which the oldest may be forgotten.
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

    /// One ended that is too large to be kept; so none before it is.
    pub(crate) fn forget_all(&mut self) {
        self.before += self.ended.len() + 1;
        self.forgotten += self.ended.len() as u64 + 1;
        self.ended.clear();
        self.size = 0;
    }

    /// How many ended, whatever became of them: the place of the next.
    pub(crate) fn len(&self) -> usize {
        self.before + self.ended.len()
    }

    /// How many are forgotten.
    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// The one at a place, unless it was taken or forgotten.
    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut Ended> {
        Some(&mut self.ended.get_mut(place.checked_sub(self.before)?)?.0)
    }

    /// Those that are kept.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Ended> {
        self.ended.iter().map(|(ended, _)| ended)
    }

    /// Takes all of them.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = Ended> + use<> {
        self.before += self.ended.len();
        self.size = 0;
        std::mem::take(&mut self.ended).into_iter().map(|(ended, _)| ended)
    }
}

/// The log since it was last taken, as long as that is not too much.
#[derive(Debug)]
pub(crate) struct Requests {
    entries: Vec<Entry>,
    size: usize,
    most: usize,
    /// Whether some are forgotten, and so all are.
    cut: bool,
}

impl Requests {
    /// One that keeps so many bytes.
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

    /// All of them; nothing once it is cut.
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
