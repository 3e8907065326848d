//! Transactions as lines of JSON.

use hobgoblin_core::{Key, Kind, Schema, SortedMap, Status};

use crate::digits;
use crate::json::{push_key, push_text, push_value};
use crate::record::{EventRecord, Header, TxnRecord, WriterRecord};

/// Appends the first line.
pub(crate) fn push_header(out: &mut Vec<u8>, header: &Header) {
    out.extend_from_slice(b"{\"hobgoblin\":1");
    if !header.initial.is_empty() {
        out.extend_from_slice(b",\"initial\":");
        push_pairs(out, &header.initial, push_value);
    }
    if !header.order.is_empty() {
        out.extend_from_slice(b",\"order\":");
        push_pairs(out, &header.order, |out, ids| {
            out.push(b'[');
            push_list(out, ids, |out, id| push_text(out, id));
            out.push(b']');
        });
    }
    if !header.schema.is_empty() {
        out.push(b',');
        push_members(out, &header.schema);
    }
    out.extend_from_slice(b"}\n");
}

/// Appends a line that describes tables and indexes.
pub(crate) fn push_schema(out: &mut Vec<u8>, schema: &Schema) {
    if !schema.is_empty() {
        out.push(b'{');
        push_members(out, schema);
        out.extend_from_slice(b"}\n");
    }
}

/// Appends the members that describe tables and indexes, of which there are some.
fn push_members(out: &mut Vec<u8>, schema: &Schema) {
    if !schema.tables.is_empty() {
        push_named(out, "tables", &schema.tables, |out, table| {
            push_names(out, "{\"columns\":", &table.columns);
            if !table.key.is_empty() {
                push_names(out, ",\"key\":", &table.key);
            }
            out.push(b'}');
        });
    }
    if !schema.indexes.is_empty() {
        if !schema.tables.is_empty() {
            out.push(b',');
        }
        push_named(out, "indexes", &schema.indexes, |out, index| {
            out.extend_from_slice(b"{\"table\":");
            push_text(out, &index.table);
            push_names(out, ",\"columns\":", &index.columns);
            out.extend_from_slice(if index.unique { b",\"unique\":true}" } else { b"}" });
        });
    }
}

/// Appends a member that is an object by names.
fn push_named<T>(
    out: &mut Vec<u8>,
    member: &str,
    all: &SortedMap<Box<str>, T>,
    push: impl Fn(&mut Vec<u8>, &T),
) {
    push_text(out, member);
    for (at, (name, item)) in all.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b":{" } else { b"," });
        push_text(out, name);
        out.push(b':');
        push(out, item);
    }
    out.push(b'}');
}

fn push_names(out: &mut Vec<u8>, before: &str, names: &[Box<str>]) {
    out.extend_from_slice(before.as_bytes());
    out.push(b'[');
    push_list(out, names, |out, name| push_text(out, name));
    out.push(b']');
}

/// Appends a map from keys: as an object where the names of members tell integers from strings, as
/// a list of pairs otherwise.
fn push_pairs<T>(out: &mut Vec<u8>, pairs: &[(Key, T)], value: impl Fn(&mut Vec<u8>, &T)) {
    let misleading = |(key, _): &(Key, T)| match key {
        Key::Int(_) => false,
        Key::Text(text) => digits::canonical(text).is_some(),
    };
    if pairs.iter().any(misleading) {
        out.push(b'[');
        push_list(out, pairs, |out, (key, item)| {
            out.push(b'[');
            push_key(out, key);
            out.push(b',');
            value(out, item);
            out.push(b']');
        });
        out.push(b']');
    } else {
        out.push(b'{');
        push_list(out, pairs, |out, (key, item)| {
            push_text(out, &key.to_string());
            out.push(b':');
            value(out, item);
        });
        out.push(b'}');
    }
}

/// Appends a line for a transaction.
pub(crate) fn push_txn(out: &mut Vec<u8>, txn: &TxnRecord) {
    out.extend_from_slice(b"{\"session\":");
    push_key(out, &txn.session);
    if let Some(name) = &txn.name {
        out.extend_from_slice(b",\"id\":");
        push_text(out, name);
    }
    out.extend_from_slice(b",\"ops\":[");
    push_list(out, &txn.events, push_event);
    out.push(b']');
    match txn.status {
        Status::Committed => {}
        Status::Aborted => out.extend_from_slice(b",\"status\":\"aborted\""),
        Status::Unknown => out.extend_from_slice(b",\"status\":\"unknown\""),
    }
    if let Some(level) = txn.level {
        out.extend_from_slice(b",\"level\":");
        push_text(out, level.name());
    }
    if let Some(begin) = txn.begin {
        out.extend_from_slice(b",\"begin\":");
        digits::push(out, begin);
    }
    if let Some(end) = txn.end {
        out.extend_from_slice(b",\"end\":");
        digits::push(out, end);
    }
    if !txn.statements.is_empty() {
        out.extend_from_slice(b",\"statements\":[");
        push_list(out, &txn.statements, |out, statement| push_text(out, statement));
        out.push(b']');
    }
    out.extend_from_slice(b"}\n");
}

fn push_event(out: &mut Vec<u8>, event: &EventRecord) {
    let kind: &[u8] = match event.kind {
        Kind::Read => b"\"r\"",
        Kind::Write => b"\"w\"",
    };
    if !event.lock && event.statement.is_none() && event.at.is_none() {
        out.push(b'[');
        out.extend_from_slice(kind);
        out.push(b',');
        push_key(out, &event.key);
        out.push(b',');
        push_value(out, &event.value);
        if let Some(writer) = &event.writer {
            out.push(b',');
            push_writer(out, writer);
        }
        out.push(b']');
        return;
    }
    out.extend_from_slice(b"{\"f\":");
    out.extend_from_slice(kind);
    out.extend_from_slice(b",\"key\":");
    push_key(out, &event.key);
    out.extend_from_slice(b",\"value\":");
    push_value(out, &event.value);
    if let Some(writer) = &event.writer {
        out.extend_from_slice(b",\"from\":");
        push_writer(out, writer);
    }
    if event.lock {
        out.extend_from_slice(b",\"lock\":true");
    }
    if let Some(statement) = event.statement {
        out.extend_from_slice(b",\"stmt\":");
        digits::push(out, statement.into());
    }
    if let Some(at) = event.at {
        out.extend_from_slice(b",\"at\":");
        digits::push(out, at);
    }
    out.push(b'}');
}

fn push_writer(out: &mut Vec<u8>, writer: &WriterRecord) {
    match writer {
        WriterRecord::Name(name) => push_text(out, name),
        WriterRecord::Number(number) => {
            out.extend_from_slice(b"{\"number\":");
            digits::push(out, (*number).into());
            out.push(b'}');
        }
    }
}

fn push_list<T>(out: &mut Vec<u8>, items: &[T], mut push: impl FnMut(&mut Vec<u8>, &T)) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        push(out, item);
    }
}
