//! Whether a history satisfies a level above its base: an order of transactions is searched for.
//!
//! SER: transactions are placed one after the other. One may be placed when its past is, and when nobody who
//! is left has to read a version that its writes would replace. Then what is placed is all that matters, so
//! every set of placed transactions is visited once [Biswas 2019, section 4].
//!
//! PC and SI: every transaction has two points, its snapshot, where its reads are made, and its commit, where
//! its writes are. At SI, transactions that write a common key must not overlap.
//!
//! PSI and mixed levels are left to the checker.

use std::sync::Arc;

use hashbrown::HashSet;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{EventInfo, HistoryBuilder, Kind, Level, Target, TxnInfo, Verdict, Writer};

use crate::branch::{Branch, Placed};
use crate::compiled::{Compiled, Set, base_of, one};

/// A transaction as far as a level looks at it.
#[derive(Debug, Default)]
pub(crate) struct Item {
    pub(crate) txn: u8,
    /// External reads: key and source.
    pub(crate) reads: Vec<(u32, u8)>,
    /// The keys it wrote.
    pub(crate) writes: Vec<u32>,
    /// Its predecessors in so and wr that are items too.
    pub(crate) preds: Set,
}

impl Compiled<'_> {
    /// Whether a complete history satisfies its levels.
    pub(crate) fn accepts(&self, branch: &Branch) -> bool {
        let level = |txn: u8| self.txns[txn as usize].level;
        if self.txns[1..].iter().all(|txn| base_of(txn.level) == txn.level) {
            let logs = branch.order.iter().map(|log| (log.txn, Arc::clone(&log.log)));
            return Branch::rebuilt_at(self, level, logs).is_some();
        }
        let items: Vec<Item> = branch.order.iter().map(Item::whole).collect();
        self.satisfies(&items)
    }

    /// Whether transactions satisfy their levels.
    pub(crate) fn satisfies(&self, items: &[Item]) -> bool {
        self.satisfies_at(items, |txn| self.txns[txn as usize].level)
    }

    /// Whether transactions satisfy other levels.
    pub(crate) fn satisfies_at(&self, items: &[Item], level: impl Fn(u8) -> Level) -> bool {
        let Some(first) = items.first().map(|item| level(item.txn)) else { return true };
        if items.iter().any(|item| level(item.txn) != first) {
            return self.checked(items, level);
        }
        match first {
            Level::SER => Points { items, split: false, apart: false }.search(),
            Level::SI => Points { items, split: true, apart: true }.search(),
            Level::PC => Points { items, split: true, apart: false }.search(),
            Level::RU | Level::RC | Level::RA | Level::CC | Level::PSI | Level::SSER => {
                self.checked(items, level)
            }
        }
    }

    /// The checker's answer.
    fn checked(&self, items: &[Item], level: impl Fn(u8) -> Level) -> bool {
        let mut builder = HistoryBuilder::new();
        let name = |txn: u8| format!("t{txn}");
        let mut sorted: Vec<&Item> = items.iter().collect();
        sorted.sort_by_key(|item| item.txn);
        for item in sorted {
            let info = &self.txns[item.txn as usize];
            let session = builder.session_int(info.session as i64);
            builder.begin(session);
            for &(key, source) in &item.reads {
                let key = builder.key_int(i64::from(key));
                let value = i64::from(source);
                let event = builder.event_int(Kind::Read, key, value);
                let writer = if source == 0 { "init".to_owned() } else { name(source) };
                let writer = Some(Writer::Name(&writer));
                let told = builder.describe(event, EventInfo { writer, ..EventInfo::default() });
                told.expect("a read names its writer");
            }
            for &key in &item.writes {
                let key = builder.key_int(i64::from(key));
                builder.event_int(Kind::Write, key, i64::from(item.txn));
            }
            // Session order of a transaction that follows several sessions: it reads a mark of each. The
            // marks come last, since at RC session order is no evidence.
            let mark = builder.key_text(&name(item.txn));
            builder.event_int(Kind::Write, mark, 1);
            if info.session == self.program.sessions.len() {
                for before in items.iter().filter(|before| before.txn != item.txn) {
                    let mark = builder.key_text(&name(before.txn));
                    builder.event_int(Kind::Read, mark, 1);
                }
            }
            let (level, name) = (Some(level(item.txn)), name(item.txn));
            let ended = builder.end(TxnInfo { name: Some(&name), level, ..TxnInfo::default() });
            ended.expect("transactions have names of their own");
        }
        for key in 0..builder.num_keys() {
            let key = hobgoblin_core::KeyId::new(key);
            builder.initial(key, &0.into()).expect("once a key");
        }
        let Ok(history) = builder.finish() else { return false };
        let verdict = check(&history, Target::Mixed(self.options.level), &Limits::none());
        matches!(verdict, Verdict::Consistent(_))
    }
}

impl Item {
    /// All of a log.
    pub(crate) fn whole(log: &Placed) -> Item {
        let writes = log.done.iter().flat_map(|done| done.writes.iter().map(|&(key, _)| key));
        Item { writes: writes.collect(), ..Item::reads(log, log.reads.len()) }
    }

    /// The first reads of a log.
    pub(crate) fn reads(log: &Placed, count: usize) -> Item {
        let reads = log.reads[..count].iter().map(|read| (read.key, read.source)).collect();
        Item { txn: log.txn, reads, writes: Vec::new(), preds: log.past }
    }
}

/// A search for an order of points.
struct Points<'a> {
    items: &'a [Item],
    /// Whether snapshot and commit are two points.
    split: bool,
    /// Whether transactions that write a common key must not overlap.
    apart: bool,
}

impl Points<'_> {
    fn search(&self) -> bool {
        let mut seen: HashSet<(Set, Set)> = HashSet::new();
        // What has its snapshot, and what has committed; init has both.
        let mut open = vec![(one(0), one(0))];
        let all = self.items.iter().fold(one(0), |all, item| all | one(item.txn));
        while let Some((read, written)) = open.pop() {
            if written == all {
                return true;
            }
            for item in self.items {
                let own = one(item.txn);
                let next = if read & own == 0 {
                    if item.preds & !written != 0 || !self.may_read(item, read, written) {
                        continue;
                    }
                    if self.split && !item.writes.is_empty() {
                        (read | own, written)
                    } else if self.may_write(item, read | own, written) {
                        (read | own, written | own)
                    } else {
                        continue;
                    }
                } else if written & own == 0 && self.may_write(item, read, written) {
                    (read, written | own)
                } else {
                    continue;
                };
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }

    /// Whether no transaction that overlaps writes what this one writes.
    fn may_read(&self, item: &Item, read: Set, written: Set) -> bool {
        !self.apart
            || !self.items.iter().any(|other| {
                read & !written & one(other.txn) != 0
                    && other.writes.iter().any(|key| item.writes.contains(key))
            })
    }

    /// Whether nobody who has not read yet has to read what this one replaces.
    fn may_write(&self, item: &Item, read: Set, written: Set) -> bool {
        !self.items.iter().any(|other| {
            read & one(other.txn) == 0
                && other
                    .reads
                    .iter()
                    .any(|&(key, source)| written & one(source) != 0 && item.writes.contains(&key))
        })
    }
}
