//! Everything the usual clients send (corpus/clients) is parsed and bound.
//!
//! Constants are blanked as `'?'` in the corpus, and `'?'` is no date, number, array or JSON: PostgreSQL 15
//! refuses the same statements with the same state. Every other error fails the test.

use std::collections::BTreeSet;
use std::path::Path;

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql::session::{Session, Startup};

/// Tables whose definitions in the corpus lack their constants.
const SCHEMA: &[&str] = &[
    "create type mood as enum ('sad', 'ok')",
    "create table m (m mood, arr int[], j jsonb, u uuid, amt numeric)",
    "create type kind_t as enum ('credit', 'debit')",
    "create table sbtest1 (id serial primary key, k integer default '0' not null, \
     c char(120) default '' not null, pad char(60) default '' not null)",
];

/// What PostgreSQL says of a blanked constant: not of its type, not a time.
const BLANKED: [&str; 2] = ["22P02", "22007"];

/// The statements of a file.
fn statements(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut quote = None;
    for c in
        text.lines().filter(|line| !line.starts_with("-- ")).flat_map(|l| l.chars().chain(['\n']))
    {
        match c {
            ';' if quote.is_none() => {
                all.push(String::new());
                continue;
            }
            '\'' | '"' if quote.is_none() => quote = Some(c),
            c if quote == Some(c) => quote = None,
            _ => {}
        }
        all.last_mut().expect("it begins with one").push(c);
    }
    all.iter().map(|sql| sql.trim().to_owned()).filter(|sql| !sql.is_empty()).collect()
}

fn connect(profile: Profile) -> Session {
    let config = Config::default().level(Level::SER).profile(profile);
    let store = Store::new(config).expect("the configuration is valid");
    hobgoblin_sql::open(store, None).connect(Startup::default()).expect("a fresh store connects")
}

fn corpus() -> Vec<(String, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/clients");
    let files = std::fs::read_dir(folder).expect("the corpus is there");
    let mut paths: Vec<_> = files.map(|file| file.expect("it is readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        (name, statements(&std::fs::read_to_string(path).expect("it is text")))
    };
    paths.iter().map(read).collect()
}

/// Prepares every statement over the schema the clients make; gives what went wrong.
fn replay(profile: Profile) -> (usize, Vec<String>) {
    let corpus = corpus();
    let mut session = connect(profile);
    let all = || corpus.iter().flat_map(|(file, sqls)| sqls.iter().map(move |sql| (file, sql)));
    for sql in SCHEMA {
        session.run(sql).expect("the schema is right");
    }
    for (_, sql) in all() {
        let word = sql.split_whitespace().next().unwrap_or_default().to_lowercase();
        if ["create", "alter", "comment", "prepare"].contains(&word.as_str())
            && session.run(sql).is_err()
        {
            // A table that is there already, or a blanked constant: who needs the table will tell.
            session.fail();
            session.sync().expect("nothing is pending");
        }
    }
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for (file, sql) in all().filter(|(_, sql)| seen.insert((*sql).clone())) {
        let Err(error) = session.prepare("", sql, &[]) else { continue };
        session.fail();
        session.sync().expect("nothing is pending");
        if !(BLANKED.contains(&error.state().0) && sql.contains("'?'")) {
            wrong.push(format!("{file}: {} {}\n  {sql}", error.state().0, error.message()));
        }
    }
    (seen.len(), wrong)
}

#[test]
fn every_statement_is_bound() {
    let (count, wrong) = replay(Profile::Postgres);
    assert!(count > 400, "only {count} statements");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
