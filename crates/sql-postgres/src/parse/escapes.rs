//! Backslashes in string literals, as the settings say: with `standard_conforming_strings = off` a plain literal has
//! the escapes of `E'…'`, and is read as one.

use std::borrow::Cow;

use sqlparser::tokenizer::{Token, Tokenizer};

use super::dialect::Postgres;
use super::{Lines, syntax_at};
use crate::error::{Code, Result, Severity, SqlError, SqlState};

/// What the settings say of backslashes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backslashes {
    /// `standard_conforming_strings`: in a plain literal they are characters like others.
    pub(crate) standard: bool,
    /// `escape_string_warning`.
    pub(crate) warn: bool,
    /// `backslash_quote`: whether `\'` may stand for a quote.
    pub(crate) quote: bool,
}

/// The text with an E before each plain literal that has escapes, and what is to be warned of.
pub(crate) fn conforming(sql: &str, how: Backslashes) -> Result<(Cow<'_, str>, Vec<SqlError>)> {
    if how.standard && how.quote {
        return Ok((Cow::Borrowed(sql), Vec::new()));
    }
    let dialect = Postgres::standard(how.standard);
    let tokens = Tokenizer::new(&dialect, sql).tokenize_with_location();
    let tokens = tokens.map_err(|error| syntax_at(sql, error))?;
    let lines = Lines::of(sql);
    let (mut out, mut warnings, mut done) = (String::new(), Vec::new(), 0);
    for token in tokens {
        let plain = match token.token {
            Token::SingleQuotedString(_) => true,
            Token::EscapedStringLiteral(_) => false,
            Token::UnicodeStringLiteral(_) if !how.standard => {
                let text = "unsafe use of string constant with Unicode escapes";
                return Err(SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, text).detail(
                    "String constants with Unicode escapes cannot be used when \
                     standard_conforming_strings is off.",
                ));
            }
            _ => continue,
        };
        let place = |at: sqlparser::tokenizer::Location| lines.offset(sql, at.line, at.column);
        let (Some(start), Some(end)) = (place(token.span.start), place(token.span.end)) else {
            continue;
        };
        let literal = sql.get(start..end).unwrap_or_default();
        if plain && how.standard {
            continue;
        }
        let Some(first) = escapes(literal).next() else { continue };
        if !how.quote && escapes(literal).any(|escaped| escaped == '\'') {
            let text = "unsafe use of \\' in a string literal";
            return Err(SqlError::new(NONSTANDARD, text).hint(
                "Use '' to write quotes in strings. \\' is insecure in client-only encodings.",
            ));
        }
        if plain {
            if how.warn {
                warnings.push(warning(first));
            }
            out.push_str(&sql[done..start]);
            out.push('E');
            done = start;
        }
    }
    if done == 0 && out.is_empty() {
        return Ok((Cow::Borrowed(sql), warnings));
    }
    out.push_str(&sql[done..]);
    Ok((Cow::Owned(out), warnings))
}

/// `nonstandard_use_of_escape_character`.
const NONSTANDARD: Code = Code("22P06");

/// The characters that stand after backslashes.
fn escapes(literal: &str) -> impl Iterator<Item = char> + '_ {
    let mut chars = literal.chars();
    std::iter::from_fn(move || {
        chars.find(|c| *c == '\\')?;
        chars.next()
    })
}

/// PostgreSQL warns of the first escape of a literal.
fn warning(escaped: char) -> SqlError {
    let (what, hint) = match escaped {
        '\'' => {
            ("\\'", "Use '' to write quotes in strings, or use the escape string syntax (E'...').")
        }
        '\\' => ("\\\\", "Use the escape string syntax for backslashes, e.g., E'\\\\'."),
        _ => ("escape", "Use the escape string syntax for escapes, e.g., E'\\r\\n'."),
    };
    let text = format!("nonstandard use of {what} in a string literal");
    SqlError::new(NONSTANDARD, text).hint(hint).severity(Severity::Warning)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFF: Backslashes = Backslashes { standard: false, warn: true, quote: true };

    #[test]
    fn plain_literals_with_escapes_are_those_of_e() {
        for (sql, expected, warned) in [
            ("SELECT 'a', 'b\\n'", "SELECT 'a', E'b\\n'", &["escape"][..]),
            ("SELECT 'a\\'b', E'\\n'", "SELECT E'a\\'b', E'\\n'", &["\\'"]),
            ("SELECT 'ä\\\\' || 'ü\\t'", "SELECT E'ä\\\\' || E'ü\\t'", &["\\\\", "escape"]),
            ("SELECT \"a\\b\", $$\\n$$ -- '\\n'", "SELECT \"a\\b\", $$\\n$$ -- '\\n'", &[]),
        ] {
            let (read, warnings) = conforming(sql, OFF).unwrap();
            assert_eq!(read, expected);
            let texts: Vec<String> =
                warnings.into_iter().map(|warning| warning.message()).collect();
            let told = |what: &&str| format!("nonstandard use of {what} in a string literal");
            assert_eq!(texts, warned.iter().map(told).collect::<Vec<_>>(), "{sql}");
        }
    }

    #[test]
    fn quotes_after_backslashes_may_be_refused() {
        let how = Backslashes { standard: true, warn: true, quote: false };
        assert_eq!(conforming("SELECT E'\\''", how).unwrap_err().state(), NONSTANDARD);
        assert!(conforming("SELECT '\\', E'\\\\'", how).is_ok());
    }
}
