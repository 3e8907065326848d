//! How keys and values are said: a row of a table by its table, key and columns, anything else as it is written.
//!
//! ```text
//!   course[7] = [7,1]       course(id = 7).seats = 1        the table is known, and only seats changes
//!   course.seats[7] = 1     course(id = 7).seats = 1
//!   x = 1                   x = 1
//! ```
//!
//! A table is told by the name that people know it by: without the number that follows its name in keys when it was made or
//! rewritten more than once, and without its schema if that is the schema of every table there is.

use hobgoblin_core::{EventId, History, KeyId, TxnId, Value, sort};

/// Values longer than this are cut in the middle.
const VALUE: usize = 40;
/// Keys longer than this are.
const KEY: usize = 60;
/// More columns than this are not named.
const COLUMNS: usize = 3;

/// The rows a telling speaks of.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    history: &'a History,
    known: Vec<Known<'a>>,
}

/// What is known of a key.
#[derive(Debug)]
struct Known<'a> {
    key: KeyId,
    /// Its table, where the history describes it.
    table: Option<Described<'a>>,
    /// What is between the brackets of its name.
    inner: String,
    /// The column whose cell it is.
    cell: Option<String>,
    /// The columns that differ between what was read and written and that are told, by place.
    matter: Vec<usize>,
    /// How many more differ.
    others: usize,
}

/// A table of which a key is a row, or an entry of one of its indexes.
#[derive(Clone, Copy, Debug)]
struct Described<'a> {
    name: &'a str,
    /// The columns of a row; none of an index.
    columns: &'a [Box<str>],
    /// The columns in the key.
    key: &'a [Box<str>],
    entry: Option<Entry>,
}

/// An entry of an index, which is there or not.
#[derive(Clone, Copy, Debug)]
struct Entry {
    unique: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn of(history: &'a History, keys: &[KeyId], txns: &[TxnId]) -> Rows<'a> {
        let known = keys.iter().map(|&key| Known::of(history, key, txns)).collect();
        Rows { history, known }
    }

    fn known(&self, key: KeyId) -> Option<&Known<'a>> {
        self.known.iter().find(|known| known.key == key)
    }

    /// Where a value is: `course(id = 7).seats`, `x`.
    pub(super) fn place(&self, key: KeyId) -> String {
        let name = self.name(key);
        match self.known(key) {
            Some(Known { cell: Some(column), table: Some(_), .. }) => format!("{name}.{column}"),
            Some(known) => match known.column() {
                Some(column) => format!("{name}.{column}"),
                None => name,
            },
            None => name,
        }
    }

    /// The row or key alone: `course(id = 7)`, `x`.
    pub(super) fn name(&self, key: KeyId) -> String {
        let plain = || named("key ", middle(&self.history.key(key).to_string(), KEY));
        let Some(known) = self.known(key) else { return plain() };
        let Some(table) = known.table else { return plain() };
        let parts = split(&format!("[{}]", known.inner)).unwrap_or_default();
        // The key of the row may follow what is indexed.
        let fits = match table.entry {
            Some(_) => parts.len() >= table.key.len(),
            None => parts.len() == table.key.len(),
        };
        if known.inner.starts_with('#') || !fits || parts.is_empty() {
            return format!("{}[{}]", table.name, middle(&known.inner, KEY));
        }
        let pairs: Vec<String> = table
            .key
            .iter()
            .zip(&parts)
            .map(|(c, v)| format!("{c} = {}", middle(v, VALUE)))
            .collect();
        format!("{}({})", table.name, pairs.join(", "))
    }

    /// A value of a key, as far as it matters: `1`, `seats = 1, open = true`.
    pub(super) fn value(&self, key: KeyId, value: &Value) -> String {
        let Some(known) = self.known(key) else { return short(value) };
        if known.table.is_some() && value.is_null() && known.cell.is_none() {
            return "no row".to_owned();
        }
        if known.table.is_some_and(|table| table.entry.is_some()) {
            return "a row".to_owned();
        }
        let Some(cells) = known.cells(value) else { return short(value) };
        match known.matter.as_slice() {
            [] => short(value),
            &[one] => cells.get(one).map_or(short(value), |cell| middle(cell, VALUE)),
            several => {
                let column = |&at: &usize| {
                    let name = known.table.and_then(|table| table.columns.get(at))?;
                    Some(format!("{name} = {}", middle(cells.get(at)?, VALUE)))
                };
                let said: Option<Vec<String>> = several.iter().take(COLUMNS).map(column).collect();
                let more = if several.len() > COLUMNS { ", …" } else { "" };
                said.map_or(short(value), |said| said.join(", ") + more)
            }
        }
    }

