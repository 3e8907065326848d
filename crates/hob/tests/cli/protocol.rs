//! `hob protocol`: verdicts, files, limits, and errors.

use serde_json::{Value, json};

use crate::run::{Run, Scratch, hob_on};

fn protocol(args: &str) -> Run {
    hob_on(&format!("protocol {args}"), b"")
}

/// With `--json`: the exit code and the report, which is valid.
fn report(args: &str) -> (i32, Value) {
    let run = protocol(&format!("{args} --json"));
    (run.code, run.report("protocol"))
}

#[test]
fn two_phase_commit_is_serializable() {
    for (t, r, states, depth) in [(1, 1, 177, 18), (2, 1, 1_118, 22), (1, 2, 3_364, 32)] {
        let (code, report) = report(&format!("2pc --transactions {t} --resources {r}"));
        assert_eq!(code, 0);
        assert_eq!((&report["states"], &report["depth"]), (&json!(states), &json!(depth)));
        let all = json!({"RU": "holds", "RC": "holds", "SI": "holds", "SER": "holds"});
        assert_eq!(report["levels"], all);
        assert_eq!((&report["complete"], &report["termination"]), (&json!(true), &json!("holds")));
        assert_eq!(report["invariants"], json!({"atomicity": "holds"}));
    }
}

