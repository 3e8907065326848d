//! How commands and runs end: failures without weak isolation, hangs, signals, interruptions, errors.

use std::time::{Duration, Instant};

use crate::support::{Scratch, counter};

#[test]
fn a_test_that_fails_by_itself_is_not_blamed_on_isolation() {
    let scratch = Scratch::new("baseline");
    let run = scratch.test("", &["sh", "-c", "echo no; exit 4"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.out.contains("The test fails without weak isolation: 3 of 3 runs"), "{run:?}");
    assert!(run.out.contains("exit code 4") && run.out.contains("  | no"), "{run:?}");
    for flag in ["--setup CMD", "--baseline-runs 0"] {
        assert!(run.out.contains(flag), "{run:?}");
    }
    assert!(!scratch.0.join("hob-failures").exists());
    let hangs = scratch.test("--timeout 100ms --baseline-runs 1", &["sleep", "9"]);
    assert!(hangs.code == 3 && hangs.out.contains("--timeout TIME"), "{hangs:?}");
    let all_the_same = scratch.test("--runs 2 --baseline-runs 0", &["false"]);
    assert_eq!(all_the_same.code, 1, "{all_the_same:?}");
}

#[test]
fn a_failure_with_a_serializable_history_is_told_apart() {
    let scratch = Scratch::new("honest");
    let script = "test $HOB_BASELINE || test $HOB_RUN -lt 3 || exit 1";
    let run = scratch.test("--runs 5", &["sh", "-c", script]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("the failure needs no anomaly of isolation"), "{run:?}");
    assert!(run.out.contains("3 of 5 runs failed"), "{run:?}");
}

#[test]
fn the_command_learns_where_its_store_is() {
    let scratch = Scratch::new("environment");
    let script = "echo $HOB_HTTP_URL $HOB_LEVEL $HOB_SEED $HOB_RUN ${HOB_BASELINE-no} >> seen";
    let run =
        scratch.test("--runs 2 --baseline-runs 1 --seed 41 --level causal", &["sh", "-c", script]);
    assert_eq!(run.code, 3, "it was told where the store is and did not use it: {run:?}");
    let seen = scratch.read("seen");
    let lines: Vec<Vec<&str>> = seen.lines().map(|l| l.split(' ').collect()).collect();
    let rest: Vec<&[&str]> = lines.iter().map(|line| &line[1..]).collect();
    assert_eq!(rest, [["CC", "41", "1", "1"], ["CC", "41", "1", "no"], ["CC", "42", "2", "no"]]);
    assert!(lines.iter().all(|line| line[0].starts_with("http://127.0.0.1:")), "{seen}");
}

#[test]
fn a_hang_is_ended_and_named() {
    let scratch = Scratch::new("hang");
    let script = "test $HOB_BASELINE || test $HOB_RUN = 1 || { echo waiting; sleep 60; }";
    let started = Instant::now();
    let (code, report) = scratch.json("--runs 2 --timeout 300ms", &["sh", "-c", script]);
    assert!(started.elapsed() < Duration::from_secs(20));
    let level = &report["levels"][0];
    assert_eq!((code, &level["failures"], &level["hangs"]), (1, &1.into(), &1.into()), "{report}");
    assert_eq!(
        (&level["failure"]["ending"], &level["failure"]["output"]),
        (&"hang".into(), &"waiting\n".into())
    );
}

#[test]
fn death_by_a_signal_is_a_failure() {
    let scratch = Scratch::new("signal");
    let script = "test $HOB_BASELINE || kill -9 $$";
    let (code, report) = scratch.json("--runs 1", &["sh", "-c", script]);
    assert_eq!((code, &report["levels"][0]["failure"]["ending"]), (1, &"signal 9".into()));
}

/// Ctrl-C, the end of a job in continuous integration, and a terminal that is closed.
#[test]
fn an_interruption_ends_the_command_and_still_prints_the_summary() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let scratch = Scratch::new(&format!("interrupt{signal}"));
        // Runs at RC tell their number; the third starts a daemon, which keeps the output, and sleeps.
        let script = "test $HOB_BASELINE && exit; test $HOB_RUN -lt 3 && exit; \
                      (setsid sh -c 'echo $$ > daemon; exec sleep 60' &); \
                      while ! test -s daemon; do sleep 0.01; done; \
                      echo $$ > pid.new; mv pid.new pid; sleep 60";
        let hob = scratch.command("--runs 10", &["sh", "-c", script]).spawn().expect("hob starts");
        let pid = scratch.0.join("pid");
        let started = Instant::now();
        while !pid.exists() {
            assert!(started.elapsed() < Duration::from_secs(20), "the third run never came");
            std::thread::sleep(Duration::from_millis(10));
        }
        let number = hob.id().to_string();
        let sent = std::process::Command::new("kill").args([signal, &number]).status();
        assert!(sent.expect("there is kill").success());
        let output = hob.wait_with_output().expect("hob ends");
        assert!(started.elapsed() < Duration::from_secs(20));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{signal}: {text}");
        assert!(text.contains("Interrupted") && text.contains("RC     2"), "{signal}: {text}");
        for name in ["pid", "daemon"] {
            let number = scratch.read(name);
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", number.trim()));
            // Nobody may have collected it yet.
            let alive = stat.is_ok_and(|stat| !stat.contains(") Z "));
            assert!(!alive, "{signal}: the {name} lives on");
        }
    }
}

