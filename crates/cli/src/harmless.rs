//! Text that cannot drive a terminal, whatever is in the data it tells of.
//!
//! Keys, values, names, statements, file names and what commands print come from anywhere. A terminal
//! obeys control characters: they can recolor, erase, retitle, or make it answer as if somebody typed; and
//! characters that change the direction of text let a name read as another. All of them are written as JSON
//! would escape them, `\u001b`, so that a line of JSON stays what it was and people see what is there.
//! Line feeds and tabs stay.
//!
//! The colors of [`style`](crate::style) are control characters too. They carry a word that no data can
//! know, drawn when the process starts; [`Harmless`] takes the word away and lets them pass.

use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::sync::LazyLock;

/// What begins a color of ours: an escape and a word drawn at random.
static COLOR: LazyLock<String> =
    LazyLock::new(|| format!("\u{1b}{:016x}", RandomState::new().hash_one(std::process::id())));

/// The beginning of a color, for a [`Harmless`] writer to let through.
pub(crate) fn color(code: &str) -> String {
    format!("{}[{code}m", *COLOR)
}

/// Whether a terminal would do something else than show a character.
fn is_harmful(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Marks, embeddings, overrides and isolates of direction, and the other ends of lines.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        c => c.is_control(),
    }
}

/// The text with every harmful character escaped.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    escape_if(text, is_harmful)
}

/// As [`escape`], for what is to stay on one line.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escape_if(text, |c| c == '\n' || is_harmful(c))
}

fn escape_if(text: &str, harmful: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&harmful) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match harmful(c) {
            true if c == '\n' => escaped.push_str("\\n"),
            true => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// The text with every harmful character escaped but for the colors of ours.
fn escape_but_colors(text: &str) -> String {
    let parts: Vec<Cow<'_, str>> = text.split(COLOR.as_str()).map(escape).collect();
    parts.join("\u{1b}")
}

/// A writer that lets nothing harmful through; lines are held back until they are whole.
pub(crate) struct Harmless<W: Write> {
    out: W,
    /// Data for programs goes through as it is.
    raw: bool,
    line: Vec<u8>,
}

impl<W: Write> Harmless<W> {
    pub(crate) fn new(out: W) -> Harmless<W> {
        Harmless { out, raw: false, line: Vec::new() }
    }

    /// A writer that changes nothing.
    pub(crate) fn raw(out: W) -> Harmless<W> {
        Harmless { raw: true, ..Harmless::new(out) }
    }

    fn pass(&mut self, length: usize) -> io::Result<()> {
        let rest = self.line.split_off(length);
        let text = std::mem::replace(&mut self.line, rest);
        self.out.write_all(escape_but_colors(&String::from_utf8_lossy(&text)).as_bytes())
    }
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.raw {
            return self.out.write(bytes);
        }
        self.line.extend_from_slice(bytes);
        if let Some(last) = bytes.iter().rposition(|&b| b == b'\n') {
            self.pass(self.line.len() - bytes.len() + last + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass(self.line.len())?;
        self.out.flush()
    }
}

/// Writes something to standard error, harmless. If that is full or closed there is nobody to tell.
pub(crate) fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(escape_but_colors(text).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_drives_a_terminal_is_escaped() {
        for (text, shown) in [
            ("plain, é, 日本, \ttab\n", "plain, é, 日本, \ttab\n"),
            ("\u{1b}]0;title\u{7}", "\\u001b]0;title\\u0007"),
            ("\u{9b}31m and \u{7f}\r", "\\u009b31m and \\u007f\\u000d"),
            ("a\u{202e}b\u{2066}c\u{2028}", "a\\u202eb\\u2066c\\u2028"),
        ] {
            assert_eq!(escape(text), shown);
        }
        assert_eq!(one_line("a\nb"), "a\\nb");
    }

    #[test]
    fn colors_of_ours_pass_and_those_of_others_do_not() {
        let mut out = Harmless::new(Vec::new());
        write!(out, "{}good{}", color("32"), color("0")).expect("memory");
        // A character whose bytes come one by one.
        for byte in "\u{9b}".bytes() {
            out.write_all(&[byte]).expect("memory");
        }
        writeln!(out, " \u{1b}[31mbad").expect("memory");
        out.flush().expect("memory");
        assert_eq!(out.out, b"\x1b[32mgood\x1b[0m\\u009b \\u001b[31mbad\n");
    }

    #[test]
    fn json_stays_what_it_was() {
        let value = serde_json::json!({"key": "\u{9b}2J \u{202e}"});
        let mut out = Harmless::new(Vec::new());
        writeln!(out, "{value}").expect("memory");
        assert!(!out.out.contains(&0xc2));
        let back: serde_json::Value = serde_json::from_slice(&out.out).expect("still JSON");
        assert_eq!(back, value);
    }
}
