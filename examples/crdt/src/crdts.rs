//! Adapters for [`crdts`](https://docs.rs/crdts), a collection of data types that exchange operations or states.
//!
//! | type | tested as | expected |
//! |---|---|---|
//! | [`Set`]: `Orswot` | `aw-set` | conforms |
//! | [`MultiValue`]: `MVReg` | `mvr` | conforms |
//! | [`LastWriter`]: `LWWReg`, marked by Lamport's clock and the replica | `lww` | conforms; markers are the caller's duty |
//! | [`Counter`]: `PNCounter` | `counter` | conforms |
//! | [`Sequence`]: `List` | `list` | conforms |
//! | [`Sequence`]: `List` | `rga` | differs on purpose: its identifiers are dense numbers that know nothing of anchors |
//!
//! Operations must arrive in causal order, which the library leaves to its user, and may arrive twice.

use std::collections::BTreeMap;

use ::crdts::{
    CmRDT, CvRDT, LWWReg, List, MVReg, Orswot, PNCounter, list, mvreg, orswot, pncounter,
};
use hobgoblin::crdt::harness::{Exchange, LiveReplica, Outcome, Request};

/// An observed-remove set without tombstones.
#[derive(Clone)]
pub struct Set {
    own: usize,
    set: Orswot<String, usize>,
    last: Option<orswot::Op<String, usize>>,
}

impl LiveReplica for Set {
    type Message = orswot::Op<String, usize>;
    const EXCHANGE: Exchange = Exchange::causal().and_merging();

    fn fleet(count: usize, _: &[String]) -> Vec<Set> {
        (0..count).map(|own| Set { own, set: Orswot::new(), last: None }).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        let operation = match request {
            Request::Add(element) => {
                let context = self.set.read_ctx().derive_add_ctx(self.own);
                self.set.add(element.clone(), context)
            }
            Request::Remove(element) => {
                let context = self.set.contains(element).derive_rm_ctx();
                self.set.rm(element.clone(), context)
            }
            Request::Contains(element) => return Outcome::Member(self.set.contains(element).val),
            Request::Elements => {
                return Outcome::Elements(self.set.read().val.into_iter().collect());
            }
            _ => return Outcome::Unsupported,
        };
        self.set.apply(operation.clone());
        self.last = Some(operation);
        Outcome::Updated
    }

    fn message(&mut self) -> Option<orswot::Op<String, usize>> {
        self.last.take()
    }

    fn deliver(&mut self, message: &orswot::Op<String, usize>) {
        self.set.apply(message.clone());
    }

    fn merge(&mut self, from: &mut Set) {
        self.set.merge(from.set.clone());
    }

    fn copy(&mut self) -> Option<Set> {
        Some(self.clone())
    }
}

/// Multi-value registers.
#[derive(Clone)]
pub struct MultiValue {
    own: usize,
    registers: BTreeMap<String, MVReg<i64, usize>>,
    last: Option<(String, mvreg::Op<i64, usize>)>,
}

impl LiveReplica for MultiValue {
    type Message = (String, mvreg::Op<i64, usize>);
    const EXCHANGE: Exchange = Exchange::causal().and_merging();

    fn fleet(count: usize, _: &[String]) -> Vec<MultiValue> {
        let replica = |own| MultiValue { own, registers: BTreeMap::new(), last: None };
        (0..count).map(replica).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Write(key, value) => {
                let register = self.registers.entry(key.clone()).or_default();
                let context = register.read_ctx().derive_add_ctx(self.own);
                let operation = register.write(*value, context);
                register.apply(operation.clone());
                self.last = Some((key.clone(), operation));
                Outcome::Updated
            }
            Request::Read(key) => {
                let values = self.registers.get(key).map(|register| register.read().val);
                Outcome::Values(values.unwrap_or_default())
            }
            _ => Outcome::Unsupported,
        }
    }

    fn message(&mut self) -> Option<(String, mvreg::Op<i64, usize>)> {
        self.last.take()
    }

    fn deliver(&mut self, (key, operation): &(String, mvreg::Op<i64, usize>)) {
        self.registers.entry(key.clone()).or_default().apply(operation.clone());
    }

    fn merge(&mut self, from: &mut MultiValue) {
        for (key, register) in &from.registers {
            self.registers.entry(key.clone()).or_default().merge(register.clone());
        }
    }

    fn copy(&mut self) -> Option<MultiValue> {
        Some(self.clone())
    }
}

/// When something was written: Lamport's clock, and who breaks ties.
type Marker = (u64, usize);

/// Last-writer-wins registers. A deleted one holds nothing.
#[derive(Clone)]
pub struct LastWriter {
    own: usize,
    clock: u64,
    registers: BTreeMap<String, LWWReg<Option<i64>, Marker>>,
    last: Option<(String, LWWReg<Option<i64>, Marker>)>,
}

impl LastWriter {
    fn write(&mut self, key: &str, value: Option<i64>) -> Outcome {
        self.clock += 1;
        let written = LWWReg { val: value, marker: (self.clock, self.own) };
        self.take(key, written.clone());
        self.last = Some((key.to_owned(), written));
        Outcome::Updated
    }

