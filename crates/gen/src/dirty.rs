//! A store without isolation: read uncommitted.
//!
//! There is one value per key. Writes replace it at once, reads return it, and the transactions of several
//! sessions take turns event by event, so reads return values of transactions that are still running,
//! that write the key again, or that abort in the end. An abort puts back the value it had replaced where
//! that is still possible. A read after an own write returns that write, and no read returns a value
//! that nobody wrote; this is all that RU asks for.

use std::collections::BTreeMap;

use hobgoblin_core::{Kind, Rng, Status};

use crate::chooser::Chooser;
use crate::params::Params;
use crate::store::Store;
use crate::times::Times;
use crate::txn::GenTxn;

/// How many transactions run at once, at most.
const SLOTS: u32 = 16;

/// A running transaction.
#[derive(Debug, Default)]
struct Running {
    /// What has been done so far; the number is 0 if nothing runs here.
    txn: GenTxn,
    /// How many events are still to come.
    left: u32,
    /// The last own write of each key, and what was there before the first.
    own: BTreeMap<u32, Own>,
}

#[derive(Debug)]
struct Own {
    value: i64,
    replaced: (i64, u32),
}

#[derive(Debug)]
pub(crate) struct Dirty {
    sessions: u32,
    choose: Chooser,
    /// The value of each key and who wrote it.
    current: Vec<(i64, u32)>,
    slots: Vec<Running>,
    index: u32,
    /// How many transactions may still begin.
    left: u32,
    times: Option<Times>,
}

impl Dirty {
    /// A store that runs `transactions` random transactions.
    pub(crate) fn new(params: &Params, transactions: u32) -> Dirty {
        let slots = SLOTS.min(params.sessions);
        Dirty {
            sessions: params.sessions,
            choose: Chooser::new(params),
            current: vec![(0, 0); params.keys as usize],
            slots: (0..slots).map(|_| Running::default()).collect(),
            index: 0,
            left: transactions,
            times: params.has_times().then(|| Times::new(params.sessions, 0)),
        }
    }

    /// Begins a transaction in an empty slot. Slots share no session.
    fn begin(&mut self, slot: usize) {
        let (slots, first) = (self.slots.len() as u32, slot as u32);
        let here = (self.sessions - first).div_ceil(slots);
        let session = first + slots * self.choose.rng.below(here);
        let index = self.take_index();
        let left = self.choose.num_events();
        let begin = self.times.as_mut().map(|times| times.begin(session));
        let running = &mut self.slots[slot];
        running.txn.index = index;
        running.txn.session = session;
        running.txn.ops.clear();
        running.txn.times = begin.map(|begin| (begin, begin));
        running.own.clear();
        running.left = left;
        self.left -= 1;
    }

    fn step(&mut self, slot: usize) {
        let running = &mut self.slots[slot];
        let mut op = self.choose.op(running.txn.index);
        let current = &mut self.current[op.key as usize];
        if op.kind == Kind::Write {
            let own = Own { value: op.value, replaced: *current };
            running.own.entry(op.key).or_insert(own).value = op.value;
            *current = (op.value, op.writer);
        } else {
            (op.value, op.writer) = match running.own.get(&op.key) {
                Some(own) => (own.value, running.txn.index),
                None => *current,
            };
        }
        running.txn.ops.push(op);
        running.left -= 1;
        if let Some(times) = &mut self.times {
            times.tick(&mut self.choose.rng);
        }
    }

    /// Ends the transaction of a slot and hands it out.
    fn end(&mut self, slot: usize, txn: &mut GenTxn) {
        let (status, takes_effect) = self.choose.fate();
        let running = &mut self.slots[slot];
        running.txn.status = status;
        if !takes_effect {
            for (&key, own) in &running.own {
                let current = &mut self.current[key as usize];
                if *current == (own.value, running.txn.index) {
                    *current = own.replaced;
                }
            }
        }
        if let (Some(times), Some((_, end))) = (&mut self.times, &mut running.txn.times) {
            *end = times.end(running.txn.session);
        }
        std::mem::swap(&mut running.txn, txn);
        running.txn.index = 0;
    }

    /// Runs until a transaction ends, or false if none runs and none may begin.
    fn run(&mut self, txn: &mut GenTxn, may_begin: bool) -> bool {
        loop {
            let count = self.slots.len();
            let first = self.choose.rng.below(count as u32) as usize;
            let may_begin = may_begin && self.left > 0;
            let busy = |slot: &usize| self.slots[*slot].txn.index != 0;
            let Some(slot) = (first..count + first)
                .map(|slot| slot % count)
                .find(|slot| may_begin || busy(slot))
            else {
                return false;
            };
            if self.slots[slot].txn.index == 0 {
                self.begin(slot);
            }
            if self.slots[slot].left > 0 {
                self.step(slot);
            }
            if self.slots[slot].left == 0 {
                self.end(slot, txn);
                return true;
            }
        }
    }
}

impl Store for Dirty {
    fn next(&mut self, txn: &mut GenTxn) {
        let ended = self.run(txn, true);
        debug_assert!(ended, "as many transactions begin as are asked for");
    }

    fn drain(&mut self, txn: &mut GenTxn) -> bool {
        self.run(txn, false)
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
        self.current[key as usize]
    }

    fn append(&mut self, txn: &GenTxn) {
        for op in txn.ops.iter().filter(|op| op.kind == Kind::Write) {
            if txn.status != Status::Aborted {
                self.current[op.key as usize] = (op.value, op.writer);
            }
        }
    }

    fn quiesce(&mut self) {}
}
