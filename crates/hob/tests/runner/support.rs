//! Running `hob test` in a directory of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A directory of a test's own, removed at the end.
pub(crate) struct Scratch(pub(crate) PathBuf);

/// What a run of `hob` came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The counter, which cargo builds with the tests of this package.
pub(crate) fn counter() -> String {
    example("counter")
}

/// A program of examples/, which cargo builds with the tests of this package.
pub(crate) fn example(name: &str) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_hob")).parent().expect("a file has a directory");
    let path = bin.join("examples").join(name);
    assert!(path.exists(), "run `cargo build -p hob --examples` first: no {}", path.display());
    path.display().to_string()
}

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("hob-runner-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("there is room for a directory");
        Scratch(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("there is room for a file");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// `hob test` with arguments separated by blanks; the command follows `--`.
    pub(crate) fn command(&self, args: &str, command: &[&str]) -> Command {
        let mut hob = Command::new(env!("CARGO_BIN_EXE_hob"));
        hob.arg("test").args(args.split_whitespace()).current_dir(&self.0);
        if !command.is_empty() {
            hob.arg("--").args(command);
        }
        hob.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        hob
    }

    pub(crate) fn test(&self, args: &str, command: &[&str]) -> Run {
        finish(self.command(args, command))
    }

    /// With `--json`: the exit code and the report.
    pub(crate) fn json(&self, args: &str, command: &[&str]) -> (i32, Value) {
        let run = self.test(&format!("--json {args}"), command);
        let report = serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {run:?}"));
        (run.code, report)
    }

    /// Runs the counter until it fails, and returns the log's name.
    pub(crate) fn failing_log(&self) -> String {
        let (code, report) = self.json("--until-fail --runs 50", &[&counter()]);
        assert_eq!(code, 1, "{report}");
        report["levels"][0]["failure"]["log"].as_str().expect("it was saved").to_owned()
    }
}

pub(crate) fn finish(mut hob: Command) -> Run {
    let output = hob.output().expect("hob starts");
    Run {
        code: output.status.code().expect("no signal ends hob"),
        out: String::from_utf8(output.stdout).expect("output is text"),
        err: String::from_utf8(output.stderr).expect("output is text"),
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
