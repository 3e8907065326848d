//! Rust source as words and signs: without comments, literals, lifetimes, and what only tests compile.

/// A token; of signs, `::` is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// An identifier or a keyword.
    Word(&'a str),
    /// `::`.
    Colons,
    /// Any other sign.
    Sign(char),
}

/// The tokens of a source. It need not compile, so a literal that is not closed ends with the file.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let bytes = source.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            at += block_comment(rest);
        } else if let Some(length) = raw_string(rest) {
            at += length;
        } else if byte == b'"' || rest.starts_with(b"b\"") || rest.starts_with(b"c\"") {
            let quote = usize::from(byte != b'"');
            at += quote + quoted(&rest[quote..]);
        } else if byte == b'\'' || rest.starts_with(b"b'") {
            let quote = usize::from(byte != b'\'');
            at += quote + character_or_lifetime(&rest[quote..]);
        } else if byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii() {
            let length = word(rest);
            out.push(Token::Word(&source[at..at + length]));
            at += length;
        } else if byte.is_ascii_digit() {
            at += word(rest);
        } else if rest.starts_with(b"::") {
            out.push(Token::Colons);
            at += 2;
        } else {
            if !byte.is_ascii_whitespace() {
                out.push(Token::Sign(char::from(byte)));
            }
            at += 1;
        }
    }
    without_tests(&out)
}

fn word(bytes: &[u8]) -> usize {
    let part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || !b.is_ascii();
    bytes.iter().position(|b| !part(b)).unwrap_or(bytes.len())
}

fn block_comment(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// The length of a raw string, `r"…"` or `br#"…"#`, or nothing if none stands here.
fn raw_string(bytes: &[u8]) -> Option<usize> {
    let prefix = usize::from(matches!(bytes.first(), Some(b'b' | b'c')));
    let hashes = bytes[prefix..].strip_prefix(b"r")?;
    let count = hashes.iter().take_while(|&&b| b == b'#').count();
    let body = hashes[count..].strip_prefix(b"\"")?;
    let end: Vec<u8> = [b'"'].into_iter().chain(std::iter::repeat_n(b'#', count)).collect();
    let length = body.windows(end.len()).position(|w| w == end).unwrap_or(body.len());
    Some((bytes.len() - body.len() + length + end.len()).min(bytes.len()))
}

fn quoted(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn character_or_lifetime(bytes: &[u8]) -> usize {
    if bytes.get(1) == Some(&b'\\') {
        let close = bytes.iter().skip(3).position(|&b| b == b'\'');
        return close.map_or(bytes.len(), |close| close + 4);
    }
    let text = std::str::from_utf8(&bytes[1..bytes.len().min(5)]);
    let text = text.unwrap_or_else(|e| {
        std::str::from_utf8(&bytes[1..1 + e.valid_up_to()]).expect("valid up to there")
    });
    let first = text.chars().next().map_or(0, char::len_utf8);
    if bytes.get(1 + first) == Some(&b'\'') {
        return first + 2;
    }
    1 + word(&bytes[1..])
}

/// Leaves out every item that is marked `#[cfg(test)]`.
fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    use Token::{Sign, Word};
    let mark = [Sign('#'), Sign('['), Word("cfg"), Sign('('), Word("test"), Sign(')'), Sign(']')];
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at..].starts_with(&mark) {
            at += mark.len();
            at += item(&tokens[at..]);
        } else {
            out.push(tokens[at]);
            at += 1;
        }
    }
    out
}

/// The length of the item that begins here, its other attributes included: to a `;` outside of all brackets, or to
/// the brace that closes its body. The braces of a `use` are no body.
fn item(tokens: &[Token<'_>]) -> usize {
    let (mut depth, mut import) = (0, false);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Word("use") if depth == 0 => import = true,
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(close @ (')' | ']' | '}')) => {
                depth -= 1;
                if depth == 0 && *close == '}' && !import {
                    return at + 1;
                }
            }
            Token::Sign(';') if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}
