//! Which crates use which: the picture in docs/architecture.md as data.
//!
//! Read from the manifests; what only tests use is apart. A new arrow is a change of the architecture: it is drawn
//! here and there in one commit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Every crate, with those it uses, from below.
const ARROWS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("plpgsql", &[]),
    ("regex", &[]),
    ("wire", &[]),
    ("format", &["core"]),
    ("gen", &["core"]),
    ("oracle", &["core"]),
    ("check", &["core"]),
    ("report", &["check", "core"]),
    ("explore", &["check", "core", "format"]),
    ("protocol", &["check", "core"]),
    ("crdt", &["check", "core"]),
    ("store", &["core", "format"]),
    ("front", &["core", "format", "store"]),
    ("sql-value", &["core", "regex"]),
    ("sql-schema", &["core", "sql-value"]),
    ("sql-bind", &["core", "front", "sql-schema", "sql-value"]),
    ("sql-exec", &["core", "front", "sql-bind", "sql-schema", "sql-value"]),
    ("sql-session", &["core", "front", "sql-exec", "sql-schema", "sql-value"]),
    ("sql-postgres-types", &["core", "sql-schema", "sql-value"]),
    ("sql-postgres-functions", &["core", "regex", "sql-postgres-types", "sql-schema", "sql-value"]),
    ("sql-mysql-types", &["core", "sql-schema", "sql-value"]),
    ("sql-mysql-functions", &["core", "regex", "sql-mysql-types", "sql-schema", "sql-value"]),
    (
        "sql-mysql",
        &[
            "core",
            "front",
            "sql-bind",
            "sql-exec",
            "sql-mysql-types",
            "sql-schema",
            "sql-session",
            "sql-value",
        ],
    ),
    (
        "sql-postgres",
        &[
            "core",
            "front",
            "sql-bind",
            "sql-exec",
            "sql-postgres-types",
            "sql-schema",
            "sql-session",
            "sql-value",
        ],
    ),
    (
        "sql",
        &[
            "front",
            "sql-mysql",
            "sql-mysql-functions",
            "sql-mysql-types",
            "sql-postgres",
            "sql-postgres-functions",
            "sql-postgres-types",
            "sql-schema",
        ],
    ),
    ("prove", &["core", "front", "plpgsql", "sql-postgres", "sql-postgres-types"]),
    (
        "server",
        &[
            "check",
            "core",
            "format",
            "front",
            "report",
            "sql-mysql",
            "sql-mysql-types",
            "sql-postgres",
            "sql-postgres-types",
            "sql-schema",
            "sql-value",
            "store",
            "wire",
        ],
    ),
    ("runner", &["check", "core", "format", "front", "server", "store"]),
    (
        "hobgoblin",
        &[
            "check", "core", "crdt", "explore", "format", "front", "protocol", "server", "sql",
            "store",
        ],
    ),
    (
        "cli",
        &[
            "check", "core", "crdt", "explore", "format", "gen", "protocol", "prove", "report",
            "runner", "server", "store",
        ],
    ),
    ("hob", &["cli", "sql"]),
    ("apps", &["core", "front", "hobgoblin", "server"]),
    ("embedded", &[]),
    ("oltp", &["core", "front", "sql"]),
    ("examples/crdt", &["hobgoblin"]),
    ("examples/protocol", &["hobgoblin"]),
];

/// Only tests may use the oracle.
const ORACLE: &str = "oracle";

/// The crates of the workspace, with those of them that each uses, and those that only its tests use.
fn manifests() -> BTreeMap<String, [BTreeSet<String>; 2]> {
    let base = crate::root();
    let mut crates = BTreeMap::new();
    for folder in ["crates", "examples"] {
        for entry in fs::read_dir(base.join(folder)).expect("the folder is there") {
            let place = entry.expect("it can be read").path();
            let Ok(text) = fs::read_to_string(place.join("Cargo.toml")) else { continue };
            let manifest: toml::Table = text.parse().expect("cargo reads it too");
            let name =
                place.file_name().and_then(|name| name.to_str()).expect("our names are text");
            let used = |section: &str| -> BTreeSet<String> {
                let section = manifest.get(section).and_then(toml::Value::as_table);
                let names = section.into_iter().flat_map(toml::Table::keys);
                names.filter_map(|name| ours(name)).collect()
            };
            let [normal, build] = ["dependencies", "build-dependencies"].map(used);
            let normal = normal.union(&build).cloned().collect();
            // An example may be called as the crate that it shows.
            let name = match crates.contains_key(name) {
                true => format!("{folder}/{name}"),
                false => name.to_owned(),
            };
            crates.insert(name, [normal, used("dev-dependencies")]);
        }
    }
    crates
}

/// The folder of a crate of ours.
fn ours(package: &str) -> Option<String> {
    match package.strip_prefix("hobgoblin") {
        Some("") => Some("hobgoblin".to_owned()),
        Some(rest) => rest.strip_prefix('-').map(str::to_owned),
        None => None,
    }
}

#[test]
fn crates_use_those_below_them() {
    let found: BTreeMap<String, BTreeSet<String>> =
        manifests().into_iter().map(|(name, [used, _])| (name, used)).collect();
    let drawn: BTreeMap<String, BTreeSet<String>> = ARROWS
        .iter()
        .map(|(name, used)| (name.to_string(), used.iter().map(|name| name.to_string()).collect()))
        .collect();
    for (name, used) in &found {
        let drawn = drawn.get(name).unwrap_or_else(|| {
            panic!("the crate {name} is new: draw it in {} and in docs/architecture.md", file!())
        });
        assert_eq!(
            used, drawn,
            "the arrows of {name}; a new one is drawn in docs/architecture.md too"
        );
    }
    assert_eq!(
        found.len(),
        drawn.len(),
        "a crate is gone: remove it here and in docs/architecture.md"
    );
}

#[test]
fn arrows_go_downward() {
    let mut below = BTreeSet::new();
    for (name, used) in ARROWS {
        for other in *used {
            assert!(below.contains(other), "{name} uses {other}, which is not below it");
        }
        below.insert(name);
    }
}

#[test]
fn the_oracle_is_for_tests() {
    for (name, [used, _]) in manifests() {
        assert!(!used.contains(ORACLE), "{name} uses the oracle, which is for tests only");
    }
}
