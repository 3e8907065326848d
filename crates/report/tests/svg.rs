//! The pictures of small anomalies, as golden files; `UPDATE_GOLDEN=1` writes them anew.

use std::fs;
use std::path::Path;

use hobgoblin_check::{Limits, check, explain};
use hobgoblin_core::{History, Level, Verdict, Witness};
use hobgoblin_format::read;
use hobgoblin_report::svg;

fn witness(text: &str, level: Level) -> (History, Box<Witness>) {
    let history = read(text.as_bytes(), "example.txn", None).expect("the examples can be read");
    match check(&history, level, &Limits::none()) {
        Verdict::Violation(witness) => (history, witness),
        other => panic!("{level} is violated: {other:?}"),
    }
}

fn picture(text: &str, level: Level) -> String {
    let (history, witness) = witness(text, level);
    svg(&history, &witness, &explain::tell(&history, &witness))
}

fn golden(name: &str, found: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, found).expect("the golden file can be written");
    }
    let wanted = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(found, wanted, "{name} is drawn in another way; UPDATE_GOLDEN=1 if that is meant");
}

const LOST_UPDATE: &str = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";

#[test]
fn anomalies_have_their_pictures() {
    let cases = [
        ("lost-update.svg", LOST_UPDATE, Level::SI),
        (
            "write-skew.svg",
            "init x=0 y=0\ns1: t1 { r(x)=0 r(y)=0 w(x)=1 }\ns2: t2 { r(x)=0 r(y)=0 w(y)=1 }",
            Level::SER,
        ),
        (
            "long-fork.svg",
            "init x=0 y=0\ns1: t1 { w(x)=1 }\ns2: t2 { w(y)=1 }\n\
             s3: t3 { r(x)=1 r(y)=0 }\ns4: t4 { r(x)=0 r(y)=1 }",
            Level::SI,
        ),
        (
            "causality.svg",
            "init x=0 y=0\ns1: t1 { w(x)=1 }\ns2: t2 { r(x)=1 w(y)=1 }\ns3: t3 { r(y)=1 r(x)=0 }",
            Level::CC,
        ),
        ("aborted-read.svg", "init x=0\ns1: t1 aborted { w(x)=1 }\ns2: t2 { r(x)=1 }", Level::RC),
        (
            "read-your-writes.svg",
            "init x=0\ns1: t1 { w(x)=1 }\ns1: t2 { r(x)=0 }\ns2: t3 { r(x)=1 }",
            Level::RA,
        ),
    ];
    for (name, text, level) in cases {
        golden(name, &picture(text, level));
    }
}

#[test]
fn a_picture_stands_alone() {
    let svg = picture(LOST_UPDATE, Level::SI);
    assert!(svg.starts_with("<svg xmlns="));
    for part in ["<title>", "<desc>", "<style>", "prefers-color-scheme:dark", "rw(x)"] {
        assert!(svg.contains(part), "{part} is missing");
    }
    assert!(!svg.contains("<script") && !svg.contains("style=\"") && !svg.contains("href"));
}

#[test]
fn the_rest_is_counted() {
    let text = format!("{LOST_UPDATE}\ns3: t3 {{ w(y)=1 }}\ns3: t4 {{ r(y)=1 }}");
    let svg = picture(&text, Level::SI);
    assert!(svg.contains("Not drawn: 2 other transactions."));
}

#[test]
fn long_labels_are_cut_in_the_middle() {
    let key = format!("begin{}end", "k".repeat(200));
    let text = LOST_UPDATE.replace('x', &key);
    let svg = picture(&text, Level::SI);
    let label =
        svg.split("rw(").nth(1).and_then(|rest| rest.split(')').next()).expect("there is one");
    assert_eq!(label.chars().count(), 24);
    assert!(label.starts_with("begin") && label.ends_with("end") && label.contains('…'));
}
