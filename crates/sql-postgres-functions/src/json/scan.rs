//! Finds the pieces of a `json` text that was checked when it was read.

use std::borrow::Cow;

/// What a text is at its outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// As `json_typeof` says it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }
}

const BLANKS: &[char] = &[' ', '\t', '\n', '\r'];

/// The kind of a text.
pub(super) fn kind(text: &str) -> Kind {
    match text.trim_start_matches(BLANKS).as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::String,
        Some(b't' | b'f') => Kind::Boolean,
        Some(b'n') => Kind::Null,
        _ => Kind::Number,
    }
}

/// The length of the string at the start of a text, its quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of the value at the start of a text.
fn value_length(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += string_length(text.get(at..).unwrap_or_default());
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Takes one value from the front of a text.
fn take<'a>(text: &mut &'a str) -> &'a str {
    let rest = text.trim_start_matches(BLANKS);
    let (value, rest) = rest.split_at_checked(value_length(rest)).unwrap_or((rest, ""));
    *text = rest.trim_start_matches(BLANKS);
    value
}

/// The items of an array; none if it is no array.
pub(super) fn items(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let Some(mut rest) = text.trim_start_matches(BLANKS).strip_prefix('[') else { return found };
    loop {
        rest = rest.trim_start_matches(BLANKS);
        if rest.is_empty() || rest.starts_with(']') {
            return found;
        }
        found.push(take(&mut rest));
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
}

/// The pairs of an object in their order, twins too; none if it is no object.
pub(super) fn pairs(text: &str) -> Vec<(Cow<'_, str>, &str)> {
    let mut found = Vec::new();
    let Some(mut rest) = text.trim_start_matches(BLANKS).strip_prefix('{') else { return found };
    loop {
        rest = rest.trim_start_matches(BLANKS);
        if rest.is_empty() || rest.starts_with('}') {
            return found;
        }
        let key = string(take(&mut rest));
        rest = rest.strip_prefix(':').unwrap_or(rest);
        found.push((key, take(&mut rest)));
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
}

/// What a string literal says.
pub(super) fn string(literal: &str) -> Cow<'_, str> {
    let inner = literal.trim_matches(BLANKS);
    let inner = inner.strip_prefix('"').unwrap_or(inner);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    let mut high = None;
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('b') => out.push('\x08'),
            Some('f') => out.push('\x0c'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let code =
                    (0..4).filter_map(|_| chars.next()?.to_digit(16)).fold(0, |a, b| a << 4 | b);
                match (high.take(), code) {
                    (_, 0xd800..=0xdbff) => high = Some(code),
                    (Some(high), 0xdc00..=0xdfff) => {
                        let joined = 0x1_0000 + ((high - 0xd800) << 10) + (code - 0xdc00);
                        out.push(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    (_, code) => {
                        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
                    }
                }
            }
            Some(c) => out.push(c),
            None => {}
        }
    }
    Cow::Owned(out)
}

/// The value of a key; the last of twins.
pub(super) fn get<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    pairs(text).into_iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// An item by number from 0, or from the end.
pub(super) fn element(text: &str, at: i64) -> Option<&str> {
    let items = items(text);
    let at = if at < 0 { at.checked_add(items.len() as i64)? } else { at };
    items.get(usize::try_from(at).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_verbatim() {
        let text =
            r#" { "a" : [1,  {"b]": "}\""} ], "c":"\u00e9\ud83d\ude00", "a": null, "d":-1.5e3}"#;
        assert_eq!(get(text, "a"), Some("null"));
        assert_eq!(get(text, "d"), Some("-1.5e3"));
        assert_eq!(get(text, "c").map(string).as_deref(), Some("é😀"));
        assert_eq!(get(text, "x"), None);
        let first = pairs(text)[0].1;
        assert_eq!(first, r#"[1,  {"b]": "}\""} ]"#);
        assert_eq!(element(first, -1), Some(r#"{"b]": "}\""}"#));
        assert_eq!(element(first, 2), None);
        assert_eq!(items("[]").len(), 0);
        assert_eq!(items("[ [ ] , 2 ]"), ["[ ]", "2"]);
        assert_eq!(kind(" true"), Kind::Boolean);
    }
}
