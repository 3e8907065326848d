//! The oracles against the corpus: litmus tests and labelled random histories.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hobgoblin_core::{History, HistoryBuilder, Key, Kind, Level, TxnInfo, Value};
use hobgoblin_oracle::{brute, frontier, notation};
use serde_json::Value as Json;

fn corpus(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn the_oracles_agree_with_the_litmus_table() {
    let table = corpus("litmus/VERDICTS.md");
    let mut rows = table.lines().filter(|l| l.starts_with('|')).map(|line| {
        let cells = line.trim_matches('|').split('|').map(str::trim);
        cells.collect::<Vec<_>>()
    });
    let levels: Vec<Level> = rows.next().unwrap()[1..].iter().map(|l| l.parse().unwrap()).collect();
    let mut seen = 0;
    for row in rows.skip(1) {
        let history = notation::parse(&corpus(&format!("litmus/{}.txn", row[0])));
        for (&level, &sign) in levels.iter().zip(&row[1..]) {
            assert_eq!(brute::satisfies(&history, level.into()), sign == "+", "{} {level}", row[0]);
            if matches!(level, Level::PC | Level::SI | Level::SER) {
                assert_eq!(frontier::satisfies(&history, level), sign == "+", "{} {level}", row[0]);
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 31);
}

/// The 1,200 labelled histories, each with the levels that hold.
fn labelled() -> Vec<(History, Vec<Level>)> {
    corpus("random/labelled.jsonl").lines().map(labelled_line).collect()
}

fn labelled_line(line: &str) -> (History, Vec<Level>) {
    let json: Json = serde_json::from_str(line).unwrap();
    let mut builder = HistoryBuilder::new();
    for txn in json["history"].as_array().unwrap() {
        let session = builder.session(&Key::Int(txn["session"].as_i64().unwrap()));
        builder.begin(session);
        for op in txn["ops"].as_array().unwrap() {
            let kind = if op[0] == "w" { Kind::Write } else { Kind::Read };
            let key = builder.key(&op[1].as_str().unwrap().into());
            builder.event(kind, key, &op[2].as_i64().map_or(Value::Null, Value::Int));
        }
        builder.end(TxnInfo { name: txn["id"].as_str(), ..TxnInfo::default() }).unwrap();
    }
    let holds = json["holds"].as_array().unwrap().iter();
    let holds = holds.map(|l| l.as_str().unwrap().parse().unwrap()).collect();
    (builder.finish().unwrap(), holds)
}

#[test]
fn the_oracles_agree_with_the_labels() {
    let levels = [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER];
    let mut held: BTreeMap<Level, usize> = BTreeMap::new();
    let histories = labelled();
    assert_eq!(histories.len(), 1200);
    for (i, (history, holds)) in histories.iter().enumerate() {
        for level in levels {
            let answer = brute::satisfies(history, level.into());
            assert_eq!(answer, holds.contains(&level), "line {} {level}", i + 1);
            *held.entry(level).or_default() += usize::from(answer);
            if matches!(level, Level::PC | Level::SI | Level::SER) {
                assert_eq!(frontier::satisfies(history, level), answer, "line {} {level}", i + 1);
            }
        }
    }
    assert!(held.values().all(|&n| (200..1200).contains(&n)), "{held:?}");
}
