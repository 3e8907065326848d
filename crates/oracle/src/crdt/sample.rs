//! Small random histories: replicas work, deliver to each other at random, and some of what they
//! saw is recorded; then, in two of three cases, the record is spoilt.
//!
//! [`honest`] is the history before it is spoilt, with the witness of what really happened, so it
//! is always admissible. Every feature of the format is in some of the samples; more than half say
//! nothing about delivery.

use serde_json::{Value, json};

use super::history::{Kind, Lin};
use super::mutate::mutate;
use super::record::{Delivery, annotate};
use super::rng::Rng;
use super::simulate::{Call, Fleet};
use super::spell::{Speller, Spelling};
use super::verify::Witness;

/// A random history of a type as JSON text.
///
/// # Panics
///
/// If there is no type of this name.
pub fn sample(kind: &str, seed: u64) -> String {
    let (mut history, _) = honest(kind, seed);
    let mut rng = Rng::new(!seed);
    if rng.chance(67) {
        mutate(&mut history, &mut rng);
    }
    history.to_string()
}

/// A history that replicas really produced, and what really happened.
///
/// # Panics
///
/// If there is no type of this name.
pub fn honest(kind: &str, seed: u64) -> (Value, Witness) {
    let known = Kind::named(kind).unwrap_or_else(|| panic!("no type is called {kind}"));
    let mut maker = Maker::new(known, Rng::new(seed));
    maker.run();
    maker.finish(kind)
}

struct Maker {
    kind: Kind,
    rng: Rng,
    fleet: Fleet,
    replicas: usize,
    keys: usize,
    lin: Lin,
    multiset: bool,
    strict_anchor: bool,
    delivery: Delivery,
    speller: Speller,
    /// The percentage of updates of unknown outcome, of operations without effect, and of reads
    /// with an unknown result.
    info: usize,
    idle: usize,
    unknown: usize,
    /// Registers: every value is written once.
    unique: bool,
    written: usize,
    init: Vec<(usize, Vec<usize>)>,
    ops: Vec<Vec<Value>>,
    exists: Vec<(usize, usize)>,
}

impl Maker {
    fn new(kind: Kind, mut rng: Rng) -> Maker {
        let replicas = rng.pick(&[2, 2, 2, 2, 3, 3, 3, 3, 3, 4]).unwrap_or(2);
        let lin = match (kind, rng.below(6)) {
            (Kind::Lww | Kind::Rga, 0 | 1) => Lin::PerKey,
            (Kind::Lww, 2) => Lin::Timestamps,
            _ => Lin::Global,
        };
        let informed = [
            Delivery::Everything,
            Delivery::Sometimes,
            Delivery::Bounds,
            Delivery::Syncs,
            Delivery::Finals,
            Delivery::Mixed,
        ];
        let black_box = rng.chance(55);
        let delivery = if black_box { None } else { rng.pick(&informed) };
        let spelt = [
            Spelling::Letters,
            Spelling::Letters,
            Spelling::Integers,
            Spelling::Floats,
            Spelling::Objects,
        ];
        let spelling = rng.pick(&spelt).unwrap_or(Spelling::Letters);
        let mut maker = Maker {
            kind,
            replicas,
            fleet: Fleet::new(kind, lin, kind == Kind::List && rng.chance(50), replicas),
            keys: rng.between(1, 2),
            lin,
            multiset: rng.chance(33),
            strict_anchor: rng.chance(33),
            delivery: delivery.unwrap_or(Delivery::Nothing),
            speller: Speller { kind, lin, spelling, rng: Rng::new(rng.number()) },
            info: if rng.chance(20) { 40 } else { 0 },
            idle: if rng.chance(20) { 25 } else { 0 },
            unknown: if rng.chance(15) { 25 } else { 0 },
            unique: rng.chance(50),
            written: 0,
            init: Vec::new(),
            ops: vec![Vec::new(); replicas],
            exists: Vec::new(),
            rng,
        };
        maker.start();
        maker
    }

    /// An initial state in one of four samples. Keys are strings then: others cannot be named.
    fn start(&mut self) {
        if !self.rng.chance(25) {
            return;
        }
        self.speller.spelling = Spelling::Letters;
        for key in 0..self.keys {
            if !self.rng.chance(60) {
                continue;
            }
            let values = match self.kind {
                Kind::Mvr | Kind::Rga | Kind::List => {
                    let first = self.written;
                    self.written += self.rng.below(3);
                    (first..self.written).collect()
                }
                Kind::AwSet | Kind::RwSet | Kind::EwFlag | Kind::DwFlag => {
                    vec![1; self.rng.below(2)]
                }
                Kind::Lww | Kind::Counter => vec![self.rng.below(3); self.rng.below(2)],
            };
            self.fleet.start(key, &values);
            self.init.push((key, values));
        }
    }

