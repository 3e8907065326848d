//! Failures are found where the level allows them, explained, saved and replayed.

use crate::support::{Scratch, counter};

#[test]
fn a_lost_update_is_found_below_psi_and_not_above() {
    let scratch = Scratch::new("levels");
    let (code, report) = scratch.json("--level RC,PC,PSI,SER --runs 30", &[&counter()]);
    assert_eq!(code, 1);
    assert_eq!(
        (&report["baseline"]["runs"], &report["baseline"]["failures"]),
        (&3.into(), &0.into())
    );
    for (at, (level, fails)) in
        [("RC", true), ("PC", true), ("PSI", false), ("SER", false)].into_iter().enumerate()
    {
        let entry = &report["levels"][at];
        assert_eq!((&entry["level"], &entry["runs"]), (&level.into(), &30.into()));
        let failures = entry["failures"].as_u64().expect("a number");
        assert_eq!(failures > 0, fails, "{entry}");
        // Bob reads 0 or 1; with chance 2^-30 only one of them is seen.
        let behaviours = entry["behaviours"]["distinct"].as_u64().expect("a number");
        assert!(behaviours >= if fails { 2 } else { 1 }, "{entry}");
        if fails {
            assert_eq!(entry["anomalies"][0]["anomaly"], "lost-update");
            assert_eq!(entry["failure"]["diagnosis"]["violates"], "PSI");
            assert_eq!(entry["failure"]["ending"], "exit code 1");
            assert_eq!(entry["failure"]["output"], "0 + 2 should not be 1\n");
            assert!(entry["rate"]["low"].as_f64() > Some(0.0), "{entry}");
        }
    }
    // At PSI a stale snapshot is refused at its commit, and the transaction runs again.
    assert!(report["levels"][2]["refused"].as_u64() > Some(0), "{report}");
}

#[test]
fn the_same_seeds_give_the_same_report_however_many_run_at_once() {
    let scratch = Scratch::new("same");
    let one = scratch.test("--json --runs 20 --seed 5", &[&counter()]);
    assert_eq!(one.code, 1, "{one:?}");
    for args in ["--json --runs 20 --seed 5", "--json --runs 20 --seed 5 --jobs 3"] {
        assert_eq!(scratch.test(args, &[&counter()]).out, one.out, "{args}");
    }
}

#[test]
fn the_report_explains_and_says_how_to_run_it_again() {
    let scratch = Scratch::new("text");
    let run = scratch.test("--runs 20", &[&counter()]);
    assert_eq!(run.code, 1, "{run:?}");
    for said in [
        "baseline: 3 runs at RC with one transaction at a time, none failed",
        "read committed (RC):",
        "lost update",
        "  | 0 + 2 should not be 1",
        "forbidden from parallel snapshot isolation (PSI) up",
        "session alice",
        "Run it again: hob test --replay hob-failures/RC-seed",
    ] {
        assert!(run.out.contains(said), "{said}:\n{}", run.out);
    }
    assert_eq!(run.err, "");
}

#[test]
fn a_failure_is_replayed_and_its_history_checked() {
    let scratch = Scratch::new("replay");
    let log = scratch.failing_log();
    for _ in 0..3 {
        let (code, report) = scratch.json(&format!("--yes --replay {log}"), &[]);
        assert_eq!((code, &report["divergence"]), (1, &serde_json::Value::Null), "{report}");
        assert_eq!(report["failure"]["diagnosis"]["anomaly"], "lost-update");
        assert_eq!(report["failure"]["output"], "0 + 2 should not be 1\n");
    }
    let said = scratch.test(&format!("--yes --replay {log}"), &[]);
    assert!(said.out.contains("It failed again, with exit code 1."), "{said:?}");
    let history = log.replace(".log.", ".history.");
    let check = std::process::Command::new(env!("CARGO_BIN_EXE_hob"))
        .args(["check", "--level", "RC", &history])
        .current_dir(&scratch.0)
        .output()
        .expect("hob starts");
    assert_eq!(check.status.code(), Some(0), "what was recorded satisfies its level");
}

