//! What the usual clients set and ask for when they connect is answered, whichever server is claimed.

use std::path::Path;

use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql_mysql_types::Version;

use crate::hob::Hob;

/// What clients sent of variables, with values where the recording has none.
fn asked() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/mysql/clients");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let client = path.file_stem().and_then(|name| name.to_str()).unwrap_or("").to_owned();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        for part in text.split("-- [").skip(1) {
            let (how, sql) = part.split_once('\n').expect("a statement follows");
            if !how.starts_with("COM_QUERY") && !how.starts_with("COM_STMT_PREPARE") {
                continue;
            }
            let sql = sql.trim().trim_end_matches(';');
            let lower = sql.to_lowercase();
            let lower = lower.rsplit("*/").next().unwrap_or("").trim_start();
            let about = lower.starts_with("set ")
                || lower.starts_with("show variables")
                || lower.starts_with("show session variables")
                || lower.starts_with("show status")
                || lower.contains("@@") && !lower.contains(" from ");
            if about {
                let sql = sql
                    .replace("NAMES '?' COLLATE '?'", "NAMES 'utf8mb4' COLLATE 'utf8mb4_bin'")
                    .replace("time_zone='?'", "time_zone='+00:00'")
                    .replace("sql_mode, '?'", "sql_mode, ',STRICT_TRANS_TABLES'")
                    .replace("sql_mode,'?'", "sql_mode,',STRICT_TRANS_TABLES'")
                    .replace("sql_mode = '?'", "sql_mode = 'ANSI_QUOTES'");
                found.push((client.clone(), sql));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

#[test]
fn what_clients_ask_of_variables_is_answered() {
    let asked = asked();
    assert!(asked.len() > 30, "{} statements", asked.len());
    let mut wrong = Vec::new();
    for version in [Version::MariaDb10_11, Version::MariaDb11_8, Version::MySql9_7] {
        for (client, sql) in &asked {
            // These were recorded with MariaDB 10.11, and MySQL has other names for some.
            let gone = ["tx_isolation", "query_cache", "tx_read_only"];
            if version.is_mysql() && gone.iter().any(|name| sql.contains(name)) {
                continue;
            }
            let mut session = Hob::speaking(Profile::Mysql, "app", version);
            if let Some((number, message)) = session.query(sql).error {
                wrong.push(format!("{version:?} {client}: {sql}\n    {number} {message}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} fail\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn texts_come_and_go_in_the_character_set_of_the_client() {
    let mut session = Hob::speaking(Profile::Mysql, "app", Version::MariaDb10_11);
    let row = |session: &mut Hob, sql: &[u8]| {
        let answer = session.query_bytes(sql);
        assert_eq!(answer.error, None);
        let field = answer.rows.first().and_then(|row| row.first().cloned());
        let collation = answer.columns.and_then(|columns| Some(columns.first()?.collation));
        (field.flatten().unwrap_or_default(), collation.unwrap_or_default())
    };
    session.query("create table t (v varchar(20), l varchar(20) character set latin1)");
    session.query("set names latin1");
    session.query_bytes(b"insert into t values ('\xe4\x80', '\xfc')");
    assert_eq!(row(&mut session, b"select v from t"), (b"\xe4\x80".to_vec(), 8));
    assert_eq!(row(&mut session, b"select char_length(v) from t").0, b"2");
    session.query("set names utf8mb4");
    assert_eq!(row(&mut session, b"select v from t"), ("ä€".as_bytes().to_vec(), 45));
    assert_eq!(row(&mut session, b"select l from t"), ("ü".as_bytes().to_vec(), 45));
    session.query("set character_set_results = null");
    assert_eq!(row(&mut session, b"select l from t"), (b"\xfc".to_vec(), 8));
    assert_eq!(row(&mut session, b"select v from t"), ("ä€".as_bytes().to_vec(), 45));
    session.query("set names utf8mb3");
    assert_eq!(row(&mut session, "select concat('😀', v) from t".as_bytes()).0, "?ä€".as_bytes());
}

#[test]
fn a_server_is_told_its_variables() {
    let store = Store::new(Config::default()).expect("a store");
    let served = hobgoblin_sql::open_mysql(store, Version::MySql9_7);
    let told = |name: &str, value: &str| served.configure(&[(name.to_owned(), value.to_owned())]);
    for (name, value) in [
        ("innodb_lock_wait_timeout", "5"),
        ("sql-mode", "ANSI"),
        ("autocommit", "OFF"),
        ("hob_reads", "latest"),
        ("time_zone", "+02:00"),
        ("transaction_isolation", "READ-COMMITTED"),
    ] {
        assert_eq!(told(name, value), Ok(()), "{name}");
    }
    for (name, value, number) in [
        ("nope", "1", 1193),
        ("version", "1", 1238),
        ("timestamp", "1", 1228),
        ("wait_timeout", "x", 1231),
        ("wait_timeout", "0", 1231),
        ("time_zone", "Mars", 1298),
        ("sql_mode", "PAD_CHAR_TO_FULL_LENGTH", 1235),
    ] {
        let error = told(name, value).expect_err("it is refused");
        assert_eq!(error.more.number, Some(number), "{name}");
    }
    let mut session = Hob::of(served, "app");
    let answer = session.query(
        "select @@innodb_lock_wait_timeout, @@autocommit, @@hob_reads, @@time_zone, @@transaction_isolation, 'a' || 'b'",
    );
    let row: Vec<String> = answer.rows[0]
        .iter()
        .map(|field| String::from_utf8_lossy(field.as_deref().unwrap_or_default()).into_owned())
        .collect();
    assert_eq!(row, ["5", "0", "latest", "+02:00", "READ-COMMITTED", "ab"]);
    for sql in ["set hob_reads = 'adverse'", "set hob.reads = default", "set @@hob_reads = 'weak'"]
    {
        assert_eq!(session.query(sql).error, None, "{sql}");
    }
    let refused = session.query("set hob_reads = 'nope'").error.map(|(number, _)| number);
    assert_eq!(refused, Some(1231));
}