    fn run(&mut self) {
        let total = self.rng.between(4, 8);
        let finals = match self.delivery {
            Delivery::Finals => self.rng.between(1, 2),
            Delivery::Mixed => self.rng.below(2),
            _ => 0,
        };
        // Where syncs are written, one replica acts last: it can have heard all of another.
        let last = self.rng.below(self.replicas);
        for step in 0..total - finals {
            let ends = self.writes_syncs() && step + 3 >= total - finals;
            let replica = if ends { last } else { self.rng.below(self.replicas) };
            if self.rng.chance(60) && self.hear(replica) {
                continue;
            }
            if self.rng.below(total) >= step + 1 - step / 3 {
                self.update(replica);
            } else {
                self.read(replica, false);
            }
        }
        for _ in 0..finals {
            let replica = self.rng.below(self.replicas);
            for other in 0..self.replicas {
                self.fleet.deliver(replica, other, self.fleet.len(other));
            }
            self.read(replica, true);
        }
    }

    fn writes_syncs(&self) -> bool {
        matches!(self.delivery, Delivery::Syncs | Delivery::Mixed)
    }

    /// A replica hears from another one; it says whether it wrote that down.
    fn hear(&mut self, replica: usize) -> bool {
        let from = (replica + self.rng.between(1, self.replicas - 1)) % self.replicas;
        let all = self.writes_syncs() && self.rng.chance(50);
        let least = if all { self.fleet.len(from) } else { self.fleet.knows(replica, from) };
        let n = self.rng.between(least, self.fleet.len(from));
        self.fleet.deliver(replica, from, n);
        let writes = self.writes_syncs() && self.rng.chance(50);
        if writes {
            self.ops[replica].push(json!({"sync": {"from": self.speller.id(from), "at": n}}));
            self.fleet.idle(replica);
        }
        writes
    }

    fn update(&mut self, replica: usize) {
        let key = self.rng.below(self.keys);
        let Some(call) = self.call(replica, key) else { return self.read(replica, false) };
        let mut op = self.speller.call(&call, key);
        let has_no_effect = self.rng.chance(self.idle);
        let uncertain = !has_no_effect && self.rng.chance(self.info);
        let got_lost = uncertain && self.rng.chance(40);
        let takes_place = !has_no_effect && !got_lost;
        if has_no_effect {
            self.mark_idle(&mut op);
        }
        if uncertain {
            op["status"] = json!("info");
            if takes_place {
                self.exists.push((replica, self.fleet.len(replica)));
            }
        }
        self.fleet.update(replica, &call, takes_place);
        self.ops[replica].push(op);
    }

    fn mark_idle(&mut self, op: &mut Value) {
        if self.rng.chance(50) {
            op["noop"] = json!(true);
        } else {
            op["status"] = json!("fail");
        }
    }

    /// A random update that this replica can make now.
    fn call(&mut self, replica: usize, key: usize) -> Option<Call> {
        let amounts = [1, 1, 1, 1, 2, 3, -1, -2, 0, 5];
        let list = key;
        Some(match self.kind {
            Kind::AwSet | Kind::RwSet | Kind::EwFlag | Kind::DwFlag => {
                Call::Turn { key, on: self.rng.chance(55) }
            }
            Kind::Counter => Call::Add { key, amount: self.rng.pick(&amounts)? },
            Kind::Mvr | Kind::Lww => {
                self.written += 1;
                let value = if self.unique { self.written } else { self.rng.below(3) };
                let value = self.rng.chance(85).then_some(value);
                Call::Write { key, value, ts: self.rng.below(6) as i64 }
            }
            Kind::Rga | Kind::List => {
                let there = self.fleet.listing(replica, list, false);
                let known = self.fleet.listing(replica, list, true);
                let from = if self.rng.chance(80) { &there } else { &known };
                let element = self.rng.pick(from);
                if let Some(element) = element.filter(|_| self.rng.chance(30)) {
                    return Some(Call::Erase { list, element });
                }
                let among = if self.strict_anchor { &there } else { &known };
                let after = if self.rng.chance(40) { None } else { self.rng.pick(among) };
                self.written += 1;
                Call::Insert { list, after, element: self.written + 10, luck: self.rng.number() }
            }
        })
    }

