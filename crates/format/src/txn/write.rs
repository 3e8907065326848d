//! Transactions as text for people.

use hobgoblin_core::{Key, Kind, Level, Schema, Status};

use super::{is_bare, status_or_level};
use crate::digits;
use crate::json::{push_text, push_value};
use crate::record::{EventRecord, Header, TxnRecord, WriterRecord};

/// How many initial values stand on a line.
const PER_LINE: usize = 16;

/// Appends what holds before all transactions.
pub(crate) fn push_header(out: &mut Vec<u8>, header: &Header) {
    for line in header.initial.chunks(PER_LINE) {
        out.extend_from_slice(b"init");
        for (key, value) in line {
            out.push(b' ');
            push_key(out, key);
            out.push(b'=');
            push_value(out, value);
        }
        out.push(b'\n');
    }
    for (key, ids) in &header.order {
        out.extend_from_slice(b"order ");
        push_key(out, key);
        out.push(b':');
        for id in ids {
            out.push(b' ');
            push_word(out, id, false);
        }
        out.push(b'\n');
    }
    push_schema(out, &header.schema);
}

/// Appends a line for each table and index.
pub(crate) fn push_schema(out: &mut Vec<u8>, schema: &Schema) {
    for (name, table) in &schema.tables {
        out.extend_from_slice(b"table ");
        push_word(out, name, false);
        push_names(out, &table.columns);
        if !table.key.is_empty() {
            out.extend_from_slice(b" key");
            push_names(out, &table.key);
        }
        out.push(b'\n');
    }
    for (name, index) in &schema.indexes {
        out.extend_from_slice(b"index ");
        push_word(out, name, false);
        out.extend_from_slice(b" of ");
        push_word(out, &index.table, false);
        push_names(out, &index.columns);
        out.extend_from_slice(if index.unique { b" unique\n" } else { b"\n" });
    }
}

fn push_names(out: &mut Vec<u8>, names: &[Box<str>]) {
    for (at, name) in names.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"(" } else { b", " });
        push_word(out, name, false);
    }
    out.extend_from_slice(if names.is_empty() { b"()" } else { b")" });
}

/// Appends a line for a transaction.
pub(crate) fn push_txn(out: &mut Vec<u8>, txn: &TxnRecord) {
    push_key(out, &txn.session);
    out.extend_from_slice(b": ");
    if let Some(name) = &txn.name {
        push_word(out, name, status_or_level(name).is_some());
        out.push(b' ');
    }
    match txn.status {
        Status::Committed => {}
        Status::Aborted => out.extend_from_slice(b"aborted "),
        Status::Unknown => out.extend_from_slice(b"unknown "),
    }
    if let Some(level) = txn.level.map(Level::name) {
        out.extend_from_slice(level.as_bytes());
        out.push(b' ');
    }
    if txn.begin.is_some() || txn.end.is_some() {
        out.push(b'@');
        if let Some(begin) = txn.begin {
            digits::push(out, begin);
        }
        out.extend_from_slice(b"..");
        if let Some(end) = txn.end {
            digits::push(out, end);
        }
        out.push(b' ');
    }
    out.extend_from_slice(b"{ ");
    let mut statement = None;
    for event in &txn.events {
        if event.statement != statement {
            statement = event.statement;
            out.push(b'[');
            if let Some(index) = statement {
                digits::push(out, index.into());
            }
            out.extend_from_slice(b"] ");
        }
        push_event(out, event);
        out.push(b' ');
    }
    out.push(b'}');
    for statement in &txn.statements {
        out.push(b' ');
        push_text(out, statement);
    }
    out.push(b'\n');
}

fn push_event(out: &mut Vec<u8>, event: &EventRecord) {
    out.push(match event.kind {
        Kind::Read => b'r',
        Kind::Write => b'w',
    });
    if event.lock {
        out.push(b'!');
    }
    out.push(b'(');
    push_key(out, &event.key);
    out.extend_from_slice(b")=");
    push_value(out, &event.value);
    match &event.writer {
        None => {}
        Some(WriterRecord::Name(name)) => {
            out.extend_from_slice(b"<-");
            push_word(out, name, false);
        }
        Some(WriterRecord::Number(number)) => {
            out.extend_from_slice(b"<-#");
            digits::push(out, (*number).into());
        }
    }
    if let Some(at) = event.at {
        out.push(b'@');
        digits::push(out, at);
    }
}

fn push_key(out: &mut Vec<u8>, key: &Key) {
    match key {
        Key::Int(n) => digits::push(out, *n),
        Key::Text(text) => push_word(out, text, digits::canonical(text).is_some()),
    }
}

/// Appends a name, in quotes where it would be misread, or look odd, without.
fn push_word(out: &mut Vec<u8>, text: &str, misleading: bool) {
    let odd = |c: char| c.is_whitespace() || c.is_control();
    if misleading || text.is_empty() || !text.bytes().all(is_bare) || text.contains(odd) {
        push_text(out, text);
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
