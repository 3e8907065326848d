//! Names and values that would drive a terminal, if they reached one.

use std::process::{Command, Stdio};

use crate::run::{Scratch, hob, root};

/// A title, a color, an answer-back, an eight-bit control sequence, an override of direction.
const NASTY: &str = "\u{1b}]0;pwned\u{7}\u{1b}[31m\u{9b}2J\r\u{202e}evil\u{2066}\u{7f}";

/// As JSON has it, and what must not be in any output.
fn json(text: &str) -> String {
    serde_json::to_string(text).expect("text is JSON")
}

#[track_caller]
fn harmless(what: &str, text: &str) {
    let harmful = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if let Some(at) = text.find(harmful) {
        let from = text[..at].char_indices().rev().nth(30).map_or(0, |(at, _)| at);
        panic!("{what}: a harmful character after {:?}", &text[from..at]);
    }
}

/// A lost update between transactions, sessions and keys of nasty names, with nasty values and statements.
fn history() -> String {
    let (key, value) = (json(&format!("k{NASTY}")), |n: u32| json(&format!("v{n}{NASTY}")));
    let mut text = format!("{{\"hobgoblin\":1,\"initial\":{{{key}:{}}}}}\n", value(0));
    for n in [1, 2] {
        let (session, id) = (json(&format!("s{n}{NASTY}")), json(&format!("t{n}{NASTY}")));
        let statements = json(&format!("UPDATE {NASTY}"));
        text.push_str(&format!(
            "{{\"session\":{session},\"id\":{id},\"ops\":[{{\"f\":\"r\",\"key\":{key},\"value\":{},\
             \"stmt\":0}},{{\"f\":\"w\",\"key\":{key},\"value\":{},\"stmt\":0}}],\
             \"statements\":[{statements}]}}\n",
            value(0),
            value(n)
        ));
    }
    text
}

#[test]
fn histories() {
    let scratch = Scratch::new("nasty");
    let file = scratch.write("nasty.jsonl", history().as_bytes());
    for flags in [
        "",
        "--all-explanations",
        "--json",
        "--dot -",
        "--follow --time-limit 500ms",
        "--mixed",
        "--verify",
    ] {
        let run = hob(&format!("check {flags} {file}"));
        assert!(matches!(run.code, 1 | 3), "{flags}: {}", run.err);
        harmless(flags, &run.out);
        harmless(flags, &run.err);
    }
    // What is shown says what is there.
    let run = hob(&format!("check {file}"));
    assert!(run.out.contains("\\u001b]0;pwned\\u0007"), "{}", run.out);
    // JSON is still what it was.
    let run = hob(&format!("check --json {file}"));
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let names = &report["levels"]["SI"]["witness"]["transactions"];
    assert!(names.as_array().expect("names").contains(&format!("t1{NASTY}").into()), "{names}");
    // Two executions have names in tables and errors.
    for names in [format!("t1{NASTY},t2{NASTY}"), format!("nobody{NASTY}")] {
        let output = Command::new(env!("CARGO_BIN_EXE_hob"))
            .args(["check", "--execution", &names, &file])
            .output()
            .expect("hob starts");
        harmless("execution", &String::from_utf8_lossy(&output.stdout));
        harmless("execution", &String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn errors_and_names_of_files() {
    let scratch = Scratch::new("nasty-errors");
    let directory = scratch.file(&format!("d{NASTY}\n"));
    std::fs::create_dir(&directory).expect("the file system takes any name");
    let name = |name: &str| format!("{directory}/{name}");
    std::fs::write(name("a.txn"), history()).expect("there is room");
    std::fs::write(name("b.jsonl"), format!("{{\"session\":{NASTY}")).expect("there is room");
    std::fs::write(name("c.jsonl"), history().replace("\"ops\"", &json(NASTY)))
        .expect("there is room");
    std::fs::write(name("d.jsonl"), history()).expect("there is room");
    std::fs::write(name("e.hob"), format!("init x = 0\n{NASTY}")).expect("there is room");
    let bad_level = format!("l{NASTY}");
    let cases: [&[&str]; 11] = [
        &["check", &directory],
        &["check", "--recursive", &directory],
        &["check", "--json", &name("a.txn"), &name("b.jsonl"), &name("d.jsonl")],
        &["check", &name("none")],
        &["check", "--level", &bad_level, "x"],
        &["convert", &name("d.jsonl"), &name("b.jsonl")],
        &["convert", &name("d.jsonl"), &name("new.plume")],
        &["explore", &name("e.hob")],
        &["test", "--", &name("no command")],
        &["test", &name("no dashes")],
        &["serve", "--history", &name("d.jsonl")],
    ];
    for args in cases {
        let output = Command::new(env!("CARGO_BIN_EXE_hob"))
            .args(args)
            .current_dir(root())
            .stdin(Stdio::null())
            .output()
            .expect("hob starts");
        assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {output:?}");
        for text in [&output.stdout, &output.stderr] {
            harmless(args[0], std::str::from_utf8(text).expect("output is text"));
        }
    }
}

#[test]
fn commands_that_print() {
    let scratch = Scratch::new("nasty-test");
    let out = scratch.file("failures");
    for flags in [&["--until-fail"][..], &["--json"], &["--baseline-runs", "0", "--runs", "2"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_hob"))
            .args(["test", "--out", &out])
            .args(flags)
            .args(["--", "sh", "-c", &format!("printf %s '{NASTY}'; exit 1")])
            .current_dir(scratch.file(""))
            .stdin(Stdio::null())
            .output()
            .expect("hob starts");
        assert!(matches!(output.status.code(), Some(1 | 3)), "{output:?}");
        harmless("test", std::str::from_utf8(&output.stdout).expect("output is text"));
        harmless("test", std::str::from_utf8(&output.stderr).expect("output is text"));
    }
}

/// What is piped is as it was, to the byte.
#[test]
fn data_for_programs_is_not_touched() {
    let scratch = Scratch::new("nasty-data");
    let file = scratch.write("nasty.jsonl", history().as_bytes());
    let there = hob(&format!("convert {file} - --to txn")).out;
    let path = scratch.write("there.txn", there.as_bytes());
    let back = hob(&format!("convert {path} - --to jsonl")).out;
    let once = hob(&format!("convert {file} - --to jsonl")).out;
    assert_eq!(back, once);
}
