//! The newer DBCop's JSON.
//!
//! ```text
//! {"params": {"id": 0, "n_node": 1, ...}, "info": "...", "start": "...", "end": "...",
//!  "data": [[{"events": [{"Write": {"variable": 0, "version": 1}},
//!                        {"Read":  {"variable": 0, "version": null}}], "committed": true}]]}
//! ```
//!
//! An event may also be short: `["w", 0, 1]`, `["r", 0, null]`. Only `data` matters, and the list of
//! sessions alone will do. A version that is null is that of an uninitialised variable.

use std::io::{BufRead, Write};

use hobgoblin_core::{History, Kind, SessionId, Status, Value};

use super::{Draft, check_initial, version_of};
use crate::edn::{Dialect, Form, Node, Reader};
use crate::error::{Failure, ParseError, WriteError};
use crate::refuse::{Refusal, as_u64, key_value};
use crate::watch::Pace;
use crate::{Format, initial};

const REFUSAL: Refusal =
    Refusal { format: Format::DbcopJson, aborted: true, unknown: false, times: false };

const HELP: &str = "an event is {\"Write\": {\"variable\": 0, \"version\": 1}}, {\"Read\": ...}, \
                    [\"w\", 0, 1] or [\"r\", 0, null]";

/// Whether a file begins like one of these.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let has = |needle: &[u8]| head.windows(needle.len()).any(|w| w == needle);
    let start = head.trim_ascii_start();
    (start.starts_with(b"{") || start.starts_with(b"["))
        && (has(b"\"n_variable\"") || has(b"\"events\"") && has(b"\"committed\""))
}

/// Reads a history.
pub(crate) fn read(input: &mut dyn BufRead) -> Result<History, Failure> {
    let mut text = Vec::new();
    input.read_to_end(&mut text)?;
    let mut reader = Reader::new(&text, Dialect::Json).paced(Pace::new(input));
    let Some(root) = reader.next()? else {
        return Err(ParseError::at(1, 1, "the file is empty", "give it one JSON object").into());
    };
    let mut draft = Draft::default();
    sessions(&root, &mut draft).map_err(|error| reader.with_excerpt(error))?;
    if let Some(more) = reader.next()? {
        let error = more.error("something follows the history", "one file holds one history");
        return Err(reader.with_excerpt(error).into());
    }
    Ok(draft.finish()?)
}

fn sessions(root: &Node, draft: &mut Draft) -> Result<(), ParseError> {
    let data = match &root.form {
        Form::Map(_) => root.get("data").ok_or_else(|| {
            root.error("the object has no `data`", "`data` holds the list of sessions")
        })?,
        _ => root,
    };
    for session in list(data, "`data`", "it is a list of sessions, each a list of transactions")? {
        let id = draft.session();
        for txn in list(session, "a session", "it is a list of transactions")? {
            transaction(txn, draft, id)?;
        }
    }
    Ok(())
}

fn transaction(txn: &Node, draft: &mut Draft, session: SessionId) -> Result<(), ParseError> {
    let help = "a transaction is {\"events\": [...], \"committed\": true}";
    let events = txn.get("events").ok_or_else(|| txn.error("`events` is missing", help))?;
    for node in list(events, "`events`", help)? {
        event(node, draft)?;
    }
    let committed = match txn.get("committed").map(|c| &c.form) {
        Some(Form::Bool(truth)) => *truth,
        _ => return Err(txn.error("`committed` is neither true nor false", help)),
    };
    draft.end(session, committed, txn.line.into());
    Ok(())
}

fn event(node: &Node, draft: &mut Draft) -> Result<(), ParseError> {
    let (kind, variable, version) = match &node.form {
        Form::List(parts) => match parts.as_slice() {
            [kind, variable, version] => (kind, Some(variable), Some(version)),
            _ => return Err(node.error("this is no event", HELP)),
        },
        Form::Map(parts) => match parts.as_slice() {
            [kind, fields] => (kind, fields.get("variable"), fields.get("version")),
            _ => return Err(node.error("this is no event", HELP)),
        },
        _ => return Err(node.error("this is no event", HELP)),
    };
    let kind = match kind.name() {
        Some("w" | "Write") => Kind::Write,
        Some("r" | "Read") => Kind::Read,
        _ => return Err(kind.error("an event is a read or a write", HELP)),
    };
    let Some(key) = variable.and_then(Node::key) else {
        return Err(node.error("the event has no variable", HELP));
    };
    let version = match (version.map(Node::value), kind) {
        (Some(Value::Null) | None, Kind::Read) => None,
        (value, _) => match value.as_ref().and_then(as_u64) {
            Some(version) => Some(version),
            None => return Err(node.error("the version is no natural number below 2^64", HELP)),
        },
    };
    draft.event(kind, &key, version);
    Ok(())
}

fn list<'a>(node: &'a Node, what: &str, help: &str) -> Result<&'a [Node], ParseError> {
    node.list().ok_or_else(|| node.error(format!("{what} is no list"), help))
}

/// Writes a history.
pub(crate) fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    REFUSAL.check(history)?;
    check_initial(history, &REFUSAL)?;
    let sessions = || history.sessions().map(|s| history.session_txns(s));
    let longest = sessions().map(<[_]>::len).max().unwrap_or(0);
    let largest = history.txns().map(|t| history.events(t).len()).max().unwrap_or(0);
    writeln!(
        out,
        "{{\"params\":{{\"id\":0,\"n_node\":{},\"n_variable\":{},\"n_transaction\":{longest},\
         \"n_event\":{largest}}},\"info\":\"written by hobgoblin\",\
         \"start\":\"1970-01-01T00:00:00Z\",\"end\":\"1970-01-01T00:00:00Z\",\"data\":[",
        history.num_sessions(),
        history.num_keys(),
    )?;
    for (i, txns) in sessions().enumerate() {
        write!(out, "{}[", if i > 0 { ",\n" } else { "" })?;
        for (j, &txn) in txns.iter().enumerate() {
            write!(out, "{}{{\"events\":[", if j > 0 { ",\n" } else { "" })?;
            let mut comma = "";
            for key in initial::keys(history, txn) {
                let key = key_value(history.key(key));
                write!(out, "{comma}{{\"Write\":{{\"variable\":{key},\"version\":0}}}}")?;
                comma = ",";
            }
            for id in history.event_ids(txn) {
                let event = history.event(id);
                let kind = if event.is_write() { "Write" } else { "Read" };
                let key = key_value(history.key(event.key()));
                write!(out, "{comma}{{\"{kind}\":{{\"variable\":{key},\"version\":")?;
                match version_of(history, id, &REFUSAL)? {
                    Some(version) => write!(out, "{version}}}}}")?,
                    None => write!(out, "null}}}}")?,
                }
                comma = ",";
            }
            write!(out, "],\"committed\":{}}}", history.status(txn) == Status::Committed)?;
        }
        write!(out, "]")?;
    }
    writeln!(out, "]}}")?;
    Ok(())
}
