//! The first ten minutes: help, ports, dashes, colors, completion, errors as JSON, empty files.

use std::process::{Command, Stdio};

use crate::run::{Run, Scratch, hob, hob_on, root};
use crate::serving::Serving;

#[test]
fn help_is_a_command_too() {
    assert_eq!(hob("help").out, hob("--help").out);
    for command in ["check", "test", "serve", "explore", "gen", "convert", "levels"] {
        let run = hob(&format!("help {command}"));
        assert_eq!((run.code, &run.out), (0, &hob(&format!("{command} --help")).out));
    }
    let follow = hob("check --help").out;
    let follow = follow.split("--follow").nth(1).expect("it has the flag");
    assert!(follow.contains("Ctrl-C") && follow.contains("ends"), "{follow}");
}

#[test]
fn a_command_without_dashes_is_told_where_they_go() {
    for (args, line) in [
        ("test ./cart", "hob test -- ./cart"),
        ("test --level RC pytest -q tests", "hob test --level RC -- pytest -q tests"),
    ] {
        let run = hob(args);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("comes after `--`"), "{}", run.err);
        assert!(run.err.contains(&format!("help: {line}\n")), "{}", run.err);
    }
    // What has dashes, or is a flag, is another mistake.
    for args in ["test --nonsense", "test x -- y", "check --nonsense ./cart"] {
        let run = hob(args);
        assert_eq!(run.code, 2, "{args}");
        assert!(!run.err.contains("comes after `--`"), "{args}: {}", run.err);
    }
}

#[test]
fn settings_of_the_server_that_do_nothing_are_refused() {
    for (setting, why) in [
        ("shared_buffers=1GB", "the server setting \"shared_buffers\" is not supported"),
        ("server_version=16", "parameter \"server_version\" cannot be changed"),
        ("no_such=1", "unrecognized configuration parameter \"no_such\""),
        ("statement_timeout=soon", "invalid value for parameter \"statement_timeout\""),
    ] {
        let run = hob(&format!("serve --pg 0 --pg-set {setting}"));
        assert_eq!(run.code, 2, "{setting}: {}", run.err);
        assert!(run.err.contains(why) && run.err.contains("help: "), "{setting}: {}", run.err);
    }
}

#[test]
fn a_port_is_an_address() {
    // A port that was free a moment ago.
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().unwrap().port();
    let serving = Serving::start(&["--pg", &port.to_string(), "--http", "0"]);
    assert_eq!(serving.ready["pg_url"], format!("postgresql://hob@127.0.0.1:{port}/hob"));
    assert!(serving.ready["url"].as_str().expect("an address").starts_with("http://127.0.0.1:"));
    let run = hob("serve --pg 65536");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("up to 65535"), "{}", run.err);
}

#[test]
fn shells_complete_every_closed_set() {
    let script = hob("completions bash").out;
    for (flag, values) in [
        ("--profile", "spec postgres mysql"),
        ("--policy", "adverse uniform latest stale weighted= latest-per-session"),
        ("--granularity", "cell row"),
        ("--schedule", "random pct pct:"),
        ("--distribution", "uniform zipf zipf:"),
        ("--semantics", "axiomatic state"),
        ("--mode", "histories states schedules"),
        ("--color", "auto always never"),
    ] {
        let case = format!("{flag})");
        let after = script.split(&case).skip(1);
        let complete = format!("compgen -W \"{values}\"");
        let mut all = after.map(|rest| rest.lines().nth(1).unwrap_or_default().contains(&complete));
        assert!(all.next() == Some(true) && all.all(|complete| complete), "{flag}");
    }
    // All values are taken, and others are refused as before.
    assert!(hob("serve --policy newest").err.contains("is no policy"));
}

fn colored(args: &str, env: &[(&str, &str)]) -> bool {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hob"));
    command.args(args.split_whitespace()).current_dir(root());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"] {
        command.env_remove(name);
    }
    let output = command.envs(env.iter().copied()).output().expect("hob starts");
    [output.stdout, output.stderr].concat().contains(&0x1b)
}

#[test]
fn the_environment_has_a_say_in_colors() {
    for args in ["check corpus/litmus/write-skew.txn", "check no-such-file", "levels"] {
        for (env, expected) in [
            (&[("TERM", "xterm")][..], false),
            (&[("CLICOLOR_FORCE", "1")], true),
            (&[("CLICOLOR_FORCE", "0")], false),
            (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
            (&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], true),
        ] {
            assert_eq!(colored(args, env), expected, "{args} {env:?}");
        }
    }
    assert!(colored("check --color always no-such-file", &[("NO_COLOR", "1")]));
}

/// On a terminal, if `script` is there to make one.
#[test]
fn a_dumb_terminal_has_no_colors() {
    let hob = env!("CARGO_BIN_EXE_hob");
    for (term, expected) in [("dumb", false), ("xterm", true)] {
        let run = format!("{hob} check corpus/litmus/write-skew.txn");
        let mut script = Command::new("script");
        script.args(["-qec", &run, "/dev/null"]).current_dir(root()).stdin(Stdio::null());
        script.env("TERM", term).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        let Ok(output) = script.output() else { return };
        assert_eq!(output.stdout.contains(&0x1b), expected, "{term}: {output:?}");
    }
}

