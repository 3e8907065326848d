//! Programs that say they are a solver, and do what none should.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use hobgoblin_prove::smt::{Answer, Solver, SolverError};

use crate::{Directory, LIMIT, never};

/// A shell script that tells a version and then does something.
struct Fake {
    directory: Directory,
}

impl Fake {
    fn new(test: &str, version: &str, does: &str) -> Fake {
        let directory = Directory::new(test);
        let path = directory.path().join("solver");
        let text = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo '{version}'; exit; fi\n{does}\n"
        );
        std::fs::write(&path, text).expect("a file");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
        Fake { directory }
    }

    /// A process that another test is just starting may hold the file open for writing, for a moment.
    fn find(&self) -> Result<Solver, SolverError> {
        let path = self.directory.path().join("solver");
        loop {
            match Solver::find(Some(path.to_str().expect("a name that is text"))) {
                Err(SolverError::Run { error, .. })
                    if error.kind() == ErrorKind::ExecutableFileBusy =>
                {
                    std::thread::sleep(Duration::from_millis(5));
                }
                found => return found,
            }
        }
    }
}

/// What comes of asking a program that does this.
fn ask(test: &str, does: &str) -> Result<Answer, SolverError> {
    let fake = Fake::new(test, "Z3 version 4.8.12 - 64 bit", does);
    let script = "(declare-fun x () Int)\n(check-sat)\n";
    fake.find().expect("a solver").ask(script, &["x".to_owned()], LIMIT, &never)
}

fn error(test: &str, does: &str) -> String {
    ask(test, does).expect_err("no answer").to_string()
}

#[test]
fn a_solver_that_is_not_there_is_told_how_to_install() {
    let error = Solver::find(Some("/nowhere/z3")).expect_err("not there");
    assert!(matches!(error, SolverError::Missing { .. }), "{error}");
    let text = SolverError::Missing {
        name: "z3".to_owned(),
        help: "`apt-get install z3` installs it".to_owned(),
    };
    assert!(text.to_string().contains("`z3` is not installed; `apt-get install z3`"));
}

#[test]
fn versions_are_checked() {
    let find = |name: &str, version: &str| {
        let found = Fake::new(name, version, "").find();
        found.map(|solver| solver.name()).map_err(|error| error.to_string())
    };
    assert_eq!(find("new", "Z3 version 4.13.0 - 64 bit").as_deref(), Ok("z3 4.13.0"));
    assert_eq!(find("cvc", "This is cvc5 version 1.2.0").as_deref(), Ok("cvc5 1.2.0"));
    let cut = find("cut", "This is cvc5 version 1.1.3-dev.8 [git]");
    assert_eq!(cut.as_deref(), Ok("cvc5 1.1.3"));
    let old = find("old", "Z3 version 4.4.1").expect_err("too old");
    assert!(old.contains("is version 4.4.1, and 4.8 is the oldest"), "{old}");
    let old = find("zero", "This is cvc5 version 0.0.8").expect_err("too old");
    assert!(old.contains("1.0 is the oldest"), "{old}");
    for printed in ["Yices 2.6.4", "", "Z3 version new", "Z3 version 5"] {
        let other = find("other", printed).expect_err("no solver we know");
        assert!(other.contains("neither Z3 nor cvc5"), "{other}");
    }
}

#[test]
fn one_that_dies_is_told_with_what_it_printed() {
    let text = error("dies", "exit 3");
    assert!(text.contains("died (exit status: 3)"), "{text}");
    let text = error("complains", "echo 'out of memory' >&2; exit 101");
    assert!(text.contains("exit status: 101): out of memory"), "{text}");
    let text = error("killed", "kill -9 $$");
    assert!(text.contains("signal: 9"), "{text}");
    let text = error("half", "echo sat; printf '((x '; exit 0");
    assert!(text.contains("died (exit status: 0): ((x"), "{text}");
}

