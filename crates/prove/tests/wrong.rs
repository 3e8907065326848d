//! Wrong files: what is said of each, where, and what to do about it.
//!
//! `wrong.txt` has the cases, one after another: what is read, `-----`, and the answer as `line:column message`, then the
//! help. A case that begins with `@` has some tables in its first line in place of that; if a header follows the sign, the
//! rest is the body of that transaction, from line 3 on. `UPDATE_GOLDEN=1` writes the answers as they are now; read them.

use std::fmt::Write;
use std::path::Path;

use hobgoblin_prove::read::read;

const TABLES: &str = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, d numeric, s text, b boolean); \
     CREATE TABLE u (id int, m int, PRIMARY KEY (id, m)); CREATE TABLE v (x int, id int UNIQUE);";

/// The file that a case stands for.
fn file(case: &str) -> String {
    let Some(rest) = case.strip_prefix('@') else { return case.to_owned() };
    let (header, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    match header.trim() {
        "" => format!("{TABLES}\n{rest}"),
        header => format!("{TABLES}\n-- transaction {header}\n{rest}\n-- end\n"),
    }
}

fn answer(text: &str) -> String {
    match read("wrong.sql", text) {
        Ok(_) => "read".to_owned(),
        Err(error) => {
            let (line, column) = error.line_column(text);
            assert!(text.get(error.place.range()).is_some(), "{error:?}");
            assert!(error.code().starts_with("hob::prove::"));
            format!("{line}:{column} {error}\n  {}", error.help())
        }
    }
}

#[test]
fn every_wrong_file_is_refused_at_its_place() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong.txt");
    let cases = std::fs::read_to_string(&path).expect("the cases are there");
    let (mut found, mut count) = (String::new(), 0);
    for case in cases.split("=====\n").filter(|case| !case.trim().is_empty()) {
        let (input, _) = case.split_once("-----\n").unwrap_or((case, ""));
        let input = input.trim_end_matches('\n');
        let answer = answer(&file(input));
        assert_ne!(answer, "read", "{input}");
        writeln!(found, "=====\n{input}\n-----\n{answer}").expect("a String takes all");
        count += 1;
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &found).expect("the answers are written");
    }
    assert_eq!(found, std::fs::read_to_string(&path).expect("the cases are there"));
    assert!(count >= 60, "{count} cases");
}
