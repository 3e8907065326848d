//! The corpus: every label is agreed with, every certificate accepted.

use std::path::Path;

use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check, check_levels};
use hobgoblin_core::{History, Level, Target, Verdict};
use hobgoblin_format::{Format, read, read_path};
use serde_json::Value;

const LABELLED: [Level; 7] =
    [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER];

fn corpus(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name)
}

/// A labelled line: the history, and the levels that hold.
fn labelled(line: &str) -> (History, Vec<Level>) {
    let json: Value = serde_json::from_str(line).expect("a line is JSON");
    let txns = json["history"].as_array().expect("a history is a list");
    let lines: Vec<String> = txns.iter().map(Value::to_string).collect();
    let history = read(lines.join("\n").as_bytes(), "labelled", Some(Format::Jsonl));
    let holds = json["holds"].as_array().expect("labels are a list").iter();
    let holds = holds.map(|l| l.as_str().expect("a name").parse().expect("a level"));
    (history.expect("a transaction is a line of jsonl"), holds.collect())
}

/// Checks every level, alone and with the others, and every certificate.
fn agree(name: &str, history: &History, holds: impl Fn(Level) -> bool) {
    let answers = check_levels(history, &LABELLED, &Limits::none(), |_| {});
    assert_eq!(answers.len(), LABELLED.len());
    for answer in answers {
        let target = Target::Level(answer.level);
        let alone = check(history, target, &Limits::none());
        for verdict in [&answer.verdict, &alone] {
            let held = matches!(verdict, Verdict::Consistent(_));
            assert_eq!(held, holds(answer.level), "{name} at {}: {verdict:?}", answer.level);
            verify(history, target, verdict).unwrap_or_else(|error| {
                panic!("{name} at {}: {error}: {verdict:?}", answer.level);
            });
        }
    }
}

#[test]
fn the_labelled_histories() {
    let text = std::fs::read_to_string(corpus("random/labelled.jsonl")).expect("it is there");
    assert_eq!(text.lines().count(), 1200);
    for (at, line) in text.lines().enumerate() {
        let (history, holds) = labelled(line);
        agree(&format!("line {}", at + 1), &history, |level| holds.contains(&level));
    }
}

/// Compares the files of a directory with its table, and returns how many there are.
fn agree_with_table(directory: &str, extension: &str) -> usize {
    let table = corpus(&format!("{directory}/VERDICTS.md"));
    let table = std::fs::read_to_string(table).expect("it is there");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows[0][1..], LABELLED.map(Level::name));
    for row in &rows[2..] {
        let history = read_path(corpus(&format!("{directory}/{}{extension}", row[0])), None);
        let at = |level| LABELLED.iter().position(|&l| l == level).expect("all are labelled");
        agree(row[0], &history.expect("it can be read"), |level| row[at(level) + 1] == "+");
    }
    rows.len() - 2
}

#[test]
fn the_litmus_histories() {
    assert_eq!(agree_with_table("litmus", ".txn"), 31);
}

#[test]
fn the_foreign_histories() {
    assert_eq!(agree_with_table("formats", ""), 8);
}
