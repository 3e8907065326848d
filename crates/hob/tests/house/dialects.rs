//! A dialect's codes and types are named where the dialect is: in its own crates, in its protocol, and where a database of it
//! is put together.

use std::fs;
use std::path::Path;

/// A dialect: the words that only somebody who speaks of it says, and where they may be said.
const DIALECTS: [(&[&str], &[&str]); 2] = [
    (&["MyType", "SqlMode", "sql_mysql"], &["crates/sql-mysql", "crates/server/src/mysql/"]),
    (
        &["PgType", "SqlState", "sql_postgres", "pg_catalog", "pg_temp"],
        // PL/pgSQL is PostgreSQL's own; the prover reads bodies in it, and runs them.
        &[
            "crates/sql-postgres",
            "crates/wire/src/pg/",
            "crates/server/src/pg/",
            "crates/plpgsql/",
            "crates/prove/src/read/",
            "crates/prove/src/replay",
        ],
    ),
];

/// Here the databases of all dialects are put together.
const ALL: &str = "crates/sql/src/lib.rs";

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let place = entry.path();
        if place.is_dir() {
            sources(&place, found);
        } else if place.extension().is_some_and(|extension| extension == "rs") {
            found.push(place);
        }
    }
}

#[test]
fn only_a_dialect_speaks_of_itself() {
    let root = crate::root();
    let mut said = Vec::new();
    let mut read = 0;
    for entry in fs::read_dir(root.join("crates")).expect("the crates are there").flatten() {
        let mut files = Vec::new();
        sources(&entry.path().join("src"), &mut files);
        for file in files {
            read += 1;
            let name = file.strip_prefix(&root).expect("it is inside").display().to_string();
            if name == ALL {
                continue;
            }
            let text = fs::read_to_string(&file).expect("it can be read");
            let others = |(_, places): &&(&[&str], &[&str])| {
                !places.iter().any(|place| name.starts_with(place))
            };
            for (words, _) in DIALECTS.iter().filter(others) {
                for (number, line) in text.lines().enumerate() {
                    let code = line.split("//").next().unwrap_or_default();
                    let words = words.iter().filter(|word| code.contains(**word));
                    said.extend(words.map(|word| format!("{name}:{}: {word}", number + 1)));
                }
            }
        }
    }
    assert!(read > 500, "only {read} sources were found");
    assert!(
        said.is_empty(),
        "ask the dialect instead (sql-schema/src/dialect.rs):\n{}",
        said.join("\n")
    );
}
