//! Documents over several lines (JSON_DETAILED), and in the one form that equal documents share (JSON_NORMALIZE).

use hobgoblin_sql_mysql_types::{Coercibility, Collation, Kind, MyType, common};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;

use super::access::{a_document, document};
use super::document::Document;
use crate::entry::{Entry, Read, or_null, row};

/// How many blanks a level is indented by, unless a call says so, and at most.
const INDENT: (usize, usize) = (4, 8);

/// A document over several lines.
struct Lines {
    out: String,
    indent: usize,
}

impl Lines {
    /// A new line of a level.
    fn line(&mut self, level: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', level * self.indent));
    }

    fn write(&mut self, document: &Document, level: usize) {
        match document {
            // At most one scalar needs no lines of its own.
            Document::Array(items)
                if items.len() < 2 && !items.iter().any(Document::is_container) =>
            {
                self.out.push_str(&document.compact());
            }
            Document::Array(items) => {
                self.out.push('[');
                for (at, item) in items.iter().enumerate() {
                    self.out.push_str(if at > 0 { "," } else { "" });
                    self.line(level + 1);
                    self.write(item, level + 1);
                }
                self.line(level);
                self.out.push(']');
            }
            Document::Object(members) => {
                self.out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    self.out.push_str(if at > 0 { "," } else { "" });
                    self.line(level + 1);
                    self.out.push_str(&format!("\"{key}\": "));
                    if value.is_container() {
                        self.line(level + 1);
                    }
                    self.write(value, level + 1);
                }
                self.line(level);
                self.out.push('}');
            }
            scalar => self.out.push_str(&scalar.compact()),
        }
    }
}

fn detailed(call: &mut Call<'_>) -> Result<Datum> {
    let indent = match call.args.len() {
        1 => INDENT.0,
        _ => usize::try_from(call.as_integer(1)).unwrap_or(0).min(INDENT.1),
    };
    or_null(document(call, 0, "json_detailed").map(|document| {
        let mut lines = Lines { out: String::new(), indent };
        lines.write(&document, 0);
        Datum::text(lines.out)
    }))
}

/// MySQL's, which lays documents out in its own way: every member of an array and of an object has a line, but for
/// those that are empty.
fn pretty(document: &Document, level: usize, out: &mut String) {
    let line = |out: &mut String, level: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', 2 * level));
    };
    let (open, close, members) = match document {
        Document::Array(items) if !items.is_empty() => {
            ('[', ']', items.iter().map(|item| (None, item)).collect::<Vec<_>>())
        }
        Document::Object(members) if !members.is_empty() => {
            ('{', '}', members.iter().map(|(key, value)| (Some(key), value)).collect())
        }
        other => return out.push_str(&other.compact()),
    };
    out.push(open);
    for (at, (key, value)) in members.into_iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        line(out, level + 1);
        if let Some(key) = key {
            out.push_str(&format!("\"{key}\": "));
        }
        pretty(value, level + 1, out);
    }
    line(out, level);
    out.push(close);
}

/// JSON_PRETTY: MariaDB has it as another name of JSON_DETAILED.
fn pretty_of(call: &mut Call<'_>) -> Result<Datum> {
    if !call.settings().version.is_mysql() {
        return detailed(call);
    }
    or_null(document(call, 0, "json_pretty").map(|document| {
        let mut out = String::new();
        pretty(&document, 0, &mut out);
        Datum::text(out)
    }))
}

/// A number as one digit, a fraction and a power of ten.
fn scientific(digits: &str) -> String {
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits),
    };
    let (mantissa, power) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let Some(first) = all.find(|digit| digit != '0') else { return "0.0E0".to_owned() };
    let power = power.parse::<i64>().unwrap_or(0);
    let power = power.saturating_add(whole.len() as i64 - 1 - first as i64);
    let significant = all[first..].trim_end_matches('0');
    let (head, tail) = significant.split_at(1);
    let tail = if tail.is_empty() { "0" } else { tail };
    format!("{}{head}.{tail}E{power}", if negative { "-" } else { "" })
}

/// The form that equal documents share: members by key, numbers in one way.
fn normal(document: Document) -> Document {
    match document {
        Document::Number(digits) => Document::Number(scientific(&digits)),
        Document::Array(items) => Document::Array(items.into_iter().map(normal).collect()),
        Document::Object(members) => {
            let normal = members.into_iter().map(|(key, value)| (key, normal(value)));
            let mut members: Vec<(String, Document)> = normal.collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Document::Object(members)
        }
        other => other,
    }
}

fn normalize(call: &mut Call<'_>) -> Result<Datum> {
    let found = document(call, 0, "json_normalize");
    or_null(found.map(|document| Datum::text(normal(document).compact())))
}

fn lines_type(types: &[MyType]) -> Result<MyType> {
    let (collation, _) = common::collation_of(&types[..1], "json_detailed")?;
    let coercibility = Coercibility::Literal;
    Ok(MyType { collation, coercibility, ..MyType::new(Kind::LongText) })
}

fn normalized(types: &[MyType]) -> Result<MyType> {
    Ok(MyType { collation: Collation::BIN, kind: Kind::Json, ..a_document(types)? })
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("json_detailed", 1..=2, lines_type, detailed),
    row("json_pretty", 1..=2, lines_type, pretty_of),
    row("json_normalize", 1..=1, normalized, normalize),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mysql_lays_documents_out_in_its_own_way() {
        let document = Document::read(r#"{"a":[1,{}],"b":[]}"#).expect("it is one");
        let mut out = String::new();
        pretty(&document, 0, &mut out);
        assert_eq!(out, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
    }

    #[test]
    fn numbers_have_one_form() {
        let cases = [("0", "0.0E0"), ("-0.00", "0.0E0"), ("1e9999999999999999999", "1.0E0")];
        let more = [("-12.50e-3", "-1.25E-2"), ("100", "1.0E2"), ("0.00123", "1.23E-3")];
        for (digits, wanted) in cases.into_iter().chain(more) {
            assert_eq!(scientific(digits), wanted, "{digits}");
        }
    }
}
