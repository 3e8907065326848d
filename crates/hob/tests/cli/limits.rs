//! Limits give "unknown", never "holds"; signals and closed pipes end quietly.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
            let said = reports[0]["levels"][level]["reason"].as_str().expect("why");
            assert!(said.starts_with(reason), "{flag}: {said}");
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

/// A Zstandard file that unpacks to some text and then a hundred gigabytes of one byte.
fn bomb(head: &[u8], byte: u8) -> Vec<u8> {
    // A window of 128 KiB; then blocks: a length, a kind, and the byte that is repeated.
    let mut file = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
    file.extend_from_slice(&((head.len() as u32) << 3).to_le_bytes()[..3]);
    file.extend_from_slice(head);
    let block = ((128u32 << 10) << 3 | 1 << 1).to_le_bytes();
    for _ in 0..100_000_000_000u64 / (128 << 10) {
        file.extend_from_slice(&[block[0], block[1], block[2], byte]);
    }
    file
}

fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_hob"))
        .args(args)
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hob starts")
}

/// Runs until it ends: its exit code, what it printed, how long it took, and the most memory it had.
fn watch(mut child: Child) -> (Option<i32>, String, Duration, u64) {
    let begun = Instant::now();
    let mut most = 0;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            break status;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not end");
        let text = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let line = text.unwrap_or_default();
        let line = line.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        let kib = line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0);
        most = most.max(kib << 10);
        std::thread::sleep(Duration::from_millis(2));
    };
    let took = begun.elapsed();
    let mut text = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut text).expect("text");
    child.stderr.take().expect("piped").read_to_string(&mut text).expect("text");
    (status.code(), text, took, most)
}

/// Machines may be busy; this is still far from the minutes that it would take.
const SOON: Duration = Duration::from_secs(8);

#[test]
fn limits_hold_while_a_file_unpacks() {
    let scratch = Scratch::new("bomb");
    // A hundred gigabytes of empty lines, and of one line.
    let lines = scratch.write("lines.zst", &bomb(b"{\"hobgoblin\":1}\n", b'\n'));
    let line = scratch.write("line.zst", &bomb(b"{\"session\":0,\"ops\":[[\"w\",\"", b'x'));
    let edn = scratch.write("line.edn.zst", &bomb(b"{:type :ok :value [[:w :x \"", b'x'));
    assert!(std::fs::metadata(&lines).expect("it is there").len() < 4 << 20);
    let args = ["check", "--level", "RC,SER", "--time-limit", "1s", &lines];
    let (code, text, took, _) = watch(start(&args));
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("the time limit was reached while reading"), "{text}");
    assert!(text.contains("not read to its end"), "{text}");
    assert!(took >= Duration::from_secs(1) && took < SOON, "{took:?}");
    for file in [&line, &edn] {
        let (code, text, took, most) =
            watch(start(&["check", "--memory-limit", "300MB", "--json", file]));
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("the memory limit was reached while reading"), "{text}");
        assert!(took < 4 * SOON, "{took:?}");
        assert!(most < 400_000_000, "{most} bytes");
    }
}

#[test]
fn limits_hold_while_a_pipe_says_nothing() {
    let scratch = Scratch::new("pipe");
    let pipe = scratch.file("pipe.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo").success());
    // Nobody writes.
    let (code, text, took, _) = watch(start(&["check", "--time-limit", "500ms", &pipe]));
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("the time limit was reached while reading") && took < SOON, "{took:?}");
    // Somebody writes for ever.
    let endless = pipe.clone();
    std::thread::spawn(move || {
        let mut pipe = std::fs::OpenOptions::new().write(true).open(endless).expect("it is there");
        while pipe.write_all(b"{\"session\":0,\"ops\":[]}\n").is_ok() {}
    });
    let (code, text, took, _) = watch(start(&["check", "--time-limit", "500ms", &pipe]));
    assert_eq!(code, Some(3), "{text}");
    assert!(took < SOON, "{took:?}");
    // The same of standard input, which is left open.
    let mut child = Command::new(env!("CARGO_BIN_EXE_hob"))
        .args(["check", "--time-limit", "500ms", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hob starts");
    let open = child.stdin.take();
    let (code, text, took, _) = watch(child);
    assert_eq!(code, Some(3), "{text}");
    assert!(took < SOON, "{took:?}");
    drop(open);
}

#[test]
fn an_interruption_while_reading_ends_it() {
    let scratch = Scratch::new("pipe-interrupt");
    let pipe = scratch.file("pipe.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("there is mkfifo").success());
    let interrupt = |child: &Child| {
        std::thread::sleep(Duration::from_millis(1500));
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
    };
    // Nothing is known yet.
    let child = start(&["check", &pipe]);
    interrupt(&child);
    let (code, _, took, _) = watch(child);
    assert_eq!(code, Some(130));
    assert!(took < SOON, "{took:?}");
    // One file is known.
    let child = start(&["check", "--jobs", "1", "corpus/litmus/serial.txn", &pipe]);
    interrupt(&child);
    let (code, text, took, _) = watch(child);
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.contains("serial.txn: holds") && text.contains("interrupted after 1 of 2"),
        "{text}"
    );
    assert!(took < SOON, "{took:?}");
}

/// Where values repeat, and a few keys have most of the writes, whom reads read from is searched for long.
#[test]
fn limits_hold_while_sources_are_searched() {
    let scratch = Scratch::new("repeated");
    let file = scratch.file("repeated.txn");
    let shape =
        "--transactions 10k --events-per-transaction 8 --sessions 25 --keys 5000 --values 2";
    let args = format!("gen --order session --distribution zipf {shape} -o {file}");
    assert_eq!(hob(&args).code, 0);
    for level in ["CC", "SI", "SER"] {
        let args = ["check", "--jobs", "1", "--level", level, "--time-limit", "2s", &file];
        let (code, text, took, most) = watch(start(&args));
        assert_eq!(code, Some(3), "{level}: {text}");
        assert!(text.contains("the time limit was reached"), "{level}: {text}");
        assert!(took < SOON && most < 1 << 30, "{level}: {took:?}, {most} bytes");
    }
    let args = ["check", "--jobs", "1", "--level", "SER", "--memory-limit", "20MB", &file];
    let (code, text, took, most) = watch(start(&args));
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("the memory limit was reached"), "{text}");
    assert!(took < SOON && most < 200 << 20, "{took:?}, {most} bytes");
}
