//! A history as one line of `crdt-history/1`; [`crate::read`] reads it again.

use std::fmt::Write;

use hobgoblin_core::json::write_text;
use hobgoblin_core::{Key, Value};

use crate::data_type::{Arbitration, DataType, Multiplicity};
use crate::history::{Call, CrdtHistory, Item, OpId, Replica};

/// Writes a history as one line of JSON, without its end. Initial values and synchronizations are written as what
/// they mean: operations, and bounds on who observed what.
pub fn write(history: &CrdtHistory) -> String {
    let mut out = String::new();
    let _ = write!(out, "{{\"format\":\"crdt-history/1\",\"type\":\"{}\"", history.data_type());
    options(history, &mut out);
    out.push_str(",\"replicas\":[");
    let mut bounds = history.bounds().iter().peekable();
    for replica in history.replicas() {
        out.push_str(if replica.0 == 0 { "{\"id\":" } else { ",{\"id\":" });
        key(&mut out, &replica_key(history, replica));
        out.push_str(",\"ops\":[");
        for (at, op) in history.ops_of(replica).enumerate() {
            out.push_str(if at == 0 { "{" } else { ",{" });
            call(history, op, &mut out);
            let mut own = Vec::new();
            while let Some(bound) = bounds.next_if(|bound| bound.op == op) {
                own.push((bound.of, bound.least, bound.most));
            }
            sees(history, replica, &own, &mut out);
            out.push('}');
        }
        out.push_str("]}");
    }
    out.push_str("]}");
    out
}

/// The name of a replica, which no two have.
fn replica_key(history: &CrdtHistory, replica: Replica) -> Key {
    match history.is_initial(replica) {
        true => Key::from(format!("(initial {})", replica.0).as_str()),
        false => history.replica_name(replica).clone(),
    }
}

fn options(history: &CrdtHistory, out: &mut String) {
    let options = history.options();
    let mut parts = Vec::new();
    match options.arbitration {
        Arbitration::Global => {}
        Arbitration::PerKey => parts.push("\"lin\":\"per-key\""),
        Arbitration::Timestamps => parts.push("\"lin\":\"ts\""),
    }
    if options.multiplicity == Multiplicity::Multiset {
        parts.push("\"mvr\":\"multiset\"");
    }
    if options.strict_anchor {
        parts.push("\"strict_anchor\":true");
    }
    if !parts.is_empty() {
        let _ = write!(out, ",\"options\":{{{}}}", parts.join(","));
    }
}

fn key(out: &mut String, key: &Key) {
    let _ = match key {
        Key::Int(n) => write!(out, "{n}"),
        Key::Text(text) => write_text(out, text),
    };
}

fn call(history: &CrdtHistory, op: OpId, out: &mut String) {
    let info = history.op(op);
    let object = || history.object(info.object);
    let flags = matches!(history.data_type(), DataType::EwFlag | DataType::DwFlag);
    let read = if history.data_type().is_membership() && !flags { "contains" } else { "read" };
    let element = |added: OpId| match history.op(added).call {
        Call::Insert { element, .. } => history.value(element).clone(),
        _ => Value::Null,
    };
    let mut args: Vec<Value> = Vec::new();
    let mut result = None;
    let name = match &info.call {
        Call::Nothing => {
            if !history.data_type().is_list() {
                args.push(Value::Null);
            }
            result = Some("{\"unknown\":true}".to_owned());
            read
        }
        Call::Add | Call::Remove => {
            args.push(object().clone());
            match (info.call == Call::Add, flags) {
                (true, false) => "add",
                (false, false) => "remove",
                (true, true) => "enable",
                (false, true) => "disable",
            }
        }
        Call::Increase(amount) => {
            args.extend([object().clone(), Value::from(*amount)]);
            "inc"
        }
        Call::Write(value) => {
            args.extend([object().clone(), history.value(*value).clone()]);
            "write"
        }
        Call::Delete => {
            args.push(object().clone());
            "delete"
        }
        Call::Insert { anchor, element: new } => {
            args.extend((!object().is_null()).then(|| object().clone()));
            args.push(anchor.map_or(Value::Null, element));
            args.push(history.value(*new).clone());
            "add_after"
        }
        Call::Erase(added) => {
            args.extend((!object().is_null()).then(|| object().clone()));
            args.push(element(*added));
            "remove"
        }
        Call::Elements(elements) => {
            result = Some(array(elements.iter().map(|&object| history.object(object).clone())));
            "elements"
        }
        Call::Contains(is_in) => {
            args.push(object().clone());
            result = Some(is_in.to_string());
            read
        }
        Call::Sum(sum) => {
            args.push(object().clone());
            result = Some(sum.to_string());
            read
        }
        Call::Value(value) => {
            args.push(object().clone());
            result =
                Some(value.map_or("null".to_owned(), |value| history.value(value).to_string()));
            read
        }
        Call::Values(values) => {
            args.push(object().clone());
            result = Some(array(values.iter().map(|&value| history.value(value).clone())));
            read
        }
        Call::Items(items) => {
            args.extend((!object().is_null()).then(|| object().clone()));
            result = Some(array(items.iter().map(|item| match *item {
                Item::Added(added) => element(added),
                Item::Never(value) => history.value(value).clone(),
            })));
            read
        }
    };
    let _ = write!(out, "\"f\":\"{name}\",\"args\":{}", array(args.into_iter()));
    if let Some(result) = result {
        let _ = write!(out, ",\"ret\":{result}");
    }
    if info.doubtful {
        out.push_str(",\"status\":\"info\"");
    }
    if let Some(timestamp) = history.timestamp(op) {
        out.push_str(",\"ts\":[");
        for (at, part) in timestamp.iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            key(out, part);
        }
        out.push(']');
    }
}

fn array(values: impl Iterator<Item = Value>) -> String {
    let texts: Vec<String> = values.map(|value| value.to_string()).collect();
    format!("[{}]", texts.join(","))
}

/// What is known of what an operation had observed: of which replica, at least and at most how much.
fn sees(history: &CrdtHistory, replica: Replica, bounds: &[(Replica, u32, u32)], out: &mut String) {
    let others = history.num_replicas() - 1;
    let exact = bounds.len() == others && bounds.iter().all(|(_, least, most)| least == most);
    let mut member = |name: &str, counts: Vec<(Replica, u32)>| {
        let _ = write!(out, ",\"{name}\":{{");
        for (at, (of, count)) in counts.into_iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            let _ = write_text(out, &replica_key(history, of).to_string());
            let _ = write!(out, ":{count}");
        }
        out.push('}');
    };
    if exact && others > 0 && !history.is_initial(replica) {
        let seen = bounds.iter().filter(|(_, least, _)| *least > 0);
        return member("sees", seen.map(|&(of, least, _)| (of, least)).collect());
    }
    let least: Vec<(Replica, u32)> = bounds
        .iter()
        .filter(|(_, least, _)| *least > 0)
        .map(|&(of, least, _)| (of, least))
        .collect();
    if !least.is_empty() {
        member("sees_min", least);
    }
    let most: Vec<(Replica, u32)> = bounds
        .iter()
        .filter(|&&(of, _, most)| most < history.len_of(of))
        .map(|&(of, _, most)| (of, most))
        .collect();
    if !most.is_empty() {
        member("sees_max", most);
    }
}