/// The one line on standard output, which the schema describes, and the same on standard error.
#[track_caller]
fn error_of(run: &Run, name: &str) -> serde_json::Value {
    assert_eq!(run.code, 2, "{}{}", run.out, run.err);
    let value = run.report(name);
    let message = value["error"]["message"].as_str().expect("what is wrong");
    assert!(run.err.contains(message), "{message}\n{}", run.err);
    value["error"].clone()
}

#[test]
fn errors_are_json_where_results_are() {
    let scratch = Scratch::new("json-errors");
    let broken = scratch.write("broken.hob", b"init x = 0\nsession s {");
    let error = error_of(&hob(&format!("explore --json {broken}")), "explore");
    assert_eq!((&error["file"], &error["line"]), (&broken.as_str().into(), &2.into()));
    for (args, name) in [
        ("explore --json no-such-file", "explore"),
        ("explore --json --compare RC corpus", "explore"),
        ("explore --json --level nonsense x", "explore"),
        ("test --json", "test"),
        ("test --json -- ./no-such-command", "test"),
        ("test --json --replay no-such-log", "test"),
        ("test --json ./cart", "test"),
        ("test --json --level nonsense -- true", "test"),
        ("check --json no-such-file", "check"),
        ("check --json --execution t1 --semantics axiomatic x", "check"),
        ("check --json --follow a b", "check"),
        ("check --json", "check"),
    ] {
        let error = error_of(&hob(args), name);
        assert!(error["help"].as_str().is_some_and(|help| !help.is_empty()), "{args}: {error}");
    }
    let run = hob("serve --json --history /nowhere/x.jsonl --http 0");
    assert_eq!(run.code, 2);
    let error: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(error["error"]["file"], "/nowhere/x.jsonl");
}

#[test]
fn empty_files_are_errors_and_headers_are_not() {
    let scratch = Scratch::new("empty");
    for (name, bytes) in [("a", &b""[..]), ("b.jsonl", b""), ("c.txn", b" \n\n"), ("d.edn", b"\n")]
    {
        let file = scratch.write(name, bytes);
        let run = hob(&format!("check {file}"));
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{name}");
        assert!(run.err.contains("this file is empty"), "{name}: {}", run.err);
    }
    let run = hob_on("check -", b"");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("<stdin>") && run.err.contains("empty"), "{}", run.err);
    assert_eq!(hob("check --quiet /dev/null").code, 2);
    let header = scratch.write("header.jsonl", b"{\"hobgoblin\": 1}\n");
    let run = hob(&format!("check {header}"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("note: The history has no transactions"), "{}", run.out);
    let run = hob(&format!("check --json {header}"));
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(report["notes"].as_array().map(Vec::len), Some(1), "{report}");
    let several = hob(&format!("check {header} corpus/litmus/serial.txn"));
    assert!(several.out.contains("no transactions"), "{}", several.out);
    // Who follows a file waits for what comes; who follows a pipe waits for its end.
    let growing = scratch.write("growing.jsonl", b"");
    let run = hob(&format!("check --follow --time-limit 500ms {growing}"));
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    assert_eq!(hob_on("check --follow -", b"").code, 2);
    let run = hob_on("check --follow -", b"{\"hobgoblin\": 1}\n");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("note: There were no transactions"), "{}", run.out);
}

#[test]
fn strict_serializability_counts_where_there_are_times() {
    // Serializable, but t2 began after t1 ended and did not see it.
    let stale = b"init x=0\ns1: t1 @1..2 { w(x)=1 }\ns2: t2 @3..4 { r(x)=0 }\n";
    let run = hob_on("check --format txn -", stale);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("SER    serializability              holds"), "{}", run.out);
    let fresh = b"init x=0\ns1: t1 @1..2 { w(x)=1 }\ns2: t2 @3..4 { r(x)=1 }\n";
    assert_eq!(hob_on("check --format txn -", fresh).code, 0);
    assert_eq!(hob_on("check --level SER --format txn -", stale).code, 0);
}

#[test]
fn repeatable_read_comes_with_a_note() {
    for args in [
        "check --level rr corpus/litmus/serial.txn",
        "check --level RC,repeatable-read --json corpus/litmus/serial.txn",
        "check --mixed=rr corpus/litmus/serial.txn",
        "explore --level REPEATABLE_READ crates/hob/tests/golden/counters.hob",
        "test --level rr --runs 1 -- true",
        "serve --level rr --http 0 --history /nowhere/out.jsonl",
    ] {
        let run = hob(args);
        assert!(run.err.contains("note: repeatable read is snapshot"), "{args}: {}", run.err);
    }
    for args in ["check --level SI", "check --quiet --level rr", "check"] {
        let run = hob(&format!("{args} corpus/litmus/serial.txn"));
        assert!(!run.err.contains("note:"), "{args}: {}", run.err);
    }
}
