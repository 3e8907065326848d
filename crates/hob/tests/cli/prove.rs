//! `hob prove`: anomalies, proofs, solvers that misbehave, certificates, and what programs read.
//!
//! What is asked of the solver is small: a bank of one transaction.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::run::{Run, Scratch, hob, hob_on};

const BANKING: &str = "examples/prove/banking.sql";

/// With `--json`: the exit code and the reports, which are valid.
fn reports(args: &str, input: &[u8]) -> (i32, Vec<Value>) {
    let run = hob_on(&format!("prove --json {args}"), input);
    (run.code, run.reports("prove"))
}

/// A program that says it is Z3, and then does this.
fn fake(scratch: &Scratch, does: &str) -> String {
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Z3 version 4.8.12'; exit; fi\n{does}\n"
    );
    let path = scratch.write("solver", text.as_bytes());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    path
}

/// A run with such a program. Another test that is just starting a process may hold the file open for a moment.
fn with_fake(name: &str, does: &str, args: &str) -> Run {
    let scratch = Scratch::new(name);
    let solver = fake(&scratch, does);
    loop {
        let run = hob(&format!("prove --solver {solver} {args}"));
        if !run.err.contains("Text file busy") {
            return run;
        }
    }
}

#[test]
fn a_lost_update_is_told_as_it_happens() {
    for (level, line) in [
        ("EC", ", at EC, does not see T1\n"),
        ("MVRC", "in this order, each statement seeing what is committed when it begins:\n"),
    ] {
        let run = hob(&format!("prove {BANKING} --level {level}"));
        assert_eq!((run.code, run.err.as_str()), (1, ""), "{level}");
        let (first, rest) = run.out.split_once('\n').expect("lines");
        assert_eq!(first, format!("{BANKING}:5: lost update between withdraw and withdraw"));
        for part in [
            "  CONFIRMED: it was run, and no serial order",
            "  before:  account(id = ",
            "  T1:      withdraw(p_id = ",
            line,
            "  T1    5 | SELECT balance INTO bal FROM account WHERE id = p_id;  reads ",
            "  T2    7 | UPDATE account SET balance = bal - p_amount WHERE id = p_id;\n",
            "  T2      | commit\n",
            "  after:   account(id = ",
            "  T2 must come before T1: T2 read balance of account(id = ",
            "    examples/prove/banking.sql:7: UPDATE account SET balance = bal",
        ] {
            assert!(rest.contains(part), "{level}: {part:?} is not in\n{}", run.out);
        }
        let last = run.out.lines().last().expect("a summary");
        assert!(last.starts_with(&format!("{BANKING}: ANOMALY: 1 anomaly at {level}; ")), "{last}");
    }
    assert_eq!(hob(&format!("prove -q {BANKING}")).out, "");
}

#[test]
fn the_default_is_read_committed_as_databases_have_it() {
    let (code, found) = reports(BANKING, b"");
    assert_eq!((code, &found[0]["levels"]), (1, &json!({"withdraw": "MVRC"})));
    let anomaly = &found[0]["anomalies"][0];
    assert_eq!(anomaly["name"], "lost update");
    assert_eq!(anomaly["transactions"], json!(["withdraw", "withdraw"]));
    assert_eq!(anomaly["confirmed"], true);
    assert!(anomaly["instances"][0]["parameters"]["p_amount"].is_i64());
    let commits = anomaly["schedule"].as_array().expect("events").iter();
    assert_eq!(commits.filter(|event| event["action"] == "commit").count(), 2);
    let edges = anomaly["edges"].as_array().expect("edges");
    assert_eq!(edges.len(), 2);
    for edge in edges {
        assert_eq!((&edge["kind"], &edge["column"]), (&json!("RW"), &json!("balance")));
        assert_eq!(edge["lines"], json!([5, 7]));
    }
}

#[test]
fn every_kind_of_report_is_valid() {
    let (code, found) = reports(&format!("--level SI {BANKING}"), b"");
    assert_eq!((code, &found[0]["status"]), (0, &json!("proved")));
    assert_eq!(found[0]["method"], "induction");
    let (code, found) = reports(&format!("--level SI --no-proof -k 2 {BANKING}"), b"");
    assert_eq!((code, &found[0]["status"]), (3, &json!("unknown")));
    let (code, found) = reports(&format!("--timeout 0s {BANKING}"), b"");
    assert_eq!((code, &found[0]["status"]), (3, &json!("unknown")));
    assert!(!found[0]["undecided"].as_array().expect("a list").is_empty());
    let (code, found) =
        reports(&format!("--level EC --serial withdraw,WITHDRAW -k 3 {BANKING}"), b"");
    assert_eq!(found[0]["serial"], json!([["withdraw", "withdraw"]]));
    assert_eq!((code, &found[0]["status"]), (0, &json!("proved")));
    let (code, found) = reports(&format!("--level PSI no-such.sql {BANKING} -"), b"SELECT 1;");
    assert_eq!((code, found.len()), (2, 3));
    assert!(found[0]["error"]["message"].is_string() && found[2]["error"].is_object());
    assert_eq!(reports("--solver no-such-solver -", b"").1.len(), 1);
}

