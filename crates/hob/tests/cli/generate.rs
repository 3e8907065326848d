//! `hob gen`.

use hobgoblin_core::{Anomaly, Level};
use hobgoblin_format::Format;
use hobgoblin_gen::violates;

use crate::run::{Scratch, hob, hob_on, json};

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_gives_others() {
    let run = |seed: u32| hob(&format!("gen --transactions 50 --seed {seed}")).out;
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    assert_eq!(run(1).lines().count(), 50 + 1);
}

#[test]
fn every_format_holds_the_same_history() {
    let scratch = Scratch::new("gen");
    for format in Format::ALL {
        let file = scratch.file(&format!("{format}.out"));
        let args = format!(
            "gen --level CC --anomaly lost-update --transactions 40 --events-per-transaction 2..6 --keys 20 --format {format} -o {file}"
        );
        let run = hob(&args);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{args}");
        let (code, reports) = json(&format!("check --json --verify --format {format} {file}"), b"");
        assert_eq!(code, 1);
        let levels = &reports[0]["levels"];
        assert_eq!(levels["CC"]["verdict"], "holds", "{format}");
        assert_eq!(levels["PSI"]["verdict"], "violated", "{format}");
    }
}

#[test]
fn every_anomaly_violates_what_it_should() {
    for anomaly in Anomaly::ALL {
        let code = anomaly.code();
        let history = hob(&format!("gen --transactions 30 --anomaly {code} --timestamps")).out;
        let (_, reports) = json("check --json --verify -", history.as_bytes());
        assert_eq!(reports[0]["verified"], true, "{code}");
        for level in Level::ALL {
            let expected = if violates(anomaly, level) { "violated" } else { "holds" };
            assert_eq!(reports[0]["levels"][level.name()]["verdict"], expected, "{code} {level}");
        }
    }
}

#[test]
fn the_number_of_events_can_be_given() {
    for (args, transactions) in [
        ("--events 1k", 100),
        ("--events 1000 --events-per-transaction 4", 250),
        ("--events 1000 --events-per-transaction 2..6", 250),
    ] {
        let history = hob(&format!("gen {args}")).out;
        let (_, reports) = json("check --json --level RC -", history.as_bytes());
        assert_eq!(reports[0]["transactions"], transactions, "{args}");
    }
}

#[test]
fn all_parameters_are_taken() {
    let args = "gen --sessions 4 --transactions 200 --events-per-transaction 1..8 --keys 12 \
        --distribution zipf:1.2 --read-share 40% --repeated-values 0.1 --aborted 0.1 --unknown 0.1 \
        --timestamps --window 8 --level SI --order session --seed 9 --format jsonl";
    let history = hob(args).out;
    for part in ["\"aborted\"", "\"unknown\"", "\"begin\""] {
        assert!(history.contains(part), "{part}");
    }
    let run = hob_on("check --level SI --verify -", history.as_bytes());
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
}

#[test]
fn values_can_be_drawn_from_few() {
    let history = hob("gen --transactions 300 --keys 9 --values 3 --order session --seed 2").out;
    let lines = history.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
    let txns: Vec<_> = lines.filter(|line| line.get("ops").is_some()).collect();
    let mut written = std::collections::BTreeSet::new();
    for op in txns.iter().flat_map(|txn| txn["ops"].as_array().unwrap()) {
        if op[0] == "w" {
            written.insert(op[2].to_string());
        }
    }
    assert_eq!(written.into_iter().collect::<Vec<_>>(), ["1", "2", "null"]);
    let sessions: Vec<i64> = txns.iter().map(|t| t["session"].as_i64().unwrap()).collect();
    assert!(sessions.is_sorted() && sessions.last() == Some(&9));
    let zipf = hob("gen --transactions 300 --values 3 --value-distribution zipf:9").out;
    assert!(zipf.matches(",null]").count() > 9 * zipf.matches(",1]").count(), "{zipf}");
}

#[test]
fn bad_parameters_are_told() {
    for (args, told) in [
        ("--sessions 0", "at least one session"),
        ("--events 10000000000000", "too many"),
        ("--events-per-transaction 9..3", "at least 9 and at most 3"),
        ("--aborted 0.7 --unknown 0.7", "more than 1"),
        ("--read-share 2", "share from 0 to 1"),
        ("--anomaly lost-updates", "lost-update"),
        ("--anomaly long-fork --sessions 1", "needs at least 4 sessions"),
        ("--distribution normal", "zipf"),
        ("--distribution zipf:99", "from 0 to 10"),
        ("--values 0", "at least one value"),
        ("--values 9 --value-distribution normal", "zipf"),
        ("--format txt", "possible values"),
        ("-o history.txt", "cannot tell which format"),
        ("-o no/such/directory/h.txn", "make the directory first"),
    ] {
        let run = hob(&format!("gen {args}"));
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{args}");
        assert!(run.err.contains(told), "{args}: {}", run.err);
    }
}
