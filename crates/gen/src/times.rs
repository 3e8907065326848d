//! Begin and end times that go with a commit order.
//!
//! Every transaction takes effect at one instant, and instants grow along the commit order. It begins
//! before and ends after that instant, and sessions do one thing at a time:
//!
//! ```text
//! session a:   [---*-----]      [--*--]        * takes effect
//! session b:       [--------*--------]         so t ended before u began implies that
//!                                              t took effect first: strict serializability
//! ```
//!
//! Below SSER a transaction may also take effect before it begins (a stale replica answers it), which
//! real time contradicts; only levels that ignore real time get such transactions.

use hobgoblin_core::Rng;

/// The mean time between two instants, in nanoseconds.
const GAP: u32 = 1000;

#[derive(Debug)]
pub(crate) struct Times {
    /// The instant of the last transaction.
    now: i64,
    /// When each session's last transaction ended.
    ended: Vec<i64>,
    /// The instants of the last transactions, by number, modulo the length.
    recent: Vec<i64>,
    /// How long a transaction waits at most before and after its instant.
    latency: u32,
}

impl Times {
    pub(crate) fn new(sessions: u32, window: u32) -> Times {
        Times {
            now: 0,
            ended: vec![0; sessions as usize],
            recent: vec![0; window as usize + 2],
            latency: GAP * sessions.clamp(1, 16),
        }
    }

    /// The times of transaction `index`, which takes effect next. It begins about when transaction
    /// `snapshot` took effect, if it has a snapshot; it is answered late if `stale`.
    pub(crate) fn next(
        &mut self,
        rng: &mut Rng,
        index: u32,
        session: u32,
        snapshot: Option<u32>,
        stale: bool,
    ) -> (i64, i64) {
        let wait = i64::from(rng.below(self.latency));
        let wanted = match snapshot {
            Some(snapshot) => self.recent[snapshot as usize % self.recent.len()] + 1,
            None => self.now - wait,
        };
        let ended = self.ended[session as usize];
        let mut begin = wanted.max(ended + 1).max(1);
        self.now = (self.now + i64::from(rng.between(1, 2 * GAP))).max(begin + 1);
        let slot = index as usize % self.recent.len();
        self.recent[slot] = self.now;
        if stale {
            begin = self.now + i64::from(rng.between(1, 4 * GAP));
        }
        let end = begin.max(self.now) + 1 + i64::from(rng.below(self.latency));
        self.ended[session as usize] = end;
        (begin, end)
    }

    /// The times of two transactions, the first of which ends before the second begins.
    pub(crate) fn apart(&mut self, first: u32, second: u32) -> [(i64, i64); 2] {
        let ended = self.ended[first as usize].max(self.ended[second as usize]);
        let start = self.now.max(ended) + 1;
        let times = [(start, start + 10), (start + 20, start + 30)];
        self.ended[first as usize] = times[0].1;
        self.ended[second as usize] = times[1].1;
        self.now = start + 40;
        times
    }

    /// Lets a transaction of `session` begin now, for stores that run it event by event.
    pub(crate) fn begin(&mut self, session: u32) -> i64 {
        self.now = (self.now + 1).max(self.ended[session as usize] + 1);
        self.now
    }

    /// Lets some time pass.
    pub(crate) fn tick(&mut self, rng: &mut Rng) {
        self.now += i64::from(rng.between(1, GAP));
    }

    /// Lets a transaction of `session` end now.
    pub(crate) fn end(&mut self, session: u32) -> i64 {
        self.now += 1;
        self.ended[session as usize] = self.now;
        self.now
    }
}
