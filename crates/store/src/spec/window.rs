//! Bounded staleness: the set F of commits that every transaction which has not read yet must see.
//!
//! F is all that arrived before the last fence, or longer ago than the lag, or before the last N commits.
//! Each of these is a threshold on arrival, so F is one too. It only grows; [`staleness`](super::staleness) lets it.

use std::collections::VecDeque;

use crate::bits::Bits;
use crate::config::Config;
use crate::ids::Pos;

/// Where F ends, and what follows from it.
#[derive(Debug)]
pub(super) struct Window {
    /// How many commits outside F there may be; `None` for any number.
    pub(super) size: Option<u64>,
    /// How long a commit stays outside F; `None` for ever.
    pub(super) lag: Option<u64>,
    pub(super) now: u64,
    /// How many commits had arrived at the last fence.
    pub(super) fence: u64,
    /// F is what arrived before this.
    pub(super) bound: u64,
    /// Live commits outside F, in the order they arrived.
    pub(super) outside: VecDeque<u32>,
    /// The live part of F, its (so ∪ wr)⁺, its (so ∪ wr ∪ ww)⁺, its last place in the commit order.
    pub(super) set: Bits,
    pub(super) past: Bits,
    pub(super) psi: Bits,
    pub(super) pos: Pos,
}

impl Window {
    pub(super) fn new(config: &Config) -> Window {
        Window {
            size: config.window.map(u64::from),
            lag: config.lag,
            now: 0,
            fence: 0,
            bound: 0,
            outside: VecDeque::new(),
            set: Bits::default(),
            past: Bits::default(),
            psi: Bits::default(),
            pos: Pos::START,
        }
    }

    pub(super) fn now(&self) -> u64 {
        self.now
    }

    pub(super) fn arrive(&mut self, slot: u32) {
        self.outside.push_back(slot);
    }

    pub(super) fn bound_set(&self) -> &Bits {
        &self.set
    }

    /// Commits have just been ordered.
    pub(super) fn ordered(&mut self, psi: Bits, pos: Pos) {
        (self.psi, self.pos) = (psi, pos);
    }

    pub(super) fn sweep(&mut self, dead: &[u64]) {
        for set in [&mut self.set, &mut self.past, &mut self.psi] {
            set.subtract(dead);
        }
    }
}