/// The command ends at once, and what it started keeps its output open.
#[test]
fn a_daemon_does_not_keep_a_run_from_ending() {
    let scratch = Scratch::new("daemon");
    let script = "(setsid sh -c 'echo $$ >> daemons; exec sleep 60' &) ; \
                  while ! test -s daemons; do sleep 0.01; done; echo on";
    let started = Instant::now();
    let run = scratch.test("--runs 2 --baseline-runs 1 --timeout 30s", &["sh", "-c", script]);
    assert!(started.elapsed() < Duration::from_secs(25), "{:?}", started.elapsed());
    assert_eq!(run.code, 3, "it did not use its store: {run:?}");
    for number in scratch.read("daemons").lines() {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat"));
        assert!(!stat.is_ok_and(|stat| !stat.contains(") Z ")), "daemon {number} lives on");
    }
}

#[test]
fn what_cannot_be_run_is_an_error_with_a_next_step() {
    let scratch = Scratch::new("errors");
    scratch.write("plain", "not a program");
    scratch.write("bad.log.jsonl", "{\"session\": 0}\n");
    for (args, command, message, help) in [
        ("", vec!["no-such-command"], "cannot start \"no-such-command\": No such file", "PATH"),
        ("", vec!["./plain"], "cannot start \"./plain\": Permission denied", "chmod +x"),
        ("", vec![], "there is no command to run", "hob.toml"),
        ("--setup false", vec!["true"], "the setup failed: exit code 1", "hob serve"),
        ("--level RU", vec!["true"], "does not serve RU", "hob test --help"),
        ("--level causl", vec!["true"], "'causl'", "causal"),
        ("--replay no-such-file", vec![], "No such file", ".log.jsonl"),
        ("--replay bad.log.jsonl", vec![], "this is no log", ".log.jsonl"),
        ("--out plain", vec!["sh", "-c", "test $HOB_BASELINE"], "cannot write this", "--out"),
        ("--setup true --setup-cache no/such", vec!["true"], "cannot write this", "--setup-cache"),
    ] {
        let run = scratch.test(args, &command);
        assert_eq!(run.code, 2, "{args} {command:?}: {run:?}");
        assert!(
            run.err.contains(message) && run.err.contains(help),
            "{args} {command:?}: {}",
            run.err
        );
    }
}

#[test]
fn time_ends_the_runs() {
    let scratch = Scratch::new("time");
    // A busy machine may need longer than the first of these for a run of each level.
    for milliseconds in [400, 2_000, 10_000] {
        let started = Instant::now();
        let (code, report) =
            scratch.json(&format!("--level RC,CC --time {milliseconds}ms"), &["true"]);
        assert_eq!(code, 3, "nothing was tested");
        let taken = started.elapsed().as_millis();
        assert!((milliseconds * 3 / 4..milliseconds + 20_000).contains(&taken), "{taken}");
        let levels = report["levels"].as_array().expect("a list");
        assert!(levels.iter().all(|level| level["ended"] == "time"), "{report}");
        if levels.len() == 2 && levels.iter().all(|level| level["runs"].as_u64() > Some(1)) {
            return;
        }
    }
    panic!("ten seconds are not enough for two runs of `true` at each level");
}

#[test]
fn quiet_leaves_the_exit_code() {
    let scratch = Scratch::new("quiet");
    let run = scratch.test("--quiet --until-fail --runs 50", &[&counter()]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (1, "", ""));
}