    /// What an event read or wrote: `course(id = 7).seats = 1`, `no course(id = 7)`.
    pub(super) fn equation(&self, event: EventId) -> String {
        let key = self.history.event(event).key();
        let value = self.history.value(event);
        let said = self.value(key, &value);
        match said.as_str() {
            "no row" => format!("no {}", self.name(key)),
            "a row" => format!("a {}", self.name(key)),
            _ if said.contains(" = ") => format!("{} with {said}", self.name(key)),
            _ => format!("{} = {said}", self.place(key)),
        }
    }

    /// The same of a write: `x := 1`.
    pub(super) fn assignment(&self, event: EventId) -> String {
        let key = self.history.event(event).key();
        let value = self.history.value(event);
        match self.value(key, &value).as_str() {
            "no row" => format!("{} deleted", self.name(key)),
            "a row" => format!("{} added", self.name(key)),
            said if said.contains(" = ") => format!("{}: {said}", self.name(key)),
            said => format!("{} := {said}", self.place(key)),
        }
    }

    /// What a statement did to a row, without its name where `alone`: `seats 1 → 0`.
    pub(super) fn change(&self, before: Option<&Value>, event: EventId, alone: bool) -> String {
        let key = self.history.event(event).key();
        let value = self.history.value(event);
        let to = self.value(key, &value);
        let place = match (alone, self.known(key)) {
            (true, Some(known)) => known.column().map_or(String::new(), |c| format!("{c} ")),
            _ => format!("{} ", self.place(key)),
        };
        match before {
            Some(before) if before.is_null() && to == "no row" => format!("{place}not there"),
            Some(before) if before.is_null() && self.is_row(key) => format!("{place}added: {to}"),
            _ if to == "no row" => format!("{place}deleted"),
            _ if to == "a row" => format!("{place}added"),
            Some(before) => {
                let others = match self.known(key).map_or(0, |known| known.others) {
                    0 => String::new(),
                    1 => ", and another column".to_owned(),
                    n => format!(", and {n} other columns"),
                };
                format!("{place}{} → {to}{others}", self.value(key, before))
            }
            None => format!("{place}:= {to}"),
        }
    }

    /// What a statement saw of a row, without its name where `alone`: `→ seats = 1`.
    pub(super) fn seen(&self, event: EventId, alone: bool) -> String {
        let key = self.history.event(event).key();
        let value = self.history.value(event);
        let said = self.value(key, &value);
        match (alone, said.as_str(), self.known(key).and_then(Known::column)) {
            (true, "no row" | "a row", _) => said,
            (true, _, Some(column)) => format!("{column} = {said}"),
            (true, _, None) if said.contains(" = ") => said,
            _ => self.equation(event),
        }
    }

    /// Whether a key is a row of a table that is described.
    pub(super) fn is_row(&self, key: KeyId) -> bool {
        self.known(key).is_some_and(|known| known.table.is_some() && known.cell.is_none())
    }

    /// Whether a key is an entry of a unique index: looking at it is checking that it is free.
    pub(super) fn is_unique(&self, key: KeyId) -> bool {
        let table = self.known(key).and_then(|known| known.table);
        table.and_then(|table| table.entry).is_some_and(|entry| entry.unique)
    }

    /// The table of a key, where there is one.
    pub(super) fn table(&self, key: KeyId) -> Option<&'a str> {
        self.known(key).and_then(|known| known.table).map(|table| table.name)
    }
}

impl<'a> Known<'a> {
    fn of(history: &'a History, key: KeyId, txns: &[TxnId]) -> Known<'a> {
        let name = history.key(key).to_string();
        let (outer, inner) = match name.split_once('[') {
            Some((outer, rest)) if rest.ends_with(']') => (outer, &rest[..rest.len() - 1]),
            _ => (name.as_str(), ""),
        };
        let whole = described(history, outer);
        let (table, cell) = match (whole, outer.rsplit_once('.')) {
            (None, Some((table, column))) => match described(history, table) {
                Some(table) => (Some(table), Some(column.to_owned())),
                None => (None, None),
            },
            _ => (whole, None),
        };
        let inner = inner.to_owned();
        let known = Known { key, table, inner, cell, matter: Vec::new(), others: 0 };
        let (matter, others) = known.telling(history, txns);
        Known { matter, others, ..known }
    }

    /// The columns to tell of those in which the values differ that some transactions read and wrote, and how many
    /// more there are. Counts and amounts tell most: where several differ, the first of the best kind is taken.
    fn telling(&self, history: &History, txns: &[TxnId]) -> (Vec<usize>, usize) {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for &txn in txns {
            let of_key = |&e: &EventId| history.event(e).key() == self.key;
            for event in history.event_ids(txn).filter(of_key) {
                rows.extend(self.cells(&history.value(event)));
            }
        }
        let Some(first) = rows.first() else { return (Vec::new(), 0) };
        // Each column that differs, with how much the least telling of its cells says.
        let mut differing: Vec<(u8, usize)> = Vec::new();
        for at in 0..first.len() {
            if rows.iter().any(|row| row.get(at) != first.get(at)) {
                let mut worst = 0;
                for row in &rows {
                    worst = row.get(at).map_or(worst, |cell| kind(cell).max(worst));
                }
                differing.push((worst, at));
            }
        }
        sort(&mut differing);
        match differing.first() {
            Some(&(_, best)) => (vec![best], differing.len() - 1),
            None => (Vec::new(), 0),
        }
    }

    /// The values of a row's columns, where it is one.
    fn cells(&self, value: &Value) -> Option<Vec<String>> {
        let table = self.table.filter(|_| self.cell.is_none())?;
        let cells = split(&value.to_string())?;
        (cells.len() <= table.columns.len()).then_some(cells)
    }

    /// The name of the one column that matters.
    fn column(&self) -> Option<&str> {
        match (self.matter.as_slice(), self.table) {
            (&[one], Some(table)) => table.columns.get(one).map(|name| &**name),
            _ => None,
        }
    }
}

fn described<'a>(history: &'a History, name: &str) -> Option<Described<'a>> {
    let schema = history.schema();
    if let Some((name, table)) = schema.tables.from(name).first().filter(|first| *first.0 == *name)
    {
        let name = told(history, name);
        return Some(Described { name, columns: &table.columns, key: &table.key, entry: None });
    }
    let index = schema.indexes.get(name)?;
    let (name, entry) = (told(history, &index.table), Some(Entry { unique: index.unique }));
    Some(Described { name, columns: &[], key: &index.columns, entry })
}

