//! Whoever depends on this crate finds the crates that both use as they were: cargo builds each of them once, with the
//! features of all who ask for it, so a feature that changes what a crate does changes it for everybody.

mod outside;

use std::collections::{BTreeMap, BTreeSet};

use outside::{Outside, text};

/// What `serde_json` makes of numbers, which its feature `arbitrary_precision` changes.
const TEST: &str = r##"
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Price { amount: f64 },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Int(u32),
    Float(f64),
}

#[derive(Debug, Serialize, Deserialize)]
struct Flat {
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Debug, Serialize, Deserialize)]
struct Inner {
    amount: f64,
}

#[test]
fn floats() {
    let mut out = String::new();
    out += &format!("{:?}\n", serde_json::from_str::<Tagged>(r#"{"kind":"Price","amount":1.5}"#));
    out += &format!("{:?}\n", serde_json::from_str::<Untagged>("1.50"));
    out += &format!("{:?}\n", serde_json::from_str::<Flat>(r#"{"amount":2.5e3}"#));
    let value: serde_json::Value = serde_json::from_str(r#"{"b":1.50,"a":[1e2,0.1000000000000000055]}"#).unwrap();
    out += &format!("{value} {value:?}\n");
    out += &format!("{:?}\n", serde_json::to_value(f64::NAN));
    out += &format!("{:?}\n", serde_json::from_str::<serde_json::Value>("1e400").is_ok());
    std::fs::write("floats.txt", out).unwrap();
}
"##;

fn floats(name: &str, with: &str) -> String {
    let serde = "serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"\n";
    let outside = Outside::new(name, &format!("{serde}{with}"));
    outside.write("tests/floats.rs", TEST);
    let run = outside.cargo(&[], &["test", "--quiet"]);
    assert!(run.status.success(), "{}", text(&run));
    outside.read("floats.txt").expect("it is written")
}

#[test]
fn json_is_what_it_was() {
    let (without, with) =
        (floats("without", ""), floats("with", "hobgoblin = { path = \"{hobgoblin}\" }"));
    assert_eq!(without, with);
    assert!(without.contains("Price { amount: 1.5 }"), "{without}");
}

/// With every feature of ours, the features of the crates that users have too are those that add something and change
/// nothing.
#[test]
fn no_feature_changes_a_crate_of_others() {
    let all = "hobgoblin = { path = \"{hobgoblin}\", features = [\"explore\", \"formats\", \"postgres\"] }";
    let outside = Outside::new("all", all);
    let arguments = ["tree", "--edges", "normal,dev", "--prefix", "none", "--format", "{p}|{f}"];
    let tree = outside.cargo(&[], &arguments);
    assert!(tree.status.success(), "{}", text(&tree));
    let tree = String::from_utf8(tree.stdout).expect("text");
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in tree.lines() {
        let (package, features) = line.split_once('|').expect("a package and its features");
        let name = package.split_whitespace().next().expect("a name");
        let features = features.trim_end_matches(" (*)").split(',').filter(|f| !f.is_empty());
        found.entry(name).or_default().extend(features);
    }
    let harmless = ["alloc", "default", "std", "derive", "raw_value", "result", "serde_derive"];
    for name in ["serde", "serde_core", "serde_json", "memchr", "itoa"] {
        let features = found.get(name).unwrap_or_else(|| panic!("{name} is there:\n{tree}"));
        let others: Vec<_> = features.iter().filter(|f| !harmless.contains(f)).collect();
        assert!(others.is_empty(), "{name} has {others:?}");
    }
}
