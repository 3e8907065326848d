//! What stands between quotes.

/// A string from its first quote on: its value, and how long it is with its quotes. Nothing where it never ends.
///
/// A quote inside is doubled or escaped. `\%` and `\_` keep their backslash, since they mean something to LIKE.
pub(super) fn string(text: &str, escapes: bool) -> Option<(String, usize)> {
    let quote = text.chars().next()?;
    let (mut out, mut chars) = (String::new(), text.char_indices().skip(1).peekable());
    while let Some((at, found)) = chars.next() {
        if found == quote {
            match chars.peek() {
                Some((_, next)) if *next == quote => {
                    chars.next();
                    out.push(quote);
                }
                _ => return Some((out, at + quote.len_utf8())),
            }
        } else if found == '\\' && escapes {
            let (_, escaped) = chars.next()?;
            match escaped {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                'b' => out.push('\u{8}'),
                '0' => out.push('\0'),
                'Z' => out.push('\u{1a}'),
                '%' | '_' => out.extend(['\\', escaped]),
                other => out.push(other),
            }
        } else {
            out.push(found);
        }
    }
    None
}

/// A name from its first quote on, the same way; it has no escapes, and is not empty.
pub(super) fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let (name, length) = {
        let (mut out, mut chars) = (String::new(), text.char_indices().skip(1).peekable());
        loop {
            let (at, found) = chars.next()?;
            if found != quote {
                out.push(found);
            } else if chars.peek().is_some_and(|(_, next)| *next == quote) {
                chars.next();
                out.push(quote);
            } else {
                break (out, at + 1);
            }
        }
    };
    Some((name, length))
}
