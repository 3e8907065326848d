//! List-append: every read tells the whole order of a key's versions.
//!
//! Each key holds a list, an append adds an element that nobody else appends, a read returns the list.
//! So a version is known by its last element, and the elements before it are its past:
//!
//! ```text
//! t1 append x 1      w(x)=1
//! t2 append x 2      w(x)=2
//! t3 r x [1 2]       r(x)=2, and the version order of x begins t1, t2
//! t4 r x []          r(x)=null, the initial version
//! ```
//!
//! The *order* of a key is the longest list that a committed transaction read and that makes sense: its
//! elements were appended, by transactions that did not abort, none twice, and those of one transaction
//! are together and in the order it appended them. Its writers, each at the last element it appended,
//! are the known version order; writers it leaves out come later. A transaction of unknown status whose
//! element is in the order has evidently committed.
//!
//! A read that is a prefix of the order is a read of its last element; if that is in the middle of a
//! transaction's appends, it is an intermediate read, as it should be. Other reads are recorded as what
//! no history allows, for the checker to report:
//!
//! - an element of an aborted transaction: a read of that element;
//! - an element the reader itself appends later: a read of that element;
//! - anything else (an element nobody appended or one twice, two orders): a value nobody wrote, namely
//!   the whole list.
//!
//! # After own appends
//!
//! A transaction sees its own appends at the end of every list. What precedes them is a version that
//! others made, so such a list is two reads: an external one of that version, where the list was read,
//! and an internal one of the last own element. In a history a read is external only as long as its
//! transaction has not written the key, so the own appends (and internal reads) move behind the key's last
//! list:
//!
//! ```text
//! append x 2, r y [7], r x [1 2], append x 3, r x [1 2 3]        as recorded by the client
//! r(y)=7 r(x)=1 r(x)=1 w(x)=2 r(x)=2 w(x)=3 r(x)=3               as recorded here
//! ```
//!
//! No level asks where a write, or an internal read, stands among the events of other keys, so this changes no
//! answer. Where an external read stands does matter: were it moved before the append instead, and thus
//! before the read of y, a history could violate RC that does not.
//!
//! Only the part before the own appends takes part in the choice of the order. Where the own appends end up is
//! decided when the transaction commits: at RC others may commit between its read and that, and it then appends
//! to a longer list. Where the level rules that out (SI, SER), the external read says so by itself.
//! A list that does not end in the own appends is an internal read of a value nobody wrote.
//!
//! Where an element is appended to one key twice, its lists say nothing certain, and only last elements
//! are kept. Cost: linear in the size of the file.

use std::collections::{HashMap, HashSet};

use hobgoblin_core::{History, HistoryBuilder, HistoryError, Key, Kind, Status, TxnInfo, Value};

use super::operation::{Got, Op, Txn};

/// Builds the history of list-append transactions.
pub(super) fn build(mut txns: Vec<Txn>) -> Result<History, HistoryError> {
    let mut keys = Keys::default();
    for (at, txn) in txns.iter().enumerate() {
        keys.add_appends(at, txn);
    }
    for (at, txn) in txns.iter().enumerate().filter(|(_, t)| t.status == Status::Committed) {
        for_reads(txn, |key, list, own| keys.key(key).consider(at, list, own));
    }
    for log in &keys.logs {
        for element in &log.order {
            let appender = log.appended[element].txn;
            if txns[appender].status == Status::Unknown {
                txns[appender].status = Status::Committed;
            }
        }
    }
    let mut builder = HistoryBuilder::new();
    for (at, txn) in txns.iter().enumerate() {
        add(&mut builder, &mut keys, at, txn)?;
    }
    for log in keys.logs.iter().filter(|log| !log.order.is_empty()) {
        let last = log.order.iter().map(|e| &log.appended[e]).filter(|a| a.last);
        let writers = last.map(|a| name(a.txn).into()).collect();
        let key = builder.key(&log.key);
        builder.order(key, writers)?;
    }
    builder.finish()
}

/// Transactions are called by their number, as those without a name are.
fn name(at: usize) -> String {
    format!("t{}", at + 1)
}

