//! Adapters for [`automerge`](https://docs.rs/automerge): documents of maps, lists and counters.
//!
//! | object | tested as | expected |
//! |---|---|---|
//! | [`Sequence`]: a list | `rga`, `list` | conforms |
//! | [`Counter`] that the common origin holds | `counter` | conforms |
//! | [`OwnCounter`]: each replica creates the counter where it misses it | `counter` | differs on purpose |
//! | [`LastWriter`]: `get`, every value put once, nothing deleted | `lww` | conforms |
//! | [`LastWriter`]: the same with deletes | `lww` | differs on purpose |
//! | [`MultiValue`]: `get_all`, every value put once | `mvr` | conforms |
//! | [`MultiValue`]: `get_all`, repeated values | `mvr` | differs |
//! | [`HonestMultiValue`]: the same, and what is not recorded is told | `mvr` | differs, less often |
//! | [`Keys`]: which keys a map has, every value put once | `aw-set` | conforms |
//! | [`EqualKeys`]: which keys a map has, all with one value | `aw-set` | differs |
//!
//! - Of two counters that are created under one name one wins, and what the other has counted is gone.
//! - A delete removes the values that its replica had seen, and no others. So it never wins over a concurrent value,
//!   however late it comes, and a value that had lost may come back: no order of writes and deletes explains that.
//! - A value that is put again while it is the only one is not recorded, so that a concurrent delete or other value
//!   wins over it ([issue 889](https://github.com/automerge/automerge/issues/889)). If it is the winner of a conflict,
//!   only the others are recorded as deleted ([pull request 1117](https://github.com/automerge/automerge/pull/1117)):
//!   so it does not help to tell of what was not recorded.
//!
//! Changes name those that they depend on, and wait for them: they may arrive in any order, and twice. Documents can
//! also be merged.

use ::automerge::transaction::Transactable;
use ::automerge::{ActorId, AutoCommit, Change, ObjType, ROOT, ReadDoc, ScalarValue, Value};
use hobgoblin::crdt::harness::{Exchange, LiveReplica, Outcome, Request};

/// A document, and the change that was made to it last.
struct Document {
    document: AutoCommit,
    last: Option<Change>,
}

impl Document {
    /// Copies of one document. Names of replicas are fixed, for they decide who wins.
    fn fleet(count: usize, mut origin: AutoCommit) -> Vec<Document> {
        origin.commit();
        let fork = |own| {
            let document = origin.fork().with_actor(ActorId::from([own as u8 + 1]));
            Document { document, last: None }
        };
        (0..count).map(fork).collect()
    }

    fn origin() -> AutoCommit {
        AutoCommit::new().with_actor(ActorId::from([0]))
    }

    /// Ends an update. What automerge did not record was none, if the adapter tells so.
    fn update(&mut self, tells: bool) -> Outcome {
        self.last = match self.document.commit() {
            Some(_) => self.document.get_last_local_change(),
            None => None,
        };
        if self.last.is_none() && tells { Outcome::NoEffect } else { Outcome::Updated }
    }

    fn put(&mut self, key: &str, value: impl Into<ScalarValue>) {
        self.document.put(ROOT, key, value).expect("a value can be put into a map");
    }

    fn delete(&mut self, key: &str) {
        self.document.delete(ROOT, key).expect("a key can be deleted from a map");
    }

    fn get(&self, key: &str) -> Option<i64> {
        let value = self.document.get(ROOT, key).expect("the root is a map");
        value.and_then(|(value, _)| number(&value))
    }
}

fn number(value: &Value<'_>) -> Option<i64> {
    value.as_i64()
}

/// What all adapters have in common: how documents are exchanged.
macro_rules! documents {
    ($name:ty) => {
        type Message = Change;
        const EXCHANGE: Exchange = Exchange::any_order().and_merging();

        fn message(&mut self) -> Option<Change> {
            self.0.last.take()
        }

        fn deliver(&mut self, message: &Change) {
            let delivered = self.0.document.apply_changes([message.clone()]);
            delivered.expect("a change can be applied");
        }

        fn merge(&mut self, from: &mut $name) {
            let merged = self.0.document.merge(&mut from.0.document);
            merged.expect("documents of one origin can be merged");
        }
    };
}

/// Lists that the common origin holds.
pub struct Sequence(Document);

impl Sequence {
    fn list(&self, key: &str) -> ::automerge::ObjId {
        let found = self.0.document.get(ROOT, key).expect("the root is a map");
        found.expect("the origin has all lists").1
    }
}

impl LiveReplica for Sequence {
    documents!(Sequence);

    fn fleet(count: usize, keys: &[String]) -> Vec<Sequence> {
        let mut origin = Document::origin();
        for key in keys {
            origin.put_object(ROOT, key, ObjType::List).expect("a list can be put into a map");
        }
        Document::fleet(count, origin).into_iter().map(Sequence).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Insert { list, index, element, .. } => {
                let list = self.list(list);
                let inserted = self.0.document.insert(list, *index, *element);
                inserted.expect("the index is one that the list has");
                self.0.update(true)
            }
            Request::Erase { list, index, .. } => {
                let list = self.list(list);
                let deleted = self.0.document.delete(list, *index);
                deleted.expect("the index is one that the list has");
                self.0.update(true)
            }
            Request::Items(list) => {
                let list = self.list(list);
                let items = self.0.document.values(&list).filter_map(|(value, _)| value.as_i64());
                Outcome::Items(items.collect())
            }
            _ => Outcome::Unsupported,
        }
    }
}

