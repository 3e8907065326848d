//! Limits give "unknown", never "holds"; signals and closed pipes end quietly.

use std::io::Read;
use std::process::{Command, Stdio};

use crate::run::{Scratch, hob, json, root};

#[test]
fn a_limit_is_unknown_and_says_which() {
    for (flag, reason) in [
        ("--time-limit 0s", "the time limit was reached"),
        ("--memory-limit 1kB", "the memory limit was reached"),
    ] {
        let (code, reports) = json(&format!("check --json {flag} corpus/litmus/serial.txn"), b"");
        assert_eq!(code, 3, "{flag}");
        for level in ["RC", "SER"] {
            assert_eq!(reports[0]["levels"][level]["verdict"], "unknown", "{flag}");
            assert_eq!(reports[0]["levels"][level]["reason"], reason, "{flag}");
        }
        assert_eq!(reports[0]["strongest"], serde_json::json!([]));
    }
    let enough = hob("check --time-limit 1m --memory-limit 2GiB corpus/litmus/serial.txn");
    assert_eq!(enough.code, 0, "{}", enough.err);
}

#[test]
fn a_closed_pipe_is_no_error_to_talk_about() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hob"))
        .args(["gen", "--events", "1M"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hob starts");
    let mut few = [0; 100];
    child.stdout.take().expect("it is piped").read_exact(&mut few).expect("there is output");
    let output = child.wait_with_output().expect("hob ends");
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(output.stderr, b"");
}

#[cfg(unix)]
#[test]
fn an_interrupted_check_tells_what_it_knows() {
    let scratch = Scratch::new("interrupt");
    // A history whose check takes long: many writers of the same values.
    let file = scratch.file("hard.jsonl");
    let gen_args = format!(
        "gen --transactions 4000 --sessions 40 --keys 10 --repeated-values 1 --level RC --seed 3 -o {file}"
    );
    assert_eq!(hob(&gen_args).code, 0);
    for signal in ["-INT", "-TERM", "-HUP"] {
        let child = Command::new(env!("CARGO_BIN_EXE_hob"))
            .args(["check", "--time-limit", "60s", &file])
            .current_dir(root())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("hob starts");
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(killed.is_ok());
        let output = child.wait_with_output().expect("hob ends");
        let text = String::from_utf8_lossy(&output.stdout);
        // However fast the machine, it ends by itself, with what it knows.
        assert!(
            matches!(output.status.code(), Some(0 | 1 | 3)),
            "{signal} {:?}: {text}",
            output.status
        );
        assert!(text.contains("read committed"), "{text}");
    }
}
