//! How the reads of a small random history choose what to return; see [`small`](crate::small).

use hobgoblin_core::{Kind, Rng, Status, Value};

use crate::draft::{Draft, DraftTxn};

/// How reads choose among the versions of their key. Transactions are numbered as if they committed
/// in that order.
#[derive(Clone, Copy, Debug)]
enum Habit {
    /// The newest before the transaction.
    Serial,
    /// The newest before a snapshot of the transaction.
    Snapshot,
    /// The newest before a snapshot that never lies before the session's last transaction.
    SessionSnapshot,
    /// The newest of some earlier transactions, of the own session always.
    Atomic,
    /// The same, and what those saw.
    Causal,
    /// The newest before a snapshot that only grows, read by read.
    Growing,
    /// Any version that there is.
    Any,
}

/// What a transaction of the habit sees.
struct View {
    habit: Habit,
    prefix: usize,
    /// One bit for each transaction.
    others: u64,
}

/// Lets every read return something; if it may be a fault, even what no transaction may see.
pub(crate) fn fill_reads(rng: &mut Rng, may_fault: bool, draft: &mut Draft) {
    let habits = [
        Habit::Serial,
        Habit::Snapshot,
        Habit::SessionSnapshot,
        Habit::SessionSnapshot,
        Habit::Atomic,
        Habit::Atomic,
        Habit::Causal,
        Habit::Causal,
        Habit::Causal,
        Habit::Growing,
        Habit::Any,
    ];
    let habit = *rng.pick(&habits).expect("there are habits");
    let exceptions = *rng.pick(&[0, 0, 0, 10, 4]).expect("there are rates");
    let faults = may_fault && rng.one_in(4);
    let views = views(rng, habit, draft);
    if rng.one_in(2) {
        avoid_conflicts(draft, &views);
    }
    for (t, mut view) in views.into_iter().enumerate() {
        for at in 0..draft.txns[t].ops.len() {
            let op = &draft.txns[t].ops[at];
            if op.kind == Kind::Write {
                continue;
            }
            if matches!(habit, Habit::Growing) {
                view.prefix = rng.between(view.prefix as u32, t as u32) as usize;
            }
            let mut before = draft.txns[t].ops[..at].iter().rev();
            let own = before.find(|o| o.kind == Kind::Write && o.key == op.key);
            let value = match own {
                _ if faults && rng.one_in(12) => any_value(rng, draft, op.key),
                Some(own) => own.value.clone(),
                None if exceptions > 0 && rng.one_in(exceptions) => {
                    let any = View { habit: Habit::Any, prefix: 0, others: 0 };
                    chosen(rng, draft, t, op.key, &any)
                }
                None => chosen(rng, draft, t, op.key, &view),
            };
            draft.txns[t].ops[at].value = value;
        }
    }
}

/// Turns writes of what a transaction does not see the newest version of into reads.
fn avoid_conflicts(draft: &mut Draft, views: &[View]) {
    for (t, view) in views.iter().enumerate() {
        for at in 0..draft.txns[t].ops.len() {
            let key = draft.txns[t].ops[at].key;
            let mut unseen = (0..t).filter(|&other| !view.sees(t, other));
            if unseen.any(|other| last_write(&draft.txns[other], key).is_some()) {
                draft.txns[t].ops[at].kind = Kind::Read;
            }
        }
    }
}

/// The bit of a transaction; histories of more than 64 reuse them, which only changes what is seen.
fn bit(t: usize) -> u64 {
    1 << (t % 64)
}

/// What each transaction sees.
fn views(rng: &mut Rng, habit: Habit, draft: &Draft) -> Vec<View> {
    let mut views: Vec<View> = Vec::new();
    for (t, txn) in draft.txns.iter().enumerate() {
        let (mut last, mut others) = (0, 0);
        for (at, earlier) in views.iter().enumerate() {
            let own = draft.txns[at].session == txn.session;
            if own {
                last = at + 1;
            }
            if own || rng.one_in(3) {
                others |= bit(at);
                if matches!(habit, Habit::Causal) {
                    others |= earlier.others;
                }
            }
        }
        let prefix = match habit {
            Habit::Serial => t,
            Habit::SessionSnapshot => rng.between(last as u32, t as u32) as usize,
            _ => rng.between(0, t as u32) as usize,
        };
        views.push(View { habit, prefix, others });
    }
    views
}

impl View {
    /// Whether transaction `t`, whose view this is, sees the one at `at`.
    fn sees(&self, t: usize, at: usize) -> bool {
        match self.habit {
            Habit::Any => at != t,
            Habit::Atomic | Habit::Causal => at < t && self.others & bit(at) != 0,
            _ => at < self.prefix,
        }
    }
}

/// The last value that a transaction writes to a key, unless it aborts.
pub(crate) fn last_write(txn: &DraftTxn, key: usize) -> Option<&Value> {
    let mut writes = txn.ops.iter().rev().filter(|op| op.kind == Kind::Write && op.key == key);
    writes.next().map(|op| &op.value).filter(|_| txn.status != Status::Aborted)
}

/// The value that an external read of transaction `t` returns.
fn chosen(rng: &mut Rng, draft: &Draft, t: usize, key: usize, view: &View) -> Value {
    let seen = (0..draft.txns.len()).filter(|&at| view.sees(t, at));
    let written = seen.filter_map(|at| last_write(&draft.txns[at], key).cloned());
    let mut versions: Vec<Value> = std::iter::once(0.into()).chain(written).collect();
    match view.habit {
        Habit::Any => rng.pick(&versions).cloned(),
        _ => versions.pop(),
    }
    .expect("the initial version is always seen")
}

/// Any value written to a key, even by nobody.
fn any_value(rng: &mut Rng, draft: &Draft, key: usize) -> Value {
    let ops = draft.txns.iter().flat_map(|txn| &txn.ops);
    let writes = ops.filter(|op| op.kind == Kind::Write && op.key == key);
    let mut values: Vec<_> = writes.map(|op| op.value.clone()).collect();
    values.extend([0.into(), 99.into()]);
    rng.pick(&values).cloned().expect("there are at least two")
}
