//! Levels of list-append by their definition [MODEL, section 2], by trying every commit order.
//!
//! A version of a key is the list that all appends of the first so many of its writers make, in commit order. A list
//! that a transaction reads is a version of a transaction before it in commit order (or the empty list of
//! init), and then what it appended itself before. That version's last writer is whom it read from.

use std::collections::BTreeMap;

use crate::file::{Op, Status, Txn};

/// The levels that are decided, weakest first where they are comparable.
pub(crate) const LEVELS: [&str; 7] = ["RC", "RA", "CC", "PC", "PSI", "SI", "SER"];

type Answer = [bool; LEVELS.len()];

/// Whether each level holds: in some commit order of the committed transactions and some of those of
/// unknown status.
pub(crate) fn satisfied(txns: &[Txn]) -> Answer {
    let mut answer = Answer::default();
    let unknown: Vec<usize> =
        (0..txns.len()).filter(|&t| txns[t].status == Status::Unknown).collect();
    for chosen in 0..1usize << unknown.len() {
        let counts = |t: usize| match txns[t].status {
            Status::Committed => true,
            Status::Aborted => false,
            Status::Unknown => {
                let at = unknown.iter().position(|&u| u == t).expect("it is one of them");
                chosen >> at & 1 == 1
            }
        };
        let counted: Vec<usize> = (0..txns.len()).filter(|&t| counts(t)).collect();
        let mut search = Search {
            txns,
            counted: &counted,
            order: Vec::new(),
            versions: BTreeMap::new(),
            reads: BTreeMap::new(),
            answer: &mut answer,
        };
        search.extend();
    }
    answer
}

/// Who wrote a version (`None` for init), and the list.
type Version = (Option<usize>, Vec<i64>);

/// An external read: the key, and whom it read from.
type Read<'a> = (&'a str, Option<usize>);

struct Search<'a> {
    txns: &'a [Txn],
    counted: &'a [usize],
    /// The commit order so far.
    order: Vec<usize>,
    versions: BTreeMap<&'a str, Vec<Version>>,
    /// The external reads of those in the order, in the order of the lists.
    reads: BTreeMap<usize, Vec<Read<'a>>>,
    answer: &'a mut Answer,
}

impl<'a> Search<'a> {
    fn extend(&mut self) {
        if self.order.len() == self.counted.len() {
            for (at, level) in LEVELS.iter().enumerate() {
                self.answer[at] = self.answer[at] || self.allows(level);
            }
            return;
        }
        for &t in self.counted {
            let waits = |&u: &usize| {
                self.txns[u].session == self.txns[t].session && u < t && !self.order.contains(&u)
            };
            if self.order.contains(&t) || self.counted.iter().any(waits) {
                continue;
            }
            let Some(reads) = self.reads_of(t) else { continue };
            let before = self.versions.clone();
            self.reads.insert(t, reads);
            self.order.push(t);
            self.append(t);
            self.extend();
            self.order.pop();
            self.reads.remove(&t);
            self.versions = before;
        }
    }

