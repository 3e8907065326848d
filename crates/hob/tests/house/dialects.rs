//! PostgreSQL's codes and types are named where PostgreSQL is: in its own crates, in its protocol, and where a database of it
//! is put together.

use std::fs;
use std::path::Path;

/// Words that only somebody who speaks of PostgreSQL says.
const WORDS: [&str; 5] = ["PgType", "SqlState", "sql_postgres", "pg_catalog", "pg_temp"];

/// Where they may be said.
const PLACES: [&str; 4] = [
    "crates/sql-postgres",
    "crates/wire/",
    "crates/server/src/pg/",
    // Here a database of PostgreSQL is put together.
    "crates/sql/src/lib.rs",
];

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
fn only_postgresql_speaks_of_postgresql() {
    let root = crate::root();
    let mut said = Vec::new();
    let mut read = 0;
    for entry in fs::read_dir(root.join("crates")).expect("the crates are there").flatten() {
        let mut files = Vec::new();
        sources(&entry.path().join("src"), &mut files);
        for file in files {
            read += 1;
            let name = file.strip_prefix(&root).expect("it is inside").display().to_string();
            if PLACES.iter().any(|place| name.starts_with(place)) {
                continue;
            }
            let text = fs::read_to_string(&file).expect("it can be read");
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                let words = WORDS.iter().filter(|word| code.contains(**word));
                said.extend(words.map(|word| format!("{name}:{}: {word}", number + 1)));
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
