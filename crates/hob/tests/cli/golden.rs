//! Golden files: commands, and what they print.
//!
//! ```text
//! $ hob check corpus/litmus/lost-update.txn
//! ? 1
//! ...
//! ```
//!
//! A line that begins with `$` is a command for the shell, run in the root of the project with
//! `$SCRATCH` a directory of its own; `?` is its exit code, if not 0; the rest is its output. After a
//! change, run the tests with `UPDATE_GOLDEN=1` and read the difference.

use std::path::Path;
use std::process::Command;

use crate::run::{Scratch, root};

/// What the shell says to a command, as golden files have it.
fn said(command: &str, scratch: &Scratch) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_hob")).parent().expect("a file has a directory");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(root())
        .env("PATH", path)
        .env("SCRATCH", scratch.file(""))
        .output()
        .expect("there is a shell");
    let code = match output.status.code().expect("no signal ends the shell") {
        0 => String::new(),
        code => format!("? {code}\n"),
    };
    let text = String::from_utf8(output.stdout).expect("output is text");
    code + &text.replace(&scratch.file(""), "$SCRATCH")
}

/// Runs the commands of a text, and returns it with what they really say.
fn replay(golden: &str, scratch: &Scratch) -> String {
    let (comment, rest) = match golden.split_once("$ ") {
        Some((comment, rest)) if comment.is_empty() || comment.ends_with('\n') => (comment, rest),
        _ => panic!("there is no command in this file"),
    };
    let sections = rest.split("\n$ ").map(|section| {
        let command = section.lines().next().unwrap_or_default();
        format!("$ {command}\n{}", said(command, scratch).trim_end_matches('\n'))
    });
    let sections: Vec<String> = sections.map(|s| s.trim_end_matches('\n').to_owned()).collect();
    format!("{comment}{}\n", sections.join("\n\n"))
}

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let golden = std::fs::read_to_string(&path).expect("the golden file is there");
    let scratch = Scratch::new(name);
    let real = replay(&golden, &scratch);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, real).expect("the golden file can be written");
        return;
    }
    let mut lines = golden.lines().zip(real.lines()).enumerate();
    if let Some((at, (expected, got))) = lines.find(|(_, (a, b))| a != b) {
        panic!("{name}:{}\nexpected: {expected}\n     got: {got}", at + 1);
    }
    assert_eq!(golden.lines().count(), real.lines().count(), "{name}");
}

#[test]
fn help() {
    check("help.txt");
}

#[test]
fn litmus() {
    check("litmus.txt");
}

#[test]
fn errors() {
    check("errors.txt");
}

#[test]
fn check_command() {
    check("check.txt");
}

#[test]
fn explore() {
    check("explore.txt");
}

#[test]
fn prove() {
    check("prove.txt");
}

#[test]
fn other_commands() {
    check("others.txt");
}
