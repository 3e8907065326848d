//! A store that keeps one log of commits, and lets readers see more or less of it.
//!
//! Transactions are generated in the order they commit, and this order is the commit order `co` that shows
//! that the level holds. Each transaction t has a *view*, a set V of earlier transactions, and every
//! external read returns the newest version (by `co`) that V wrote. So for a read of x from t1 and any
//! writer t2 of x in V, t2 = t1 or co(t2, t1): an axiom holds as soon as its φ(t2, r) implies t2 ∈ V.
//! [MODEL, section 2] What V is depends on the level:
//!
//! | level | V | why φ(t2, r) implies t2 ∈ V |
//! | --- | --- | --- |
//! | SER, SSER | all earlier commits | φ is co(t2, t) |
//! | PC | the log up to a snapshot, at or after the session's last commit | t's so and wr predecessors lie in the prefix, hence all that is co-before them |
//! | SI | PC's, with the snapshot at or after the last commit to any key t writes | every earlier t4 that conflicts lies in the prefix, too |
//! | RA | a prefix, all of t's session, and any others, each as a whole | so and wr predecessors are in V |
//! | CC | what was delivered to t's site; sites exchange all they have | the union of causally closed sets is causally closed |
//! | PSI | CC's; before t writes x, its site fetches all the last writer of x had seen | then V is closed under ww, too, and holds t's own ww predecessors |
//! | RC | a prefix that may grow from read to read | what was read before is in the prefix then |
//!
//! A view lags at most [`Params::window`] commits (or as many as there are sites), so memory is
//! O(keys + window). Aborted transactions have views but no place in the log. Transactions of unknown
//! status are in the log or not; those that are and were not read may be dropped, which no axiom minds.
//!
//! Lost updates, long forks, write skew and the other behaviours that a level allows come by themselves,
//! the more the fewer keys and the wider the window.

use hobgoblin_core::{Kind, Level, Rng, Status};

use crate::chooser::Chooser;
use crate::params::Params;
use crate::store::Store;
use crate::times::Times;
use crate::txn::GenTxn;
use crate::versions::{Version, Versions};

/// How many sites there are at most. Sessions are spread over them.
const SITES: usize = 16;

/// What one site has received: of each site, all transactions up to this one.
type Clock = [u32; SITES];

/// Which transactions a reader sees.
#[derive(Clone, Copy)]
enum View {
    /// All up to this one.
    Prefix(u32),
    /// Those up to `prefix`, those of `session`, and of the others every second one by chance.
    Atomic { prefix: u32, session: u32, salt: u64 },
    /// What a site has received.
    Site(Clock),
}

impl View {
    #[inline]
    fn sees(&self, version: &Version) -> bool {
        match self {
            View::Prefix(last) => version.stamp <= *last,
            View::Atomic { prefix, session, salt } => {
                version.stamp <= *prefix
                    || version.origin == *session
                    || Rng::mix(salt ^ u64::from(version.stamp)) & 1 == 0
            }
            View::Site(clock) => version.stamp <= clock[version.origin as usize],
        }
    }
}

#[derive(Debug)]
pub(crate) struct Log {
    level: Level,
    sessions: u32,
    window: u32,
    choose: Chooser,
    versions: Versions,
    /// For each key, the last transaction that wrote it, whether in the log or not, and what.
    own: Vec<(u32, i64)>,
    /// Each session's last transaction that may be in the log.
    last: Vec<u32>,
    /// What each site has received; one entry for levels without sites.
    sites: Vec<Clock>,
    /// Everybody sees all up to here.
    barrier: u32,
    /// The number of the last transaction.
    index: u32,
    times: Option<Times>,
}

impl Log {
    pub(crate) fn new(params: &Params) -> Log {
        let sites = match params.level {
            Level::CC | Level::PSI => SITES.min(params.sessions as usize),
            Level::RU | Level::RC | Level::RA | Level::PC => 1,
            Level::SI | Level::SER | Level::SSER => 1,
        };
        let window = if params.level.is_serial() { 0 } else { params.window.max(sites as u32) };
        Log {
            level: params.level,
            sessions: params.sessions,
            window,
            choose: Chooser::new(params),
            versions: Versions::new(params.keys),
            own: vec![(0, 0); params.keys as usize],
            last: vec![0; params.sessions as usize],
            sites: vec![[0; SITES]; sites],
            barrier: 0,
            index: 0,
            times: params.has_times().then(|| Times::new(params.sessions, window)),
        }
    }

    /// A snapshot that lags behind by chance, but not below `floor`.
    #[inline]
    fn lagging(&mut self, index: u32, floor: u32) -> u32 {
        let lag = self.choose.rng.below(self.window + 1);
        (index - 1).saturating_sub(lag).max(floor).max(self.barrier)
    }

    fn view(&mut self, txn: &GenTxn) -> View {
        let last = self.last[txn.session as usize];
        match self.level {
            Level::RU | Level::SER | Level::SSER => View::Prefix(txn.index - 1),
            Level::RC => View::Prefix(self.lagging(txn.index, 0)),
            Level::PC => View::Prefix(self.lagging(txn.index, last)),
            Level::SI => {
                let writes = txn.ops.iter().filter(|op| op.kind == Kind::Write);
                let conflict = writes.map(|op| self.versions.newest(op.key).stamp).max();
                View::Prefix(self.lagging(txn.index, last.max(conflict.unwrap_or(0))))
            }
            Level::RA => View::Atomic {
                prefix: self.lagging(txn.index, 0),
                session: txn.session,
                salt: self.choose.rng.next_u64(),
            },
            Level::CC => View::Site(self.sites[self.origin(txn.session) as usize]),
            Level::PSI => {
                let here = self.origin(txn.session) as usize;
                for op in txn.ops.iter().filter(|op| op.kind == Kind::Write) {
                    let newest = self.versions.newest(op.key);
                    if newest.stamp > self.sites[here][newest.origin as usize] {
                        self.merge(newest.origin as usize, here);
                    }
                }
                View::Site(self.sites[here])
            }
        }
    }

