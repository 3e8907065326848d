//! What docs/levels.md and docs/references.md say is so.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hobgoblin_core::{Anomaly, LEVELS, Level, Target};
use hobgoblin_gen::weakest_violated;
use hobgoblin_oracle::notation::parse;
use hobgoblin_oracle::{brute, state};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn doc(name: &str) -> String {
    let path = root().join("docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn names(levels: impl IntoIterator<Item = Level>) -> String {
    levels.into_iter().map(Level::name).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_litmus_has_the_verdicts_it_claims() {
    let doc = doc("levels.md");
    let blocks: Vec<&str> = doc
        .split("```txn\n")
        .skip(1)
        .map(|rest| rest.split_once("```").expect("the block ends").0)
        .collect();
    assert!(blocks.len() >= 15, "only {} blocks", blocks.len());
    for block in blocks {
        let history = parse(block);
        let claims: Vec<(&str, &str)> = block
            .lines()
            .filter_map(|line| line.strip_prefix("# holds")?.split_once(": "))
            .collect();
        assert!(!claims.is_empty(), "no claim in\n{block}");
        for (how, claim) in claims {
            let found = match how {
                "" => {
                    names(Level::ALL.into_iter().filter(|&l| brute::satisfies(&history, l.into())))
                }
                " by states" => {
                    let levels = [Level::RU, Level::RC, Level::SI, Level::SER, Level::SSER];
                    names(levels.into_iter().filter(|&l| state::satisfies(&history, l)))
                }
                " as a mix" => match brute::satisfies(&history, Target::Mixed(Level::SER)) {
                    true => "yes".to_owned(),
                    false => "no".to_owned(),
                },
                other => panic!("what is `# holds{other}:`?"),
            };
            assert_eq!(found, claim, "`# holds{how}:` in\n{block}");
        }
    }
}

#[test]
fn every_level_has_its_section_and_citation() {
    let doc = doc("levels.md");
    for row in &LEVELS {
        let heading = format!("\n### {}: {}\n", row.name, row.title);
        let (_, section) = doc.split_once(&heading).unwrap_or_else(|| panic!("{heading}"));
        let section = section.split("\n### ").next().expect("there is a first part");
        assert!(section.contains(row.citation), "{heading} lacks {}", row.citation);
    }
}

#[test]
fn every_anomaly_is_in_the_table_with_the_level_that_forbids_it() {
    let doc = doc("levels.md");
    for anomaly in Anomaly::ALL {
        let levels = names(weakest_violated(anomaly).iter().copied());
        let row = format!("| `{}` | {} | {levels} |\n", anomaly.code(), anomaly.title());
        assert!(doc.contains(&row), "levels.md lacks {row}");
    }
}

#[test]
fn every_citation_is_a_reference() {
    let references = doc("references.md");
    let mut cited = BTreeSet::new();
    for name in ["levels.md", "references.md"] {
        citations(&doc(name), &mut cited);
    }
    let mut open = vec![root().join("crates")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("the directory can be read");
            open.extend(entries.map(|entry| entry.expect("the entry can be read").path()));
        } else if path.extension().is_some_and(|e| e == "rs") {
            citations(&std::fs::read_to_string(&path).expect("sources are text"), &mut cited);
        }
    }
    assert!(cited.len() >= 10 && cited.contains("Biswas 2021a"), "{cited:?}");
    for citation in cited {
        let entry = format!("\n- **[{citation}]** ");
        assert!(references.contains(&entry), "references.md lacks [{citation}]");
    }
}

/// Adds every `Name Year` that follows an opening bracket, with a letter where a year has two.
fn citations(text: &str, cited: &mut BTreeSet<String>) {
    for rest in text.split('[').skip(1) {
        let name = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let year = rest.get(name + 1..name + 5).unwrap_or_default();
        let starts = rest.starts_with(|c: char| c.is_ascii_uppercase()) && name > 1;
        let after = rest.get(name + 5..).unwrap_or_default();
        let letter = usize::from(after.starts_with(|c: char| c.is_ascii_lowercase()));
        let ends = after[letter..].starts_with([',', ']']);
        if starts && ends && rest[name..].starts_with(' ') && year.parse::<u16>().is_ok() {
            cited.insert(rest[..name + 5 + letter].to_owned());
        }
    }
}
