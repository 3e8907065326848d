//! The answers themselves: the litmus table, small histories, exit codes.

use serde_json::Value;

use crate::run::{Scratch, hob, hob_on, json, root};

fn verdict(report: &Value, level: &str) -> String {
    report["levels"][level]["verdict"].as_str().unwrap_or("missing").to_owned()
}

#[test]
fn the_litmus_histories_have_the_verdicts_of_the_table() {
    let table = std::fs::read_to_string(root().join("corpus/litmus/VERDICTS.md"))
        .expect("the table is there");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let (levels, rows) = (&rows[0], &rows[2..]);
    assert_eq!(rows.len(), 31);
    let files: Vec<String> = rows.iter().map(|r| format!("corpus/litmus/{}.txn", r[0])).collect();
    let (code, reports) = json(&format!("check --verify --json {}", files.join(" ")), b"");
    assert_eq!((code, reports.len()), (1, rows.len()));
    for ((row, file), report) in rows.iter().zip(&files).zip(&reports) {
        assert_eq!((&report["file"], &report["verified"]), (&file.as_str().into(), &true.into()));
        for (level, mark) in levels.iter().zip(row).skip(1) {
            let expected = if *mark == "+" { "holds" } else { "violated" };
            assert_eq!(verdict(report, level), expected, "{file} at {level}");
        }
    }
}

#[test]
fn each_violation_exits_with_1_and_each_level_alone_does() {
    for (file, level, code) in [
        ("serial", "SER", 0),
        ("thin-air-read", "RU", 1),
        ("thin-air-read", "RC", 1),
        ("aborted-read", "RU", 0),
        ("aborted-read", "read-committed", 1),
        ("lost-update", "PC", 0),
        ("lost-update", "SI", 1),
        ("lost-update", "RC,PC", 0),
        ("lost-update", "RC,SI", 1),
        ("write-skew", "snapshot", 0),
        ("write-skew", "serializable", 1),
        ("write-skew", "SSER", 1),
    ] {
        let run = hob(&format!("check --quiet --level {level} corpus/litmus/{file}.txn"));
        assert_eq!(
            (run.code, run.out.as_str(), run.err.as_str()),
            (code, "", ""),
            "{file} {level}"
        );
    }
}

#[test]
fn small_histories_as_dbcop_writes_them() {
    for (text, level, expected, code) in [
        ("[x:=1]\n---\n[x==1 x==1]\n", "SER", "holds", 0),
        ("[x:=1] [x:=2 y:=1]\n---\n[y==1 x==1]\n", "RC", "violated", 1),
        ("[x==7]\n", "RC", "violated", 1),
        ("[x==7]\n", "SER", "violated", 1),
    ] {
        let (got, reports) = json("check --json --verify --format dbcop-hist -", text.as_bytes());
        assert_eq!(verdict(&reports[0], level), expected, "{text}");
        assert_eq!(got, code, "{text}");
    }
}

#[test]
fn without_levels_those_from_rc_up_decide() {
    // t2 began after t1 ended, yet does not see it: only SSER minds.
    let late = b"s1: t1 @1..2 { w(x)=1 }\ns2: t2 @3..4 { r(x)=null }\n";
    let (code, reports) = json("check --json --format txn -", late);
    assert_eq!((code, verdict(&reports[0], "SSER").as_str()), (1, "violated"));
    assert_eq!(reports[0]["strongest"], serde_json::json!(["SER"]));
    let asked = hob_on("check --quiet --format txn --level SSER -", late);
    assert_eq!(asked.code, 1);
    // Without times, SSER is not asked about.
    let (_, reports) = json("check --json corpus/litmus/serial.txn", b"");
    assert_eq!(verdict(&reports[0], "SSER"), "missing");
}

#[test]
fn of_several_files_an_error_beats_a_violation_beats_an_unknown() {
    let (good, bad) = ("corpus/litmus/serial.txn", "corpus/litmus/lost-update.txn");
    for (args, code) in [
        (format!("{good} {good}"), 0),
        (format!("{good} {bad}"), 1),
        (format!("{good} {bad} nowhere.txn"), 2),
        (format!("nowhere.txn {good}"), 2),
        (format!("--time-limit 0 {good} {bad}"), 3),
        (format!("--time-limit 0 {good} nowhere.txn"), 2),
    ] {
        for jobs in [1, 3] {
            let run = hob(&format!("check --jobs {jobs} {args}"));
            assert_eq!(run.code, code, "{args}: {}{}", run.out, run.err);
        }
    }
    let run = hob(&format!("check nowhere.txn {bad} {good}"));
    assert!(run.out.contains("lost-update.txn: holds PC") && run.out.contains("serial.txn: holds"));
}

