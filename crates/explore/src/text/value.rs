//! The values of a program while it runs, and how the database holds them.
//!
//! The database holds a list as a JSON array, a set as `{"set":[...]}` with its elements in order, and a
//! row as an object of its columns. `set` is a keyword, so no column has that name.
//!
//! Bodies are run again and again with the same answers, so each thread remembers what the values it saw
//! last were before they became JSON: by the address of the text, which stays alive with the memory.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use hobgoblin_core::{Text, Value};
use hobgoblin_format::json;

/// The most elements of a value, those of its elements included, and the most bytes of a string.
pub(super) const MAX_SIZE: usize = 100_000;
/// How deep lists may be nested.
pub(super) const MAX_DEPTH: usize = 50;

/// A value of the language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Val {
    /// What an absent key holds.
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Text(Text),
    List(Arc<Many>),
    /// In order, without duplicates.
    Set(Arc<Many>),
    /// A row: columns in the order of their names.
    Record(Arc<[(Text, Val)]>),
}

/// The elements of a list or set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Many {
    pub(super) items: Vec<Val>,
    size: usize,
    depth: usize,
}

/// A value that would be too large.
#[derive(Debug)]
pub(super) struct TooLarge;

impl Many {
    fn new(items: Vec<Val>) -> Result<Arc<Many>, TooLarge> {
        let size = items.iter().map(Val::size).sum::<usize>() + 1;
        let depth = items.iter().map(Val::depth).max().unwrap_or(0) + 1;
        if size > MAX_SIZE || depth > MAX_DEPTH {
            return Err(TooLarge);
        }
        Ok(Arc::new(Many { items, size, depth }))
    }
}

impl Val {
    /// The list of some values, if it is not too large.
    pub(super) fn list(items: Vec<Val>) -> Result<Val, TooLarge> {
        Ok(Val::List(Many::new(items)?))
    }

    /// A set of the elements, which may be in any order.
    pub(super) fn set(mut items: Vec<Val>) -> Result<Val, TooLarge> {
        items.sort();
        items.dedup();
        Ok(Val::Set(Many::new(items)?))
    }

    /// A string, if it is not too long.
    pub(super) fn text(text: String) -> Result<Val, TooLarge> {
        if text.len() > MAX_SIZE { Err(TooLarge) } else { Ok(Val::Text(text.into())) }
    }

    /// A row; the columns must be in the order of their names.
    pub(super) fn record(fields: Vec<(Text, Val)>) -> Val {
        debug_assert!(fields.is_sorted_by(|a, b| a.0 < b.0));
        Val::Record(fields.into())
    }

    /// The elements of a list or set.
    pub(super) fn items(&self) -> Option<&[Val]> {
        match self {
            Val::List(many) | Val::Set(many) => Some(&many.items),
            _ => None,
        }
    }

    /// A column of a row.
    pub(super) fn field(&self, name: &str) -> Option<&Val> {
        let Val::Record(fields) = self else { return None };
        fields.iter().find(|(field, _)| **field == *name).map(|(_, value)| value)
    }

    /// About how much work it is to copy or compare it.
    pub(super) fn size(&self) -> usize {
        match self {
            Val::Text(text) => 1 + text.len() / 16,
            Val::List(many) | Val::Set(many) => many.size,
            Val::Record(fields) => 1 + fields.iter().map(|(_, value)| value.size()).sum::<usize>(),
            _ => 1,
        }
    }

