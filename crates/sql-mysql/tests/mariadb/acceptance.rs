//! Which statements are read, and where those that are not go wrong, beside MariaDB.

use std::path::{Path, PathBuf};

use hobgoblin_sql_mysql::parse::{ParseError, Reading, Version, parse};

use crate::random::Random;
use crate::server::Server;

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name)
}

/// A statement of the corpus, and whether MariaDB 10.11 and MySQL 9.7 are said to take it.
struct Listed {
    sql: String,
    mysql: bool,
}

fn listed() -> Vec<Listed> {
    let text = std::fs::read_to_string(corpus("mysql/statements.json")).expect("it is there");
    let all: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let all = all.as_array().expect("it is a list");
    let of = |one: &serde_json::Value| Listed {
        sql: one["sql"].as_str().expect("it is a text").to_owned(),
        mysql: one["mysql_9_7"].as_bool().expect("it is said"),
    };
    all.iter().map(of).collect()
}

/// What we say to a text, as the server would.
fn ours(sql: &str, reading: Reading) -> Option<(u16, String)> {
    let error = parse(sql, reading).err()?;
    (error.number() == 1064).then(|| (1064, error.to_string()))
}

/// How what we say of a text differs from what MariaDB says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Difference {
    /// MariaDB complains of a name that it does not know as soon as it meets it, and so before it comes to the mistake
    /// of syntax that we find: a system variable, an alias that is there twice, a function in a default.
    NameFirst,
    /// Both refuse it, at different tokens.
    Place,
    /// We refuse what MariaDB takes.
    Refused,
    /// We take what MariaDB refuses.
    Taken,
}

/// The texts that we and MariaDB do not say the same of.
pub(crate) fn differing(server: &Server, texts: &[String]) -> Vec<(Difference, String)> {
    let said = server.prepare(texts, "");
    let mut wrong = Vec::new();
    for (text, said) in texts.iter().zip(said) {
        let theirs = said.clone().filter(|(number, _)| *number == 1064);
        let ours = ours(text, Reading::default());
        if ours != theirs {
            let how = match (&ours, &theirs, &said) {
                (Some(_), Some(_), _) => Difference::Place,
                (None, _, _) => Difference::Taken,
                (Some(_), None, Some(_)) => Difference::NameFirst,
                (Some(_), None, None) => Difference::Refused,
            };
            let near = |said: Option<(u16, String)>| match said {
                Some((number, message)) => {
                    format!("{number} {}", message.split("to use ").nth(1).unwrap_or(&message))
                }
                None => "read".to_owned(),
            };
            let told = format!("{text}\n    ours:   {}\n    theirs: {}", near(ours), near(said));
            wrong.push((how, told));
        }
    }
    wrong.sort();
    wrong
}

/// What is told of texts that differ.
pub(crate) fn told(wrong: &[(Difference, String)]) -> String {
    wrong.iter().map(|(how, text)| format!("{how:?}: {text}")).collect::<Vec<_>>().join("\n")
}

/// The statements that clients sent; a semicolon may stand inside of one.
fn recorded() -> Vec<String> {
    let mut found = Vec::new();
    for name in [
        "aiomysql",
        "pymysql",
        "mysql_connector_pure",
        "node_mysql2",
        "mariadb_cli",
        "mariadb_cli_interactive",
        "jdbc_mariadb",
        "jdbc_mysql_connectorj8",
        "rust_sqlx_mysql",
        "sysbench_my_prepare",
        "sysbench_my_rw",
        "sqlalchemy_my_pymysql",
        "sqlalchemy_my_pymysql_reflect",
        "django_my_migrate",
        "django_my_use",
        "django_my_inspectdb",
    ] {
        let text = std::fs::read_to_string(corpus(&format!("mysql/clients/{name}.sql")))
            .expect("it is there");
        for part in text.split("-- [").skip(1) {
            let (how, sql) = part.split_once('\n').expect("a statement follows");
            if how.starts_with("COM_QUERY") || how.starts_with("COM_STMT_PREPARE") {
                found.push(sql.trim().trim_end_matches(';').to_owned());
            }
        }
    }
    found
}

