//! Hermitage's anomalies under state semantics: the table in corpus/hermitage, the checker and brute force agree.

use std::path::PathBuf;

use hobgoblin_check::Limits;
use hobgoblin_check::state::{StateVerdict, check_state};
use hobgoblin_core::{History, Level};
use hobgoblin_oracle::state as oracle;

const LEVELS: [Level; 4] = [Level::RU, Level::RC, Level::SI, Level::SER];

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/hermitage")
}

/// The rows of the table: a history, and what each level says to it.
fn table() -> Vec<(String, [bool; 4])> {
    let text = std::fs::read_to_string(corpus().join("VERDICTS.md")).expect("the table is there");
    let rows = text.lines().filter(|line| line.contains("| holds") || line.contains("| violated"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, verdicts @ ..] = &cells[..] else { panic!("{line}") };
        let verdicts: Vec<bool> = verdicts.iter().map(|verdict| *verdict == "holds").collect();
        (name.to_string(), verdicts.try_into().expect("there are four levels"))
    };
    rows.map(row).collect()
}

fn history(name: &str) -> History {
    hobgoblin_format::read_path(corpus().join(format!("{name}.txn")), None).expect("it is right")
}

#[test]
fn every_history_has_its_verdicts() {
    let mut files: Vec<String> = std::fs::read_dir(corpus())
        .expect("the corpus is there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txn"))
        .map(|path| path.file_stem().expect("it has a name").to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut rows: Vec<String> = table().into_iter().map(|(name, _)| name).collect();
    rows.sort();
    assert_eq!(files, rows);
    assert_eq!(files.len(), 14);
}

#[test]
fn the_table_the_checker_and_brute_force_agree() {
    for (name, verdicts) in table() {
        let history = history(&name);
        for (level, holds) in LEVELS.into_iter().zip(verdicts) {
            let verdict = check_state(&history, level, &Limits::none()).expect("it is defined");
            let checked = matches!(verdict, StateVerdict::Consistent(_));
            assert_eq!(checked, holds, "{name} at {level}");
            assert_eq!(
                oracle::satisfies(&history, level),
                holds,
                "{name} at {level}, by brute force"
            );
        }
    }
}
