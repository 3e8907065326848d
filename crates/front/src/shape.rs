//! The shape of a statement: its text without the values in it.
//!
//! A program that runs again writes other times, other random names, and the members of a set in another
//! order. Its statements are the same all the same:
//!
//! ```text
//!     UPDATE item SET stock = 4, at = '2024-05-01 10:00' WHERE id IN (7, 3) -- $1 = 'x'
//!     UPDATE item SET stock = ?, at = ? WHERE id IN (?)
//! ```
//!
//! Strings, numbers and parameters become `?`, and a list of them one `?`. Comments go, and so does what the
//! history notes about parameters, which is a comment. Long numbers in names go too: clients name savepoints
//! and cursors by their thread.

/// How many digits in a name are taken for a number that somebody generated.
const GENERATED: usize = 6;

/// The shape of a statement.
pub(crate) fn shape(text: &str) -> String {
    let mut shape = Shape { out: String::with_capacity(text.len()) };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            c if c.is_whitespace() => {
                shape.space();
                c.len_utf8()
            }
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '\'' => {
                shape.value();
                quoted(rest, '\'')
            }
            '"' => {
                let length = quoted(rest, '"');
                shape.name(&rest[..length]);
                length
            }
            '$' => match dollar(rest) {
                Some(length) => {
                    shape.value();
                    length
                }
                None => shape.mark(rest, first),
            },
            c if c.is_ascii_digit() || c == '.' && starts_number(&rest[1..]) => {
                shape.value();
                number(rest)
            }
            c if is_word(c) => {
                let length = rest.find(|c| !is_word(c) && c != '$').unwrap_or(rest.len());
                // The letter before a string is part of it: E'…', N'…', X'…', B'…'.
                let prefix = length == 1 && rest[length..].starts_with('\'');
                if !prefix {
                    shape.name(&rest[..length]);
                }
                length
            }
            _ => shape.mark(rest, first),
        };
        rest = &rest[length..];
    }
    shape.finish()
}

struct Shape {
    out: String,
}

impl Shape {
    fn space(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with([' ', '(']) {
            self.out.push(' ');
        }
    }

    /// A value; one of a list is the list.
    fn value(&mut self) {
        let before = self.out.trim_end();
        // A sign belongs to the number, if no operand comes before it.
        let before = match before.strip_suffix(['-', '+']) {
            Some(signed) if signed.trim_end().ends_with(['(', ',', '=']) => signed.trim_end(),
            _ => before,
        };
        let kept = match before.strip_suffix(',').map(str::trim_end) {
            Some(list) if list.ends_with('?') => list.len(),
            _ if before.len() < self.out.trim_end().len() => {
                let kept = before.len();
                self.out.truncate(kept);
                self.space();
                self.out.push('?');
                return;
            }
            _ => {
                self.out.push('?');
                return;
            }
        };
        self.out.truncate(kept);
    }

    fn name(&mut self, name: &str) {
        let mut digits = 0;
        for c in name.chars() {
            if c.is_ascii_digit() {
                digits += 1;
                self.out.push(c);
                continue;
            }
            self.generated(digits);
            digits = 0;
            self.out.push(c);
        }
        self.generated(digits);
    }

    /// So many digits were the last of a name.
    fn generated(&mut self, digits: usize) {
        if digits >= GENERATED {
            self.out.truncate(self.out.len() - digits);
            self.out.push('#');
        }
    }

    /// A mark, and how long it is. Rows of values are one row.
    fn mark(&mut self, rest: &str, mark: char) -> usize {
        if mark == ')' {
            let before = self.out.trim_end().len();
            self.out.truncate(before);
            self.out.push(')');
            let again = ["(?), (?)", "(?),(?)"].into_iter().find(|list| self.out.ends_with(list));
            if let Some(list) = again {
                self.out.truncate(self.out.len() - list.len());
                self.out.push_str("(?)");
            }
        } else {
            self.out.push(mark);
        }
        debug_assert!(rest.starts_with(mark));
        mark.len_utf8()
    }

    fn finish(mut self) -> String {
        let length = self.out.trim_end_matches([' ', ';']).len();
        self.out.truncate(length);
        self.out
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn starts_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// How long something in quotes is; quotes in it are doubled.
fn quoted(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote && chars.next_if(|&(_, next)| next == quote).is_none() {
            return at + c.len_utf8();
        }
        if c == '\\' && quote == '\'' {
            chars.next_if(|&(_, next)| next == '\'' || next == '\\');
        }
    }
    text.len()
}

/// How long a parameter `$1` or a string `$tag$…$tag$` is.
fn dollar(text: &str) -> Option<usize> {
    let digits = text[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - 1);
    if digits > 0 {
        return Some(digits + 1);
    }
    let tag = text[1..].find(|c| !is_word(c)).filter(|&at| text[1 + at..].starts_with('$'))?;
    let tag = &text[..tag + 2];
    let end = text[tag.len()..].find(tag)?;
    Some(end + 2 * tag.len())
}

/// How long a number is, with its point and exponent.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let sign = matches!(byte, b'+' | b'-') && at > 0 && matches!(bytes[at - 1], b'e' | b'E');
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || sign) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_do_not_matter_and_the_rest_does() {
        let same = [
            [
                "UPDATE item SET n = 4, at = 'x' WHERE id = 7",
                "UPDATE item SET n = -12, at = 'it''s' WHERE id = 9",
            ],
            ["SELECT a FROM t WHERE id IN (1, 2, 3)", "SELECT a FROM t  WHERE id IN (33,1)"],
            [
                "SELECT a FROM t WHERE id IN ($1, $2) -- $1 = 3, $2 = 4",
                "SELECT a FROM t WHERE id IN ($1) -- $1 = 'a -- b'",
            ],
            ["INSERT INTO t VALUES (1, 'a'), (2, 'b')", "INSERT INTO t VALUES (5, E'it\\'s')"],
            ["INSERT INTO t VALUES ($x$a'b$x$, 1.5e-3)", "INSERT INTO t VALUES ('2020-01-01', .5)"],
            ["SAVEPOINT \"s140234567_x1\"", "SAVEPOINT \"s99887766554433_x1\""],
            ["SELECT 1;", "SELECT 2"],
        ];
        for [one, other] in same {
            assert_eq!(shape(one), shape(other));
        }
        let different = [
            ["SELECT a FROM t1 WHERE id = 1", "SELECT a FROM t2 WHERE id = 1"],
            ["SELECT a FROM t WHERE id = 1", "SELECT b FROM t WHERE id = 1"],
            ["SELECT a FROM t WHERE id = 1", "SELECT a FROM t WHERE id = other"],
            ["SELECT a - 1 FROM t", "SELECT a + 1 FROM t"],
            ["DELETE FROM t WHERE a IN (1)", "DELETE FROM t WHERE a = 1"],
            ["SELECT 'a' FROM t", "SELECT \"a\" FROM t"],
        ];
        for [one, other] in different {
            assert_ne!(shape(one), shape(other));
        }
        assert_eq!(
            shape("UPDATE item SET n = 4 , at = now() WHERE id IN ( 7, 3 ) -- $1 = 'x'"),
            "UPDATE item SET n = ? , at = now() WHERE id IN (?)"
        );
    }
}