    /// What versions are marked with: the session at RA, else the site.
    #[inline]
    fn origin(&self, session: u32) -> u32 {
        match self.level {
            Level::RA => session,
            Level::RU | Level::RC | Level::CC | Level::PC | Level::PSI => {
                session % self.sites.len() as u32
            }
            Level::SI | Level::SER | Level::SSER => session % self.sites.len() as u32,
        }
    }

    fn execute(&mut self, txn: &mut GenTxn, mut view: View) {
        for op in &mut txn.ops {
            let own = &mut self.own[op.key as usize];
            if op.kind == Kind::Write {
                *own = (txn.index, op.value);
            } else if own.0 == txn.index {
                (op.writer, op.value) = *own;
            } else {
                let moves = match self.level {
                    Level::RC => true,
                    Level::RU | Level::RA | Level::CC | Level::PC => false,
                    Level::PSI | Level::SI | Level::SER | Level::SSER => false,
                };
                if moves
                    && let View::Prefix(last) = &mut view
                    && self.choose.rng.one_in(2)
                {
                    *last = self.choose.rng.between(*last, txn.index - 1);
                }
                let version = self.versions.read(op.key, |version| view.sees(version));
                (op.writer, op.value) = (version.stamp, version.value);
            }
        }
    }

    fn time(&mut self, txn: &mut GenTxn, view: View) {
        let Some(times) = &mut self.times else {
            txn.times = None;
            return;
        };
        let snapshot = match (self.level, view) {
            (level, View::Prefix(last)) if level.has_snapshot() => Some(last),
            _ => None,
        };
        let reads_only = txn.ops.iter().all(|op| op.kind == Kind::Read);
        let rng = &mut self.choose.rng;
        let stale = !self.level.respects_real_time() && reads_only && rng.one_in(4);
        txn.times = Some(times.next(rng, txn.index, txn.session, snapshot, stale));
    }

    /// Appends a transaction to the log.
    fn install(&mut self, txn: &GenTxn) {
        let (index, origin) = (txn.index, self.origin(txn.session));
        // The next transaction sees at least all up to this one; see `lagging` and `deliver`.
        let horizon = index.saturating_sub(self.window);
        for op in txn.ops.iter().filter(|op| op.kind == Kind::Write) {
            let own = &mut self.own[op.key as usize];
            if own.0 == index {
                self.versions.push(op.key, own.1, index, origin, horizon);
                own.0 = 0;
            }
        }
        self.last[txn.session as usize] = index;
        match self.level {
            Level::CC | Level::PSI => self.sites[origin as usize][origin as usize] = index,
            Level::RU | Level::RC | Level::RA | Level::PC => {}
            Level::SI | Level::SER | Level::SSER => {}
        }
    }

    /// Lets sites hear of each other: now and then one of another, and each of all in every window.
    fn deliver(&mut self) {
        let count = self.sites.len() as u32;
        if count < 2 {
            return;
        }
        if self.choose.rng.one_in(4) {
            let from = self.choose.rng.below(count);
            let to = self.choose.rng.below(count);
            self.merge(from as usize, to as usize);
        }
        let period = self.window / count;
        if self.index.is_multiple_of(period) {
            let to = (self.index / period) % count;
            (0..count as usize).for_each(|from| self.merge(from, to as usize));
        }
    }

    fn merge(&mut self, from: usize, to: usize) {
        let from = self.sites[from];
        for (had, has) in self.sites[to].iter_mut().zip(from) {
            *had = (*had).max(has);
        }
    }
}

impl Store for Log {
    fn next(&mut self, txn: &mut GenTxn) {
        txn.session = self.choose.rng.below(self.sessions);
        txn.index = self.take_index();
        let (status, takes_effect) = self.choose.fate();
        txn.status = status;
        txn.ops.clear();
        for _ in 0..self.choose.num_events() {
            txn.ops.push(self.choose.op(txn.index));
        }
        let view = self.view(txn);
        self.execute(txn, view);
        self.time(txn, view);
        if takes_effect {
            self.install(txn);
        }
        self.deliver();
    }

    fn drain(&mut self, _: &mut GenTxn) -> bool {
        false
    }

    fn choose(&mut self) -> &mut Chooser {
        &mut self.choose
    }

    fn times(&mut self) -> Option<(&mut Times, &mut Rng)> {
        self.times.as_mut().map(|times| (times, &mut self.choose.rng))
    }

    fn take_index(&mut self) -> u32 {
        self.index += 1;
        self.index
    }

    fn newest(&self, key: u32) -> (i64, u32) {
        let version = self.versions.newest(key);
        (version.value, version.stamp)
    }

    fn append(&mut self, txn: &GenTxn) {
        for op in txn.ops.iter().filter(|op| op.kind == Kind::Write) {
            self.own[op.key as usize] = (txn.index, op.value);
        }
        if txn.status != Status::Aborted {
            self.install(txn);
        }
    }

    fn quiesce(&mut self) {
        self.barrier = self.index;
        let mut all = [0; SITES];
        for (site, latest) in all.iter_mut().enumerate().take(self.sites.len()) {
            *latest = self.sites[site][site];
        }
        self.sites.fill(all);
    }
}
