//! Text as statements of MySQL and MariaDB: it is read or refused, and each statement is a part of it.
#![no_main]

use hobgoblin_sql_mysql::parse::{ParseError, Reading, Version, parse_at};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The first byte says how the others are to be read.
    let Some((&how, bytes)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let version = match how % 3 {
        0 => Version::MariaDb10_11,
        1 => Version::MariaDb11_8,
        _ => Version::MySql9_7,
    };
    let reading = Reading {
        version,
        ansi_quotes: how & 4 != 0,
        no_backslash_escapes: how & 8 != 0,
        pipes_as_concat: how & 16 != 0,
        ignore_space: how & 32 != 0,
        high_not_precedence: how & 64 != 0,
    };
    let mut from = Some(0);
    while let Some(at) = from {
        match parse_at(text, at, reading) {
            Ok((statement, next)) => {
                assert!(text[at..].contains(&*statement.text), "it is a part of the text");
                assert!(statement.ast.is_some() != statement.special.is_some(), "it is one of both");
                assert!(next.is_none_or(|next| next > at), "the next one is after it");
                from = next;
            }
            Err(error) => {
                if let ParseError::Syntax { near, .. } = &error {
                    let near = near.strip_suffix("...").unwrap_or(near);
                    assert!(text.contains(near), "{error} is in the text");
                }
                return;
            }
        }
    }
});
