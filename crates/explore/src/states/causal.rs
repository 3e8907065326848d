//! RU, RC, RA and CC, and mixes of them: who wrote, and who must have committed before whom.
//!
//! At these levels φ does not ask for the commit order. So the commit edges that reads force are known at
//! once, and a history is allowed when they have no cycle with so and wr. A later transaction adds edges
//! from writers, from its session's last transaction and from itself, and edges into writers and into
//! itself. Whether such edges close a cycle is told by the paths between writers, and from writers to the
//! last transaction of each session; what lies on the paths does not matter. And φ of later reads asks, at
//! CC, which writers are in the past of a session or of a writer; at RA, which are in the session itself;
//! at RC, for nothing that was before.
//!
//! ```text
//!     s1: w(x)=1    s2: r(x)=1 w(x)=2     s3: ...
//!     writers  {x=1}   {x=2; past and path from {x=1}}
//! ```
//!
//! So histories are merged when they have the same writers with the same last writes, the same paths, and
//! the same pasts. Two more things are forgotten. A version that each session left would never read, since
//! it has a later one in its past for certain, is dropped: what it would force, the later one forces too.
//! And writers have no names: they are sorted by what they wrote and whom they know.

use std::hash::BuildHasher;

use hobgoblin_core::Level;

use super::versions::{Answer, Hashing, KeyNo, Rest, ValueNo, Versions, Writer, Written};

/// A set of writers.
type Set = u64;

fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let first = set.trailing_zeros() as usize;
            set &= set - 1;
            first
        })
    })
}

/// What is known of the past of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Past {
    /// Those in its past by so and wr.
    seen: Set,
    /// Those with a path to it, by forced edges too.
    before: Set,
}

impl Past {
    fn add(&mut self, writer: usize, its: Past) {
        self.seen |= its.seen | 1 << writer;
        self.before |= its.before | 1 << writer;
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Entry {
    writes: Vec<(KeyNo, ValueNo)>,
    by: Writer,
    past: Past,
}

/// The last transaction of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Last {
    past: Past,
    /// The writers of the session.
    own: Set,
}

/// The writers somebody can still read from, and what is known of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Causal {
    writers: Vec<Entry>,
    sessions: Vec<Last>,
}

/// A transaction under way. Its reads add to the paths between writers.
#[derive(Clone)]
pub(super) struct View {
    level: Level,
    last: Last,
    /// Its reads: of which key, from which writer.
    reads: Vec<(KeyNo, Option<usize>)>,
    /// For each writer those with a path to it.
    before: Vec<Set>,
    /// For each session those with a path to its last transaction.
    sessions: Vec<Set>,
}

impl Causal {
    pub(super) fn new(sessions: usize) -> Causal {
        Causal { writers: Vec::new(), sessions: vec![Last::default(); sessions] }
    }

    fn view(&self, level: Level, last: Last) -> View {
        let before = self.writers.iter().map(|entry| entry.past.before).collect();
        let sessions = self.sessions.iter().map(|last| last.past.before).collect();
        View { level, last, reads: Vec::new(), before, sessions }
    }

    fn writes(&self, writer: usize, key: KeyNo) -> Option<ValueNo> {
        let writes = &self.writers[writer].writes;
        writes.binary_search_by_key(&key, |write| write.0).ok().map(|at| writes[at].1)
    }

    /// Adds what all reads of a view force; false when that closes a cycle.
    fn force(&self, view: &mut View) -> bool {
        let sources: Set = view.reads.iter().filter_map(|read| read.1).fold(0, |s, w| s | 1 << w);
        let mut earlier: Set = 0;
        for at in 0..view.reads.len() {
            let (key, source) = view.reads[at];
            let seen = match view.level {
                Level::RU => 0,
                Level::RC => earlier,
                Level::RA => view.last.own | sources,
                Level::CC => view.last.past.seen,
                Level::PC | Level::PSI | Level::SI | Level::SER | Level::SSER => {
                    unreachable!("other states are kept for them")
                }
            };
            let others = members(seen).filter(|&w| Some(w) != source);
            for other in others.filter(|&w| self.writes(w, key).is_some()) {
                let Some(source) = source else { return false };
                if !view.edge(other, source) {
                    return false;
                }
            }
            earlier |= source.map_or(0, |source| 1 << source);
        }
        true
    }
}

impl View {
    /// Adds an edge between writers; false when it closes a cycle.
    fn edge(&mut self, from: usize, to: usize) -> bool {
        if self.before[from] >> to & 1 == 1 {
            return false;
        }
        let added = self.before[from] | 1 << from;
        if self.before[to] & added == added {
            return true;
        }
        self.before[to] |= added;
        let sets = self.before.iter_mut().chain(&mut self.sessions);
        for set in sets.chain([&mut self.last.past.before]) {
            if *set >> to & 1 == 1 {
                *set |= added;
            }
        }
        true
    }
}

impl Versions for Causal {
    type View = View;

    fn begin(&self, session: usize, level: Level) -> Vec<View> {
        vec![self.view(level, self.sessions[session])]
    }

    fn observe(&self, level: Level) -> View {
        let all = (0..self.writers.len()).fold(0, |set, writer| set | 1 << writer);
        self.view(level, Last { past: Past { seen: all, before: all }, own: all })
    }

    fn read(&self, view: &View, key: KeyNo) -> Vec<Answer<View>> {
        let writers = (0..self.writers.len()).filter_map(|w| Some((w, self.writes(w, key)?)));
        let versions = writers.map(|(w, value)| (Some(w), Some(value), self.writers[w].by));
        let mut answers = Vec::new();
        for (source, value, by) in versions.chain([(None, None, Writer::INIT)]) {
            let mut view = view.clone();
            view.reads.push((key, source));
            if let Some(source) = source {
                let seen = self.writers[source].past.seen;
                view.last.past.add(source, Past { seen, before: view.before[source] });
            }
            if self.force(&mut view) {
                answers.push(Answer { view, value, by });
            }
        }
        answers
    }