    fn depth(&self) -> usize {
        match self {
            Val::List(many) | Val::Set(many) => many.depth,
            Val::Record(fields) => 1 + fields.iter().map(|(_, v)| v.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// What kind of value it is, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Val::Null => "null",
            Val::Bool(_) => "a boolean",
            Val::Int(_) => "an integer",
            Val::Text(_) => "a string",
            Val::List(_) => "a list",
            Val::Set(_) => "a set",
            Val::Record(_) => "a row",
        }
    }

    /// As the database holds it.
    pub(super) fn encode(&self) -> Value {
        match self {
            Val::Null => Value::Null,
            Val::Bool(b) => Value::Bool(*b),
            Val::Int(n) => Value::Int(*n),
            Val::Text(text) => Value::Text(text.clone()),
            _ => {
                let mut out = Vec::with_capacity(64);
                self.push(&mut out);
                let text: Text = std::str::from_utf8(&out).expect("made of strings").into();
                remember(&text, self);
                Value::Json(text)
            }
        }
    }

    fn push(&self, out: &mut Vec<u8>) {
        match self {
            Val::Null => out.extend_from_slice(b"null"),
            Val::Bool(true) => out.extend_from_slice(b"true"),
            Val::Bool(false) => out.extend_from_slice(b"false"),
            Val::Int(n) => json::push_value(out, &Value::Int(*n)),
            Val::Text(text) => json::push_text(out, text),
            Val::List(many) => push_items(out, &many.items),
            Val::Set(many) => {
                out.extend_from_slice(b"{\"set\":");
                push_items(out, &many.items);
                out.push(b'}');
            }
            Val::Record(fields) => {
                out.push(b'{');
                for (at, (name, value)) in fields.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    json::push_text(out, name);
                    out.push(b':');
                    value.push(out);
                }
                out.push(b'}');
            }
        }
    }

    /// What the database holds; `None` for what no program of this language writes.
    pub(super) fn decode(value: &Value) -> Option<Val> {
        match value {
            Value::Null => Some(Val::Null),
            Value::Bool(b) => Some(Val::Bool(*b)),
            Value::Int(n) => Some(Val::Int(*n)),
            Value::Text(text) => Some(Val::Text(text.clone())),
            Value::Json(text) => {
                if let Some(value) = remembered(text) {
                    return Some(value);
                }
                let mut decoder = Decoder { bytes: text.as_bytes(), at: 0 };
                let value = decoder.value(0).filter(|_| decoder.at == text.len())?;
                remember(text, &value);
                Some(value)
            }
        }
    }
}

/// How many values a thread remembers, and how large they may be.
const REMEMBERED: usize = 512;
const REMEMBERED_SIZE: usize = 64;

/// A text and the value it is.
type Known = Option<(Text, Val)>;

thread_local! {
    static MEMORY: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// The place of a text in the memory.
fn place(text: &Text) -> usize {
    let address = str::as_ptr(text) as usize;
    (address >> 4).wrapping_mul(0x9e37_79b9) >> 7 & (REMEMBERED - 1)
}

fn remembered(text: &Text) -> Option<Val> {
    MEMORY.with_borrow(|memory| match memory.get(place(text)) {
        Some(Some((known, value))) if Text::ptr_eq(known, text) => Some(value.clone()),
        _ => None,
    })
}

fn remember(text: &Text, value: &Val) {
    if value.size() > REMEMBERED_SIZE {
        return;
    }
    MEMORY.with_borrow_mut(|memory| {
        memory.resize(REMEMBERED, None);
        memory[place(text)] = Some((text.clone(), value.clone()));
    });
}

fn push_items(out: &mut Vec<u8>, items: &[Val]) {
    out.push(b'[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        item.push(out);
    }
    out.push(b']');
}

impl fmt::Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.encode().fmt(f)
    }
}