/// Counters that the common origin holds.
pub struct Counter(Document);

impl LiveReplica for Counter {
    documents!(Counter);

    fn fleet(count: usize, keys: &[String]) -> Vec<Counter> {
        let mut origin = Document::origin();
        for key in keys {
            let put = origin.put(ROOT, key, ScalarValue::counter(0));
            put.expect("a counter can be put into a map");
        }
        Document::fleet(count, origin).into_iter().map(Counter).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Increase(key, amount) => {
                let increased = self.0.document.increment(ROOT, key, *amount);
                increased.expect("a counter can be increased");
                self.0.update(true)
            }
            Request::Sum(key) => Outcome::Sum(self.0.get(key).unwrap_or_default()),
            _ => Outcome::Unsupported,
        }
    }
}

/// Counters that each replica creates if it has not got them.
pub struct OwnCounter(Document);

impl LiveReplica for OwnCounter {
    documents!(OwnCounter);

    fn fleet(count: usize, _: &[String]) -> Vec<OwnCounter> {
        Document::fleet(count, Document::origin()).into_iter().map(OwnCounter).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Increase(key, amount) => {
                if self.0.get(key).is_none() {
                    self.0.put(key, ScalarValue::counter(0));
                }
                let increased = self.0.document.increment(ROOT, key, *amount);
                increased.expect("a counter can be increased");
                self.0.update(true)
            }
            Request::Sum(key) => Outcome::Sum(self.0.get(key).unwrap_or_default()),
            _ => Outcome::Unsupported,
        }
    }
}

/// The values of a map, of which automerge chooses one.
pub struct LastWriter(Document);

impl LiveReplica for LastWriter {
    documents!(LastWriter);

    fn fleet(count: usize, _: &[String]) -> Vec<LastWriter> {
        Document::fleet(count, Document::origin()).into_iter().map(LastWriter).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Write(key, value) => {
                self.0.put(key, *value);
                self.0.update(true)
            }
            Request::Delete(key) => {
                self.0.delete(key);
                self.0.update(true)
            }
            Request::Read(key) => Outcome::Value(self.0.get(key)),
            _ => Outcome::Unsupported,
        }
    }
}

/// The values of a map, all that are in conflict. What was put counts as written, even if it was there already.
pub struct MultiValue(Document);

/// The same, but what automerge does not record at all is told to be no update.
pub struct HonestMultiValue(Document);

impl Document {
    fn multi_value(&mut self, request: &Request, tells: bool) -> Outcome {
        match request {
            Request::Write(key, value) => {
                self.put(key, *value);
                self.update(tells)
            }
            Request::Delete(key) => {
                self.delete(key);
                self.update(tells)
            }
            Request::Read(key) => {
                let all = self.document.get_all(ROOT, key).expect("the root is a map");
                Outcome::Values(all.iter().filter_map(|(value, _)| number(value)).collect())
            }
            _ => Outcome::Unsupported,
        }
    }
}

impl LiveReplica for MultiValue {
    documents!(MultiValue);

    fn fleet(count: usize, _: &[String]) -> Vec<MultiValue> {
        Document::fleet(count, Document::origin()).into_iter().map(MultiValue).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        self.0.multi_value(request, false)
    }
}

impl LiveReplica for HonestMultiValue {
    documents!(HonestMultiValue);

    fn fleet(count: usize, _: &[String]) -> Vec<HonestMultiValue> {
        Document::fleet(count, Document::origin()).into_iter().map(HonestMultiValue).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        self.0.multi_value(request, true)
    }
}

/// The keys of a map as a set. Every key that is put has a value that no other has.
pub struct Keys(Document, i64);

/// The keys of a map as a set. All have the same value.
pub struct EqualKeys(Document);

impl Document {
    fn keys(&mut self, request: &Request, value: i64) -> Outcome {
        match request {
            Request::Add(key) => {
                self.put(key, value);
                self.update(false)
            }
            Request::Remove(key) => {
                self.delete(key);
                self.update(false)
            }
            Request::Contains(key) => Outcome::Member(self.get(key).is_some()),
            Request::Elements => {
                let keys = self.document.keys(ROOT);
                Outcome::Elements(keys.map(|key| key.to_string()).collect())
            }
            _ => Outcome::Unsupported,
        }
    }
}

impl LiveReplica for Keys {
    documents!(Keys);

    fn fleet(count: usize, _: &[String]) -> Vec<Keys> {
        let documents = Document::fleet(count, Document::origin()).into_iter().zip(0..);
        documents.map(|(document, own)| Keys(document, own << 32)).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        self.1 += 1;
        self.0.keys(request, self.1)
    }
}

impl LiveReplica for EqualKeys {
    documents!(EqualKeys);

    fn fleet(count: usize, _: &[String]) -> Vec<EqualKeys> {
        Document::fleet(count, Document::origin()).into_iter().map(EqualKeys).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        self.0.keys(request, 1)
    }
}
