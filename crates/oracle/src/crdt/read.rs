//! Reads a history from its JSON text.
//!
//! The reader goes over the operations twice: first it registers the elements that are added to
//! lists, then it reads every operation, so that an anchor may be added further down.
//!
//! Decisions where the format is silent:
//!
//! - A replica is named by the text of its id, so the ids `1` and `"1"` are the same.
//! - A failed or `noop` operation must be a call of its type with the right number of arguments;
//!   what it names does not count: it adds no element, and its element may be unknown.
//! - `sees`, `sync` and `final` hold for every operation, also a failed, `noop` or `info` one:
//!   they say what had arrived, not what the operation did.
//! - A read that imposes nothing (`info`, `fail`, `noop`) may lack its `ret`.
//! - A `ret` of the wrong JSON type is malformed; wrong or repeated elements are a violation.
//! - `init` is about string keys, since the members of a JSON object have no others.
//! - A timestamp is an integer, and with `lin: ts` every write has one.
//! - No element of a list is `null`: as an anchor that means the beginning.

use serde_json::Value;

use super::calls::{act, register, took_no_place};
use super::datum::{Object, array, integer, object, truth};
use super::history::{Act, History, Kind, Lin, Operation, Start};
use super::names::Names;

/// Reads one history; malformed input is an error that says what is wrong.
pub fn read(json: &str) -> Result<History, String> {
    let root: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let root = object(&root, "a history")?;
    if root.get("format").is_some_and(|format| format != "crdt-history/1") {
        return Err("unknown format".into());
    }
    let name = root.get("type").and_then(Value::as_str).ok_or("a history has a type")?;
    let kind = Kind::named(name).ok_or_else(|| format!("unknown type {name}"))?;
    let raw = raw_replicas(root)?;
    let mut reader = Reader::new(kind, root, &raw)?;
    let start = reader.start(root.get("init"))?;
    for (place, op) in raw.iter().flat_map(|(_, ops)| *ops).enumerate() {
        register(&mut reader.names, kind, op, place)?;
    }
    let mut ops = Vec::new();
    let mut replicas = Vec::new();
    for (replica, (_, raw_ops)) in raw.iter().enumerate() {
        let first = ops.len();
        for (index, op) in raw_ops.iter().enumerate() {
            let what = |error| format!("replica {replica}, operation {index}: {error}");
            ops.push(reader.operation(op, replica, index).map_err(what)?);
        }
        replicas.push((first..ops.len()).collect());
    }
    let updates = (0..ops.len()).filter(|&o| ops[o].act.is_update()).collect();
    let Reader { lin, multiset, strict_anchor, names: Names { elements, texts: data, .. }, .. } =
        reader;
    let read = History {
        kind,
        lin,
        multiset,
        strict_anchor,
        replicas,
        ops,
        updates,
        elements,
        data,
        start,
    };
    Ok(read)
}

/// The replicas' ids, as texts, and their operations.
fn raw_replicas(root: &Object) -> Result<Vec<(String, &Vec<Value>)>, String> {
    let mut found: Vec<(String, &Vec<Value>)> = Vec::new();
    for replica in array(root.get("replicas"), "replicas")? {
        let replica = object(replica, "a replica")?;
        let id = identity(replica.get("id"))?;
        if found.iter().any(|(known, _)| *known == id) {
            return Err(format!("two replicas are called {id}"));
        }
        found.push((id, array(replica.get("ops"), "ops")?));
    }
    Ok(found)
}

struct Reader {
    kind: Kind,
    lin: Lin,
    multiset: bool,
    strict_anchor: bool,
    ids: Vec<String>,
    lengths: Vec<usize>,
    names: Names,
}

impl Reader {
    fn new(kind: Kind, root: &Object, raw: &[(String, &Vec<Value>)]) -> Result<Reader, String> {
        let none = Object::new();
        let options = match root.get("options") {
            Some(options) => object(options, "options")?,
            None => &none,
        };
        let lin = match options.get("lin").map(|lin| lin.as_str().unwrap_or("?")) {
            None | Some("global") => Lin::Global,
            Some("per-key") => Lin::PerKey,
            Some("ts") if kind == Kind::Lww => Lin::Timestamps,
            Some(_) => return Err("unknown option lin".into()),
        };
        let multiset = match options.get("mvr").map(|mvr| mvr.as_str().unwrap_or("?")) {
            None | Some("set") => false,
            Some("multiset") => true,
            Some(_) => return Err("unknown option mvr".into()),
        };
        Ok(Reader {
            kind,
            lin,
            multiset,
            strict_anchor: truth(options, "strict_anchor")?,
            ids: raw.iter().map(|(id, _)| id.clone()).collect(),
            lengths: raw.iter().map(|(_, ops)| ops.len()).collect(),
            names: Names::default(),
        })
    }