#[test]
fn mixed_levels_are_those_of_the_transactions() {
    let skew = |first: &str, second: &str| {
        format!(
            "init x=0 y=0\ns1: t1 {first} {{ r(x)=0 r(y)=0 w(x)=1 }}\ns2: t2 {second} {{ r(x)=0 r(y)=0 w(y)=1 }}\n"
        )
    };
    for (first, second, flag, code) in [
        ("SER", "SER", "--mixed", 1),
        ("SI", "SI", "--mixed", 0),
        ("SI", "SER", "--mixed", 0),
        ("", "", "--mixed", 1),
        ("", "", "--mixed=SI", 0),
        ("", "SER", "--mixed=SER", 1),
    ] {
        let args = format!("check {flag} --verify --format txn -");
        let run = hob_on(&args, skew(first, second).as_bytes());
        assert_eq!(run.code, code, "{first} {second} {flag}: {}{}", run.out, run.err);
    }
}

#[test]
fn the_states_of_an_execution() {
    // The first example of Crooks et al., and its fixed execution.
    let history =
        b"init x=0 y=0 z=0\na: ta { w(x)=1 }\nb: tb { r(y)=1 r(z)=0 }\nc: tc { w(y)=1 }\n\
        d: td { w(y)=2 w(z)=1 }\ne: te { r(x)=0 r(z)=1 }\n";
    let (code, reports) = json("check --json --execution ta,tc,tb,td,te --format txn -", history);
    assert_eq!(code, 1);
    for (level, expected) in
        [("RU", "holds"), ("RC", "holds"), ("SI", "violated"), ("SER", "violated")]
    {
        assert_eq!(verdict(&reports[0], level), expected, "{level}");
    }
    let txns = &reports[0]["execution"]["transactions"];
    assert_eq!(txns[2]["operations"][1]["read_states"], serde_json::json!([[0, 2]]));
    assert_eq!(txns[2]["complete"], serde_json::json!([[2, 2]]));
    assert_eq!(txns[4]["complete"], serde_json::json!([]));
    let (code, reports) = json("check --json --semantics state --verify --format txn -", history);
    assert_eq!((code, verdict(&reports[0], "SER").as_str()), (0, "holds"));
    assert_eq!(reports[0]["verified"], true);
}

#[test]
fn directories_are_walked_where_asked_for() {
    let scratch = Scratch::new("walk");
    for name in ["jepsen/1", "jepsen/2/nested", "cobra"] {
        std::fs::create_dir_all(scratch.file(name)).expect("there is room");
    }
    let text = b"{\"session\":0,\"ops\":[[\"w\",\"x\",1]]}\n";
    scratch.write("jepsen/1/history.jsonl", text);
    scratch.write("jepsen/1/results.edn", b"{:valid? true}");
    scratch.write("jepsen/2/nested/b.json", text);
    scratch.write("jepsen/2/notes.txt", b"nothing of interest");
    let root = scratch.file("jepsen");
    let (code, reports) = json(&format!("check --json --recursive {root}"), b"");
    let files: Vec<&str> = reports.iter().filter_map(|r| r["file"].as_str()).collect();
    assert_eq!(files, [scratch.file("jepsen/1"), scratch.file("jepsen/2/nested/b.json")]);
    assert_eq!(code, 0);
    let run = hob(&format!("check --recursive {}", scratch.file("cobra")));
    assert!(run.code == 2 && run.err.contains("no history here"), "{}", run.err);
}

#[test]
fn results_are_the_same_every_time() {
    let args = "check --json --verify --recursive corpus/litmus corpus/formats";
    let first = hob(args).out;
    assert!(first.lines().count() > 35);
    for jobs in [1, 2, 5] {
        assert_eq!(hob(&format!("{args} --jobs {jobs}")).out, first);
    }
}
