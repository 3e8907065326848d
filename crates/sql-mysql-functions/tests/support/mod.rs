//! What the tests share: a tiny evaluator, a server to compare it with, and how answers are written down.

#[path = "../../../../tests/servers/mysql.rs"]
pub(crate) mod client;
pub(crate) mod evaluate;
pub(crate) mod generate;
pub(crate) mod server;
pub(crate) mod session;

use std::fmt::Write;

use hobgoblin_sql_mysql_types::assign::{Place, assign};
use hobgoblin_sql_mysql_types::client::{ClientType, UNSIGNED};
use hobgoblin_sql_mysql_types::names::{Declared, column_type};
use hobgoblin_sql_mysql_types::{Collation, MyType, Speaker, Version, text, worded};
use hobgoblin_sql_schema::context::Context;
use hobgoblin_sql_value::{Datum, TypeId};

use client::{Client, Column, Reply};
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

pub(crate) fn shown(value: Option<&[u8]>) -> String {
    let Some(bytes) = value else { return "NULL".to_owned() };
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => format!("'{text}'"),
        _ => bytes.iter().fold("0x".to_owned(), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        }),
    }
}

impl From<ClientType> for Column {
    fn from(client: ClientType) -> Column {
        Column {
            // Types alone are compared.
            name: String::new(),
            code: client.code,
            collation: client.collation,
            decimals: client.decimals,
            flags: client.flags,
        }
    }
}

/// All of a column's description but its flags for keys and NULLs.
pub(crate) fn describe(column: &Column) -> String {
    const KEYS: u16 = 1 | 2 | 4 | 8 | 512 | 4096 | 8192 | 16384 | 32768 | 1024;
    let letters = if column.collation == 63 { "bytes" } else { "letters" };
    let flags = column.flags & !KEYS;
    format!("{} {letters} {} flags {flags}", type_word(column.code), column.decimals)
}

pub(crate) fn line(ty: &str, value: &str, warnings: &[u16]) -> String {
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    format!("{ty}\t{value}\t{}", warnings.join(","))
}

/// What the server says to an expression.
pub(crate) fn theirs(client: &mut Client, expr: &str) -> String {
    theirs_of(client, &format!("SELECT {expr}"))
}

/// What the server says to a query of one value.
pub(crate) fn theirs_of(client: &mut Client, query: &str) -> String {
    match client.query(query) {
        Reply::Error { number, .. } => format!("error {number}"),
        Reply::Done { .. } => "done".to_owned(),
        Reply::Rows { columns, rows, warnings } => {
            // A statement without tables and warnings leaves those of the one before.
            let asked = (warnings > 0).then(|| client.query("SHOW WARNINGS"));
            let warnings = match asked {
                Some(Reply::Rows { rows, .. }) => rows,
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

/// The columns of a row over which expressions are evaluated: name, type, value.
pub(crate) const ROW: &[(&str, &str, &str)] = &[
    ("a", "int unsigned", "1"),
    ("b", "bigint unsigned", "2"),
    ("c", "tinyint unsigned", "3"),
    ("d", "int", "4"),
    ("e", "bigint", "5"),
    ("f", "smallint", "6"),
    ("g", "decimal(6,2)", "7.5"),
    ("h", "varchar(5)", "'h'"),
    ("i", "float", "1.5"),
    ("j", "double", "2.5"),
    ("k", "date", "'2024-01-01'"),
    ("l", "datetime(3)", "'2024-01-01 10:00:00.5'"),
    ("m", "time", "'10:00:00'"),
    ("n", "year", "2024"),
    ("o", "bit(3)", "b'101'"),
    ("p", "enum('a','b')", "'b'"),
    ("q", "text", "'q'"),
    ("r", "char(4)", "'r'"),
    ("s", "varbinary(5)", "'s'"),
    ("t", "timestamp", "'2024-01-01 10:00:00'"),
    ("u", "int", "null"),
];

/// The statements that make a table of that row.
pub(crate) fn statements() -> Vec<String> {
    let columns: Vec<String> =
        ROW.iter().map(|(name, ty, _)| format!("{name} {ty} NULL")).collect();
    let values: Vec<&str> = ROW.iter().map(|(_, _, value)| *value).collect();
    vec![
        "CREATE DATABASE d".to_owned(),
        "USE d".to_owned(),
        format!("CREATE TABLE r ({}) CHARSET utf8mb4", columns.join(", ")),
        format!("INSERT INTO r VALUES ({})", values.join(", ")),
    ]
}

/// What we say over that row.
pub(crate) fn ours_over_row(expr: &str) -> Option<String> {
    let mut evaluator = Evaluator::new();
    for (name, ty, value) in ROW {
        let ty = column(ty, &evaluator).id();
        let (value, from) = evaluator.eval(&parse(value)?).ok()?;
        let kept = kept(&value, from, ty, &evaluator);
        evaluator.session.columns.push(((*name).to_owned(), kept, ty));
    }
    said(expr, evaluator)
}

/// What we say; nothing if the parser does not know the expression.
pub(crate) fn ours(expr: &str) -> Option<String> {
    said(expr, Evaluator::new())
}

fn said(expr: &str, mut evaluator: Evaluator) -> Option<String> {
    let tree = parse(expr)?;
    evaluator.session.quoted_digits = !expr.contains("0x");
    let result = evaluator.eval(&tree);
    Some(match result {
        Err(error) => {
            let speaker = Speaker { version: Version::MariaDb10_11, database: "d" };
            let error = worded(error, speaker);
            format!("error {}", error.more.number.unwrap_or(0))
        }
        Ok(result) => answered(&result, &evaluator),
    })
}

/// A value with its type, and what was warned of, as the recorded answers have it.
pub(crate) fn answered((value, ty): &(Datum, TypeId), evaluator: &Evaluator) -> String {
    let session = &evaluator.session;
    let warnings: Vec<u16> =
        session.settings.warnings.kept().iter().map(|warning| warning.number).collect();
    let ty = MyType::of(*ty);
    let column = Column::from(ClientType::of(ty));
    let bytes = text::bytes(value, ty, &session.types());
    let value = (!value.is_null()).then_some(&*bytes);
    line(&described(&column), &shown(value), &warnings)
}

/// The type of a column as it is declared, with UNSIGNED and ZEROFILL where the parser leaves them.
pub(crate) fn column(text: &str, evaluator: &Evaluator) -> MyType {
    let zerofill = text.ends_with(" zerofill");
    let text = text.trim_end_matches(" zerofill");
    let mut parser = sqlparser::parser::Parser::new(&sqlparser::dialect::MySqlDialect {})
        .try_with_sql(text)
        .expect("it is a type");
    let ty = parser.parse_data_type().expect("it is a type");
    let unsigned = text.ends_with("unsigned");
    let column = Declared { column: "a", collation: Collation::DEFAULT, unsigned, zerofill };
    column_type(&ty, &column, &evaluator.session.lists.0).expect("it is a type")
}

/// A value as a column of a type keeps it.
pub(crate) fn kept(value: &Datum, from: TypeId, to: TypeId, evaluator: &Evaluator) -> Datum {
    let (from, to) = (MyType::of(from), MyType::of(to));
    assign(value, from, to, &Place::default(), &evaluator.session.types()).expect("it fits")
}
