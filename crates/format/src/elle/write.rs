//! Writing rw-register histories: an invocation and a completion for every transaction.
//!
//! With times for all transactions the operations are in the order of time, as Jepsen records them;
//! otherwise each completion follows its invocation. Elle itself also reads real time off the order of
//! operations: of a file without times, only check models that do not ask for it.

use std::io::Write;

use hobgoblin_core::{EventId, History, Key, Status, TxnId, Value};

use crate::Format;
use crate::edn::{Dialect, Form, Node, Reader};
use crate::error::WriteError;
use crate::refuse::{Refusal, key_value};

/// Writes a history in EDN, an operation a line.
pub(crate) fn write_edn(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    write(history, Dialect::Edn, out)
}

/// Writes a history in JSON, an operation a line.
pub(crate) fn write_json(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    write(history, Dialect::Json, out)
}

fn write(history: &History, dialect: Dialect, out: &mut dyn Write) -> Result<(), WriteError> {
    let format = match dialect {
        Dialect::Edn => Format::ElleEdn,
        Dialect::Json => Format::ElleJson,
    };
    let refusal = Refusal { format, aborted: true, unknown: true, times: true };
    refusal.check(history)?;
    check(history, &refusal)?;
    let numbered = history.sessions().any(|s| !matches!(history.session(s), Key::Int(_)));
    for (index, operation) in schedule(history).into_iter().enumerate() {
        let txn = operation.txn;
        let session = history.session_of(txn).expect("only init has no session");
        let process = match history.session(session) {
            Key::Int(n) if !numbered => *n,
            _ => session.index() as i64,
        };
        let (kind, time) = match (operation.completion, history.status(txn)) {
            (false, _) => ("invoke", history.begin(txn)),
            (true, Status::Committed) => ("ok", history.end(txn)),
            (true, Status::Aborted) => ("fail", history.end(txn)),
            (true, Status::Unknown) => ("info", history.begin(txn)),
        };
        let events: Vec<String> = history
            .event_ids(txn)
            .map(|e| micro_operation(history, e, operation.completion, dialect))
            .collect();
        match dialect {
            Dialect::Edn => {
                let value = events.join(" ");
                write!(out, "{{:type :{kind}, :f :txn, :value [{value}], :process {process}")?;
                if let Some(time) = time {
                    write!(out, ", :time {time}")?;
                }
                writeln!(out, ", :index {index}}}")?;
            }
            Dialect::Json => {
                let value = events.join(",");
                write!(out, "{{\"type\":\"{kind}\",\"f\":\"txn\",\"value\":[{value}],")?;
                write!(out, "\"process\":{process}")?;
                if let Some(time) = time {
                    write!(out, ",\"time\":{time}")?;
                }
                writeln!(out, ",\"index\":{index}}}")?;
            }
        }
    }
    Ok(())
}

/// Refuses what a register history cannot say.
fn check(history: &History, refusal: &Refusal) -> Result<(), WriteError> {
    for key in history.keys() {
        let (name, initial) = (history.key(key), history.initial(key));
        if initial != Value::Null {
            let what = format!("the initial value {initial} of {name}; registers start as nil");
            return Err(refusal.because(what));
        }
    }
    for txn in history.txns().filter(|&t| history.status(t) == Status::Unknown) {
        if history.end(txn).is_some() {
            let what = format!("the end of {}, whose status is unknown", history.name(txn));
            return Err(refusal.because(what));
        }
        if history.events(txn).iter().any(|e| !e.is_write()) {
            let what = format!("the reads of {}, whose status is unknown", history.name(txn));
            return Err(refusal.because(what));
        }
    }
    Ok(())
}

/// Half a transaction.
#[derive(Clone, Copy)]
struct Operation {
    txn: TxnId,
    completion: bool,
}

fn schedule(history: &History) -> Vec<Operation> {
    let mut operations = Vec::with_capacity(2 * history.num_txns());
    for txn in history.txns() {
        operations.push(Operation { txn, completion: false });
        operations.push(Operation { txn, completion: true });
    }
    let time = |o: &Operation| match history.status(o.txn) {
        Status::Unknown => history.begin(o.txn),
        _ if o.completion => history.end(o.txn),
        _ => history.begin(o.txn),
    };
    let timed = operations.iter().all(|o| time(o).is_some());
    let in_turn = history.sessions().all(|s| {
        history.session_txns(s).windows(2).all(|pair| {
            let ends = history.end(pair[0]).or(history.begin(pair[0]));
            ends <= history.begin(pair[1])
        })
    });
    if timed && in_turn {
        // Within a session, ties keep the session's order.
        operations.sort_by_key(|o| (time(o), history.position(o.txn), o.completion));
    }
    operations
}

fn micro_operation(history: &History, id: EventId, completion: bool, dialect: Dialect) -> String {
    let event = history.event(id);
    let (key, value) = (history.key(event.key()), history.value(id));
    let value = if event.is_write() || completion { value } else { Value::Null };
    let f = if event.is_write() { "w" } else { "r" };
    match dialect {
        Dialect::Edn => format!("[:{f} {} {}]", edn_key(key), edn_value(&value)),
        Dialect::Json => format!("[\"{f}\",{},{value}]", key_value(key)),
    }
}

/// A key as a keyword where it can be one.
fn edn_key(key: &Key) -> String {
    match key {
        Key::Int(n) => n.to_string(),
        Key::Text(text) => {
            let letter = |c: char| c.is_ascii_alphabetic();
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-.*+!?".contains(c);
            if text.starts_with(letter) && text.chars().all(plain) {
                format!(":{text}")
            } else {
                Value::Text(text.clone()).to_string()
            }
        }
    }
}

fn edn_value(value: &Value) -> String {
    match value {
        Value::Null => "nil".into(),
        Value::Json(text) => match Reader::new(text.as_bytes(), Dialect::Json).next() {
            Ok(Some(node)) => edn_form(&node),
            // The builder takes any text for JSON; what is none is written as text.
            _ => Value::Text(text.clone()).to_string(),
        },
        other => other.to_string(),
    }
}

fn edn_form(node: &Node) -> String {
    let spaced = |items: &[Node]| items.iter().map(edn_form).collect::<Vec<_>>().join(" ");
    match &node.form {
        Form::List(items) => format!("[{}]", spaced(items)),
        Form::Map(items) => format!("{{{}}}", spaced(items)),
        Form::Nil => "nil".into(),
        Form::Number(text) => text.to_string(),
        _ => node.value().to_string(),
    }
}