/// The name of a table by which people know it. A `#` of a name that somebody chose is within quotes, and so is a dot.
fn told<'a>(history: &History, name: &'a str) -> &'a str {
    let name = match name.rsplit_once('#') {
        Some((name, number)) if number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => name,
    };
    let plain = |schema: &&str| schema.chars().all(|c| c.is_alphanumeric() || c == '_');
    let Some(schema) = name.split_once('.').map(|(schema, _)| schema).filter(plain) else {
        return name;
    };
    // They are in order, so if the first and the last are of a schema, all are.
    let tables = history.schema().tables.from("");
    let of = |table: &str| table.split_once('.').is_some_and(|(other, _)| other == schema);
    match (tables.first(), tables.last()) {
        (Some(first), Some(last)) if of(&first.0) && of(&last.0) => &name[schema.len() + 1..],
        _ => name,
    }
}

/// How much a cell says of what went wrong: a whole number most, then an amount, then a word, a moment least.
fn kind(cell: &str) -> u8 {
    let inner = cell.trim_matches('"');
    match () {
        () if cell == "null" => 0,
        () if cell.parse::<i64>().is_ok() => 0,
        () if inner.parse::<f64>().is_ok() => 1,
        () if inner.len() >= 19 && inner.as_bytes()[4] == b'-' && inner.as_bytes()[13] == b':' => 3,
        () => 2,
    }
}

/// A value that fits a line.
fn short(value: &Value) -> String {
    middle(&value.to_string(), VALUE)
}

/// A name that is a bare number says what it is the name of.
pub(super) fn named(kind: &str, name: String) -> String {
    if name.bytes().all(|b| b.is_ascii_digit()) { format!("{kind}{name}") } else { name }
}

/// Text that fits, or its beginning and end and how long it is.
pub(super) fn middle(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let half = width.saturating_sub(3) / 2;
    let begin: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(length - half).collect();
    format!("{begin}…{end} ({length} characters)")
}

/// The elements of a JSON array, each as text; nothing if it is none.
fn split(array: &str) -> Option<Vec<String>> {
    let inner = array.strip_prefix('[')?.strip_suffix(']')?;
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut escaped, mut start) = (0_usize, None, false, 0);
    for (at, c) in inner.char_indices() {
        match (quoted, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(quote), c) if c == quote => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quoted = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 0 => {
                parts.push(inner[start..at].to_owned());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !inner.is_empty() {
        parts.push(inner[start..].to_owned());
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_split_at_their_own_commas() {
        let parts = |text: &str| split(text);
        assert_eq!(parts("[7,1]"), Some(vec!["7".to_owned(), "1".to_owned()]));
        assert_eq!(
            parts(r#"["a,\"b]",[1,2],{"x":[3,4]}]"#),
            Some(vec![r#""a,\"b]""#.to_owned(), "[1,2]".to_owned(), r#"{"x":[3,4]}"#.to_owned()])
        );
        assert_eq!(parts("['O''Brien, J',2]").map(|p| p.len()), Some(2));
        assert_eq!(parts("[]"), Some(vec![]));
        assert_eq!(parts("7"), None);
    }

    #[test]
    fn long_texts_are_cut_in_the_middle() {
        assert_eq!(middle("short", 40), "short");
        let long = format!("{}{}", "a".repeat(30), "z".repeat(30));
        let cut = middle(&long, 21);
        assert_eq!(cut, "aaaaaaaaa…zzzzzzzzz (60 characters)");
    }
}