fn add(
    builder: &mut HistoryBuilder,
    keys: &mut Keys,
    at: usize,
    txn: &Txn,
) -> Result<(), HistoryError> {
    let session = builder.session(&txn.session);
    builder.begin(session);
    for (key, kind, value) in events(keys, at, txn) {
        let key = builder.key(key);
        builder.event(kind, key, &value);
    }
    let &Txn { status, begin, end, line, .. } = txn;
    let name = Some(name(at));
    builder.end(TxnInfo {
        name: name.as_deref(),
        status,
        begin,
        end,
        line,
        ..TxnInfo::default()
    })?;
    Ok(())
}

/// The events of a transaction: its own appends to a key, and what it read of them, come after what it
/// read of others in that key.
fn events<'a>(keys: &mut Keys, at: usize, txn: &'a Txn) -> Vec<(&'a Key, Kind, Value)> {
    if txn.status == Status::Aborted {
        return appends(txn).map(|(key, value)| (key, Kind::Write, value.clone())).collect();
    }
    let mut observed = Vec::new();
    for_reads(txn, |key, list, own| observed.push(keys.key(key).observe(at, list, own)));
    let mut of_others: HashMap<&Key, usize> = HashMap::new();
    for ((key, _), observed) in reads(txn).zip(&observed) {
        *of_others.entry(key).or_default() += usize::from(observed.external.is_some());
    }
    let mut held: HashMap<&Key, Vec<(&Key, Kind, Value)>> = HashMap::new();
    let mut events = Vec::new();
    let mut observed = observed.into_iter();
    for op in &txn.ops {
        let (key, own) = match op {
            Op::Append(key, value) | Op::Write(key, value) => {
                (key, Some((Kind::Write, value.clone())))
            }
            Op::Read(key, _) => {
                let Observed { external, internal } = observed.next().unwrap_or_default();
                if let Some(value) = external {
                    events.push((key, Kind::Read, value));
                    *of_others.entry(key).or_default() -= 1;
                }
                (key, internal.map(|value| (Kind::Read, value)))
            }
        };
        let held = held.entry(key).or_default();
        held.extend(own.map(|(kind, value)| (key, kind, value)));
        if of_others.get(key).is_none_or(|&left| left == 0) {
            events.append(held);
        }
    }
    events
}

/// The appends of a transaction.
fn appends(txn: &Txn) -> impl Iterator<Item = (&Key, &Value)> {
    txn.ops.iter().filter_map(|op| match op {
        Op::Append(key, value) | Op::Write(key, value) => Some((key, value)),
        Op::Read(..) => None,
    })
}

/// The reads of a transaction.
fn reads(txn: &Txn) -> impl Iterator<Item = (&Key, &Got)> {
    txn.ops.iter().filter_map(|op| match op {
        Op::Read(key, got) => Some((key, got)),
        Op::Append(..) | Op::Write(..) => None,
    })
}

/// Calls `f` for every read of a transaction: the key, the list, and what the transaction itself has
/// appended to the key before.
fn for_reads<'a>(txn: &'a Txn, mut f: impl FnMut(&'a Key, &[Value], &[Value])) {
    let mut own: HashMap<&Key, Vec<Value>> = HashMap::new();
    for op in &txn.ops {
        match op {
            Op::Append(key, value) | Op::Write(key, value) => {
                own.entry(key).or_default().push(value.clone());
            }
            Op::Read(key, got) => {
                let own = own.get(key).map_or(&[][..], Vec::as_slice);
                match got {
                    Got::List(list) => f(key, list, own),
                    Got::Value(Value::Null) => f(key, &[], own),
                    Got::Value(value) => f(key, std::slice::from_ref(value), own),
                }
            }
        }
    }
}

/// What a list says, as values to record.
#[derive(Debug, Default)]
struct Observed {
    /// What others had appended.
    external: Option<Value>,
    /// The transaction's own last append.
    internal: Option<Value>,
}

/// What is known of every key.
#[derive(Debug, Default)]
struct Keys {
    by_name: HashMap<Key, usize>,
    logs: Vec<Log>,
}

impl Keys {
    fn key(&mut self, key: &Key) -> &mut Log {
        let at = match self.by_name.get(key) {
            Some(&at) => at,
            None => {
                self.by_name.insert(key.clone(), self.logs.len());
                self.logs.push(Log::new(key.clone()));
                self.logs.len() - 1
            }
        };
        &mut self.logs[at]
    }

