//! Documents changed.

use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;

use super::access::{a_document, document, steps};
use super::document::{Document, escaped, unescaped};
use super::make::part;
use super::path::{Step, place};
use crate::entry::{Entry, or_null, row};

/// What to do at the end of a path.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    /// Replace what is there, or add it.
    Set,
    /// Add it if nothing is there.
    Insert,
    /// Replace what is there.
    Replace,
    /// Add to the array that is there.
    Append,
    /// Put before the item that is there.
    Before,
    /// Take it away.
    Remove,
}

impl Change {
    fn replaces(self) -> bool {
        matches!(self, Change::Set | Change::Replace)
    }

    fn adds(self) -> bool {
        matches!(self, Change::Set | Change::Insert)
    }
}

/// Appends to what is taken for an array.
fn append(document: &mut Document, value: Document) {
    match document {
        Document::Array(items) => items.push(value),
        other => {
            let first = std::mem::replace(other, Document::Null);
            *other = Document::Array(vec![first, value]);
        }
    }
}

/// Changes what a path means.
fn apply(document: &mut Document, steps: &[Step], value: &Document, change: Change) {
    let Some((step, rest)) = steps.split_first() else {
        match change {
            Change::Append => append(document, value.clone()),
            _ if change.replaces() => *document = value.clone(),
            _ => {}
        }
        return;
    };
    match (step, document) {
        (Step::Member(name), Document::Object(members)) => {
            let at = members.iter().position(|(key, _)| unescaped(key) == *name);
            match (at, rest.is_empty()) {
                (Some(at), true) if change == Change::Remove => {
                    members.remove(at);
                }
                (Some(at), _) => apply(&mut members[at].1, rest, value, change),
                (None, true) if change.adds() => members.push((escaped(name), value.clone())),
                (None, _) => {}
            }
        }
        (Step::Item(index), Document::Array(items)) => {
            match (place(*index, items.len()), rest.is_empty()) {
                (Some(at), true) if change == Change::Remove => {
                    items.remove(at);
                }
                (Some(at), true) if change == Change::Before => items.insert(at, value.clone()),
                (Some(at), _) => apply(&mut items[at], rest, value, change),
                (None, true) if change.adds() || change == Change::Before => {
                    items.push(value.clone());
                }
                (None, _) => {}
            }
        }
        (Step::Item(0 | -1), document) => apply(document, rest, value, change),
        (Step::Item(_), document) if rest.is_empty() && change.adds() => {
            append(document, value.clone());
        }
        _ => {}
    }
}

fn changed(call: &mut Call<'_>, function: &str, change: Change) -> Result<Datum> {
    let Some(mut document) = document(call, 0, function) else { return Ok(Datum::Null) };
    let width = if change == Change::Remove { 1 } else { 2 };
    for i in (1..call.args.len()).step_by(width) {
        let Some(steps) = steps(call, i, function) else { return Ok(Datum::Null) };
        let value = match change {
            Change::Remove => Document::Null,
            _ => part(call, i + 1),
        };
        apply(&mut document, &steps, &value, change);
    }
    Ok(Datum::text(document.loose()))
}

/// One document over another: members that are `null` go (RFC 7396).
fn patch(target: Document, over: Document) -> Document {
    let Document::Object(changes) = over else { return over };
    let mut members = match target {
        Document::Object(members) => members,
        _ => Vec::new(),
    };
    for (key, change) in changes {
        let at = members.iter().position(|(own, _)| *own == key);
        match (change, at) {
            (Document::Null, Some(at)) => {
                members.remove(at);
            }
            (Document::Null, None) => {}
            (change, Some(at)) => {
                let own = std::mem::replace(&mut members[at].1, Document::Null);
                members[at].1 = patch(own, change);
            }
            (change, None) => members.push((key, patch(Document::Null, change))),
        }
    }
    Document::Object(members)
}

/// Both documents with all that they have.
fn preserve(a: Document, b: Document) -> Document {
    match (a, b) {
        (Document::Object(mut members), Document::Object(more)) => {
            for (key, value) in more {
                match members.iter().position(|(own, _)| *own == key) {
                    Some(at) => {
                        let own = std::mem::replace(&mut members[at].1, Document::Null);
                        members[at].1 = preserve(own, value);
                    }
                    None => members.push((key, value)),
                }
            }
            Document::Object(members)
        }
        (a, b) => {
            let items = |document| match document {
                Document::Array(items) => items,
                other => vec![other],
            };
            let mut all = items(a);
            all.extend(items(b));
            Document::Array(all)
        }
    }
}

fn merged(
    call: &mut Call<'_>,
    function: &str,
    merge: fn(Document, Document) -> Document,
) -> Result<Datum> {
    let mut whole: Option<Document> = None;
    for i in 0..call.args.len() {
        let Some(next) = document(call, i, function) else { return Ok(Datum::Null) };
        whole = Some(match whole {
            Some(whole) => merge(whole, next),
            None => next,
        });
    }
    or_null(whole.map(|document| Datum::text(document.loose())))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("json_set", 3..=255, a_document, |c| changed(c, "json_set", Change::Set)).with_nulls(),
    row("json_insert", 3..=255, a_document, |c| changed(c, "json_insert", Change::Insert))
        .with_nulls(),
    row("json_replace", 3..=255, a_document, |c| changed(c, "json_replace", Change::Replace))
        .with_nulls(),
    row("json_remove", 2..=255, a_document, |c| changed(c, "json_remove", Change::Remove)),
    row("json_array_append", 3..=255, a_document, |c| {
        changed(c, "json_array_append", Change::Append)
    })
    .with_nulls(),
    row("json_array_insert", 3..=255, a_document, |c| {
        changed(c, "json_array_insert", Change::Before)
    })
    .with_nulls(),
    row("json_merge_patch", 2..=255, a_document, |c| merged(c, "json_merge_patch", patch)),
    row("json_merge_preserve", 2..=255, a_document, |c| merged(c, "json_merge_preserve", preserve)),
    row("json_merge", 2..=255, a_document, |c| merged(c, "json_merge", preserve)),
];
