//! Documents compared, and places in them found by their texts.

use hobgoblin_sql_mysql_types::error::Number;
use hobgoblin_sql_mysql_types::{Coercibility, MyType, common};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;

use super::access::{document, steps};
use super::document::{Document, unescaped};
use super::path;
use crate::entry::{Entry, Read, a_truth, or_null, row, text_of};
use crate::patterns::{matches, parts};

/// `'one'` or `'all'` is wanted, and something else is there.
const ONE_OR_ALL: Number = 4046;

/// Whether two documents are the same, whatever the order of members.
fn equal(a: &Document, b: &Document) -> bool {
    match (a, b) {
        (Document::Array(items), Document::Array(others)) => {
            items.len() == others.len() && items.iter().zip(others).all(|(a, b)| equal(a, b))
        }
        (Document::Object(members), Document::Object(others)) => {
            members.len() == others.len()
                && members.iter().all(|(key, value)| {
                    others.iter().any(|(other, its)| key == other && equal(value, its))
                })
        }
        (a, b) => a.same(b),
    }
}

/// Whether two documents have something in common: an item, a member, or themselves.
fn overlap(a: &Document, b: &Document) -> bool {
    match (a, b) {
        (Document::Array(items), Document::Array(others)) => {
            items.iter().any(|item| others.iter().any(|other| equal(item, other)))
        }
        (Document::Array(items), other) | (other, Document::Array(items)) => {
            items.iter().any(|item| equal(item, other))
        }
        (Document::Object(members), Document::Object(others)) => {
            members.iter().any(|(key, value)| {
                others.iter().any(|(other, its)| key == other && equal(value, its))
            })
        }
        (a, b) => equal(a, b),
    }
}

fn both(
    call: &mut Call<'_>,
    function: &str,
    compare: fn(&Document, &Document) -> bool,
) -> Result<Datum> {
    let Some(a) = document(call, 0, function) else { return Ok(Datum::Null) };
    let Some(b) = document(call, 1, function) else { return Ok(Datum::Null) };
    Ok(Datum::Bool(compare(&a, &b)))
}

/// What is no document has nothing in common with anything.
fn overlaps(call: &mut Call<'_>) -> Result<Datum> {
    match both(call, "json_overlaps", overlap)? {
        Datum::Null if !call.null(0) && !call.null(1) => Ok(Datum::Bool(false)),
        found => Ok(found),
    }
}

/// What is searched for, and where.
struct Search<'d> {
    /// Whether a text is what is searched for.
    is_wanted: &'d dyn Fn(&str) -> bool,
    /// Where it counts; everywhere if no path is given.
    places: Option<Vec<&'d Document>>,
    found: Vec<String>,
}

impl<'d> Search<'d> {
    /// Looks through a document, which nests no deeper than documents may.
    fn walk(&mut self, document: &'d Document, path: &mut String, inside: bool) {
        let here = |place: &&Document| std::ptr::eq(*place, document);
        let inside = inside || self.places.as_ref().is_none_or(|places| places.iter().any(here));
        let length = path.len();
        match document {
            Document::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    path.push_str(&format!("[{at}]"));
                    self.walk(item, path, inside);
                    path.truncate(length);
                }
            }
            Document::Object(members) => {
                for (key, value) in members {
                    path.push('.');
                    path.push_str(key);
                    self.walk(value, path, inside);
                    path.truncate(length);
                }
            }
            Document::Text(raw) if inside && (self.is_wanted)(&unescaped(raw)) => {
                self.found.push(path.clone());
            }
            Document::Number(digits) if inside && (self.is_wanted)(digits) => {
                self.found.push(path.clone());
            }
            _ => {}
        }
    }
}

fn search(call: &mut Call<'_>) -> Result<Datum> {
    const NAME: &str = "json_search";
    if (0..3).any(|i| call.null(i)) {
        return Ok(Datum::Null);
    }
    let Some(whole) = document(call, 0, NAME) else { return Ok(Datum::Null) };
    let all = match &*call.as_text(1).to_ascii_lowercase() {
        "one" => false,
        "all" => true,
        _ => {
            let told = format!("Argument 2 to function '{NAME}' must be \"one\" or \"all\".");
            call.settings().warn(ONE_OR_ALL, told);
            return Ok(Datum::Null);
        }
    };
    let escape = match call.args.len() > 3 && !call.null(3) {
        true => call.as_text(3).chars().next().unwrap_or('\\'),
        false => '\\',
    };
    let mut places: Option<Vec<&Document>> = None;
    for i in 4..call.args.len() {
        let Some(steps) = steps(call, i, NAME) else { return Ok(Datum::Null) };
        path::find(&whole, &steps, places.get_or_insert_default());
    }
    let pattern = parts(&call.as_text(2), Some(escape));
    let collation = common::collation_of(&[call.my(2)], NAME)?.0;
    let is_wanted = |text: &str| {
        let letters: Vec<char> = text.chars().collect();
        matches(&letters, &pattern, |a, b| collation.same(a, b))
    };
    let mut search = Search { is_wanted: &is_wanted, places, found: Vec::new() };
    search.walk(&whole, &mut "$".to_owned(), false);
    let mut found = search.found.into_iter().map(Document::Text);
    let found = match all {
        false => found.next(),
        true => {
            let mut all: Vec<Document> = found.collect();
            if all.len() > 1 { Some(Document::Array(all)) } else { all.pop() }
        }
    };
    or_null(found.map(|found| call.texts(found.loose())))
}

/// As long as the square of twice the document, which is what the server says.
fn a_path(types: &[MyType]) -> Result<MyType> {
    let document = types.first().copied().unwrap_or(MyType::NULL);
    let (collation, _) = common::collation_of(&[document], "json_search")?;
    let length = common::text_length(document).saturating_mul(2);
    Ok(text_of(length.saturating_mul(length), collation, Coercibility::Literal))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("json_equals", 2..=2, a_truth, |call| both(call, "json_equals", equal)).with_nulls(),
    row("json_overlaps", 2..=2, a_truth, overlaps).with_nulls(),
    row("json_search", 3..=255, a_path, search).with_nulls(),
];