    fn end(&self, view: View, session: usize, writes: &[Written]) -> Option<Causal> {
        let mut next = self.clone();
        for (entry, before) in next.writers.iter_mut().zip(view.before) {
            entry.past.before = before;
        }
        for (last, before) in next.sessions.iter_mut().zip(view.sessions) {
            last.past.before = before;
        }
        let mut last = view.last;
        if let Some(Written { by, .. }) = writes.first() {
            let number = next.writers.len();
            let mut writes: Vec<_> = writes.iter().map(|w| (w.key, w.value)).collect();
            writes.sort_unstable();
            next.writers.push(Entry { writes, by: *by, past: last.past });
            last.past.add(number, last.past);
            last.own |= 1 << number;
        }
        next.sessions[session] = last;
        Some(next)
    }

    fn forget(&mut self, rest: &Rest<'_>) {
        let any = |level| rest.levels.iter().any(|levels| levels.contains(&level));
        let (causal, open) = (any(Level::CC), !rest.levels.iter().all(|l| l.is_empty()));
        if !open && rest.observer.is_none() {
            self.writers.clear();
        }
        self.drop_versions(rest);
        for entry in &mut self.writers {
            entry.past.seen *= Set::from(causal);
        }
        for (last, levels) in self.sessions.iter_mut().zip(&rest.levels) {
            if levels.is_empty() {
                *last = Last::default();
            }
            last.past.seen *= Set::from(causal);
            last.own *= Set::from(levels.contains(&Level::RA));
        }
        self.sort();
    }
}

impl Causal {
    /// Drops the versions that nobody of the rest can read.
    fn drop_versions(&mut self, rest: &Rest<'_>) {
        let all = (0..self.writers.len()).fold(0, |set, writer| set | 1 << writer);
        let known = |levels: &[Level], last: &Last| {
            let of = |level: &Level| match level {
                Level::RU | Level::RC => 0,
                Level::RA => last.own,
                Level::CC | Level::PC | Level::PSI => last.past.seen,
                Level::SI | Level::SER | Level::SSER => last.past.seen,
            };
            levels.iter().map(of).fold(all, |known, set| known & set)
        };
        let sessions = rest.levels.iter().zip(&self.sessions);
        let observer = rest.observer.map(|level| if level.is_atomic() { all } else { 0 });
        let open = sessions.filter(|(levels, _)| !levels.is_empty());
        let readers: Vec<Set> =
            open.map(|(levels, last)| known(levels, last)).chain(observer).collect();
        let dead = |writer: usize, key: KeyNo| {
            let later = |other: usize| {
                self.writers[other].past.before >> writer & 1 == 1
                    && self.writes(other, key).is_some()
            };
            readers.iter().all(|&known| members(known).any(later))
        };
        let keep: Vec<Vec<(KeyNo, ValueNo)>> = (self.writers.iter().enumerate())
            .map(|(number, entry)| {
                let alive = |write: &(KeyNo, ValueNo)| !dead(number, write.0);
                entry.writes.iter().copied().filter(alive).collect()
            })
            .collect();
        for (entry, writes) in self.writers.iter_mut().zip(keep) {
            entry.writes = writes;
        }
        let alive: Vec<usize> =
            (0..self.writers.len()).filter(|&w| !self.writers[w].writes.is_empty()).collect();
        self.keep(&alive);
    }

    /// Sorts writers by what tells them apart; those that look alike stay in order of their names, so
    /// that some states which could be merged are not.
    fn sort(&mut self) {
        let hasher = Hashing::default();
        let sessions: Vec<Last> = self.sessions.clone();
        let within = |writer: usize, set: Set| set >> writer & 1 == 1;
        let mut looks: Vec<u64> = (self.writers.iter().enumerate())
            .map(|(number, entry)| {
                let known = sessions.iter().map(|last| {
                    let Last { past, own } = *last;
                    [past.seen, past.before, own].map(|set| within(number, set))
                });
                hasher.hash_one((&entry.writes, known.collect::<Vec<_>>()))
            })
            .collect();
        for _ in 0..2 {
            let sum = |set: Set| members(set).fold(0_u64, |sum, w| sum.wrapping_add(looks[w]));
            let look = |(number, entry): (usize, &Entry)| {
                let Past { seen, before } = entry.past;
                let after = self.writers.iter().enumerate();
                let after = after.filter(|(_, other)| within(number, other.past.before));
                let after = after.fold(0_u64, |sum, (other, _)| sum.wrapping_add(looks[other]));
                hasher.hash_one((looks[number], sum(seen), sum(before), after))
            };
            looks = self.writers.iter().enumerate().map(look).collect();
        }
        let mut order: Vec<usize> = (0..self.writers.len()).collect();
        order.sort_by_key(|&writer| (looks[writer], self.writers[writer].by.0));
        self.keep(&order);
    }

    /// Keeps these writers, in this order.
    fn keep(&mut self, order: &[usize]) {
        let moved = |set: Set| {
            let places = order.iter().enumerate();
            places.fold(0, |new, (to, &from)| new | (set >> from & 1) << to)
        };
        let past = |past: Past| Past { seen: moved(past.seen), before: moved(past.before) };
        let entry = |&from: &usize| {
            let Entry { writes, by, past: its } = self.writers[from].clone();
            Entry { writes, by, past: past(its) }
        };
        let writers = order.iter().map(entry).collect();
        for last in &mut self.sessions {
            *last = Last { past: past(last.past), own: moved(last.own) };
        }
        self.writers = writers;
    }
}
