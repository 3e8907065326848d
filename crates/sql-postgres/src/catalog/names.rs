//! Names: how identifiers fold, how qualified names split, and the names PostgreSQL makes up.
//!
//! An unquoted identifier is lower case; every name is cut to 63 bytes. A generated name joins the table,
//! the columns and a label with `_`; when that is too long, the longer of the first two loses letters.

use std::borrow::Cow;
use std::collections::HashSet;

use sqlparser::ast::{Expr, FunctionArguments, Ident, ObjectName};

use super::{Catalog, Schema};
use crate::error::{Result, SqlError, SqlState};

/// The longest name, in bytes.
pub(crate) const NAME_LENGTH: usize = 63;

/// An identifier as the catalogue knows it.
pub fn folded(ident: &Ident) -> Cow<'_, str> {
    if ident.quote_style.is_some() || !ident.value.bytes().any(|b| b.is_ascii_uppercase()) {
        return match clip(&ident.value, NAME_LENGTH) {
            short if short.len() == ident.value.len() => Cow::Borrowed(&ident.value),
            short => Cow::Owned(short.to_owned()),
        };
    }
    Cow::Owned(clip(&ident.value.to_ascii_lowercase(), NAME_LENGTH).to_owned())
}

/// An identifier as the catalogue knows it, owned.
pub fn fold(ident: &Ident) -> String {
    folded(ident).into_owned()
}

/// The longest prefix of at most `bytes` bytes that ends at a character.
pub(crate) fn clip(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A qualified name as written by a user: its schema, if any, and its last part.
pub fn split_name(name: &ObjectName) -> Result<(Option<Cow<'_, str>>, Cow<'_, str>)> {
    let part = |i: usize| match name.0.get(i).and_then(|p| p.as_ident()) {
        Some(ident) => Ok(folded(ident)),
        None => Err(SqlError::syntax(format!("invalid name: {name}"))),
    };
    match name.0.len() {
        1 => Ok((None, part(0)?)),
        2 => Ok((Some(part(0)?), part(1)?)),
        3 => Ok((Some(part(1)?), part(2)?)),
        _ => Err(SqlError::syntax(format!(
            "improper qualified name (too many dotted names): {name}"
        ))),
    }
}

/// The parts of a name given as text, as `regclass` reads it: `a`, `"A b"`, `s.a`.
pub(crate) fn split_text(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_part(quoted)?,
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                let (part, after) = rest.split_at(end);
                let part = part.trim();
                if part.is_empty() || part.contains(|c: char| c.is_whitespace() || c == '"') {
                    return None;
                }
                (part.to_ascii_lowercase(), after)
            }
        };
        parts.push(clip(&part, NAME_LENGTH).to_owned());
        let after = after.trim_start();
        if after.is_empty() {
            return Some(parts);
        }
        rest = after.strip_prefix('.')?.trim_start();
    }
}

/// What stands before the closing quote, doubled quotes undone, and what comes after it.
fn quoted_part(text: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c != '"' {
            part.push(c);
        } else if matches!(chars.peek(), Some((_, '"'))) {
            chars.next();
            part.push('"');
        } else {
            return Some((part, &text[at + 1..]));
        }
    }
    None
}

/// `table_columns_label`, cut to length.
pub(crate) fn object_name(table: &str, columns: Option<&str>, label: &str) -> String {
    let overhead = label.len() + 1 + columns.map_or(0, |_| 1);
    let room = NAME_LENGTH.saturating_sub(overhead);
    let (mut first, mut second) = (table.len(), columns.map_or(0, str::len));
    while first + second > room {
        if first > second {
            first -= 1;
        } else {
            second -= 1;
        }
    }
    let first = clip(table, first);
    match columns {
        Some(columns) => format!("{first}_{}_{label}", clip(columns, second)),
        None => format!("{first}_{label}"),
    }
}

/// Column names joined for a generated name.
pub(crate) fn name_addition<'a>(columns: impl Iterator<Item = &'a str>) -> String {
    let mut joined = String::new();
    for column in columns {
        if !joined.is_empty() {
            joined.push('_');
        }
        joined.push_str(column);
        if joined.len() > NAME_LENGTH {
            break;
        }
    }
    joined
}