#[test]
fn the_seeded_bug_is_a_run_of_twenty_states() {
    let (code, report) = report("2pc --bug");
    assert_eq!(code, 1);
    assert_eq!((&report["transactions"], &report["resources"]), (&json!(3), &json!(2)));
    let violation = &report["violations"][0];
    assert_eq!(violation["states"], 20);
    assert_eq!(violation["steps"].as_array().map(Vec::len), Some(19));
    let mut violates: Vec<&str> =
        violation["violates"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    violates.sort_unstable();
    assert_eq!(violates, ["RC", "SER", "SI"]);
    assert_eq!(report["levels"]["RU"], "holds");
}

#[test]
fn every_model_answers_and_its_bug_is_caught() {
    for (args, code, level, answer) in [
        ("occ", 0, "SER", "holds"),
        ("occ --bug", 1, "SER", "violated"),
        ("si", 1, "SER", "violated"),
        ("si", 1, "SI", "holds"),
        ("si --level SI", 0, "SI", "holds"),
        ("si --bug", 1, "SI", "violated"),
        ("causal --level CC", 0, "CC", "holds"),
        ("causal", 1, "SI", "violated"),
        ("causal --bug", 1, "CC", "violated"),
        ("causal --bug --level RC", 0, "RC", "holds"),
        ("2pc -t 2 -r 1 --level SSER", 0, "SSER", "holds"),
        ("si --semantics axiomatic --level PC", 0, "PC", "holds"),
        ("occ --no-symmetry --threads 3", 0, "SER", "holds"),
    ] {
        let (exit, report) = report(args);
        assert_eq!((exit, &report["levels"][level]), (code, &json!(answer)), "{args}");
    }
}

#[test]
fn threads_change_nothing_and_names_are_counted_once() {
    let without_time = |args: &str| {
        let mut report = report(args).1;
        report["seconds"] = json!(0);
        report
    };
    for args in ["occ --bug", "si -t 3", "causal --bug --level CC,SER", "2pc -t 2 -r 1"] {
        let one = without_time(&format!("{args} --threads 1"));
        assert_eq!(one, without_time(&format!("{args} --threads 4")), "{args}");
    }
    let states = |args: &str| report(args).1["states"].as_u64().expect("a number");
    assert!(states("occ --no-symmetry") > 3 * states("occ"));
}

#[test]
fn a_counterexample_is_a_history_that_hob_check_refuses() {
    let scratch = Scratch::new("protocol-history");
    for (args, level) in [("si", "SER"), ("occ --bug", "SER"), ("2pc --bug", "RC")] {
        let file = scratch.file(&format!("{}.txn", args.replace(' ', "")));
        let run = protocol(&format!("{args} --quiet --history {file}"));
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{}", run.err);
        let check = format!("check --quiet --semantics state --level {level} {file}");
        assert_eq!(hob_on(&check, b"").code, 1, "{args}");
        assert_eq!(protocol(&format!("{args} --history {file}")).code, 2, "it exists");
        assert_eq!(protocol(&format!("{args} --force --history {file}")).code, 1);
    }
    // Without a counterexample there is nothing to write.
    let file = scratch.file("none.txn");
    assert_eq!(protocol(&format!("occ --history {file}")).code, 0);
    assert!(!std::path::Path::new(&file).exists());
    let run = protocol(&format!("si --history {}", scratch.file("nameless")));
    assert_eq!(run.code, 2);
    assert!(run.err.contains("--history"), "{}", run.err);
}

#[test]
fn a_counterexample_is_a_module_of_tla() {
    let scratch = Scratch::new("protocol-tla");
    let place = scratch.file("modules");
    assert_eq!(protocol(&format!("si --quiet --tla {place}")).code, 1);
    let module =
        std::fs::read_to_string(format!("{place}/Counterexample.tla")).expect("it is there");
    for part in [
        "EXTENDS ClientCentric",
        "ASSUME ~Serializability(s0, transactions)",
        "ASSUME SnapshotIsolation(s0, transactions)",
        "t1 |-> << r(\"r1\", 0), r(\"r2\", 0), w(",
    ] {
        assert!(module.contains(part), "{part}: {module}");
    }
    for file in ["ClientCentric.tla", "Counterexample.cfg"] {
        assert!(std::path::Path::new(&format!("{place}/{file}")).exists(), "{file}");
    }
    assert_eq!(protocol(&format!("si --quiet --tla {place}")).code, 2, "they exist");
}

#[test]
fn limits_end_in_unknown() {
    let (code, report) = report("2pc -t 3 -r 3 --time-limit 200ms");
    assert_eq!(
        (code, &report["complete"], &report["levels"]["SER"]),
        (3, &json!(false), &json!("unknown"))
    );
    assert!(report["stopped"].as_str().is_some_and(|reason| reason.contains("time")), "{report}");
    let run = protocol("2pc -t 3 -r 3 --memory-limit 60MB");
    assert_eq!(run.code, 3, "{}", run.out);
    assert!(run.out.contains("memory"), "{}", run.out);
}

#[test]
fn what_there_is_is_listed() {
    let run = protocol("list");
    assert_eq!(run.code, 0);
    for name in ["2pc", "occ", "si", "causal"] {
        assert!(run.out.lines().any(|line| line.starts_with(name)), "{}", run.out);
    }
    let run = protocol("list --json");
    assert_eq!(run.reports("protocol").len(), 4);
}

#[test]
fn wrong_arguments_are_told() {
    for (args, said) in [
        ("2pl", "2pc"),
        ("2pc --transactions 9", "there may be 1 to 4"),
        ("si --resources 0", "there may be 1 to 4"),
        ("occ --level strong", "--level"),
        ("occ --explore --json", "--json"),
        ("", "NAME"),
    ] {
        let run = protocol(args);
        assert_eq!(run.code, 2, "{args}");
        assert!(run.err.contains(said), "{args}: {}", run.err);
    }
}

#[test]
fn a_run_is_drawn_and_explained() {
    let run = protocol("occ --bug");
    for part in
        ["t1", "● locks r", "What was observed:", "Violated: SER.", "hob check --semantics state"]
    {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert_eq!(protocol("occ --bug --quiet").out, "");
    let run = protocol("occ");
    assert!(run.out.contains("this is a proof for this size"), "{}", run.out);
}

/// The explorer of stateright answers on the port, and a port that is taken is an error.
#[test]
fn the_explorer_is_served_on_loopback() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_hob"))
        .args(["protocol", "occ", "--explore=0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut line = String::new();
    let out = child.stdout.take().expect("it is piped");
    BufReader::new(out).read_line(&mut line).expect("it says where");
    let address = line.split_once("http://").and_then(|(_, rest)| rest.split_once(';'));
    let (address, _) = address.unwrap_or_else(|| panic!("{line}"));
    let mut answer = String::new();
    for _ in 0..100 {
        if let Ok(mut stream) = std::net::TcpStream::connect(address) {
            let request = "GET /.status HTTP/1.0\r\nHost: localhost\r\n\r\n";
            stream.write_all(request.as_bytes()).expect("it is sent");
            let _ = stream.read_to_string(&mut answer);
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // Only now is the port known to be taken.
    let taken = answer.contains("unique_state_count").then(|| {
        let (_, port) = address.rsplit_once(':').expect("it has a port");
        protocol(&format!("occ --explore={port}"))
    });
    child.kill().and_then(|()| child.wait()).expect("it ends");
    let taken = taken.unwrap_or_else(|| panic!("no status: {answer}"));
    assert_eq!(taken.code, 2);
    assert!(taken.err.contains("cannot listen on 127.0.0.1"), "{}", taken.err);
}