    fn add_appends(&mut self, at: usize, txn: &Txn) {
        // The last append of this transaction to each key, to be marked as such.
        let mut last: HashMap<&Key, (usize, &Value)> = HashMap::new();
        for (key, value) in appends(txn) {
            let log = self.key(key);
            if txn.status == Status::Aborted {
                log.aborted.insert(value.clone());
                continue;
            }
            let index = last.get(key).map_or(0, |(index, _)| index + 1);
            let appended = Appended { txn: at, index, last: false };
            log.repeated |= log.appended.insert(value.clone(), appended).is_some();
            last.insert(key, (index, value));
        }
        for (key, (_, value)) in last {
            let appended = self.key(key).appended.get_mut(value);
            appended.expect("the value was inserted above").last = true;
        }
    }
}

/// Who appended an element.
#[derive(Debug)]
struct Appended {
    txn: usize,
    /// Its place among the transaction's appends to the key.
    index: usize,
    /// Whether it is the last of these.
    last: bool,
}

/// What is known of one key.
#[derive(Debug)]
struct Log {
    key: Key,
    appended: HashMap<Value, Appended>,
    /// What aborted transactions appended.
    aborted: HashSet<Value>,
    /// Whether an element was appended twice.
    repeated: bool,
    /// The longest list that makes sense.
    order: Vec<Value>,
}

impl Log {
    fn new(key: Key) -> Log {
        let (appended, aborted) = (HashMap::new(), HashSet::new());
        Log { key, appended, aborted, repeated: false, order: Vec::new() }
    }

    /// Takes a list that `reader` read as the order, if it is longer and makes sense.
    fn consider(&mut self, reader: usize, list: &[Value], own: &[Value]) {
        if let Some(list) = list.strip_suffix(own)
            && !self.repeated
            && list.len() > self.order.len()
            && self.makes_sense(reader, list)
        {
            self.order = list.to_vec();
        }
    }

    fn makes_sense(&self, reader: usize, list: &[Value]) -> bool {
        let mut seen = HashSet::new();
        let mut before: Option<&Appended> = None;
        list.iter().all(|element| {
            let Some(now) = self.appended.get(element) else { return false };
            let follows = match before {
                None => now.index == 0,
                Some(before) if now.txn == before.txn => now.index == before.index + 1,
                Some(before) => before.last && now.index == 0,
            };
            before = Some(now);
            follows && now.txn != reader && seen.insert(element)
        })
    }

    /// The values to record for a read of this key.
    fn observe(&self, reader: usize, list: &[Value], own: &[Value]) -> Observed {
        let Some(base) = list.strip_suffix(own) else {
            return Observed { external: None, internal: Some(self.unwritten(list)) };
        };
        Observed { external: Some(self.version(reader, base, own)), internal: own.last().cloned() }
    }

    /// The value to record for a version that `reader` saw, which had itself appended `own` before.
    fn version(&self, reader: usize, list: &[Value], own: &[Value]) -> Value {
        if self.repeated {
            return list.last().cloned().unwrap_or_default();
        }
        let is_aborted = |e: &&Value| self.aborted.contains(e) && !self.appended.contains_key(e);
        if let Some(element) = list.iter().rfind(is_aborted) {
            return element.clone();
        }
        let is_own = |e: &&Value| self.appended.get(e).is_some_and(|a| a.txn == reader);
        match list.iter().rfind(is_own) {
            Some(element) if own.contains(element) => return self.unwritten(list),
            Some(element) => return element.clone(),
            None => {}
        }
        if !self.order.starts_with(list) {
            return self.unwritten(list);
        }
        list.last().cloned().unwrap_or_default()
    }

    /// A list as a value that nobody appended: itself, or, should somebody append such a list, a list of
    /// it. The empty list is the initial null.
    fn unwritten(&self, list: &[Value]) -> Value {
        let mut value = whole(list);
        while self.appended.contains_key(&value) || self.aborted.contains(&value) {
            value = whole(&[value]);
        }
        value
    }
}

/// A whole list as one value, which nobody wrote; the empty list is the initial null.
pub(super) fn whole(list: &[Value]) -> Value {
    if list.is_empty() {
        return Value::Null;
    }
    let items: Vec<String> = list.iter().map(Value::to_string).collect();
    Value::Json(format!("[{}]", items.join(",")).into())
}