/// Compact JSON of integers, strings, arrays and objects; the depth is bounded, so it may recurse.
struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Decoder<'_> {
    fn eat(&mut self, text: &[u8]) -> bool {
        let found = self.bytes[self.at..].starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn value(&mut self, depth: usize) -> Option<Val> {
        if depth > 2 * MAX_DEPTH {
            return None;
        }
        match self.bytes.get(self.at)? {
            b'[' => Val::list(self.items(depth)?).ok(),
            b'{' if self.eat(b"{\"set\":") => {
                let items = self.items(depth)?;
                self.eat(b"}").then_some(())?;
                Val::set(items).ok()
            }
            b'{' => self.record(depth),
            b'"' => self.text().map(Val::Text),
            b'n' => self.eat(b"null").then_some(Val::Null),
            b't' => self.eat(b"true").then_some(Val::Bool(true)),
            b'f' => self.eat(b"false").then_some(Val::Bool(false)),
            _ => self.int(),
        }
    }

    fn items(&mut self, depth: usize) -> Option<Vec<Val>> {
        let mut items = Vec::new();
        self.eat(b"[").then_some(())?;
        if self.eat(b"]") {
            return Some(items);
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.eat(b"]") {
                return Some(items);
            }
            self.eat(b",").then_some(())?;
        }
    }

    fn record(&mut self, depth: usize) -> Option<Val> {
        let mut fields = Vec::new();
        self.eat(b"{").then_some(())?;
        if self.eat(b"}") {
            return Some(Val::record(fields));
        }
        loop {
            let name = self.text()?;
            self.eat(b":").then_some(())?;
            fields.push((name, self.value(depth + 1)?));
            if self.eat(b"}") {
                break;
            }
            self.eat(b",").then_some(())?;
        }
        fields.is_sorted_by(|a, b| a.0 < b.0).then(|| Val::record(fields))
    }

    fn text(&mut self) -> Option<Text> {
        let start = self.at;
        self.eat(b"\"").then_some(())?;
        let mut escaped = false;
        loop {
            match self.bytes.get(self.at)? {
                b'"' => break,
                b'\\' => {
                    escaped = true;
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
        self.at += 1;
        let quoted = std::str::from_utf8(&self.bytes[start..self.at]).ok()?;
        match escaped {
            false => Some(quoted[1..quoted.len() - 1].into()),
            true => serde_json::from_str::<String>(quoted).ok().map(Text::from),
        }
    }

    fn int(&mut self) -> Option<Val> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|b| !matches!(b, b'-' | b'0'..=b'9')).unwrap_or(rest.len());
        self.at += end;
        std::str::from_utf8(&rest[..end]).ok()?.parse().ok().map(Val::Int)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &[Val]) -> Val {
        Val::list(items.to_vec()).expect("small")
    }

    #[test]
    fn what_the_database_holds_is_read_back_as_it_was() {
        let two = Val::set(vec![Val::Int(2), Val::Int(-1), Val::Int(2)]).expect("small");
        let row = Val::record(vec![("a\"b".into(), two.clone()), ("c".into(), Val::Null)]);
        let cases = [
            (Val::Null, "null"),
            (Val::Bool(true), "true"),
            (Val::Int(i64::MIN), "-9223372036854775808"),
            (Val::Text("a\"\\\n\u{1}ü".into()), "\"a\\\"\\\\\\n\\u0001ü\""),
            (list(&[]), "[]"),
            (list(&[Val::Int(1), Val::Text("a\\".into()), Val::Bool(false)]), r#"[1,"a\\",false]"#),
            (two, r#"{"set":[-1,2]}"#),
            (list(std::slice::from_ref(&row)), r#"[{"a\"b":{"set":[-1,2]},"c":null}]"#),
            (row, r#"{"a\"b":{"set":[-1,2]},"c":null}"#),
        ];
        for (value, text) in cases {
            assert_eq!(value.encode().to_string(), text);
            assert_eq!(Val::decode(&value.encode()), Some(value));
        }
    }

    #[test]
    fn what_no_program_writes_is_refused() {
        for text in
            ["", "1.5", "[1", "[1,]", "{\"b\":1,\"a\":2}", "[1] ", "{\"set\":1}", "\"a", "\"\\"]
        {
            assert_eq!(Val::decode(&Value::Json(text.into())), None, "{text}");
        }
        let deep = "[".repeat(10_000);
        assert_eq!(Val::decode(&Value::Json(deep.as_str().into())), None);
    }

    #[test]
    fn values_do_not_grow_without_bound() {
        let mut value = list(&[Val::Int(1)]);
        let grown = std::iter::repeat_with(|| {
            value = Val::list(vec![value.clone(), value.clone()]).ok()?;
            Some(())
        });
        assert!(grown.take_while(Option::is_some).count() < 20);
    }
}
