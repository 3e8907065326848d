//! TPC-C as an application over MySQL's protocol: what it loses at InnoDB's REPEATABLE READ.

use std::path::Path;
use std::process::Command;

use crate::support::Scratch;

/// The benchmarks, which are built if the tests of this package are all that was.
fn oltp() -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_hob")).parent().expect("a file has a directory");
    let path = bin.join("hobgoblin-oltp");
    if !path.exists() {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--package", "hobgoblin-oltp", "--bin", "hobgoblin-oltp"]);
        assert!(cargo.status().expect("cargo runs").success(), "it cannot be built");
    }
    path.display().to_string()
}

/// A payment reads a customer's balance and writes what is left, over what a delivery has added meanwhile. With one
/// transaction at a time nothing is lost.
#[test]
fn a_lost_delivery_is_found_at_repeatable_read() {
    let scratch = Scratch::new("tpcc");
    let oltp = oltp();
    let mut command = vec![oltp.as_str(), "race", "--only", "tpc-c with more payments"];
    command.extend(["--sessions", "4", "--transactions", "8"]);
    let args = "--mysql --level repeatable-read --baseline-runs 1 --until-fail --runs 60 --jobs 2";
    let (code, report) = scratch.json(args, &command);
    assert_eq!(code, 1, "{report}");
    assert_eq!(report["baseline"]["failures"], 0, "{report}");
    let level = &report["levels"][0];
    assert_eq!(level["anomalies"][0]["anomaly"], "lost-update", "{report}");
    let failure = &level["failure"];
    assert_eq!(failure["ending"], "exit code 1");
    let output = failure["output"].as_str().expect("it printed");
    assert!(output.contains("A10: corrupt 1"), "{output}");
    assert!(failure["diagnosis"].to_string().contains("customer"), "{failure}");
}
