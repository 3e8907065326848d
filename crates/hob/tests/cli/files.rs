//! Files that are there are not lost, names need not be text, and full disks are said.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::run::{Scratch, hob, root};

/// Runs `hob` with arguments that need not be text.
fn run<S: AsRef<OsStr>>(args: &[S]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hob"));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    command.output().expect("hob starts")
}

#[track_caller]
fn done(output: &Output, code: i32) {
    let text = [&output.stdout[..], &output.stderr].concat();
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&text));
}

#[test]
fn a_file_that_exists_is_not_replaced_without_force() {
    let scratch = Scratch::new("exists");
    let program = "crates/hob/tests/golden/counters.hob";
    fs::create_dir(scratch.file("all")).expect("there is room");
    fs::create_dir(scratch.file("cobra")).expect("there is room");
    let cases = [
        ("a.jsonl", "gen --transactions 5 -o FILE"),
        ("b.bincode", "gen --transactions 5 -o FILE"),
        ("c.txn", "convert corpus/litmus/serial.txn FILE"),
        ("d.jsonl.gz", "convert corpus/litmus/serial.txn FILE"),
        ("left", "explore PROGRAM --level CC --max 2 --threads 1 --save FILE"),
        ("all.jsonl", "explore PROGRAM --level CC --all FILE"),
    ];
    for (name, args) in cases {
        let file = scratch.write(name, b"precious");
        let args = args.replace("FILE", &file).replace("PROGRAM", program);
        let refused = hob(&args);
        assert_eq!(refused.code, 2, "{args}: {}", refused.out);
        assert!(
            refused.err.contains("exists already") && refused.err.contains("--force"),
            "{args}"
        );
        assert_eq!(fs::read(&file).expect("it is there"), b"precious", "{args}");
        let forced = hob(&format!("{args} --force"));
        assert!(forced.code != 2, "{args}: {}", forced.err);
        assert_ne!(fs::read(&file).expect("it is there"), b"precious", "{args}");
    }
    // There is nothing to lose in what `mktemp` makes.
    let file = scratch.write("empty.txn", b"");
    assert_eq!(hob(&format!("gen --transactions 5 -o {file}")).code, 0);
    assert_eq!(hob(&format!("gen --transactions 5 -o {file}")).code, 2);
    for (name, args) in [
        ("all/000001.jsonl", "explore PROGRAM --level CC --all DIR/all/"),
        ("cobra/T1.log", "convert corpus/formats/lost-update-cobra DIR/cobra --to cobra"),
    ] {
        let file = scratch.write(name, b"precious");
        let args = args.replace("DIR", &scratch.file("")).replace("PROGRAM", program);
        let refused = hob(&args);
        assert_eq!(refused.code, 2, "{args}: {}{}", refused.out, refused.err);
        assert!(refused.err.contains("--force"), "{args}: {}", refused.err);
        assert_eq!(fs::read(&file).expect("it is there"), b"precious", "{args}");
    }
    let nothing = fs::read_dir(scratch.file("")).expect("it is there");
    let left = nothing.filter(|entry| {
        entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".tmp"))
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_report_replaces_an_earlier_one_and_nothing_else() {
    let scratch = Scratch::new("reports");
    let (graph, history) = (scratch.file("graph.dot"), scratch.write("h.txn", b"s: { w(x)=1 }\n"));
    for _ in 0..2 {
        let run = hob(&format!("check --dot {graph} corpus/litmus/write-skew.txn"));
        assert_eq!(run.code, 1, "{}", run.err);
    }
    assert!(fs::read_to_string(&graph).expect("it is there").starts_with("digraph"));
    // A history named in the wrong place.
    let run = hob(&format!("check --dot {history} corpus/litmus/write-skew.txn"));
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("exists already"), "{}", run.err);
    assert_eq!(fs::read_to_string(&history).expect("it is there"), "s: { w(x)=1 }\n");
}

