//! Adapters for [`yrs`](https://docs.rs/yrs), the Rust implementation of Yjs: shared maps and arrays.
//!
//! | object | tested as | expected |
//! |---|---|---|
//! | [`Registers`]: the values of a map | `lww`, an order for each key | conforms |
//! | [`Registers`]: the values of a map | `lww`, one order for all | differs |
//! | [`Keys`]: which keys a map has | `aw-set` | differs |
//! | [`Sequence`]: an array | `list` | conforms |
//! | [`Sequence`]: an array | `rga` | differs on purpose: this is YATA, which also looks at what stands to the right |
//! | [`AnyOrder`]: an array whose updates arrive in any order | `list` | differs, and replicas do not agree |
//!
//! - Concurrent values of a key are ordered by the numbers of their clients. One order of all writes that contains
//!   happens-before cannot always follow that.
//! - The values of a key are a list of which the last one counts. Who removes the key deletes the last one, and what
//!   another replica has concurrently put to its left is not shown: A adds y, B adds and removes y, and y is gone.
//! - Updates wait for the elements that they are attached to, but not for all that their sender had seen, nor for
//!   earlier updates of their sender: effects are shown before their causes. So causal order is the sender's duty,
//!   and [`Exchange::causal`] is what the other adapters use.
//! - An update that arrived early may stay out although all that it needs has arrived since. It comes in with the next
//!   update of its sender, or with a merge; until then replicas that received the same do not agree (0.28.0).

use ::yrs::updates::decoder::Decode;
use ::yrs::{
    Any, Array, ArrayRef, Doc, Map, MapRef, Out, ReadTxn, Transact, TransactionMut, Update,
};
use hobgoblin::crdt::harness::{Exchange, LiveReplica, Outcome, Request};

/// A document, and the update that was made to it last.
struct Document {
    document: Doc,
    last: Option<Vec<u8>>,
}

impl Document {
    /// Empty documents. Clients have fixed numbers, for they decide who wins.
    fn fleet(count: usize) -> Vec<Document> {
        let document = |own| Document { document: Doc::with_client_id(own as u64 + 1), last: None };
        (0..count).map(document).collect()
    }

    /// Changes the document in one transaction.
    fn update(&mut self, change: impl FnOnce(&mut TransactionMut<'_>)) -> Outcome {
        let mut transaction = self.document.transact_mut();
        change(&mut transaction);
        self.last = Some(transaction.encode_update_v1());
        Outcome::Updated
    }

    fn take(&mut self, update: &[u8]) {
        let update = Update::decode_v1(update).expect("an update that yrs made");
        self.document.transact_mut().apply_update(update).expect("an update can be applied");
    }

    fn merge(&mut self, from: &Document) {
        let known = self.document.transact().state_vector();
        let update = from.document.transact().encode_diff_v1(&known);
        self.take(&update);
    }

    fn map(&self) -> MapRef {
        self.document.get_or_insert_map("map")
    }

    fn array(&self, name: &str) -> ArrayRef {
        self.document.get_or_insert_array(name)
    }

    fn keys(&mut self, request: &Request) -> Outcome {
        let map = self.map();
        match request {
            Request::Add(key) => self.update(|t| {
                map.insert(t, key.as_str(), true);
            }),
            Request::Remove(key) => self.remove(key),
            Request::Contains(key) => {
                Outcome::Member(map.contains_key(&self.document.transact(), key))
            }
            Request::Elements => {
                let transaction = self.document.transact();
                Outcome::Elements(map.keys(&transaction).map(str::to_owned).collect())
            }
            _ => Outcome::Unsupported,
        }
    }

    /// Removes a key; one that is not there leaves nothing to send.
    fn remove(&mut self, key: &str) -> Outcome {
        let map = self.map();
        let is_there = map.contains_key(&self.document.transact(), key);
        match is_there {
            true => self.update(|t| drop(map.remove(t, key))),
            false => Outcome::NoEffect,
        }
    }
}

fn number(value: Out) -> Option<i64> {
    match value {
        Out::Any(any @ Any::Number(_)) => i64::try_from(any).ok(),
        _ => None,
    }
}

/// What all adapters have in common: how documents are exchanged.
macro_rules! documents {
    ($name:ident, $exchange:expr) => {
        type Message = Vec<u8>;
        const EXCHANGE: Exchange = $exchange;

        fn fleet(count: usize, _: &[String]) -> Vec<$name> {
            Document::fleet(count).into_iter().map($name).collect()
        }

        fn message(&mut self) -> Option<Vec<u8>> {
            self.0.last.take()
        }

        fn deliver(&mut self, message: &Vec<u8>) {
            self.0.take(message);
        }

        fn merge(&mut self, from: &mut $name) {
            self.0.merge(&from.0);
        }
    };
}

/// The values of a map.
pub struct Registers(Document);

impl LiveReplica for Registers {
    documents!(Registers, Exchange::causal().and_merging());

    fn apply(&mut self, request: &Request) -> Outcome {
        let map = self.0.map();
        match request {
            Request::Write(key, value) => self.0.update(|t| {
                map.insert(t, key.as_str(), *value);
            }),
            Request::Delete(key) => self.0.remove(key),
            Request::Read(key) => {
                let value = map.get(&self.0.document.transact(), key);
                Outcome::Value(value.and_then(number))
            }
            _ => Outcome::Unsupported,
        }
    }
}

/// The keys of a map as a set.
pub struct Keys(Document);

impl LiveReplica for Keys {
    documents!(Keys, Exchange::causal().and_merging());

    fn apply(&mut self, request: &Request) -> Outcome {
        self.0.keys(request)
    }
}

/// Arrays.
pub struct Sequence(Document);

impl LiveReplica for Sequence {
    documents!(Sequence, Exchange::causal().and_merging());

    fn apply(&mut self, request: &Request) -> Outcome {
        self.0.sequence(request)
    }
}

/// Arrays whose updates arrive in any order.
pub struct AnyOrder(Document);

impl LiveReplica for AnyOrder {
    documents!(AnyOrder, Exchange::any_order());

    fn apply(&mut self, request: &Request) -> Outcome {
        self.0.sequence(request)
    }
}

impl Document {
    fn sequence(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Insert { list, index, element, .. } => {
                let array = self.array(list);
                self.update(|t| {
                    array.insert(t, *index as u32, *element);
                })
            }
            Request::Erase { list, index, .. } => {
                let array = self.array(list);
                self.update(|t| array.remove(t, *index as u32))
            }
            Request::Items(list) => {
                let array = self.array(list);
                let items = array.iter(&self.document.transact()).filter_map(number).collect();
                Outcome::Items(items)
            }
            _ => Outcome::Unsupported,
        }
    }
}
