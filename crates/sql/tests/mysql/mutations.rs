//! Statements with mistakes in them: each is answered or refused, none panics or takes long, and the session goes on.
//!
//! The statements are those that other tests compare with MariaDB. `HOB_FULL=1` runs forty times as many, `HOB_SEED=7`
//! others.

use std::path::Path;
use std::time::{Duration, Instant};

use hobgoblin_core::Rng;
use hobgoblin_sql::mysql::session::{Parameter, Session};
use hobgoblin_sql::roomy::roomy;
use hobgoblin_sql_mysql_types::Version;

use crate::support::{Kept, connect, server, told};

/// Statements of a session, and how many sessions there are.
const STATEMENTS: usize = 60;
const SESSIONS: u64 = 50;

/// Values that are at the edge of something.
const EDGES: [&str; 22] = [
    "NULL",
    "''",
    "0",
    "-1",
    "18446744073709551615",
    "-9223372036854775808",
    "1e308",
    "'\\0'",
    "x''",
    "b'1'",
    "'0000-00-00'",
    "'9999-12-31 23:59:59.999999'",
    "'[{}]'",
    "@x",
    "@@sql_mode",
    "*",
    "()",
    "(SELECT 1)",
    "(SELECT id FROM t)",
    "`a``b`",
    "99999999999999999999999999999.99999999",
    "'é\u{10ffff}'",
];

/// What really sleeps, waits, or counts for long.
const SLOW: [&str; 5] = ["sleep", "benchmark", "get_lock", "lock tables", "lock table"];

fn statements() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder.join("tests/mariadb")).expect("the scripts are there") {
        let path = entry.expect("it is read").path();
        if path.extension().is_some_and(|end| end == "sql") {
            let text = std::fs::read_to_string(path).expect("it is read");
            all.extend(text.lines().map(str::to_owned));
        }
    }
    let listed = folder.join("../../corpus/mysql/statements.json");
    let listed = std::fs::read_to_string(listed).expect("it is read");
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("it is JSON");
    let listed = listed.as_array().expect("it is a list");
    all.extend(listed.iter().filter_map(|of| of["sql"].as_str()).map(str::to_owned));
    all.retain(|sql| !sql.trim().is_empty());
    all.sort();
    assert!(all.len() > 800, "only {} statements", all.len());
    all
}

/// A text in pieces: words, numbers, quoted texts, blanks, and every other character alone.
fn pieces(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut quote = None;
    let mut word = false;
    for letter in text.chars() {
        let part_of_word = letter.is_alphanumeric() || letter == '_';
        let goes_on = quote.is_some() || word && part_of_word;
        match all.last_mut().filter(|_| goes_on) {
            Some(last) => last.push(letter),
            None => all.push(letter.to_string()),
        }
        if quote == Some(letter) {
            quote = None;
        } else if quote.is_none() && ['\'', '"', '`'].contains(&letter) {
            quote = Some(letter);
        }
        word = quote.is_none() && part_of_word;
    }
    all
}

fn place<T>(random: &mut Rng, of: &[T]) -> usize {
    random.below(of.len() as u32) as usize
}

fn pick<'a, T>(random: &mut Rng, from: &'a [T]) -> &'a T {
    &from[place(random, from)]
}

/// A statement with one to three mistakes, of which some are parts of another one.
fn mistaken(random: &mut Rng, statements: &[String]) -> String {
    let mut text = pieces(&statements[place(random, statements)]);
    let other = pieces(&statements[place(random, statements)]);
    for _ in 0..1 + random.below(3) {
        let at = place(random, &text);
        match random.below(7) {
            0 => drop(text.remove(at)),
            1 => text.insert(at, text[at].clone()),
            2 => text.truncate(at + 1),
            3 => text[at] = pick(random, &other).clone(),
            4 => {
                let from = place(random, &other);
                text.splice(at..at, other[from..].iter().cloned());
            }
            5 => text[at] = (*pick(random, &EDGES)).to_owned(),
            _ => {
                let with = place(random, &text);
                text.swap(at, with);
            }
        }
        if text.is_empty() {
            break;
        }
    }
    text.concat()
}

/// Says which statement it was, when its test ends with a panic.
struct Asked<'a>(u64, &'a str);

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("HOB_SEED={}: {}", self.0, self.1);
        }
    }
}

/// Prepares a statement, and executes it with values of other types than it may expect.
fn prepared(random: &mut Rng, session: &mut Session, sql: &str) {
    let Ok(described) = roomy(sql, || session.prepare(sql.as_bytes())) else { return };
    let value = |random: &mut Rng| match random.below(6) {
        0 => Parameter::Null,
        1 => Parameter::Int(-1),
        2 => Parameter::UInt(u64::MAX),
        3 => Parameter::Float(f64::MAX),
        4 => Parameter::Text("x".into()),
        _ => Parameter::Bytes(vec![0xff, 0]),
    };
    for _ in 0..2 {
        let values = (0..described.parameters).map(|_| value(random)).collect();
        let _ = roomy(sql, || session.execute(described.id, values, &mut Kept::default()));
    }
    session.close(described.id);
}

#[test]
fn statements_with_mistakes_are_answered_and_the_session_goes_on() {
    let statements = statements();
    let first: u64 = std::env::var("HOB_SEED").map_or(0, |seed| seed.parse().expect("a number"));
    let sessions = if std::env::var_os("HOB_FULL").is_some() { 40 * SESSIONS } else { SESSIONS };
    let mut slowest = (Duration::ZERO, String::new());
    for seed in first..first + sessions {
        let mut random = Rng::new(seed);
        let versions = [Version::MariaDb10_11, Version::MariaDb11_8, Version::MySql9_7];
        let database = server(*pick(&mut random, &versions));
        let mut session = connect(&database);
        for _ in 0..STATEMENTS {
            // Without good ones there would be no tables that mistakes could meet.
            let sql = match random.below(3) {
                0 => pick(&mut random, &statements).clone(),
                _ => mistaken(&mut random, &statements),
            };
            let small = sql.to_ascii_lowercase();
            if SLOW.iter().any(|slow| small.contains(slow)) {
                continue;
            }
            let _asked = Asked(seed, &sql);
            let start = Instant::now();
            match random.below(3) {
                0 => prepared(&mut random, &mut session, &sql),
                _ => drop(told(&mut session, &sql)),
            }
            if start.elapsed() > slowest.0 {
                slowest = (start.elapsed(), sql.clone());
            }
            if session.is_terminated() {
                session = connect(&database);
            }
        }
        session.reset().expect("it begins anew");
        assert_eq!(told(&mut session, "select 1"), "[1]", "HOB_SEED={seed}");
        let mut other = connect(&database);
        assert_eq!(told(&mut other, "select 1"), "[1]", "HOB_SEED={seed}");
    }
    eprintln!(
        "{} statements, the slowest took {:?}: {}",
        sessions as usize * STATEMENTS,
        slowest.0,
        slowest.1
    );
    assert!(slowest.0 < Duration::from_secs(10), "{:?}: {}", slowest.0, slowest.1);
}
