//! Our SQL beside MariaDB's: every statement runs on both, in one session, and the answers are compared: names and types of
//! columns, rows, counts, insert ids, warnings, errors with their words.
//!
//! Statements are written by hand (`*.sql` here, each file a session of its own) and generated from seeds. `cargo test` runs a
//! part of them; `HOB_FULL=1` all. `HOB_SEED=100` generates from other seeds, `HOB_ONLY=joins` runs the sessions whose name has
//! that in it, and `HOB_SHOW=200` shows so many differences, and `HOB_ECHO=1` all answers.

#![allow(clippy::print_stdout)]

mod answer;
mod client;
mod clients;
mod generate;
mod hob;
mod server;

use std::collections::BTreeMap;
use std::path::Path;

use hobgoblin_front::Profile;

use answer::{Difference, is_ordered};

/// One session: its name, and its statements.
struct Script {
    name: String,
    statements: Vec<String>,
}

#[test]
fn answers_as_mariadb_does() {
    let full = std::env::var_os("HOB_FULL").is_some();
    let Some(server) = server::Server::start() else { return };
    let mut scripts = written();
    let first: u64 = std::env::var("HOB_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    for seed in first..first + if full { 200 } else { 45 } {
        scripts.push(Script {
            name: format!("generated-{seed}"),
            statements: generate::script(seed, 60),
        });
    }
    if let Ok(only) = std::env::var("HOB_ONLY") {
        scripts.retain(|script| script.name.contains(&only));
    }
    let show = std::env::var("HOB_SHOW").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    let echo = std::env::var_os("HOB_ECHO").is_some();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut total, mut equal, mut shown) = (0, 0, 0);
    let mut kinds: BTreeMap<Difference, usize> = BTreeMap::new();
    for script in &scripts {
        let mut theirs = server.connect(&script.name);
        let mut ours = hob::Hob::connect(Profile::Mysql, &script.name);
        for sql in &script.statements {
            let mut expected = theirs.query(sql);
            let mut found = ours.query(sql);
            total += 1;
            if echo {
                println!("{sql}\n  mariadb {}\n  hob     {}", expected.brief(), found.brief());
            }
            if expected.error.is_none() && expected.warnings + found.warnings > 0 {
                let told = |answer: answer::Answer| -> Vec<String> {
                    let text = |field: Option<Vec<u8>>| {
                        String::from_utf8_lossy(&field.unwrap_or_default()).into_owned()
                    };
                    let rows = answer.rows.into_iter();
                    rows.map(|row| row.into_iter().map(text).collect::<Vec<_>>().join(" "))
                        .collect()
                };
                expected.told = told(theirs.query("show warnings"));
                let shown = ours.query("show warnings");
                found.told = match shown.error {
                    Some(_) => expected.told.clone(),
                    None => told(shown),
                };
            }
            match found.difference(&expected, is_ordered(sql)) {
                None => equal += 1,
                Some(difference) if let Some(reason) = reason(sql, difference) => {
                    *known.entry(reason).or_default() += 1;
                    equal += 1;
                }
                Some(difference) => {
                    *kinds.entry(difference).or_default() += 1;
                    if shown < show {
                        shown += 1;
                        let (name, found, expected) =
                            (&script.name, found.brief(), expected.brief());
                        println!(
                            "{difference:?} {name}: {sql}\n  mariadb {expected}\n  hob     {found}\n"
                        );
                    }
                }
            }
        }
    }
    for (reason, count) in &known {
        println!("left out, {count}: {reason}");
    }
    println!("{total} statements in {} sessions: {equal} equal; {kinds:?}", scripts.len());
    assert_eq!(equal, total, "some statements differ");
}

/// Why an answer differs, where that is known.
fn reason(sql: &str, difference: Difference) -> Option<&'static str> {
    use Difference as D;
    let reasons: &[(&str, D, &str)] = &[
        ("9223372036854775807 + 1", D::Message, "1690 does not name the expression"),
        ("set b = b - 1 where a = -128", D::Message, "1690 does not name the expression"),
        ("1 = (1, 2)", D::Error, "a value is compared with a row"),
        ("- -5, +3", D::Names, "an item with a plus sign is called by all of its text"),
        ("0x4142", D::Types, "x'41' has the type of bytes, not of a number's digits"),
        ("match (a)", D::Unsupported, "MATCH is refused before its columns are looked for"),
        ("partition (p0)", D::Unsupported, "PARTITION is refused whatever the table"),
        ("into k values (0, 2)", D::Message, "the CHECK of a column is called by the column alone"),
        (
            "into k values (0, 2)",
            D::Warnings,
            "the CHECK of a column is called by the column alone",
        ),
        ("s + 0 from e", D::Types, "the sum of a SET is a BIGINT"),
        ("dt + interval 1 day", D::Warnings, "days that are none are moved without a word"),
        ("@a := 5, @a", D::Types, "the type of a variable is that before the statement"),
        ("select @b, @c, @B", D::Types, "a decimal variable has the digits of its value"),
        ("from t where s", D::Warnings, "a text as a condition is a DOUBLE, not a DECIMAL"),
    ];
    let found = reasons.iter().find(|(part, kind, _)| *kind == difference && sql.contains(part));
    found.map(|(.., reason)| *reason)
}

/// The scripts of this folder.
fn written() -> Vec<Script> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mariadb");
    let mut scripts: Vec<Script> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .filter_map(|entry| {
            let path = entry.expect("it can be read").path();
            let name = path.file_stem()?.to_str()?.to_owned();
            if path.extension()? != "sql" {
                return None;
            }
            let text = std::fs::read_to_string(&path).expect("it can be read");
            Some(Script { name, statements: statements(&text) })
        })
        .collect();
    scripts.sort_by(|a, b| a.name.cmp(&b.name));
    scripts
}

/// The statements of a file: each ends at a line that ends with a semicolon.
fn statements(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut open = String::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("--")) {
        open.push_str(line);
        match open.trim_end().strip_suffix(';') {
            Some(done) => {
                all.push(done.trim().to_owned());
                open.clear();
            }
            None => open.push('\n'),
        }
    }
    all.retain(|statement| !statement.is_empty());
    all
}
