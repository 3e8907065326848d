//! PSI: a list of versions for each key, and clocks.
//!
//! At PSI the past of a transaction is (so ∪ wr ∪ ww)⁺: with a version it holds all versions of that key
//! before it. So a past is told by one number for each key, the newest version in it: a *clock*. Of every
//! key that a transaction reads, it reads the newest version in its past; whoever writes a key has all
//! earlier versions of it in the past.
//!
//! ```text
//!     x: 0, 1 (clock x=1)        a reader of y=2 may read x=0 or x=1; a reader of y=3 has x=1 in its
//!     y: 0, 2 (y=1), 3 (x=1 y=2) past, so it must read x=1.
//! ```
//!
//! Transactions are run in commit order, which this keeps for each key alone. Nothing of a past will be
//! added later, since it lies before in the commit order. Clocks and the lists from the oldest version that
//! any session can still read tell which reads are possible, now and later; so where they are the same, all
//! continuations are.

use hobgoblin_core::Level;

use super::versions::{Answer, KeyNo, Rest, ValueNo, Versions, Writer, Written};

/// For each key the newest version known, up to the last that is not 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Clock(Vec<u16>);

impl Clock {
    fn get(&self, key: KeyNo) -> u16 {
        self.0.get(key as usize).copied().unwrap_or(0)
    }

    fn raise(&mut self, key: KeyNo, version: u16) {
        let key = key as usize;
        if version > 0 && self.0.len() <= key {
            self.0.resize(key + 1, 0);
        }
        if let Some(known) = self.0.get_mut(key) {
            *known = version.max(*known);
        }
    }

    fn join(&mut self, other: &Clock) {
        for (key, &version) in other.0.iter().enumerate() {
            self.raise(key as KeyNo, version);
        }
    }

    fn subtract(&mut self, floor: &Clock) {
        for (known, floor) in self.0.iter_mut().zip(&floor.0) {
            *known = known.saturating_sub(*floor);
        }
        let used = self.0.iter().rposition(|&known| known > 0).map_or(0, |last| last + 1);
        self.0.truncate(used);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Version {
    /// None is the initial value.
    value: Option<ValueNo>,
    by: Writer,
    /// The past of whoever wrote it, and the version itself.
    past: Clock,
}

/// The versions of a key that nobody wrote.
static INITIAL: [Version; 1] = [Version { value: None, by: Writer::INIT, past: Clock(Vec::new()) }];

/// The versions that somebody can still read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parallel {
    /// The versions of each key, none where there is only the initial one.
    keys: Vec<Vec<Version>>,
    /// What the next transaction of each session has in its past at least.
    clocks: Vec<Clock>,
}

/// A transaction under way.
#[derive(Clone)]
pub(super) struct View {
    past: Clock,
    reads: Vec<(KeyNo, u16)>,
}

impl View {
    /// Whether each read returned the newest version in the past.
    fn holds(&self) -> bool {
        self.reads.iter().all(|&(key, version)| self.past.get(key) == version)
    }
}

impl Parallel {
    pub(super) fn new(sessions: usize) -> Parallel {
        Parallel { keys: Vec::new(), clocks: vec![Clock::default(); sessions] }
    }

    fn versions(&self, key: KeyNo) -> &[Version] {
        match self.keys.get(key as usize) {
            Some(versions) if !versions.is_empty() => versions,
            _ => &INITIAL,
        }
    }
}

impl Versions for Parallel {
    type View = View;

    fn begin(&self, session: usize, _: Level) -> Vec<View> {
        vec![View { past: self.clocks[session].clone(), reads: Vec::new() }]
    }

    fn observe(&self, _: Level) -> View {
        let mut past = Clock::default();
        for key in 0..self.keys.len() as KeyNo {
            past.raise(key, self.versions(key).len() as u16 - 1);
        }
        View { past, reads: Vec::new() }
    }

    fn read(&self, view: &View, key: KeyNo) -> Vec<Answer<View>> {
        let mut answers = Vec::new();
        let versions = self.versions(key).iter().enumerate();
        for (number, version) in versions.skip(usize::from(view.past.get(key))) {
            let mut view = view.clone();
            view.past.join(&version.past);
            view.past.raise(key, number as u16);
            view.reads.push((key, number as u16));
            if view.holds() {
                answers.push(Answer { view, value: version.value, by: version.by });
            }
        }
        answers
    }

    fn end(&self, mut view: View, session: usize, writes: &[Written]) -> Option<Parallel> {
        for written in writes {
            let versions = self.versions(written.key);
            view.past.raise(written.key, versions.len() as u16 - 1);
            view.past.join(&versions[versions.len() - 1].past);
        }
        if !view.holds() {
            return None;
        }
        let mut next = self.clone();
        for written in writes {
            view.past.raise(written.key, self.versions(written.key).len() as u16);
        }
        for &Written { key, value, by } in writes {
            let at = key as usize;
            if next.keys.len() <= at {
                next.keys.resize(at + 1, Vec::new());
            }
            if next.keys[at].is_empty() {
                next.keys[at].extend_from_slice(&INITIAL);
            }
            next.keys[at].push(Version { value: Some(value), by, past: view.past.clone() });
        }
        next.clocks[session] = view.past;
        Some(next)
    }

    fn forget(&mut self, rest: &Rest<'_>) {
        let mut open = Vec::new();
        for (clock, levels) in self.clocks.iter_mut().zip(&rest.levels) {
            match levels.is_empty() {
                true => *clock = Clock::default(),
                false => open.push(clock.clone()),
            }
        }
        if open.is_empty() && rest.observer.is_none() {
            self.keys.clear();
            return;
        }
        let mut floor = Clock::default();
        for (key, versions) in self.keys.iter_mut().enumerate().filter(|(_, v)| !v.is_empty()) {
            let newest = versions.len() as u16 - 1;
            let oldest = open.iter().map(|clock| clock.get(key as KeyNo)).min().unwrap_or(newest);
            floor.raise(key as KeyNo, oldest);
            versions.drain(..usize::from(oldest));
        }
        let versions = self.keys.iter_mut().flatten().map(|version| &mut version.past);
        for clock in versions.chain(&mut self.clocks) {
            clock.subtract(&floor);
        }
    }
}
