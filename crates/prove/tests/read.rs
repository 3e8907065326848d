//! What is understood of files, compared with what was read and approved before.
//!
//! `UPDATE_GOLDEN=1 cargo test -p hobgoblin-prove --test read` writes what is there now; read the difference.

use std::path::{Path, PathBuf};

use hobgoblin_prove::dump::dump;
use hobgoblin_prove::program::StatementKind;
use hobgoblin_prove::read::read;

fn base() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Compares the dump of a program with the golden one.
fn golden(file: &Path) {
    let text = std::fs::read_to_string(file).expect("the program is there");
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let program = read(&name, &text).unwrap_or_else(|error| {
        panic!("{}:{:?}: {error}", file.display(), error.line_column(&text))
    });
    let found = dump(&program);
    let golden = base().join("tests/golden").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &found).expect("the golden file is written");
    }
    let wanted = std::fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(found, wanted, "{}", golden.display());
}

#[test]
fn examples_are_read() {
    let examples = base().join("../../examples/prove");
    for name in ["auction", "banking", "courseware", "smallbank", "tpcc"] {
        golden(&examples.join(format!("{name}.sql")));
    }
}

#[test]
fn every_construct_is_read() {
    golden(&base().join("tests/programs/everything.sql"));
}

/// Ends of lines and a mark of the encoding change places, and nothing else.
#[test]
fn line_ends_do_not_matter() {
    for name in ["auction", "banking", "tpcc"] {
        let file = base().join(format!("../../examples/prove/{name}.sql"));
        let text = std::fs::read_to_string(file).expect("the program is there");
        let plain = dump(&read(name, &text).expect("the program is read"));
        for other in [text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            assert_eq!(dump(&read(name, &other).expect("the program is read")), plain);
        }
    }
}

/// Places are those of whole texts: the statement's, the condition's, the variable's.
#[test]
fn places_are_exact() {
    let text = "CREATE TABLE t (id int PRIMARY KEY, n int);\n\
                -- transaction ä(p int[], q int) requires q > 0\n\
                SELECT n INTO ö FROM t WHERE id = q /* é */ AND id = ANY (p);\n\
                IF NOT EXISTS (SELECT 1 FROM t WHERE n = ö) THEN PERFORM n FROM t; END IF;\n\
                -- end";
    let program = read("places", text).expect("the program is read");
    let transaction = &program.transactions[0];
    let at = |place: hobgoblin_prove::program::Place| &text[place.range()];
    let mentions: Vec<&str> = transaction.mentions.iter().map(|(place, _)| at(*place)).collect();
    assert_eq!(mentions, ["q", "q", "p", "ö"]);
    let pieces: Vec<&str> = transaction.body[0].sql.iter().map(|place| at(*place)).collect();
    assert_eq!(pieces, ["SELECT n", "FROM t WHERE id = q /* é */ AND id = ANY (p)"]);
    let StatementKind::If { arms, .. } = &transaction.body[1].kind else { panic!("an IF") };
    assert_eq!(at(arms[0].0.place), "NOT EXISTS (SELECT 1 FROM t WHERE n = ö)");
    assert_eq!(at(arms[0].1[0].sql[0]), "PERFORM n FROM t");
    assert_eq!(at(transaction.requires.as_ref().expect("a condition").place), "q > 0");
    assert_eq!(at(transaction.variables[2].place), "ö");
    let whole = at(transaction.place);
    assert!(whole.starts_with("-- transaction ä(") && whole.ends_with("-- end"), "{whole}");
}