#[test]
fn a_level_may_be_of_one_transaction() {
    let (code, found) = reports(&format!("--level EC --level Withdraw=SI {BANKING}"), b"");
    assert_eq!((code, &found[0]["levels"]), (0, &json!({"withdraw": "SI"})));
}

/// Two transactions that insert the same row, after a look whether it is there.
#[test]
fn a_row_that_is_inserted_twice_has_its_name() {
    let text = "CREATE TABLE names (name int PRIMARY KEY);\n\
                -- transaction take(p int)\n\
                IF NOT EXISTS (SELECT 1 FROM names WHERE name = p) THEN\n  \
                INSERT INTO names VALUES (p) ON CONFLICT DO NOTHING;\n  RETURN true;\nEND IF;\n\
                -- end\n";
    let (code, found) = reports("--level EC -k 2 -", text.as_bytes());
    assert_eq!((code, &found[0]["anomalies"][0]["name"]), (1, &json!("row inserted twice")));
}

#[test]
fn a_solver_that_dies_is_an_error() {
    let run = with_fake("prove-dies", "exit 1", BANKING);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("died (exit code 1)") || run.err.contains("died ("), "{}", run.err);
    assert!(run.err.contains("`apt-get install z3` installs Z3"), "{}", run.err);
    let run = with_fake("prove-prints", "echo hello", BANKING);
    assert_eq!(run.code, 2, "{}", run.err);
}

#[test]
fn a_solver_that_does_not_know_leaves_it_unknown() {
    let does = "echo unknown; echo '(:reason-unknown \"tired\")'; cat > /dev/null";
    let run = with_fake("prove-unknown", does, BANKING);
    assert_eq!(run.code, 3, "{}", run.err);
    let why = "Not decided by the search:\n  withdraw, withdraw: the solver gave up: tired\n";
    assert!(run.out.contains(why), "{}", run.out);
    assert!(run.out.contains("UNKNOWN: at MVRC, "), "{}", run.out);
    assert!(!run.out.contains("PROVED"));
}

#[test]
fn a_solver_that_hangs_is_not_waited_for() {
    let args = format!("--query-timeout 100ms -k 2 --search-only {BANKING}");
    let start = std::time::Instant::now();
    let run = with_fake("prove-hangs", "exec sleep 60", &args);
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(run.out.contains("withdraw, withdraw: no answer within 0.1 s"), "{}", run.out);
    assert!(start.elapsed().as_secs() < 30);
}

/// Whatever a solver claims to have found is run before it is called an anomaly.
#[test]
fn a_solver_that_lies_confirms_nothing() {
    // Whatever is asked, it can be satisfied, by nothing but zeros.
    let zeros = "exec sed -u -n '/^(check-sat)$/{s/.*/sat/;p}\n\
                 /^(get-value (/,/))$/{s/))$/ 0))/;t e\ns/$/ 0)/\n:e\ns/^ /(/;s/^(get-value (/((/;p}'";
    let args = format!("-k 2 --search-only --timeout 1s {BANKING}");
    let run = with_fake("prove-lies", zeros, &args);
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    assert!(run.out.contains("UNKNOWN"), "{}", run.out);
}

#[test]
fn a_proof_can_be_asked_again_and_not_be_changed() {
    let scratch = Scratch::new("prove-certificate");
    let proof = scratch.file("proof");
    let (code, found) = reports(&format!("--level SI --certificate {proof} {BANKING}"), b"");
    assert_eq!((code, found[0]["certificate"].as_str()), (0, Some(proof.as_str())));
    let (code, found) = reports(&format!("--recheck {proof} {BANKING}"), b"");
    assert_eq!((code, &found[0]["status"]), (0, &json!("proved")));
    assert_eq!(found[0]["file"], BANKING);
    // A solver that finds something refutes it, and one that does not know leaves it open.
    for (says, code, status) in [("sat", 1, "REFUTED"), ("unknown", 3, "UNKNOWN")] {
        let does = format!("echo {says}; echo '(:reason-unknown \"tired\")'; cat > /dev/null");
        let run = with_fake(&format!("prove-{says}"), &does, &format!("--recheck {proof}"));
        assert_eq!(run.code, code, "{}{}", run.out, run.err);
        assert!(run.out.contains(status), "{}", run.out);
    }
    // The next proof replaces it.
    let again = hob(&format!("prove --level PSI --certificate {proof} {BANKING}"));
    assert_eq!(again.code, 0, "{}", again.err);
    let question = std::fs::read_dir(&proof).expect("a directory").find_map(|entry| {
        let path = entry.expect("an entry").path();
        path.extension().is_some_and(|end| end == "smt2").then_some(path)
    });
    let question = question.expect("a question");
    let text = std::fs::read_to_string(&question).expect("a question");
    std::fs::write(&question, text.replacen("(assert", "(assert false) (assert", 1)).expect("room");
    let run = hob(&format!("prove --recheck {proof}"));
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("it was changed since the proof was written"), "{}", run.err);
    let index = scratch.file("proof/proof.json");
    std::fs::write(index, "{}").expect("room");
    assert_eq!(hob(&format!("prove --recheck {proof}")).code, 2);
}

