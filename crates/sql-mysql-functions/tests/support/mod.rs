//! What the tests share: a tiny evaluator, a server to compare it with, and how answers are written down.

pub(crate) mod client;
pub(crate) mod evaluate;
pub(crate) mod server;
pub(crate) mod session;

use std::fmt::Write;

use hobgoblin_sql_mysql_types::client::{ClientType, UNSIGNED};
use hobgoblin_sql_mysql_types::{MyType, Speaker, Version, text, worded};
use hobgoblin_sql_schema::context::Context;

use client::{Answer, Client, Column};
use evaluate::{Evaluator, parse};

fn type_word(code: u8) -> &'static str {
    match code {
        1 => "TINY",
        2 => "SHORT",
        3 => "LONG",
        4 => "FLOAT",
        5 => "DOUBLE",
        6 => "NULL",
        7 => "TIMESTAMP",
        8 => "LONGLONG",
        9 => "INT24",
        10 => "DATE",
        11 => "TIME",
        12 => "DATETIME",
        13 => "YEAR",
        16 => "BIT",
        246 => "NEWDECIMAL",
        250 => "MEDIUM_BLOB",
        251 => "LONG_BLOB",
        252 => "BLOB",
        253 => "VAR_STRING",
        254 => "STRING",
        _ => "?",
    }
}

/// A column's type as the recorded answers have it.
fn described(column: &Column) -> String {
    let unsigned = if column.flags & UNSIGNED != 0 { " UNSIGNED" } else { "" };
    let word = type_word(column.code);
    match word {
        // Texts are sent in the character set of the connection.
        "VAR_STRING" | "STRING" | "BLOB" | "MEDIUM_BLOB" | "LONG_BLOB" => {
            format!("{word} {}", if column.collation == 63 { "bytes" } else { "letters" })
        }
        _ => format!("{word}{unsigned} {}", column.decimals),
    }
}

fn shown(value: Option<&[u8]>) -> String {
    let Some(bytes) = value else { return "NULL".to_owned() };
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => format!("'{text}'"),
        _ => bytes.iter().fold("0x".to_owned(), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        }),
    }
}

fn line(ty: &str, value: &str, warnings: &[u16]) -> String {
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    format!("{ty}\t{value}\t{}", warnings.join(","))
}

/// What the server says to an expression.
pub(crate) fn theirs(client: &mut Client, expr: &str) -> String {
    let answer = client.query(&format!("SELECT {expr}")).expect("the server answers");
    match answer {
        Answer::Error(number) => format!("error {number}"),
        Answer::Done => "done".to_owned(),
        Answer::Rows { columns, rows, warnings } => {
            // A statement without tables and warnings leaves those of the one before.
            let asked = match warnings {
                0 => Answer::Done,
                _ => client.query("SHOW WARNINGS").expect("the server answers"),
            };
            let warnings = match asked {
                Answer::Rows { rows, .. } => rows,
                _ => Vec::new(),
            };
            let number = |row: &Vec<Option<Vec<u8>>>| {
                let digits = row.get(1)?.as_ref()?;
                std::str::from_utf8(digits).ok()?.parse::<u16>().ok()
            };
            let warnings: Vec<u16> = warnings.iter().filter_map(number).collect();
            let value = rows.first().and_then(|row| row.first()).and_then(Option::as_deref);
            line(&described(&columns[0]), &shown(value), &warnings)
        }
    }
}

/// What we say; nothing if the parser does not know the expression.
pub(crate) fn ours(expr: &str) -> Option<String> {
    let tree = parse(expr)?;
    let mut evaluator = Evaluator::new();
    evaluator.session.quoted_digits = !expr.contains("0x");
    let result = evaluator.eval(&tree);
    let session = &evaluator.session;
    let warnings: Vec<u16> =
        session.settings.warnings.kept().iter().map(|warning| warning.number).collect();
    Some(match result {
        Err(error) => {
            let speaker = Speaker { version: Version::MariaDb10_11, database: "d" };
            let error = worded(error, speaker);
            format!("error {}", error.more.number.unwrap_or(0))
        }
        Ok((value, ty)) => {
            let ty = MyType::of(ty);
            let client = ClientType::of(ty);
            let column = Column {
                code: client.code,
                collation: client.collation,
                decimals: client.decimals,
                flags: client.flags,
            };
            let bytes = text::bytes(&value, ty, &session.types());
            let value = (!value.is_null()).then_some(&*bytes);
            line(&described(&column), &shown(value), &warnings)
        }
    })
}
