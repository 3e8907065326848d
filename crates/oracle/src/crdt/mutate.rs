//! Spoils a history: another result, two operations exchanged, another delivery.
//!
//! What comes out is still well formed; a change that would not be is taken back. It may well be
//! admissible: that is for the checkers to find out.

use serde_json::{Value, json};

use super::read::read;
use super::rng::Rng;

/// Changes a history in one to three places.
pub fn mutate(history: &mut Value, rng: &mut Rng) {
    let wanted = rng.between(1, 3);
    let mut made = 0;
    for _ in 0..20 {
        let before = history.clone();
        match rng.below(10) {
            0 | 1 => exchange(history, rng),
            2 => redeliver(history, rng),
            3 => finish_elsewhere(history, rng),
            _ => answer_otherwise(history, rng),
        }
        if *history == before || read(&history.to_string()).is_err() {
            *history = before;
            continue;
        }
        made += 1;
        if made == wanted {
            return;
        }
    }
}

fn ops_mut(history: &mut Value) -> Vec<&mut Vec<Value>> {
    let replicas = history["replicas"].as_array_mut().into_iter().flatten();
    replicas.filter_map(|replica| replica["ops"].as_array_mut()).collect()
}

fn operations(history: &Value) -> Vec<&Value> {
    let replicas = history["replicas"].as_array().into_iter().flatten();
    replicas.filter_map(|replica| replica["ops"].as_array()).flatten().collect()
}

/// Exchanges two operations of a replica.
fn exchange(history: &mut Value, rng: &mut Rng) {
    let mut replicas = ops_mut(history);
    let replica = rng.below(replicas.len());
    let ops = &mut replicas[replica];
    if ops.len() > 1 {
        let (one, other) = (rng.below(ops.len()), rng.below(ops.len()));
        ops.swap(one, other);
    }
}

/// Moves an entry of a `sees`, a bound or the end of a `sync` by one.
fn redeliver(history: &mut Value, rng: &mut Rng) {
    let mut ops: Vec<&mut Value> = ops_mut(history).into_iter().flatten().collect();
    let n = rng.below(ops.len());
    let members: Vec<&str> = ["sees", "sees_min", "sees_max", "sync"]
        .into_iter()
        .filter(|name| ops[n].get(*name).is_some())
        .collect();
    let Some(member) = rng.pick(&members) else { return };
    let Some(entries) = ops[n][member].as_object_mut() else { return };
    let mut names: Vec<String> = entries.keys().cloned().collect();
    names.sort();
    let Some(name) = rng.pick(&names) else { return };
    if let Some(seen) = entries[&name].as_u64() {
        entries[&name] = json!(if rng.chance(50) { seen + 1 } else { seen.saturating_sub(1) });
    }
}

/// Moves the mark `final` to another operation.
fn finish_elsewhere(history: &mut Value, rng: &mut Rng) {
    let calls = ops_mut(history).into_iter().flatten().filter_map(Value::as_object_mut);
    let mut calls: Vec<_> = calls.filter(|op| op.contains_key("f")).collect();
    let Some(n) = calls.iter().position(|op| op.contains_key("final")) else { return };
    calls[n].remove("final");
    let other = rng.below(calls.len());
    calls[other].insert("final".to_string(), json!(true));
}

/// Changes what one read returned to something it could have returned elsewhere.
fn answer_otherwise(history: &mut Value, rng: &mut Rng) {
    let pool = pool(history);
    let kind = history["type"].as_str().unwrap_or_default().to_string();
    let told = |op: &&mut Value| {
        op.get("ret").is_some_and(|ret| ret.get("unknown").is_none()) && op.get("noop").is_none()
    };
    let mut reads: Vec<&mut Value> = ops_mut(history).into_iter().flatten().filter(told).collect();
    if reads.is_empty() {
        return;
    }
    let n = rng.below(reads.len());
    let ret = &mut reads[n]["ret"];
    if kind == "lww" {
        *ret = if rng.chance(20) { Value::Null } else { rng.pick(&pool).unwrap_or(Value::Null) };
        return;
    }
    match ret {
        Value::Bool(on) => *on = !*on,
        Value::Number(total) => {
            let amounts: Vec<i64> = pool.iter().filter_map(Value::as_i64).chain([1, -1]).collect();
            let by = rng.pick(&amounts).unwrap_or(1) * if rng.chance(50) { 1 } else { -1 };
            *ret = json!(total.as_i64().unwrap_or(0) + by);
        }
        Value::Array(items) => {
            let at = rng.below(items.len().max(1));
            match rng.below(4) {
                0 if !items.is_empty() => drop(items.remove(at)),
                1 if items.len() > 1 => items.swap(at, 0),
                2 if !items.is_empty() => items[at] = rng.pick(&pool).unwrap_or(Value::Null),
                _ => items.insert(at, rng.pick(&pool).unwrap_or(Value::Null)),
            }
        }
        _ => {}
    }
}

/// What the updates are about: elements, values or amounts.
fn pool(history: &Value) -> Vec<Value> {
    let is_update = |op: &&&Value| op.get("f").is_some() && op.get("ret").is_none();
    let last = |op: &&Value| op["args"].as_array().and_then(|args| args.last().cloned());
    operations(history).iter().filter(is_update).filter_map(last).collect()
}
