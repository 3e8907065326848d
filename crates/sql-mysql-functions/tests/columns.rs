//! Values as columns take them, beside MariaDB 10.11: what is kept, shown and told of, in strict mode and without.
//!
//! `columns.tsv` has a type, a value and a mode a line, with what the server did: the kept text or NULL and the numbers of the
//! warnings, or the number of the error. Where a server is installed it is asked again; `UPDATE_GOLDEN=1` writes down what it says.

#[allow(dead_code)]
mod support;

use std::fs;
use std::path::PathBuf;

use hobgoblin_sql_mysql_types::assign::{Place, assign};
use hobgoblin_sql_mysql_types::client::ClientType;
use hobgoblin_sql_mysql_types::names::type_name;
use hobgoblin_sql_mysql_types::{MyType, SqlMode, parse_stored, print_stored, text};
use hobgoblin_sql_schema::context::Context;
use hobgoblin_sql_value::Datum;
use support::client::Reply;
use support::evaluate::{Evaluator, parse};
use support::server::Server;
use support::{column, describe, shown};

const TYPES: &[&str] = &[
    "tinyint",
    "tinyint unsigned",
    "smallint",
    "mediumint unsigned",
    "int",
    "bigint",
    "bigint unsigned",
    "int(5) unsigned zerofill",
    "decimal(5,2)",
    "decimal(5,2) unsigned",
    "decimal(10)",
    "float",
    "double",
    "double(6,2)",
    "bit(3)",
    "bit(16)",
    "year",
    "date",
    "datetime",
    "datetime(3)",
    "time",
    "time(2)",
    "timestamp",
    "char(3)",
    "varchar(3)",
    "binary(3)",
    "varbinary(3)",
    "tinytext",
    "text",
    "blob",
    "enum('a','B','7')",
    "set('x','y','z')",
];

const VALUES: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "127",
    "128",
    "255",
    "256",
    "99",
    "2024",
    "2156",
    "70",
    "20240229",
    "101112",
    "1.5",
    "-1.5",
    "2.5",
    "123.456",
    "999.995",
    "1e3",
    "1e30",
    "18446744073709551615",
    "-9223372036854775808",
    "true",
    "''",
    "'0'",
    "'1'",
    "'-1'",
    "'1.5'",
    "'12abc'",
    "'abc'",
    "'abcd'",
    "'ab  '",
    "'abc  '",
    "' 7'",
    "'7 '",
    "'1e2'",
    "'300'",
    "'2024-02-29'",
    "'2024-02-30'",
    "'0000-00-00'",
    "'2024-00-10'",
    "'2024-02-29 10:11:12.678'",
    "'10:11:12'",
    "'900:00:00'",
    "'a'",
    "'A'",
    "'b'",
    "'x,z'",
    "'z,x,x'",
    "'x,q'",
    "'Ж'",
    "'é'",
    "x'ff'",
    "x'61'",
    "date'2024-02-29'",
    "timestamp'2024-02-29 10:11:12.5'",
    "time'10:11:12.25'",
    "null",
];

/// Where the server says the same twice.
const EXCEPT: &[&str] = &["int(5) unsigned zerofill\t1e30\tlax"];

const MODES: &[(&str, &str)] = &[("strict", "STRICT_TRANS_TABLES"), ("lax", "")];

fn place() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/columns.tsv")
}

fn ours(ty: &str, value: &str, mode: &str) -> String {
    let mut evaluator = Evaluator::new();
    let column = support::column(ty, &evaluator);
    evaluator.session.settings.mode = SqlMode::parse(mode).expect("it is a mode");
    let (given, from) = match evaluator.eval(&parse(value).expect("it is a value")) {
        Ok(given) => given,
        Err(error) => return format!("error {}", error.more.number.unwrap_or(0)),
    };
    let session = &evaluator.session;
    let env = session.types();
    match assign(&given, MyType::of(from), column, &Place::default(), &env) {
        Err(error) => format!("error {}", error.more.number.unwrap_or(0)),
        Ok(kept) => {
            let again = stored_and_read(&kept, column, &evaluator);
            let bytes = text::bytes(&again, column, &env);
            let warnings = session.settings.warnings.kept();
            let warnings: Vec<String> =
                warnings.iter().map(|warning| warning.number.to_string()).collect();
            let value = shown((!kept.is_null()).then_some(&*bytes));
            format!("{value}\t{}", warnings.join(","))
        }
    }
}