    /// Whom a transaction read from if it commits now; nothing if a list is no version.
    fn reads_of(&self, t: usize) -> Option<Vec<Read<'a>>> {
        let txns: &'a [Txn] = self.txns;
        let mut own: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
        let mut reads = Vec::new();
        for op in &txns[t].ops {
            match op {
                Op::Append(key, element) => own.entry(key).or_default().push(*element),
                Op::Read(key, list) => {
                    let own = own.entry(key).or_default();
                    if list.len() < own.len() || list[list.len() - own.len()..] != own[..] {
                        return None;
                    }
                    let seen = &list[..list.len() - own.len()];
                    let empty = [(None, Vec::new())];
                    let versions = self.versions.get(key.as_str()).map_or(&empty[..], |v| &v[..]);
                    let version = versions.iter().find(|(_, version)| version == seen)?;
                    reads.push((key.as_str(), version.0));
                }
            }
        }
        Some(reads)
    }

    /// Appends all that a transaction appends.
    fn append(&mut self, t: usize) {
        let txns: &'a [Txn] = self.txns;
        for key in keys_of(&txns[t]) {
            let versions = self.versions.entry(key).or_insert_with(|| vec![(None, Vec::new())]);
            let mut list = versions.last().expect("init is there").1.clone();
            list.extend(txns[t].ops.iter().filter_map(|op| match op {
                Op::Append(k, element) if k == key => Some(*element),
                _ => None,
            }));
            versions.push((Some(t), list));
        }
    }

    /// Whether the commit order, now whole, satisfies a level.
    fn allows(&self, level: &str) -> bool {
        let relations = Relations::new(self);
        self.order.iter().all(|&t3| {
            self.reads[&t3].iter().enumerate().all(|(at, &(key, source))| {
                self.order.iter().all(|&t2| {
                    let overtakes = Some(t2) != source
                        && t2 != t3
                        && keys_of(&self.txns[t2]).contains(&key)
                        && relations.sees(level, t2, t3, &self.reads[&t3][..at]);
                    !overtakes || source.is_some_and(|t1| relations.co(t2, t1))
                })
            })
        })
    }
}

fn keys_of(txn: &Txn) -> Vec<&str> {
    let mut keys: Vec<&str> = Vec::new();
    for op in &txn.ops {
        if let Op::Append(key, _) = op
            && !keys.contains(&key.as_str())
        {
            keys.push(key);
        }
    }
    keys
}

/// The relations among the transactions of a commit order.
struct Relations<'a> {
    search: &'a Search<'a>,
}

impl<'a> Relations<'a> {
    fn new(search: &'a Search<'a>) -> Relations<'a> {
        Relations { search }
    }

    fn place(&self, t: usize) -> usize {
        self.search.order.iter().position(|&u| u == t).expect("it is in the order")
    }

    fn co(&self, a: usize, b: usize) -> bool {
        self.place(a) < self.place(b)
    }

    fn so_or_wr(&self, a: usize, b: usize) -> bool {
        let txns = self.search.txns;
        let so = a < b && txns[a].session == txns[b].session;
        so || self.search.reads[&b].iter().any(|&(_, source)| source == Some(a))
    }

    fn ww(&self, a: usize, b: usize) -> bool {
        let (a_keys, b_keys) = (keys_of(&self.search.txns[a]), keys_of(&self.search.txns[b]));
        a != b && self.co(a, b) && a_keys.iter().any(|key| b_keys.contains(key))
    }

    /// Whether `b` can be reached from `a` by one or more steps. All steps go forward in the commit order.
    fn reaches(&self, a: usize, b: usize, step: &dyn Fn(usize, usize) -> bool) -> bool {
        let between = |&&c: &&usize| self.co(a, c) && self.co(c, b);
        step(a, b)
            || self
                .search
                .order
                .iter()
                .filter(between)
                .any(|&c| step(a, c) && self.reaches(c, b, step))
    }

    /// φ(t2, r) for a read of `t3` that comes after the reads `earlier`.
    fn sees(&self, level: &str, t2: usize, t3: usize, earlier: &[Read<'_>]) -> bool {
        let order = &self.search.order;
        let up_to = |t: usize| t2 == t || self.co(t2, t);
        let prefix = || order.iter().any(|&t4| t4 != t3 && up_to(t4) && self.so_or_wr(t4, t3));
        match level {
            "RC" => earlier.iter().any(|&(_, source)| source == Some(t2)),
            "RA" => self.so_or_wr(t2, t3),
            "CC" => self.reaches(t2, t3, &|a, b| self.so_or_wr(a, b)),
            "PC" => prefix(),
            "PSI" => self.reaches(t2, t3, &|a, b| self.so_or_wr(a, b) || self.ww(a, b)),
            "SI" => prefix() || order.iter().any(|&t4| self.ww(t4, t3) && up_to(t4)),
            "SER" => self.co(t2, t3),
            other => panic!("{other} is not defined here"),
        }
    }
}