#[test]
fn one_that_hangs_is_killed() {
    for (test, does) in [
        ("hangs", "sleep 100"),
        ("hangs-after", "echo sat; sleep 100"),
        ("closes", "exec >&- 2>&-; sleep 100"),
        ("reads-not", "exec 0<&-; sleep 100"),
    ] {
        let fake = Fake::new(test, "Z3 version 4.8.12", does);
        let start = Instant::now();
        // More than a pipe holds.
        let script = "(check-sat)\n".repeat(100_000);
        let limit = Duration::from_millis(300);
        let answer = fake.find().expect("a solver").ask(&script, &["x".to_owned()], limit, &never);
        let unknown = Answer::Unknown("no answer within 0.3 s".to_owned());
        assert_eq!(answer.expect("no error"), unknown, "{test}");
        assert!(start.elapsed() < Duration::from_secs(5), "{test}: {:?}", start.elapsed());
    }
}

#[test]
fn one_that_does_not_know_says_why_if_it_may() {
    let answer = ask("unknown", "echo unknown; exit 0").expect("an answer");
    assert_eq!(answer, Answer::Unknown("the solver gave up: no reason is given".to_owned()));
    let says = "echo unknown; echo '(:reason-unknown \"smt tactic failed\")'; sleep 100";
    let answer = ask("reason", says).expect("an answer");
    assert_eq!(answer, Answer::Unknown("the solver gave up: smt tactic failed".to_owned()));
    let answer = ask("timeout", "echo timeout").expect("an answer");
    assert_eq!(answer, Answer::Unknown("no answer within 20 s".to_owned()));
}

#[test]
fn one_that_prints_anything_else_is_an_error() {
    for (test, does, says) in [
        ("garbage", "echo 'Segmentation fault'; sleep 100", "prints \"Segmentation\""),
        ("unsupported", "echo unsupported; echo unsat", "prints \"unsupported\""),
        ("error", "echo '(error \"line 1: no\")'; echo unsat", "line 1: no"),
        ("closing", "echo ')'; echo sat", "prints \")"),
        ("list", "echo '(sat)'", "prints \"(sat)\""),
        ("model-error", "echo sat; echo '(error \"no model\")'", "no model"),
        ("model-short", "echo sat; echo '()'", "prints \"()\""),
        ("model-word", "echo sat; echo x", "prints \"x\""),
        ("bytes", "printf '\\377\\376 sat\\n'", "prints"),
    ] {
        let text = error(test, does);
        assert!(text.contains(says), "{test}: {text}");
        assert!(text.contains("solver` does not answer but prints"), "{test}: {text}");
    }
}

#[test]
fn one_that_prints_megabytes_is_an_error_of_one_line() {
    let ten = "head -c 10000000 /dev/zero | tr '\\0'";
    for (test, does) in [
        ("word", format!("{ten} a")),
        ("nest", format!("{ten} '('")),
        ("errors", format!("{ten} e >&2; exit 1")),
        ("both", format!("{ten} e >&2; echo sat; {ten} ' '; echo '((x 1) (y 2))'")),
    ] {
        let start = Instant::now();
        let text = error(test, &does);
        assert!(text.len() < 1000, "{test}: {} bytes", text.len());
        assert!(start.elapsed() < Duration::from_secs(10), "{test}: {:?}", start.elapsed());
    }
}

#[test]
fn no_process_is_left() {
    let zombies = || {
        let text = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let stats = text.filter_map(|each| std::fs::read_to_string(each.path().join("stat")).ok());
        let us = format!(" {} ", std::process::id());
        // pid (name) state parent …
        stats
            .filter_map(|stat| stat.rsplit_once(") ").map(|(_, rest)| rest.to_owned()))
            .filter(|rest| rest.starts_with('Z') && rest[1..].starts_with(&us))
            .count()
    };
    for _ in 0..5 {
        let _ = ask("left", "exit 1");
    }
    // Other tests of this process have children, which are no zombies for longer than a moment.
    let gone = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        zombies() == 0
    });
    assert!(gone, "processes are left");
}
