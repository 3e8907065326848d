//! `hob check --follow`.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::run::{Scratch, hob, hob_on};

#[test]
fn a_violation_is_told_as_soon_as_it_is_appended() {
    let scratch = Scratch::new("follow");
    let file = scratch.write("growing.jsonl", b"{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_hob"))
        .args(["check", "--follow", "--verify", &file])
        .stdout(Stdio::piped())
        .spawn()
        .expect("hob starts");
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let grow = |text: &str| {
        let mut file = OpenOptions::new().append(true).open(&file).expect("it is there");
        file.write_all(text.as_bytes()).expect("there is room");
    };
    // A line may come in two parts.
    grow("{\"session\":2,\"ops\":[[\"w\",\"x\",2],[\"w\",");
    std::thread::sleep(std::time::Duration::from_millis(250));
    grow("\"y\",2]]}\n{\"session\":3,\"ops\":[[\"r\",\"x\",null],[\"r\",\"y\",2]]}\n");
    let mut line = String::new();
    output.read_line(&mut line).expect("it is told");
    assert_eq!(line, format!("{file}: RA, CC are violated after 3 transactions\n"));
    // RC is left; once it is gone too, there is nothing to wait for.
    grow("{\"session\":4,\"status\":\"aborted\",\"ops\":[[\"w\",\"x\",4]]}\n");
    grow("{\"session\":5,\"ops\":[[\"r\",\"x\",4]]}\n");
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    let rest: Vec<String> = output.lines().map(|line| line.expect("text")).collect();
    let rest = rest.join("\n");
    assert!(rest.contains("RC is violated after 5 transactions"), "{rest}");
    assert!(rest.ends_with("RC is violated, RA is violated, CC is violated"), "{rest}");
}

#[test]
fn the_end_of_standard_input_is_the_end() {
    let history = hob("gen --transactions 200 --level CC").out;
    let run = hob_on("check --follow -", history.as_bytes());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(run.out, "<stdin>: 200 transactions: RC holds, RA holds, CC holds\n");
    // Until the end, somebody might still write what was read.
    let run = hob_on("check --follow --quiet -", b"{\"session\":0,\"ops\":[[\"r\",\"x\",1]]}");
    assert_eq!((run.code, run.out.as_str()), (1, ""));
}

#[test]
fn every_anomaly_is_found_as_offline() {
    for (anomaly, level) in [
        ("aborted-read", "RC"),
        ("circular-information-flow", "RC"),
        ("fractured-read", "RA"),
        ("read-your-writes", "RA"),
        ("causality-violation", "CC"),
        ("lost-update", ""),
    ] {
        let history = hob(&format!("gen --transactions 300 --anomaly {anomaly}")).out;
        let run = hob_on("check --follow --verify -", history.as_bytes());
        let offline = hob_on("check --quiet --level RC,RA,CC -", history.as_bytes());
        assert_eq!(run.code, offline.code, "{anomaly}: {}", run.out);
        let violated = ["RC", "RA", "CC"].iter().find(|l| run.out.contains(&format!("{l} is v")));
        assert_eq!(*violated.unwrap_or(&""), level, "{anomaly}: {}", run.out);
    }
}

#[test]
fn what_cannot_be_followed_is_told() {
    for (args, input, told) in [
        ("--follow nowhere.jsonl", "", "cannot read this"),
        ("--follow --level SER -", "", "SER cannot be checked online"),
        ("--follow --format txn -", "", "only jsonl can be followed"),
        ("--follow --semantics state -", "", "states cannot be followed"),
        ("--follow a b", "", "only one file"),
        ("--follow --mixed -", "", "cannot be used with"),
        ("--follow -", "{\"session\":0}\n", "ops"),
        (
            "--follow -",
            "{\"session\":0,\"ops\":[[\"w\",\"x\",1]]}\n{\"session\":1,\"ops\":[[\"w\",\"x\",1],[\"w\",\"y\",1]]}\n{\"session\":2,\"ops\":[[\"r\",\"x\",1]]}\n",
            "written more than once",
        ),
    ] {
        let run = hob_on(&format!("check {args}"), input.as_bytes());
        assert_eq!(run.code, 2, "{args}: {}", run.out);
        assert!(run.err.contains(told), "{args}: {}", run.err);
    }
}