/// A value after it was kept in the store and read again.
fn stored_and_read(value: &Datum, ty: MyType, evaluator: &Evaluator) -> Datum {
    match value {
        Datum::Null | Datum::Int(_) | Datum::Text(_) => value.clone(),
        other => {
            let mut kept = String::new();
            print_stored(&mut kept, other, ty.id());
            parse_stored(&kept, ty.id(), &evaluator.session.types()).expect("it was printed")
        }
    }
}

fn recorded() -> Vec<(String, String)> {
    let text = fs::read_to_string(place()).unwrap_or_default();
    let split = |line: &str| {
        let at = line.match_indices('\t').nth(2).map_or(line.len(), |(at, _)| at);
        (line[..at].to_owned(), line[(at + 1).min(line.len())..].to_owned())
    };
    text.lines().map(split).collect()
}

#[test]
fn columns_keep_what_was_recorded() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (case, wanted) in recorded() {
        let parts: Vec<&str> = case.split('\t').collect();
        let [ty, value, word] = parts[..] else { panic!("three parts: {case}") };
        let mode = MODES.iter().find(|(name, _)| *name == word).expect("a mode").1;
        let found = ours(ty, value, mode);
        count += 1;
        if found != wanted && !EXCEPT.contains(&case.as_str()) {
            wrong.push(format!("column: {case}\n    theirs {wanted}\n    ours   {found}"));
        }
    }
    eprintln!("{count} recorded assignments");
    assert!(count > 3000, "only {count} assignments");
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_server_still_keeps_so() {
    let Some(server) = Server::start() else { return };
    let mut client = server.client();
    let mut run = |sql: &str| client.query(sql);
    run("CREATE DATABASE d");
    run("USE d");
    let before = recorded();
    let mut now = Vec::new();
    for ty in TYPES {
        run("DROP TABLE IF EXISTS t");
        run(&format!("CREATE TABLE t (a {ty} NULL DEFAULT NULL) CHARSET utf8mb4"));
        for (word, mode) in MODES {
            run(&format!("SET sql_mode = '{mode}'"));
            for value in VALUES {
                run("DELETE FROM t");
                let answer = match run(&format!("INSERT INTO t VALUES ({value})")) {
                    Reply::Error { number, .. } => format!("error {number}"),
                    _ => {
                        let warnings = match run("SHOW WARNINGS") {
                            Reply::Rows { rows, .. } => rows,
                            _ => Vec::new(),
                        };
                        let number = |row: &Vec<Option<Vec<u8>>>| {
                            row[1]
                                .as_ref()
                                .map(|digits| String::from_utf8_lossy(digits).into_owned())
                        };
                        let warnings: Vec<String> = warnings.iter().filter_map(number).collect();
                        match run("SELECT a FROM t") {
                            Reply::Rows { rows, .. } => {
                                format!("{}\t{}", shown(rows[0][0].as_deref()), warnings.join(","))
                            }
                            other => panic!("no rows: {other:?}"),
                        }
                    }
                };
                now.push((format!("{ty}\t{value}\t{word}"), answer));
            }
        }
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let lines: Vec<String> =
            now.iter().map(|(case, answer)| format!("{case}\t{answer}\n")).collect();
        fs::write(place(), lines.concat()).expect("it can be written");
        return;
    }
    assert_eq!(before, now);
}

#[test]
fn columns_are_described_as_on_the_server() {
    let Some(server) = Server::start() else { return };
    let mut client = server.client();
    let mut run = |sql: &str| client.query(sql);
    run("CREATE DATABASE d");
    run("USE d");
    let evaluator = Evaluator::new();
    let mut wrong = Vec::new();
    for ty in TYPES {
        run("DROP TABLE IF EXISTS t");
        run(&format!("CREATE TABLE t (a {ty} NULL DEFAULT NULL) CHARSET utf8mb4"));
        let Reply::Rows { columns, .. } = run("SELECT a FROM t") else { panic!("no rows") };
        let Reply::Rows { rows, .. } =
            run("SELECT COLUMN_TYPE FROM information_schema.columns WHERE table_schema = 'd'")
        else {
            panic!("no rows")
        };
        let name = String::from_utf8_lossy(rows[0][0].as_deref().unwrap_or_default()).into_owned();
        let own = column(ty, &evaluator);
        let theirs = format!("{name} {}", describe(&columns[0]));
        let ours = format!(
            "{} {}",
            type_name(own.id(), &evaluator.session.lists),
            describe(&ClientType::of_column(own).into())
        );
        if theirs != ours {
            wrong.push(format!("{ty}\n    theirs {theirs}\n    ours   {ours}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
