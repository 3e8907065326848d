//! Printing `jsonb`: one space after every comma and colon.

use std::fmt;

use hobgoblin_core::json::write_text;

use super::Json;

/// A string with its quotes and escapes.
pub fn quote_into(out: &mut String, text: &str) {
    write_text(out, text).expect("text takes all text");
}

impl Json {
    /// Appends the text form.
    pub fn print_into(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Number(value) => out.push_str(&value.to_string()),
            Json::String(value) => quote_into(out, value),
            Json::Array(items) => {
                out.push('[');
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        out.push_str(", ");
                    }
                    item.print_into(out);
                }
                out.push(']');
            }
            Json::Object(pairs) => {
                out.push('{');
                for (place, (key, value)) in pairs.iter().enumerate() {
                    if place > 0 {
                        out.push_str(", ");
                    }
                    quote_into(out, key);
                    out.push_str(": ");
                    value.print_into(out);
                }
                out.push('}');
            }
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.print_into(&mut out);
        f.write_str(&out)
    }
}
