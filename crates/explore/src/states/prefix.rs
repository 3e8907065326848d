//! PC, SI and SER, and mixes of them: a log of commits.
//!
//! A history satisfies these levels when its transactions can be put in a commit order in which each reads
//! from a *prefix* of it, its snapshot, that holds all that came before in its session. At SER the snapshot
//! is everything before; at SI it is not older than the last write to a key that the transaction writes.
//! This is the axiom read aloud: φ names the transactions of a prefix, and of those the last writer is read.
//! A transaction that writes nothing can be moved to where its snapshot ends without anybody noticing, so
//! only those that write need a snapshot older than all that committed.
//!
//! So transactions are run in commit order, and a transaction may read any prefix from its session's floor
//! on. What is older than every floor can be told by the newest values there: the *base*.
//!
//! ```text
//!     base x=0 y=0    log {x=1} {y=1}    floors  s1: 0   s2: 1
//!                        s1 may read (0,0), (1,0), (1,1)      s2 may read (1,0), (1,1)
//! ```
//!
//! Snapshots are the same when base, log and floors are: so are then all continuations.

use hobgoblin_core::Level;

use super::versions::{Answer, KeyNo, Rest, Versions, Writer, Written};

/// The versions that somebody can still read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Prefix {
    /// The newest versions before the log, by key; keys nobody wrote are absent.
    base: Vec<Written>,
    /// What each later commit wrote.
    log: Vec<Box<[Written]>>,
    /// How much of the log the next transaction of each session sees at least.
    floors: Vec<usize>,
}

/// A transaction that sees so much of the log.
#[derive(Clone)]
pub(super) struct View {
    level: Level,
    sees: usize,
}

impl Prefix {
    pub(super) fn new(sessions: usize) -> Prefix {
        Prefix { base: Vec::new(), log: Vec::new(), floors: vec![0; sessions] }
    }
}

impl Versions for Prefix {
    type View = View;

    fn begin(&self, session: usize, level: Level) -> Vec<View> {
        let newest = self.log.len();
        let oldest = if level.is_serial() { newest } else { self.floors[session] };
        (oldest..=newest).map(|sees| View { level, sees }).collect()
    }

    fn observe(&self, level: Level) -> View {
        View { level, sees: self.log.len() }
    }

    fn read(&self, view: &View, key: KeyNo) -> Vec<Answer<View>> {
        let commits = self.log[..view.sees].iter().rev().map(|commit| &commit[..]);
        let found = commits.chain([&self.base[..]]).flatten().find(|written| written.key == key);
        let (value, by) = found.map_or((None, Writer::INIT), |w| (Some(w.value), w.by));
        vec![Answer { view: view.clone(), value, by }]
    }

    fn end(&self, view: View, session: usize, writes: &[Written]) -> Option<Prefix> {
        let missed = self.log[view.sees..].iter().flatten();
        let conflict = |missed: &Written| writes.iter().any(|w| w.key == missed.key);
        let allowed = match view.level {
            _ if writes.is_empty() => view.sees == self.log.len(),
            level => !level.excludes_writers() || !missed.into_iter().any(conflict),
        };
        allowed.then(|| {
            let mut next = self.clone();
            if !writes.is_empty() {
                let mut commit: Box<[Written]> = writes.into();
                commit.sort_unstable_by_key(|written| written.key);
                next.log.push(commit);
            }
            next.floors[session] = next.log.len();
            next
        })
    }

    fn forget(&mut self, rest: &Rest<'_>) {
        // Whoever is serializable reads the newest versions, wherever its session was before.
        for (floor, levels) in self.floors.iter_mut().zip(&rest.levels) {
            if levels.iter().all(|level| level.is_serial()) {
                *floor = self.log.len();
            }
        }
        let oldest = self.floors.iter().min().copied().unwrap_or(self.log.len());
        for commit in self.log.drain(..oldest) {
            for &written in &commit {
                match self.base.binary_search_by_key(&written.key, |w| w.key) {
                    Ok(at) => self.base[at] = written,
                    Err(at) => self.base.insert(at, written),
                }
            }
        }
        for floor in &mut self.floors {
            *floor -= oldest;
        }
        if rest.observer.is_none() && rest.levels.iter().all(|levels| levels.is_empty()) {
            self.base.clear();
        }
    }
}
