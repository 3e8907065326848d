//! `hob crdt`: verdicts, files, errors with their places, limits, and generated histories.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::run::{Run, Scratch, hob_on};

const TYPES: [&str; 9] =
    ["aw-set", "rw-set", "ew-flag", "dw-flag", "mvr", "lww", "counter", "rga", "list"];

fn crdt(args: &str, input: &[u8]) -> Run {
    hob_on(&format!("crdt {args}"), input)
}

/// With `--json`: the exit code and the reports, which are valid.
fn reports(args: &str, input: &[u8]) -> (i32, Vec<Value>) {
    let run = crdt(&format!("check --json {args}"), input);
    (run.code, run.reports("crdt"))
}

/// A history of replicas A, B, … with these operations, each as JSON.
fn history(data_type: &str, replicas: &[&str]) -> String {
    let replica = |(name, ops): (char, &&str)| format!(r#"{{"id": "{name}", "ops": [{ops}]}}"#);
    let replicas: Vec<String> = ('A'..).zip(replicas).map(replica).collect();
    format!(r#"{{"type": "{data_type}", "replicas": [{}]}}"#, replicas.join(", "))
}

/// `inc x`, `write x 1`, `read x = {2}`: operations in short, with their results after `=`.
fn ops(short: &str) -> String {
    let op = |text: &str| {
        let (call, ret) = match text.split_once('=') {
            Some((call, ret)) => (call, Some(ret.trim())),
            None => (text, None),
        };
        let mut words = call.split_whitespace();
        let f = words.next().expect("an operation has a name");
        let args: Vec<Value> =
            words.map(|w| serde_json::from_str(w).unwrap_or_else(|_| json!(w))).collect();
        let mut op = json!({"f": f, "args": args});
        if let Some(ret) = ret {
            op["ret"] = serde_json::from_str(ret).expect("results are JSON");
        }
        op.to_string()
    };
    let all: Vec<String> = short.split(';').filter(|op| !op.trim().is_empty()).map(op).collect();
    all.join(", ")
}

#[test]
fn the_examples_are_one_explained_violation_of_each_type() {
    for data_type in TYPES {
        let file = format!("examples/crdt/{data_type}.json");
        let (code, found) = reports(&file, b"");
        assert_eq!((code, found.len()), (1, 1), "{data_type}");
        let (report, violation) = (&found[0], &found[0]["violation"]);
        assert_eq!((&report["verdict"], &report["type"]), (&json!("violation"), &json!(data_type)));
        assert!(report["stats"]["ms"].is_number());
        assert_eq!(violation["minimal"], true, "{data_type}");
        assert!(!violation["reads"].as_array().expect("reads").is_empty(), "{data_type}");
        assert!(!violation["why"].as_array().expect("why").is_empty(), "{data_type}");
        let run = crdt(&format!("check {file}"), b"");
        assert_eq!((run.code, run.err.as_str()), (1, ""));
        for read in violation["reads"].as_array().expect("reads") {
            let read = read.as_str().expect("a name");
            assert!(run.out.contains(&format!("\n  {read}  ")), "{read}: {}", run.out);
        }
    }
    let files = TYPES.map(|data_type| format!("examples/crdt/{data_type}.json")).join(" ");
    let run = crdt(&format!("check {files}"), b"");
    assert_eq!(run.code, 1);
    for data_type in TYPES {
        let name = format!("examples/crdt/{data_type}.json");
        assert!(run.out.contains(&format!("{name}: violation of the ")), "{}", run.out);
        assert!(run.out.contains(&format!("\n{name}:\n")), "{}", run.out);
    }
    assert_eq!(crdt(&format!("check --quiet {files}"), b"").out, "");
}

/// The histories of docs/crdt.md on which the printed axioms and algorithms are wrong.
#[test]
fn the_corrections_of_the_thesis() {
    let sees_both = r#"{"f": "read", "args": ["x"], "ret": [1], "sees": {"A": 1, "B": 1}}"#;
    for (name, data_type, replicas, verdict) in [
        ("E1", "counter", &["inc x; read x = 0"][..], "violation"),
        ("E2", "mvr", &["write x 1; write x 2; read x = [1]"], "violation"),
        ("E4", "rw-set", &["contains x = false"], "ok"),
        ("E4", "rw-set", &["contains x = true"], "violation"),
        ("E4", "dw-flag", &["read x = false"], "ok"),
        ("E5", "lww", &["write x 1; read x = null"], "violation"),
        ("E6", "rga", &["add_after null a; remove a; read = [\"a\"]"], "violation"),
        ("E7", "rga", &["add_after null a; add_after a b; read = [\"b\", \"a\"]"], "violation"),
        (
            "E8",
            "rga",
            &[
                "add_after null a",
                "remove a",
                "add_after null b; remove a",
                "read = [\"a\"]; read = []",
            ],
            "ok",
        ),
        ("E9", "counter", &["read x = 1", "inc x"], "ok"),
        (
            "figure 2.5",
            "counter",
            &["inc x; inc x; read x = 2; read x = 3", "inc x; inc x; read x = 2; read x = 3"],
            "ok",
        ),
        ("(ro ∪ rf)⁺", "mvr", &["write x 1; read x = [2]", "write x 2"], "ok"),
    ] {
        let replicas: Vec<String> = replicas.iter().map(|short| ops(short)).collect();
        let replicas: Vec<&str> = replicas.iter().map(String::as_str).collect();
        let (_, found) = reports("--verify -", history(data_type, &replicas).as_bytes());
        assert_eq!(found[0]["verdict"], verdict, "{name}: {}", found[0]);
    }
    let write = r#"{"f": "write", "args": ["x", 1], "sees": {}}"#;
    let text = history("mvr", &[write, write, sees_both]);
    assert_eq!(reports("-", text.as_bytes()).1[0]["verdict"], "ok", "E3");
    let text = text.replacen('{', r#"{"options": {"mvr": "multiset"}, "#, 1);
    assert_eq!(reports("-", text.as_bytes()).1[0]["verdict"], "violation", "E3, as a multiset");
}

#[test]
fn what_is_no_history_is_an_error_with_its_place() {
    let set = |ops: &str| history("aw-set", &[ops, r#"{"f": "add", "args": ["x"]}"#]);
    let list = |short: &str| history("rga", &[&ops(short)]);
    let read = r#"{"f": "contains", "args": ["x"], "ret": true"#;
    for (text, at, said) in [
        (set(r#"{"f": "ad", "args": ["x"]}"#), r#"{"f": "ad""#, "did you mean `add`?"),
        (set(r#"{"f": "inc", "args": ["x"]}"#), r#"{"f": "inc""#, "no operation `inc`"),
        (set(r#"{"args": ["x"]}"#), r#"{"args""#, "no `f`"),
        (set(r#"{"f": "add"}"#), r#"{"f": "add"}"#, "arguments"),
        (set(r#"{"f": "contains", "args": ["x"]}"#), r#"{"f": "contains""#, "missing"),
        (set(r#"{"f": "contains", "args": ["x"], "ret": 1}"#), r#"{"f": "contains""#, "returned 1"),
        (set(&format!("{read}, \"sees\": {{\"B\": 2}}}}")), r#"{"f": "contains""#, "which has 1"),
        (set(&format!("{read}, \"sees\": {{\"C\": 0}}}}")), r#"{"f": "contains""#, "no replica"),
        (set(&format!("{read}, \"sees\": {{\"B\": -1}}}}")), r#"{"f": "contains""#, "-1"),
        (set(&format!("{read}, \"sees\": {{\"A\": 1}}}}")), r#"{"f": "contains""#, "own replica"),
        (
            set(&format!("{read}, \"sees\": {{}}, \"sees_min\": {{\"B\": 1}}}}")),
            r#"{"f": "contains""#,
            "at least 1 and at most 0",
        ),
        (set(&format!("{read}, \"see\": {{}}}}")), "{}", "did you mean `sees`?"),
        (set(r#"{"sync": {"from": "D"}}"#), r#"{"sync""#, "another replica"),
        (set(r#"{"f": "add", "args": ["x"], "status": "maybe"}"#), r#"{"f": "add""#, "`info`"),
        (list("add_after null a; add_after null a"), "", "a second time"),
        (list("remove a"), r#"{"args":["a"],"f":"remove"}"#, "nowhere in the history"),
        (list("add_after a b"), r#"{"args":["a","b"]"#, "nowhere in the history"),
        (list("add_after b b"), r#"{"args":["b","b"]"#, "after itself"),
        (history("awset", &[]), r#""awset""#, "did you mean `aw-set`?"),
        (r#"{"type": "mvr"}"#.to_owned(), r#"{"type""#, "no `replicas`"),
        (r#"{"replicas": []}"#.to_owned(), r#"{"replicas""#, "`--type`"),
        (r#"{"type": "mvr", "replicas": [}"#.to_owned(), "}", "expected a value"),
        (
            r#"{"type": "rga", "options": {"lin": "ts"}, "replicas": []}"#.to_owned(),
            "",
            "timestamps",
        ),
        (
            r#"{"type": "lww", "options": {"lin": "ts"}, "replicas": [{"id": 1, "ops": [{"f": "write", "args": [1, 2]}]}]}"#
                .to_owned(),
            r#"{"f""#,
            "no timestamp",
        ),
        (
            r#"{"type": "mvr", "replicas": [{"id": 1, "ops": []}, {"id": 1, "ops": []}]}"#.to_owned(),
            "",
            "two replicas",
        ),
        (
            r#"{"type": "counter", "init": {"x": "y"}, "replicas": []}"#.to_owned(),
            r#"{"x": "y"}"#,
            "cannot begin",
        ),
    ] {
        let run = crdt("check -", text.as_bytes());
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{text}");
        assert!(run.err.contains(said), "{text}: {}", run.err);
        assert!(run.err.contains("help: ") && run.err.contains("--> <stdin>:1:"), "{}", run.err);
        let (code, found) = reports("-", text.as_bytes());
        let error = &found[0]["error"];
        assert_eq!((code, &error["line"]), (2, &json!(1)), "{text}");
        assert!(found[0].get("verdict").is_none());
        if !at.is_empty() {
            let column = text.find(at).expect("it is there") + 1;
            assert_eq!(error["column"], column, "{text}: {error}");
        }
    }
}

#[test]
fn lines_of_a_file_have_verdicts_of_their_own() {
    let good = history("counter", &[&ops("inc x; read x = 1")]);
    let bad = history("counter", &[&ops("inc x; read x = 2")]);
    let text = format!("{good}\n\n{{\"type\": \"counter\", \"replicas\": [}}\n{bad}\n{good}");
    let (code, found) = reports("-", text.as_bytes());
    assert_eq!(code, 2);
    let line =
        |report: &Value| (report["line"].as_u64(), report["verdict"].as_str().map(str::to_owned));
    let lines: Vec<_> = found.iter().map(line).collect();
    let told = |line, verdict: Option<&str>| (Some(line), verdict.map(str::to_owned));
    assert_eq!(
        lines,
        [told(1, Some("ok")), told(3, None), told(4, Some("violation")), told(5, Some("ok"))]
    );
    assert_eq!((&found[1]["error"]["line"], &found[1]["error"]["column"]), (&json!(3), &json!(34)));
    let run = crdt("check --jobs 3 -", text.as_bytes());
    assert!(run.err.contains("--> <stdin>:3:34"), "{}", run.err);
    assert!(run.out.starts_with(
        "<stdin>:1: admitted by the counter\n<stdin>:4: violation of the counter: A#1"
    ));
    assert!(run.out.contains("1 could not be read."), "{}", run.out);
    // The same over many lines is one history.
    let value: Value = serde_json::from_str(&bad).expect("JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("JSON");
    let (code, found) = reports("-", pretty.as_bytes());
    assert_eq!((code, found.len(), found[0].get("line")), (1, 1, None));
    let cut = &pretty[..pretty.len() - 3];
    let (code, found) = reports("-", cut.as_bytes());
    assert_eq!((code, found.len()), (2, 1));
    assert_eq!(found[0]["error"]["line"], cut.lines().count());
}

#[test]
fn files_that_cannot_be_read_do_not_keep_others_from_it() {
    let scratch = Scratch::new("crdt-files");
    let empty = scratch.write("empty.json", b" \n");
    let good = scratch.write("good.json", history("lww", &[&ops("read x = null")]).as_bytes());
    let (code, found) = reports(&format!("{empty} no-such-file {good}"), b"");
    assert_eq!((code, found.len()), (2, 3));
    assert_eq!(found[0]["error"]["message"], "this file is empty");
    assert_eq!(found[2]["verdict"], "ok");
    assert_eq!(crdt(&format!("check - {good} -"), b"").code, 2, "standard input is read once");
}

#[test]
fn the_type_may_be_said_outside() {
    let text =
        r#"{"replicas": [{"id": "A", "ops": [{"f": "contains", "args": ["x"], "ret": true}]}]}"#;
    assert_eq!(reports("--type rw-set -", text.as_bytes()).0, 1);
    let text = history("aw-set", &[&ops("add x")]);
    assert_eq!(reports("--type aw-set -", text.as_bytes()).0, 0);
    let (code, found) = reports("--type rw-set -", text.as_bytes());
    assert_eq!((code, &found[0]["error"]["column"]), (2, &json!(10)), "{found:?}");
    let run = crdt("check --type rwset -", b"");
    assert!(run.code == 2 && run.err.contains("'rw-set'"), "{}", run.err);
}

#[test]
fn what_is_generated_is_admitted() {
    for data_type in TYPES {
        for more in ["", "--sees", "--values 2 --keys 2 --replicas 2", "--reads 80% --keys 1"] {
            let shape = format!("gen --type {data_type} --operations 60 --count 8 --seed 5 {more}");
            let run = crdt(&shape, b"");
            assert_eq!((run.code, run.out.lines().count()), (0, 8), "{shape}: {}", run.err);
            assert_eq!(run.out, crdt(&shape, b"").out, "{shape}");
            let (code, found) = reports("--verify -", run.out.as_bytes());
            assert_eq!((code, found.len()), (0, 8), "{shape}");
            assert!(found.iter().all(|report| report["verified"] == true), "{shape}");
        }
    }
}

#[test]
fn mistakes_are_found_where_deliveries_are_known() {
    for data_type in ["aw-set", "rw-set", "ew-flag", "dw-flag", "mvr", "counter"] {
        let shape =
            format!("gen --type {data_type} --operations 60 --sees --mistakes 1 --count 20");
        let (code, found) = reports("-", crdt(&shape, b"").out.as_bytes());
        assert_eq!(code, 1);
        assert!(found.iter().all(|report| report["verdict"] == "violation"), "{data_type}");
    }
}

/// A witness, written into the history as what was observed, leaves nothing open, and is admitted.
#[test]
fn a_witness_is_a_history_with_all_deliveries() {
    for data_type in TYPES {
        let shape = format!("gen --type {data_type} --operations 50 --keys 3 --seed 9");
        let text = crdt(&shape, b"").out;
        let (code, found) = reports("-", text.as_bytes());
        assert_eq!(code, 0, "{data_type}");
        let sees = found[0]["witness"]["sees"].as_object().expect("an object");
        let mut told: Value = serde_json::from_str(&text).expect("JSON");
        for replica in told["replicas"].as_array_mut().expect("replicas") {
            let id = replica["id"].as_str().expect("a name").to_owned();
            for (at, op) in replica["ops"].as_array_mut().expect("ops").iter_mut().enumerate() {
                op["sees"] = sees.get(&format!("{id}#{at}")).cloned().unwrap_or(json!({}));
            }
        }
        let (code, _) = reports("--verify -", told.to_string().as_bytes());
        assert_eq!(code, 0, "{data_type}: {told}");
    }
}

#[test]
fn files_are_written_once_and_compressed_by_name() {
    let scratch = Scratch::new("crdt-gen");
    let file = scratch.file("runs.jsonl.gz");
    let args = format!("gen --type mvr --count 3 -o {file}");
    assert_eq!(crdt(&args, b"").code, 0);
    assert_eq!(std::fs::read(&file).expect("it is there")[..2], [0x1f, 0x8b]);
    let (code, found) = reports(&file, b"");
    assert_eq!((code, found.len()), (0, 3));
    assert_eq!(crdt(&args, b"").code, 2, "it exists");
    assert_eq!(crdt(&format!("{args} --force"), b"").code, 0);
    for (args, said) in [
        ("gen", "--type"),
        ("gen --type set", "aw-set"),
        ("gen --type mvr --replicas 0", "from 1 up"),
        ("gen --type mvr --reads 101", "from 0 to 100"),
        ("check", "FILE"),
        ("check --json --quiet -", "--quiet"),
    ] {
        let run = crdt(args, b"");
        assert!(run.code == 2 && run.err.contains(said), "{args}: {}", run.err);
    }
}

#[test]
fn limits_end_in_unknown() {
    let text = crdt("gen --type aw-set --operations 2000 --keys 2 --seed 1", b"").out;
    for (flag, reason) in [("--time-limit 0", "time"), ("--memory-limit 1kB", "memory")] {
        let (code, found) = reports(&format!("{flag} -"), text.as_bytes());
        assert_eq!((code, &found[0]["verdict"]), (3, &json!("unknown")), "{flag}");
        let said = found[0]["reason"].as_str().expect("why");
        assert!(said.contains(reason), "{said}");
        let run = crdt(&format!("check {flag} -"), text.as_bytes());
        assert!(run.code == 3 && run.out.contains("unknown"), "{}", run.out);
    }
}

#[cfg(unix)]
#[test]
fn an_interruption_ends_it_with_what_is_known() {
    let scratch = Scratch::new("crdt-interrupt");
    let good = scratch.write("good.json", history("lww", &[&ops("read x = null")]).as_bytes());
    for (first, code, said) in [("", 130, ""), (good.as_str(), 3, "interrupted after 1 history")] {
        // Nobody ever closes its standard input.
        let mut child = Command::new(env!("CARGO_BIN_EXE_hob"))
            .args(["crdt", "check", first, "-"].into_iter().filter(|arg| !arg.is_empty()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("hob starts");
        let mut open = child.stdin.take().expect("it is piped");
        open.write_all(b"{\"type\": ").expect("it reads");
        std::thread::sleep(Duration::from_millis(1500));
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        let output = child.wait_with_output().expect("hob ends");
        assert_eq!(output.status.code(), Some(code));
        let (out, err) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(err.contains(said), "{err}");
        assert_eq!(out.contains("good.json: admitted"), code == 3, "{out}");
        drop(open);
    }
}

#[test]
fn names_do_not_drive_a_terminal() {
    let text = r#"{"type": "counter", "replicas": [{"id": "\u001b[31m", "ops": [
        {"f": "inc", "args": ["\u202ex\n"]}, {"f": "read", "args": ["\u202ex\n"], "ret": 3}]}]}"#;
    let run = crdt("check -", text.as_bytes());
    assert_eq!(run.code, 1);
    assert!(!run.out.contains(['\u{1b}', '\u{202e}']), "{}", run.out);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = history("lww", &[&format!(r#"{{"f": "write", "args": ["x", {deep}]}}"#)]);
    let run = crdt("check -", text.as_bytes());
    assert!(run.code == 2 && run.err.contains("nested"), "{}", run.err);
}
