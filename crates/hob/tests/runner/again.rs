//! Programs that never say the same twice are replayed, and their behaviours counted, all the same: those of
//! `examples/orders.rs`, which write times and random ids and ask for sets, from threads without names.

use serde_json::Value;

use crate::support::{Scratch, example};

/// The arguments that replay a log.
fn replay_of(log: &str) -> String {
    format!("--replay {log} --yes")
}

#[test]
fn a_run_with_other_times_ids_and_orders_of_sets_follows_its_log_and_fails_again() {
    for customers in ["2", "3", "4"] {
        let scratch = Scratch::new(&format!("orders-{customers}"));
        let orders = example("orders");
        let (code, report) =
            scratch.json("--level RC --until-fail --runs 60", &[&orders, customers]);
        assert_eq!(code, 1, "{report}");
        let failure = &report["levels"][0]["failure"];
        assert_eq!(failure["diagnosis"]["anomaly"], "lost-update", "{report}");
        assert_eq!(failure["diagnosis"]["keys"], serde_json::json!(["item[1]"]), "{report}");
        let log = failure["log"].as_str().expect("it was saved");
        for _ in 0..5 {
            let (code, again) = scratch.json(&replay_of(log), &[]);
            assert_eq!((code, &again["divergence"]), (1, &Value::Null), "{again}");
            assert!(again["differences"]["count"].as_u64() > Some(0), "{again}");
            assert_eq!(again["failure"]["output"], failure["output"], "{again}");
            assert_eq!(again["failure"]["diagnosis"]["keys"], failure["diagnosis"]["keys"]);
        }
        let said = scratch.test(&replay_of(log), &[]);
        assert!(said.out.contains("had other values than in the log"), "{said:?}");
        assert!(said.out.contains("insert into orders values"), "{said:?}");
    }
}

#[test]
fn runs_that_differ_in_times_and_ids_behave_alike() {
    let scratch = Scratch::new("orders-alike");
    for customers in ["1", "3"] {
        let args = "--level RC --runs 8";
        let (code, report) = scratch.json(args, &[&example("orders"), customers, "calm"]);
        assert_eq!(code, 0, "{report}");
        assert_eq!(report["levels"][0]["behaviours"]["distinct"], 1, "{report}");
    }
}