#[test]
fn names_that_are_not_text_work() {
    let scratch = Scratch::new("names");
    let directory = PathBuf::from(scratch.file("")).join(OsStr::from_bytes(b"dir\xff"));
    fs::create_dir(&directory).expect("the file system takes any name");
    let file = |name: &[u8]| directory.join(OsStr::from_bytes(name));
    let strings = |parts: &[&dyn AsRef<OsStr>]| -> Vec<std::ffi::OsString> {
        parts.iter().map(|part| part.as_ref().to_owned()).collect()
    };
    let (history, copy) = (file(b"h\xfe.jsonl"), file(b"c\xfd.txn"));
    done(&run(&strings(&[&"gen", &"--transactions", &"20", &"-o", &history])), 0);
    done(&run(&strings(&[&"convert", &history, &copy])), 0);
    for args in [strings(&[&"check", &copy]), strings(&[&"check", &"--recursive", &directory])] {
        let output = run(&args);
        done(&output, 0);
        let text = String::from_utf8(output.stdout).expect("shown as text");
        assert!(text.contains("dir\u{fffd}"), "{text}");
    }
    let output = run(&strings(&[&"check", &"--json", &copy]));
    done(&output, 0);
    serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON all the same");
    let limited = run(&strings(&[&"check", &"--follow", &"--time-limit", &"500ms", &history]));
    done(&limited, 3);
    let dot = file(b"g\xfc.dot");
    done(&run(&strings(&[&"check", &"--dot", &dot, &"corpus/litmus/write-skew.txn"])), 1);
    assert!(dot.exists());
    let (library, program) = (file(b"lib.hob"), file(b"p\xfb.hob"));
    fs::write(&library, "table t\n").expect("there is room");
    fs::copy(root().join("crates/hob/tests/golden/counters.hob"), &program).expect("there is room");
    let (left, all) = (file(b"left\xfa"), file(b"all\xf9"));
    let saved =
        strings(&[&"explore", &program, &"--level", &"CC", &"--max", &"2", &"--save", &left]);
    assert_ne!(run(&saved).status.code(), Some(2));
    assert!(left.exists());
    assert_ne!(run(&strings(&[&"explore", &program, &"--resume", &left])).status.code(), Some(2));
    assert_ne!(run(&strings(&[&"explore", &program, &"--all", &all])).status.code(), Some(2));
    assert!(all.exists());
    done(&run(&strings(&[&"check", &file(b"none\xf8")])), 2);
}

/// `hob` with its output or its errors going to a device that is full.
fn full(args: &str, redirect: &str) -> Output {
    let hob = env!("CARGO_BIN_EXE_hob");
    let script = format!("exec '{hob}' {args} {redirect}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(root()).stdin(Stdio::null());
    shell.output().expect("there is a shell")
}

#[test]
fn a_full_device_is_no_panic() {
    assert!(Path::new("/dev/full").exists());
    for args in [
        "check corpus/litmus/serial.txn",
        "check --json corpus/litmus/serial.txn",
        "check --dot - corpus/litmus/write-skew.txn",
        "levels",
        "formats --json",
        "gen --transactions 100",
        "convert corpus/litmus/serial.txn - --to jsonl",
        "explore crates/hob/tests/golden/counters.hob",
        "completions bash",
        "--help",
        "help check",
        "--version",
    ] {
        let output = full(args, ">/dev/full");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args}: {err}");
        assert!(err.contains("cannot write to standard output"), "{args}: {err}");
        assert!(!err.contains("panicked"), "{args}: {err}");
    }
    for (args, code) in [
        ("check no-such-file", 2),
        ("check --level nonsense x", 2),
        ("test ./cart", 2),
        ("check --level rr corpus/litmus/serial.txn", 0),
        ("serve --http nonsense", 2),
        ("gen -o /nowhere/x.txn", 2),
        ("", 2),
    ] {
        assert_eq!(full(args, "2>/dev/full").status.code(), Some(code), "{args}");
        assert_eq!(full(args, ">/dev/full 2>/dev/full").status.code(), Some(2), "{args}");
    }
    for args in
        ["gen -o /dev/full --format jsonl", "convert corpus/litmus/serial.txn /dev/full --to txn"]
    {
        let run = hob(args);
        assert_eq!(run.code, 2, "{args}");
        assert!(run.err.contains("No space left"), "{args}: {}", run.err);
    }
    // A limit on the length of files is told, and no reason to die.
    let scratch = Scratch::new("fsize");
    let file = scratch.file("large.jsonl");
    let limited = format!("ulimit -f 8; exec '{}' gen -o {file}", env!("CARGO_BIN_EXE_hob"));
    let output = Command::new("sh").args(["-c", &limited]).output().expect("there is a shell");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("too large"), "{output:?}");
    assert_eq!(fs::read_dir(scratch.file("")).expect("it is there").count(), 0);
}