    fn read(&mut self, replica: usize, is_final: bool) {
        let key = self.rng.below(self.keys);
        let name = self.speller.key(key);
        let mut op = match self.kind {
            Kind::AwSet | Kind::RwSet if self.rng.chance(25) => {
                let mut inside: Vec<usize> = (0..self.keys).collect();
                inside.retain(|&key| self.fleet.is_on(replica, key));
                let ret: Vec<Value> = inside.into_iter().map(|key| self.speller.key(key)).collect();
                json!({"f": "elements", "args": [], "ret": ret})
            }
            Kind::AwSet | Kind::RwSet => {
                json!({"f": "contains", "args": [name], "ret": self.fleet.is_on(replica, key)})
            }
            Kind::EwFlag | Kind::DwFlag => {
                json!({"f": "read", "args": [name], "ret": self.fleet.is_on(replica, key)})
            }
            Kind::Counter => {
                json!({"f": "read", "args": [name], "ret": self.fleet.total(replica, key)})
            }
            Kind::Lww => {
                let value = self.fleet.value(replica, key);
                let ret = value.map_or(Value::Null, |value| self.speller.value(value));
                json!({"f": "read", "args": [name], "ret": ret})
            }
            Kind::Mvr => {
                let mut values = self.fleet.values(replica, key);
                if !self.multiset {
                    values.sort_unstable();
                    values.dedup();
                }
                json!({"f": "read", "args": [name], "ret": self.speller.all(&values)})
            }
            Kind::Rga | Kind::List => {
                let ret = self.speller.all(&self.fleet.listing(replica, key, false));
                json!({"f": "read", "args": self.speller.list_args(key, Vec::new()), "ret": ret})
            }
        };
        if self.rng.chance(self.unknown) {
            op["ret"] = json!({"unknown": true});
        } else if self.rng.chance(self.idle / 2) {
            self.mark_idle(&mut op);
        } else if self.rng.chance(self.info / 4) {
            op["status"] = json!("info");
        }
        if is_final {
            op["final"] = json!(true);
        }
        self.ops[replica].push(op);
        self.fleet.idle(replica);
    }

    /// Writes the history and what really happened.
    fn finish(mut self, kind: &str) -> (Value, Witness) {
        let sees = self.fleet.sees();
        let ids: Vec<Value> = (0..self.replicas).map(|replica| self.speller.id(replica)).collect();
        annotate(&mut self.ops, &ids, &sees, self.delivery, &mut self.rng);
        let replicas: Vec<Value> =
            ids.iter().zip(self.ops).map(|(id, ops)| json!({"id": id, "ops": ops})).collect();
        let mut history = json!({"type": kind, "replicas": replicas});
        if self.rng.chance(50) {
            history["format"] = json!("crdt-history/1");
        }
        match self.lin {
            Lin::PerKey => history["options"]["lin"] = json!("per-key"),
            Lin::Timestamps => history["options"]["lin"] = json!("ts"),
            Lin::Global => {}
        }
        if self.kind == Kind::Mvr && self.multiset {
            history["options"]["mvr"] = json!("multiset");
        }
        if self.kind.is_list() && self.strict_anchor {
            history["options"]["strict_anchor"] = json!(true);
        }
        for (key, values) in &self.init {
            let name = if *key == 0 && self.kind.is_list() { "" } else { ["x", "y"][*key] };
            history["init"][name] = match self.kind {
                Kind::AwSet | Kind::RwSet if values.is_empty() => json!([]),
                Kind::AwSet | Kind::RwSet | Kind::EwFlag | Kind::DwFlag => {
                    json!(!values.is_empty())
                }
                Kind::Counter => json!(values.first().unwrap_or(&0)),
                Kind::Lww => values.first().map_or(Value::Null, |&value| self.speller.value(value)),
                Kind::Mvr | Kind::Rga | Kind::List => json!(self.speller.all(values)),
            };
        }
        let mut witness =
            Witness { sees, exists: self.exists, lin: self.fleet.lin(), order: Vec::new() };
        if self.kind == Kind::List {
            for list in 0..self.keys {
                let order = self.speller.all(&self.fleet.order(list));
                let name = (list > 0).then(|| self.speller.key(list));
                witness.order.push((name, order));
            }
        }
        (history, witness)
    }
}
