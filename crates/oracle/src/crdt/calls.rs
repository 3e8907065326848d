//! The calls of every type: names, arguments and results.

use serde_json::Value;

use super::datum::{Object, array, integer, object, truth};
use super::history::{Act, Kind, Lin};
use super::names::Names;

/// Registers the element an operation adds, if it adds one. The parent is filled in later.
pub fn register(names: &mut Names, kind: Kind, raw: &Value, place: usize) -> Result<(), String> {
    let op = object(raw, "an operation")?;
    let adds = op.get("f").and_then(Value::as_str) == Some("add_after");
    if !kind.is_list() || !adds || took_no_place(op)? {
        return Ok(());
    }
    let args = arguments(op)?;
    if args.len() != 2 && args.len() != 3 {
        return Err("add_after takes a list, an anchor and an element".into());
    }
    let (list, args) = names.list(args, 2);
    names.element(list, &args[1], None, Some(place)).map(|_| ())
}

/// Reads what an operation did or was told. An `idle` one had no effect, so what it names does not
/// count; of an `info` read the result does not count.
pub fn act(
    names: &mut Names,
    kind: Kind,
    lin: Lin,
    op: &Object,
    info: bool,
    idle: bool,
) -> Result<Act, String> {
    let f = op.get("f").and_then(Value::as_str).ok_or("an operation has a name f")?;
    let args = arguments(op)?;
    Ok(match (kind, f, args.len()) {
        (Kind::AwSet | Kind::RwSet, "add" | "remove", 1)
        | (Kind::EwFlag | Kind::DwFlag, "enable" | "disable", 1) => {
            Act::Turn { key: names.datum(&args[0]), on: matches!(f, "add" | "enable") }
        }
        (Kind::AwSet | Kind::RwSet, "contains", 1) | (Kind::EwFlag | Kind::DwFlag, "read", 1) => {
            let Some(ret) = answer(op, info || idle)? else { return Ok(Act::Idle) };
            Act::IsOn { key: names.datum(&args[0]), ret: ret.as_bool().ok_or("ret is a bool")? }
        }
        (Kind::AwSet | Kind::RwSet, "elements", 0) => {
            let Some(ret) = answer(op, info || idle)? else { return Ok(Act::Idle) };
            let ret = array(Some(ret), "ret")?;
            Act::Elements { ret: ret.iter().map(|value| names.datum(value)).collect() }
        }
        (Kind::Counter, "inc" | "dec", 1 | 2) => {
            let amount = args.get(1).map_or(Some(1), integer).ok_or("an integer amount")?;
            let sign = if f == "inc" { 1 } else { -1 };
            let amount = amount.checked_mul(sign).ok_or("an amount too large")?;
            Act::Add { key: names.datum(&args[0]), amount }
        }
        (Kind::Counter, "read", 1) => {
            let Some(ret) = answer(op, info || idle)? else { return Ok(Act::Idle) };
            Act::Total { key: names.datum(&args[0]), ret: integer(ret).ok_or("ret is a number")? }
        }
        (Kind::Mvr | Kind::Lww, "write", 2) | (Kind::Mvr | Kind::Lww, "delete", 1) => {
            let ts = op.get("ts").and_then(integer);
            if lin == Lin::Timestamps && ts.is_none() && !idle {
                return Err("with lin ts a write has an integer ts".into());
            }
            let erases = kind == Kind::Lww && args.get(1).is_some_and(Value::is_null);
            let value = args.get(1).filter(|_| !erases).map(|value| names.datum(value));
            Act::Write { key: names.datum(&args[0]), value, ts: ts.unwrap_or(0) }
        }
        (Kind::Lww, "read", 1) => {
            let Some(ret) = answer(op, info || idle)? else { return Ok(Act::Idle) };
            let ret = if ret.is_null() { None } else { Some(names.datum(ret)) };
            Act::Value { key: names.datum(&args[0]), ret }
        }
        (Kind::Mvr, "read", 1) => {
            let Some(ret) = answer(op, info || idle)? else { return Ok(Act::Idle) };
            let ret = array(Some(ret), "ret")?;
            let ret = ret.iter().map(|value| names.datum(value)).collect();
            Act::Values { key: names.datum(&args[0]), ret }
        }
        (Kind::Rga | Kind::List, "add_after", 2 | 3) if idle => Act::Idle,
        (Kind::Rga | Kind::List, "add_after", 2 | 3) => {
            let (list, args) = names.list(args, 2);
            let parent = match &args[0] {
                Value::Null => None,
                anchor => Some(names.lookup(list, anchor).ok_or("an anchor is added nowhere")?),
            };
            let element = names.lookup(list, &args[1]).ok_or("elements are registered")?;
            names.elements[element].parent = parent;
            Act::Insert { element }
        }
        (Kind::Rga | Kind::List, "remove", 1 | 2) if idle => Act::Idle,
        (Kind::Rga | Kind::List, "remove", 1 | 2) => {
            let (list, args) = names.list(args, 1);
            let element = names.lookup(list, &args[0]);
            Act::Erase { element: element.ok_or("a removed element is added nowhere")? }
        }
        (Kind::Rga | Kind::List, "read", 0 | 1) => {
            let Some(ret) = answer(op, info || idle)? else { return Ok(Act::Idle) };
            let (list, _) = names.list(args, 0);
            let ret = array(Some(ret), "ret")?;
            let ret: Option<Vec<usize>> =
                ret.iter().map(|value| names.lookup(list, value)).collect();
            let once = |ret: &Vec<usize>| (1..ret.len()).all(|n| !ret[..n].contains(&ret[n]));
            Act::Listing { list, ret: ret.filter(once) }
        }
        _ => return Err(format!("{f} with {} arguments is no call of this type", args.len())),
    })
}

/// What a read returned; `None` if that imposes nothing.
fn answer(op: &Object, silent: bool) -> Result<Option<&Value>, String> {
    let ret = op.get("ret");
    let unknown = ret.and_then(Value::as_object).is_some_and(|ret| {
        ret.len() == 1 && ret.get("unknown").is_some_and(|unknown| *unknown == Value::Bool(true))
    });
    if silent || unknown { Ok(None) } else { ret.map(Some).ok_or("a read has a ret".into()) }
}

/// Whether the operation is known to have had no effect.
pub fn took_no_place(op: &Object) -> Result<bool, String> {
    let failed = match op.get("status").map(|status| status.as_str().unwrap_or("?")) {
        None | Some("ok" | "info") => false,
        Some("fail") => true,
        Some(_) => return Err("unknown status".into()),
    };
    Ok(truth(op, "noop")? || failed)
}

fn arguments(op: &Object) -> Result<&[Value], String> {
    op.get("args").map_or(Ok(&[]), |args| array(Some(args), "args").map(Vec::as_slice))
}