    fn start(&mut self, init: Option<&Value>) -> Result<Start, String> {
        let mut start = Start::default();
        let Some(init) = init else { return Ok(start) };
        for (name, value) in object(init, "init")? {
            let key = self.names.datum(&Value::from(name.as_str()));
            match self.kind {
                Kind::Counter => {
                    start.totals.insert(key, integer(value).ok_or("init of a counter")?);
                }
                Kind::AwSet | Kind::RwSet | Kind::EwFlag | Kind::DwFlag => {
                    let is_set = matches!(self.kind, Kind::AwSet | Kind::RwSet);
                    let empty = is_set && value.as_array().is_some_and(Vec::is_empty);
                    if !empty && value.as_bool().ok_or("init of a set or flag")? {
                        start.on.insert(key);
                    }
                }
                Kind::Mvr => {
                    let values = array(Some(value), "init of a multi-value register")?;
                    let values = values.iter().map(|value| self.names.datum(value)).collect();
                    start.values.insert(key, values);
                }
                Kind::Lww if value.is_null() => {}
                Kind::Lww => {
                    let value = self.names.datum(value);
                    start.values.insert(key, vec![value]);
                }
                Kind::Rga | Kind::List => {
                    let list = if name.is_empty() { self.names.text(String::new()) } else { key };
                    let mut parent = None;
                    for element in array(Some(value), "init of a list")? {
                        parent = Some(self.names.element(list, element, parent, None)?);
                    }
                }
            }
        }
        Ok(start)
    }

    fn operation(
        &mut self,
        raw: &Value,
        replica: usize,
        index: usize,
    ) -> Result<Operation, String> {
        let op = object(raw, "an operation")?;
        let mut low = vec![0; self.ids.len()];
        let mut high = self.lengths.clone();
        (low[replica], high[replica]) = (index, index);
        let mut read = Operation {
            replica,
            index,
            act: Act::Idle,
            perhaps: false,
            low,
            high,
            is_final: false,
        };
        if let Some(sync) = op.get("sync") {
            let sync = object(sync, "sync")?;
            if op.len() > 1 {
                return Err("a sync is nothing else".into());
            }
            let from = self.replica(&identity(sync.get("from"))?)?;
            if from == replica {
                return Err("a replica cannot sync with itself".into());
            }
            read.low[from] = match sync.get("at") {
                None => self.lengths[from],
                Some(at) => self.prefix(at, from)?,
            };
            return Ok(read);
        }
        self.bounds(op, &mut read)?;
        read.is_final = truth(op, "final")?;
        let info = op.get("status").is_some_and(|status| status == "info");
        let idle = took_no_place(op)?;
        let act = act(&mut self.names, self.kind, self.lin, op, info, idle)?;
        if !idle {
            read.perhaps = info && act.is_update();
            read.act = act;
        }
        Ok(read)
    }

    /// `sees`, `sees_min` and `sees_max`.
    fn bounds(&self, op: &Object, read: &mut Operation) -> Result<(), String> {
        if let Some(sees) = op.get("sees") {
            read.high = vec![0; self.ids.len()];
            read.high[read.replica] = read.index;
            for (replica, n) in self.vector(sees, read)? {
                (read.low[replica], read.high[replica]) = (n, n);
            }
        }
        if let Some(least) = op.get("sees_min") {
            for (replica, n) in self.vector(least, read)? {
                read.low[replica] = read.low[replica].max(n);
            }
        }
        if let Some(most) = op.get("sees_max") {
            for (replica, n) in self.vector(most, read)? {
                read.high[replica] = read.high[replica].min(n);
            }
        }
        if (0..read.low.len()).any(|j| read.low[j] > read.high[j]) {
            return Err("sees, sees_min and sees_max contradict each other".into());
        }
        Ok(())
    }

    fn vector(&self, raw: &Value, read: &Operation) -> Result<Vec<(usize, usize)>, String> {
        let mut entries = Vec::new();
        for (id, n) in object(raw, "sees")? {
            let replica = self.replica(id)?;
            let n = self.prefix(n, replica)?;
            if replica == read.replica && n != read.index {
                return Err("an operation sees just what came before it on its own replica".into());
            }
            entries.push((replica, n));
        }
        Ok(entries)
    }

    fn replica(&self, id: &str) -> Result<usize, String> {
        self.ids.iter().position(|known| known == id).ok_or(format!("no replica is called {id}"))
    }

    fn prefix(&self, n: &Value, replica: usize) -> Result<usize, String> {
        let n = integer(n).and_then(|n| usize::try_from(n).ok()).ok_or("a number of operations")?;
        if n > self.lengths[replica] {
            return Err(format!("replica {} has no {n} operations", self.ids[replica]));
        }
        Ok(n)
    }
}

fn identity(id: Option<&Value>) -> Result<String, String> {
    match id {
        Some(Value::String(id)) => Ok(id.clone()),
        Some(Value::Number(id)) if id.is_i64() || id.is_u64() => Ok(id.to_string()),
        _ => Err("a replica is named by a string or an integer".into()),
    }
}