#[test]
fn sarif_has_what_code_scanning_wants() {
    let run = hob(&format!("prove --sarif {BANKING} no-such.sql"));
    assert_eq!(run.code, 2);
    let document: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(document["version"], "2.1.0");
    assert!(document["$schema"].as_str().is_some_and(|schema| schema.contains("sarif-2.1.0")));
    let [run] = document["runs"].as_array().expect("runs").as_slice() else { panic!("one run") };
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let [result] = run["results"].as_array().expect("results").as_slice() else {
        panic!("one result")
    };
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("lost-update"), &json!("error")));
    let index = result["ruleIndex"].as_u64().expect("an index") as usize;
    assert_eq!(rules[index]["id"], result["ruleId"]);
    for rule in rules {
        assert!(rule["shortDescription"]["text"].is_string() && rule["help"]["text"].is_string());
    }
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], BANKING);
    assert_eq!(place["region"]["startLine"], 5);
    let steps = result.pointer("/codeFlows/0/threadFlows/0/locations").expect("steps");
    assert_eq!(steps.as_array().map(Vec::len), Some(4));
    let related = result["relatedLocations"].as_array().expect("statements");
    let ids: Vec<u64> = related.iter().filter_map(|one| one["id"].as_u64()).collect();
    assert_eq!(ids, [1, 2, 3, 4]);
    assert!(result["message"]["text"].as_str().is_some_and(|text| text.contains("Confirmed")));
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"][0]["level"], "error");
}

#[test]
fn advice_is_repairs_and_the_weakest_levels() {
    let run = hob(&format!("prove {BANKING} --advise -k 2"));
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    for part in [
        "any of these undoes it:\n    - lock what line 5 reads: SELECT",
        " FOR UPDATE\n    - run withdraw at SI\n    - materialise the conflict: let withdraw first update",
        "weakest levels of MVRC, SI, SER: withdraw at SI\n  proved serializable; 2 assignments looked at\n",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let (code, reports) = reports(&format!("{BANKING} --level EC --advise=EC,CC,PSI -k 2"), b"");
    assert_eq!(code, 1);
    let advice = &reports[0]["advice"];
    assert_eq!(advice["weakest"]["levels"], json!({"withdraw": "PSI"}));
    assert_eq!(advice["weakest"]["status"], "proved");
    let repairs = &reports[0]["anomalies"][0]["repairs"];
    assert_eq!(repairs[0]["changes"][0]["level"], "PSI");
    let wrong = hob(&format!("prove {BANKING} --advise=SI,CC"));
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("CC does not ask all that SI asks"), "{}", wrong.err);
}

#[test]
fn formulas_are_a_specification() {
    let scratch = Scratch::new("prove-spec");
    let causal = scratch.write("causal.spec", b"vis(a, b) and vis(b, c) => vis(a, c)\n");
    let psi =
        scratch.write("psi.spec", b"vis(a, b) and vis(b, c) => vis(a, c)\nWW(a, b) => vis(a, b)\n");
    let wrong = scratch.write("wrong.spec", b"vis(a, b) and\n  sees(b, c)\n");
    let (code, reports) = reports(&format!("{BANKING} -k 2 --spec {causal}"), b"");
    assert_eq!((code, &reports[0]["spec"]), (1, &json!(causal)));
    assert_eq!(reports[0]["levels"], json!({"withdraw": "EC"}));
    assert_eq!(hob(&format!("prove {BANKING} -k 2 --spec {psi}")).code, 0);
    let run = hob(&format!("prove {BANKING} --spec {wrong}"));
    assert_eq!(run.code, 2);
    for part in
        ["wrong.spec:2:3", "`sees` is no relation", "there are vis(a, b), ar(a, b) and WW(a, b)"]
    {
        assert!(run.err.contains(part), "{part}: {}", run.err);
    }
    let missing = hob(&format!("prove {BANKING} --spec nowhere.spec"));
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("nowhere.spec"), "{}", missing.err);
}
