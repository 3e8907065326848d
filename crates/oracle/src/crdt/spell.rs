//! How operations are written down: several spellings of keys, values and replicas.
//!
//! A number may be written `1` here and `1.0` there: it is the same key or value.

use serde_json::{Value, json};

use super::history::{Kind, Lin};
use super::rng::Rng;
use super::simulate::Call;

/// How keys, values and elements look.
#[derive(Clone, Copy, PartialEq)]
pub enum Spelling {
    /// Strings.
    Letters,
    /// Integers, also for replicas.
    Integers,
    /// Numbers, with and without a point.
    Floats,
    /// Keys are strings, values are objects.
    Objects,
}

/// Writes operations down.
pub struct Speller {
    /// The type of the object.
    pub kind: Kind,
    /// With timestamps, writes record theirs.
    pub lin: Lin,
    /// How data look.
    pub spelling: Spelling,
    /// Chooses among equal spellings.
    pub rng: Rng,
}

impl Speller {
    /// The name of a replica.
    pub fn id(&self, replica: usize) -> Value {
        match self.spelling {
            Spelling::Integers => json!(replica + 1),
            _ => json!(["A", "B", "C", "D"][replica]),
        }
    }

    /// The name of a key.
    pub fn key(&mut self, key: usize) -> Value {
        match self.spelling {
            Spelling::Integers => json!(key),
            Spelling::Floats => self.number(key),
            Spelling::Letters | Spelling::Objects => json!(["x", "y"][key]),
        }
    }

    /// A value, or an element of a list.
    pub fn value(&mut self, value: usize) -> Value {
        match self.spelling {
            Spelling::Letters => json!(format!("v{value}")),
            Spelling::Integers => json!(value),
            Spelling::Floats => self.number(value),
            Spelling::Objects => json!({"n": value, "of": [true, null]}),
        }
    }

    /// Several values.
    pub fn all(&mut self, values: &[usize]) -> Vec<Value> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    fn number(&mut self, n: usize) -> Value {
        if self.rng.chance(50) { json!(n as f64) } else { json!(n) }
    }

    /// The arguments of an operation on a list. The first list has no name.
    pub fn list_args(&mut self, list: usize, mut args: Vec<Value>) -> Vec<Value> {
        if list > 0 {
            args.insert(0, self.key(list));
        }
        args
    }

    /// An update.
    pub fn call(&mut self, call: &Call, key: usize) -> Value {
        let name = self.key(key);
        let set = matches!(self.kind, Kind::AwSet | Kind::RwSet);
        match *call {
            Call::Turn { on, .. } => {
                let f =
                    if set { ["remove", "add"] } else { ["disable", "enable"] }[usize::from(on)];
                json!({"f": f, "args": [name]})
            }
            Call::Add { amount: 1, .. } if self.rng.chance(50) => {
                json!({"f": "inc", "args": [name]})
            }
            Call::Add { amount, .. } if self.rng.chance(60) => {
                json!({"f": "inc", "args": [name, amount]})
            }
            Call::Add { amount, .. } => json!({"f": "dec", "args": [name, -amount]}),
            Call::Write { value, ts, .. } => {
                let as_null = self.kind == Kind::Lww && self.rng.chance(50);
                let mut op = match value.map(|value| self.value(value)) {
                    Some(value) => json!({"f": "write", "args": [name, value]}),
                    None if as_null => json!({"f": "write", "args": [name, null]}),
                    None => json!({"f": "delete", "args": [name]}),
                };
                if self.lin == Lin::Timestamps {
                    op["ts"] = json!(ts);
                }
                op
            }
            Call::Insert { after, element, .. } => {
                let after = after.map_or(Value::Null, |after| self.value(after));
                let element = self.value(element);
                let args = self.list_args(key, vec![after, element]);
                json!({"f": "add_after", "args": args})
            }
            Call::Erase { element, .. } => {
                let element = self.value(element);
                let args = self.list_args(key, vec![element]);
                json!({"f": "remove", "args": args})
            }
        }
    }
}