/// A log may come from anywhere: what it would run is shown, and not run without a word from somebody.
#[test]
fn the_command_of_a_log_is_confirmed() {
    let scratch = Scratch::new("confirm");
    let log = scratch.failing_log();
    let text = scratch.read(&log);
    let command = serde_json::to_string(&serde_json::json!([counter()]).to_string()).expect("JSON");
    let evil = serde_json::json!(["sh", "-c", "touch been; echo '\u{1b}[2J'"]).to_string();
    let evil = serde_json::to_string(&evil).expect("JSON");
    assert!(text.contains(&command), "{command}: {text}");
    scratch.write(&log, &text.replacen(&command, &evil, 1));
    let run = scratch.test(&format!("--replay {log}"), &[]);
    assert_eq!(run.code, 2, "{run:?}");
    for part in ["sh -c 'touch been", "nobody confirms", "--yes"] {
        assert!(run.err.contains(part), "{part}: {run:?}");
    }
    assert!(!run.err.contains('\u{1b}'), "{run:?}");
    assert!(!scratch.0.join("been").exists(), "it was run");
    scratch.test(&format!("--replay {log} --yes"), &[]);
    assert!(scratch.0.join("been").exists(), "it was not run");
    // Whoever names a command has confirmed it.
    let run = scratch.test(&format!("--replay {log}"), &[&counter()]);
    assert_eq!(run.code, 1, "{run:?}");
    // On a terminal it asks; `script` is one.
    let hob = env!("CARGO_BIN_EXE_hob");
    for (answer, runs) in [("n", false), ("", false), ("y", true)] {
        let _ = std::fs::remove_file(scratch.0.join("been"));
        let line = format!("{hob} test --replay {log}");
        let shell = format!("printf '{answer}\\n' | script -qec \"{line}\" /dev/null");
        let asked = std::process::Command::new("sh")
            .args(["-c", &shell])
            .current_dir(&scratch.0)
            .output()
            .expect("there is a shell");
        let said = String::from_utf8_lossy(&asked.stdout);
        assert!(said.contains("Run it? [y/N]"), "{said}");
        assert_eq!(scratch.0.join("been").exists(), runs, "{answer}: {said}");
    }
}

#[test]
fn a_race_of_threads_is_replayed_in_its_order() {
    let scratch = Scratch::new("race");
    let (code, report) = scratch.json("--until-fail --runs 50 --jobs 2", &[&counter(), "race"]);
    let failure = &report["levels"][0]["failure"];
    assert_eq!(code, 1, "{report}");
    let log = failure["log"].as_str().expect("it was saved");
    for _ in 0..5 {
        let (code, again) = scratch.json(&format!("--yes --replay {log}"), &[]);
        assert_eq!((code, &again["divergence"]), (1, &serde_json::Value::Null), "{again}");
        for same in ["output", "events", "diagnosis"] {
            assert_eq!(again["failure"][same], failure[same], "{same}");
        }
    }
}

#[test]
fn a_changed_program_is_noticed() {
    let scratch = Scratch::new("diverge");
    let log = scratch.failing_log();
    let changed = scratch.test(&format!("--replay {log}"), &[&counter(), "add", "other"]);
    assert!(changed.out.contains("The program changed"), "{changed:?}");
    assert!(changed.out.contains("get counter"), "{changed:?}");
    assert!(changed.out.contains("get other"), "{changed:?}");
    // One that asks nothing at all has not been replayed either.
    let silent = scratch.test(&format!("--replay {log}"), &["true"]);
    assert_eq!(silent.code, 3, "{silent:?}");
    assert!(silent.out.contains("it ended after 0 of the"), "{silent:?}");
}

#[test]
fn a_run_that_leaves_the_log_is_made_again() {
    let scratch = Scratch::new("again");
    let log = scratch.failing_log();
    let counter = counter();
    let script = format!("[ -e been ] && exec {counter}; touch been; exec {counter} add other");
    let (code, report) = scratch.json(&format!("--replay {log}"), &["sh", "-c", &script]);
    assert_eq!((code, &report["divergence"]), (1, &serde_json::Value::Null), "{report}");
    assert_eq!(report["tries"], 2);
}

#[test]
fn runs_start_with_what_the_setup_leaves() {
    let scratch = Scratch::new("setup");
    let setup = format!("{} set 40", counter());
    let mut with_setup = std::process::Command::new(env!("CARGO_BIN_EXE_hob"));
    with_setup
        .args(["test", "--json", "--until-fail", "--runs", "50", "--setup", &setup, "--"])
        .arg(counter())
        .current_dir(&scratch.0);
    let output = with_setup.output().expect("hob starts");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let failure = &report["levels"][0]["failure"];
    assert_eq!(failure["output"], "40 + 2 should not be 41\n", "{report}");
    // The log carries the data, so that a replay needs no setup.
    let log = failure["log"].as_str().expect("it was saved");
    let (code, again) = scratch.json(&format!("--yes --replay {log}"), &[]);
    assert_eq!((code, &again["failure"]["output"]), (1, &failure["output"]));
}

#[test]
fn the_weakest_passing_level_is_found() {
    let scratch = Scratch::new("find");
    let (code, report) = scratch.json("--find-level --runs 20 --jobs 2", &[&counter()]);
    assert_eq!((code, &report["weakest_passing"]), (1, &serde_json::json!(["PSI"])), "{report}");
    let levels: Vec<&str> = report["levels"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|l| l["level"].as_str())
        .collect();
    assert_eq!(levels, ["RC", "RA", "CC", "PC", "PSI", "SI", "SER"]);
    // No level is called safe because nothing was tried, or nothing could go wrong.
    let counter = counter();
    for command in [&["true"][..], &[&counter, "alone"]] {
        let (code, report) = scratch.json("--find-level --runs 2", command);
        assert_eq!((code, &report["weakest_passing"]), (3, &serde_json::json!([])), "{report}");
        let said = scratch.test("--find-level --runs 2", command);
        assert!(said.out.contains("So no level is known to be enough."), "{said:?}");
    }
}
