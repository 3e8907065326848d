//! The data that runs start with, and the file that keeps it.

use std::time::{Duration, Instant};

use crate::support::{Run, Scratch, counter, finish};

/// `hob test` with a setup, which may have blanks in it.
fn with_setup(scratch: &Scratch, setup: &str, args: &str, command: &[&str]) -> Run {
    let mut hob = scratch.command("", &[]);
    hob.args(["--setup", setup]).args(args.split_whitespace()).arg("--").args(command);
    finish(hob)
}

#[test]
fn a_setup_that_does_not_end_is_told_with_what_it_printed() {
    let scratch = Scratch::new("slow-setup");
    let started = Instant::now();
    let run = with_setup(
        &scratch,
        "echo migrating; sleep 60",
        "--setup-timeout 300ms --timeout 50s",
        &["true"],
    );
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(run.code, 2, "{run:?}");
    for part in ["the setup did not end within 300ms", "| migrating", "--setup-timeout"] {
        assert!(run.err.contains(part), "{part}: {run:?}");
    }
    // It is not the time of a run.
    let run = with_setup(&scratch, "sleep 0.5", "--timeout 200ms --runs 1", &["true"]);
    assert_eq!(run.code, 3, "{run:?}");
    let run = with_setup(&scratch, "echo gone wrong >&2; exit 7", "", &["true"]);
    assert_eq!(run.code, 2, "{run:?}");
    for part in ["the setup failed: exit code 7", "| gone wrong"] {
        assert!(run.err.contains(part), "{part}: {run:?}");
    }
}

#[test]
fn a_file_keeps_what_the_setup_leaves() {
    let scratch = Scratch::new("cache");
    let counter = counter();
    let setup = format!("echo once >> made; {counter} set 40");
    let check = "test $HOB_BASELINE || exit 1";
    let script = format!("{counter} && {check}");
    let cached = |setup: &str| {
        let args = "--runs 1 --baseline-runs 1 --setup-cache kept --policy latest";
        let run = with_setup(&scratch, setup, args, &["sh", "-c", &script]);
        assert_eq!(run.code, 1, "{run:?}");
        (scratch.read("made").lines().count(), run.out)
    };
    let (made, said) = cached(&setup);
    assert!(made == 1 && said.contains("setup: kept in kept\n"), "{said}");
    for _ in 0..2 {
        let (made, said) = cached(&setup);
        assert!(made == 1 && said.contains("setup: taken from kept\n"), "{said}");
    }
    // The data is that of the setup.
    let log = scratch.read("hob-failures/RC-seed0.log.jsonl");
    assert!(log.contains("[\"counter\",40]"), "{log}");
    // Another command, and damage, are told.
    let (made, said) = cached(&setup.replace("40", "50"));
    assert!(
        made == 2 && said.contains("setup: made anew and kept in kept: the setup was"),
        "{said}"
    );
    let whole = scratch.read("kept");
    for damage in ["", "nonsense", &whole[..whole.len() / 2], &whole.replace("50]", "51]")] {
        scratch.write("kept", damage);
        let (_, said) = cached(&setup.replace("40", "50"));
        let part = "setup: made anew and kept in kept: it is damaged\n";
        assert!(said.contains(part), "{damage:?}: {said}");
        assert_eq!(scratch.read("kept"), whole);
    }
    let left: Vec<_> = std::fs::read_dir(&scratch.0).expect("it is there").collect();
    assert!(
        !left
            .iter()
            .any(|f| f.as_ref().is_ok_and(|f| f.path().extension() == Some("new".as_ref()))),
        "{left:?}"
    );
}

#[test]
fn a_setup_that_fails_is_not_kept() {
    let scratch = Scratch::new("not-kept");
    let run = with_setup(&scratch, "false", "--setup-cache kept", &["true"]);
    assert_eq!(run.code, 2, "{run:?}");
    let left = std::fs::read_dir(&scratch.0).expect("it is there").count();
    assert_eq!(left, 0, "nothing is left behind");
}