/// A generated name that no relation of the schema has, nor any constraint if it is for one.
pub(crate) fn choose_name(
    catalog: &Catalog,
    schema: &str,
    table: &str,
    columns: Option<&str>,
    label: &str,
    constraint: bool,
    taken: &[String],
) -> String {
    let relations = catalog.schemas.get(schema).map(|s| &s.relations);
    let constraints =
        if constraint { constraint_names(catalog, schema) } else { HashSet::default() };
    first_free(table, columns, label, |name| {
        taken.iter().any(|taken| taken == name)
            || relations.is_some_and(|relations| relations.contains_key(name))
            || constraints.contains(name)
    })
}

/// A name with the least number that is not used.
fn first_free(
    table: &str,
    columns: Option<&str>,
    label: &str,
    used: impl Fn(&str) -> bool,
) -> String {
    let mut name = object_name(table, columns, label);
    let mut pass = 0u32;
    while used(&name) {
        pass += 1;
        name = object_name(table, columns, &format!("{label}{pass}"));
    }
    name
}

fn constraint_names<'c>(catalog: &'c Catalog, schema: &str) -> HashSet<&'c str> {
    let tables = catalog.tables().filter(|t| t.schema == schema);
    tables.flat_map(|t| &t.constraints).map(|constraint| &*constraint.name).collect()
}

/// A generated name for a constraint without an index.
pub(crate) fn choose_constraint_name(
    catalog: &Catalog,
    schema: &str,
    table: &str,
    columns: Option<&str>,
    label: &str,
    taken: &[String],
) -> String {
    let constraints = constraint_names(catalog, schema);
    first_free(table, columns, label, |name| {
        taken.iter().any(|taken| taken == name) || constraints.contains(name)
    })
}

/// The name of an array type: `_` before the element's, more if taken.
pub(crate) fn array_type_name(schema: &Schema, element: &str) -> String {
    let mut name = format!("_{}", clip(element, NAME_LENGTH - 1));
    while schema.types.contains_key(&name) {
        name = format!("_{}", clip(&name, NAME_LENGTH - 1));
    }
    name
}

/// The name of an index column that is an expression, as PostgreSQL picks it.
pub(crate) fn expression_name(expr: &Expr) -> &str {
    figure(expr).unwrap_or("expr")
}

fn figure(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => figure(inner),
        Expr::Identifier(ident) => Some(&ident.value),
        Expr::CompoundIdentifier(parts) => parts.last().map(|p| p.value.as_str()),
        Expr::Function(call) => match &call.args {
            FunctionArguments::None => None,
            _ => call.name.0.last().and_then(|p| p.as_ident()).map(|i| i.value.as_str()),
        },
        Expr::Cast { expr, .. } => figure(expr),
        Expr::Case { .. } => Some("case"),
        Expr::Array(_) => Some("array"),
        Expr::Substring { .. } => Some("substring"),
        Expr::Position { .. } => Some("position"),
        Expr::Trim { .. } => Some("btrim"),
        Expr::Extract { .. } => Some("extract"),
        Expr::Ceil { .. } => Some("ceil"),
        Expr::Floor { .. } => Some("floor"),
        Expr::Overlay { .. } => Some("overlay"),
        Expr::AtTimeZone { .. } => Some("timezone"),
        _ => None,
    }
}

/// A column of a key that is not there.
pub(crate) fn no_key_column(name: &str) -> SqlError {
    SqlError::new(
        SqlState::UNDEFINED_COLUMN,
        format!("column \"{name}\" named in key does not exist"),
    )
}

/// The names of a list of identifiers.
pub(crate) fn fold_all(idents: &[Ident]) -> Vec<String> {
    idents.iter().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_fit() {
        assert_eq!(object_name("t", Some("a_b"), "idx"), "t_a_b_idx");
        assert_eq!(object_name("t", None, "pkey"), "t_pkey");
        let long = "x".repeat(63);
        let name = object_name(&long, Some("column"), "fkey");
        assert_eq!(name.len(), 63);
        assert!(name.ends_with("_column_fkey"));
        let both = object_name(&long, Some(&long), "key1");
        assert_eq!(both.len(), 63);
        assert_eq!(both, format!("{}_{}_key1", "x".repeat(29), "x".repeat(28)));
    }

    #[test]
    fn text_names_split() {
        let parts = |text| split_text(text).map(|p| p.join("|"));
        assert_eq!(parts("a"), Some("a".into()));
        assert_eq!(parts("S.\"A \"\"b\""), Some("s|A \"b".into()));
        assert_eq!(parts("a b"), None);
        assert_eq!(parts("\"a"), None);
        assert_eq!(parts(""), None);
        assert_eq!(parts("a."), None);
    }
}