    fn take(&mut self, key: &str, written: LWWReg<Option<i64>, Marker>) {
        self.clock = self.clock.max(written.marker.0);
        self.registers.entry(key.to_owned()).or_default().merge(written);
    }
}

impl LiveReplica for LastWriter {
    type Message = (String, LWWReg<Option<i64>, Marker>);
    const EXCHANGE: Exchange = Exchange::causal().and_merging();

    fn fleet(count: usize, _: &[String]) -> Vec<LastWriter> {
        let replica = |own| LastWriter { own, clock: 0, registers: BTreeMap::new(), last: None };
        (0..count).map(replica).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Write(key, value) => self.write(key, Some(*value)),
            Request::Delete(key) => self.write(key, None),
            Request::Read(key) => {
                Outcome::Value(self.registers.get(key).and_then(|register| register.val))
            }
            _ => Outcome::Unsupported,
        }
    }

    fn message(&mut self) -> Option<(String, LWWReg<Option<i64>, Marker>)> {
        self.last.take()
    }

    fn deliver(&mut self, (key, written): &(String, LWWReg<Option<i64>, Marker>)) {
        self.take(key, written.clone());
    }

    fn merge(&mut self, from: &mut LastWriter) {
        self.clock = self.clock.max(from.clock);
        for (key, register) in &from.registers {
            self.take(key, register.clone());
        }
    }

    fn copy(&mut self) -> Option<LastWriter> {
        Some(self.clone())
    }
}

/// Counters that count up and down apart.
#[derive(Clone)]
pub struct Counter {
    own: usize,
    counters: BTreeMap<String, PNCounter<usize>>,
    last: Option<(String, pncounter::Op<usize>)>,
}

impl LiveReplica for Counter {
    type Message = (String, pncounter::Op<usize>);
    const EXCHANGE: Exchange = Exchange::causal().and_merging();

    fn fleet(count: usize, _: &[String]) -> Vec<Counter> {
        (0..count).map(|own| Counter { own, counters: BTreeMap::new(), last: None }).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Increase(key, amount) => {
                let counter = self.counters.entry(key.clone()).or_default();
                let steps = amount.unsigned_abs();
                let operation = match *amount < 0 {
                    true => counter.dec_many(self.own, steps),
                    false => counter.inc_many(self.own, steps),
                };
                counter.apply(operation.clone());
                self.last = Some((key.clone(), operation));
                Outcome::Updated
            }
            Request::Sum(key) => {
                let sum = self.counters.get(key).map(PNCounter::read).unwrap_or_default();
                Outcome::Sum(sum.try_into().expect("the harness counts in 64 bits"))
            }
            _ => Outcome::Unsupported,
        }
    }

    fn message(&mut self) -> Option<(String, pncounter::Op<usize>)> {
        self.last.take()
    }

    fn deliver(&mut self, (key, operation): &(String, pncounter::Op<usize>)) {
        self.counters.entry(key.clone()).or_default().apply(operation.clone());
    }

    fn merge(&mut self, from: &mut Counter) {
        for (key, counter) in &from.counters {
            self.counters.entry(key.clone()).or_default().merge(counter.clone());
        }
    }

    fn copy(&mut self) -> Option<Counter> {
        Some(self.clone())
    }
}

/// Lists by dense identifiers. They exchange operations only.
pub struct Sequence {
    own: usize,
    lists: BTreeMap<String, List<i64, usize>>,
    last: Option<(String, list::Op<i64, usize>)>,
}

impl LiveReplica for Sequence {
    type Message = (String, list::Op<i64, usize>);
    const EXCHANGE: Exchange = Exchange::causal();

    fn fleet(count: usize, _: &[String]) -> Vec<Sequence> {
        (0..count).map(|own| Sequence { own, lists: BTreeMap::new(), last: None }).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        let (key, operation) = match request {
            Request::Insert { list, index, element, .. } => {
                let held = self.lists.entry(list.clone()).or_default();
                (list, held.insert_index(*index, *element, self.own))
            }
            Request::Erase { list, index, .. } => {
                let held = self.lists.entry(list.clone()).or_default();
                let Some(operation) = held.delete_index(*index, self.own) else {
                    return Outcome::NoEffect;
                };
                (list, operation)
            }
            Request::Items(list) => {
                let items = self.lists.get(list).map(|list| list.iter().copied().collect());
                return Outcome::Items(items.unwrap_or_default());
            }
            _ => return Outcome::Unsupported,
        };
        self.last = Some((key.clone(), operation.clone()));
        self.lists.entry(key.clone()).or_default().apply(operation);
        Outcome::Updated
    }

    fn message(&mut self) -> Option<(String, list::Op<i64, usize>)> {
        self.last.take()
    }

    fn deliver(&mut self, (key, operation): &(String, list::Op<i64, usize>)) {
        self.lists.entry(key.clone()).or_default().apply(operation.clone());
    }
}