#[test]
fn what_clients_send_is_read() {
    let all = recorded();
    assert!(all.len() > 300, "{} statements", all.len());
    for sql in &all {
        // Constants are blanked, and these are no constants then.
        let sql = sql
            .replace("X'?'", "X'00'")
            .replace("NAMES '?' COLLATE '?'", "NAMES 'utf8mb4' COLLATE 'utf8mb4_bin'");
        if let Err(error) = parse(&sql, Reading::default()) {
            panic!("{sql}: {error}");
        }
    }
}

#[test]
fn what_mysql_takes_is_read() {
    let mysql = Reading::of(Version::MySql9_7);
    let wrong: Vec<String> = listed()
        .iter()
        .filter(|one| matches!(parse(&one.sql, mysql), Err(ParseError::Syntax { .. })) == one.mysql)
        .map(|one| format!("{} ({}): {:?}", one.sql, one.mysql, ours(&one.sql, mysql)))
        .collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn statements_are_read_as_mariadb_reads_them() {
    let Some(server) = Server::shared() else { return };
    let texts: Vec<String> = listed().into_iter().map(|one| one.sql).chain(recorded()).collect();
    let wrong = differing(&server, &texts);
    assert!(wrong.is_empty(), "{} of {} differ\n{}", wrong.len(), texts.len(), told(&wrong));
}

/// The words and signs of a text, as they are told apart for mistakes to be made.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            c if c.is_whitespace() => {
                rest = &rest[c.len_utf8()..];
                continue;
            }
            '\'' | '"' | '`' => rest[1..].find(first).map_or(rest.len(), |at| at + 2),
            c if c.is_alphanumeric() || matches!(c, '_' | '@' | '$') => rest
                .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '@' | '$'))
                .unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        words.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    words
}

/// A text with a word dropped, doubled, swapped, or taken from another.
fn mistaken(random: &mut Random, texts: &[String]) -> String {
    let mut words_of = words(&texts[random.below(texts.len())]);
    let at = random.below(words_of.len());
    match random.below(4) {
        0 => drop(words_of.remove(at)),
        1 => words_of.insert(at, words_of[at].clone()),
        2 => {
            let other = (at + 1).min(words_of.len() - 1);
            words_of.swap(at, other);
        }
        _ => {
            let others = words(&texts[random.below(texts.len())]);
            words_of.insert(at, others[random.below(others.len())].clone());
        }
    }
    words_of.join(" ")
}

#[test]
fn mistakes_are_refused_where_mariadb_refuses_them() {
    let Some(server) = Server::shared() else { return };
    let full = std::env::var_os("HOB_FULL").is_some();
    let mut sources: Vec<String> = listed().into_iter().map(|one| one.sql).collect();
    sources.extend(recorded().into_iter().filter(|sql| sql.len() < 400));
    sources.sort();
    sources.dedup();
    let mut random = Random::new(64);
    let count = if full { 30_000 } else { 6_000 };
    let texts: Vec<String> = (0..count).map(|_| mistaken(&mut random, &sources)).collect();
    let wrong = differing(&server, &texts);
    let count = |of: Difference| wrong.iter().filter(|(how, _)| *how == of).count();
    let counts = [Difference::NameFirst, Difference::Place, Difference::Refused, Difference::Taken]
        .map(|of| (of, count(of)));
    eprintln!("{counts:?} of {}", texts.len());
    // In a thousand texts.
    for ((of, count), most) in counts.into_iter().zip([3.0, 1.5, 0.5, 0.5]) {
        let share = count as f64 * 1000.0 / texts.len() as f64;
        assert!(share <= most, "{count} of {} are {of:?}\n{}", texts.len(), told(&wrong));
    }
}
