//! Running `hob` in tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::valid::{schema, validate};

/// The root of the project, where tests run, so that paths in output are the same everywhere.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a run of `hob` came to.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs `hob` with arguments separated by blanks, and something on its standard input.
pub(crate) fn hob_on(args: &str, input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hob"))
        .args(args.split_whitespace())
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hob starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || {
        // It may well end without having read everything.
        let _ = stdin.write_all(&input);
    });
    let Output { status, stdout, stderr } = child.wait_with_output().expect("hob ends");
    feeder.join().expect("the feeder ends");
    Run {
        code: status.code().expect("no signal ends hob"),
        out: String::from_utf8(stdout).expect("output is text"),
        err: String::from_utf8(stderr).expect("output is text"),
    }
}

/// Runs `hob` with arguments separated by blanks.
pub(crate) fn hob(args: &str) -> Run {
    hob_on(args, b"")
}

/// Runs it with `--json`, and parses the lines.
pub(crate) fn json(args: &str, input: &[u8]) -> (i32, Vec<Value>) {
    let run = hob_on(args, input);
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    (run.code, run.out.lines().map(parse).collect())
}

impl Run {
    /// What it printed with `--json`: on every line a report, as the schema of this name in docs describes it.
    #[track_caller]
    pub(crate) fn reports(&self, name: &str) -> Vec<Value> {
        let schema = schema(name);
        let rules = schema.as_object().expect("a schema");
        let parse = |line: &str| {
            let report = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            validate(&schema, rules, &report).unwrap_or_else(|e| panic!("{name}: {e}: {report}"));
            report
        };
        self.out.lines().map(parse).collect()
    }

    /// The only one of these reports.
    #[track_caller]
    pub(crate) fn report(&self, name: &str) -> Value {
        let mut all = self.reports(name);
        assert_eq!(all.len(), 1, "{}{}", self.out, self.err);
        all.remove(0)
    }
}

/// A directory of this test's own, removed at the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("hob-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("there is room for a directory");
        Scratch(path)
    }

    pub(crate) fn file(&self, name: &str) -> String {
        let path = if name.is_empty() { self.0.clone() } else { self.0.join(name) };
        path.display().to_string()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.0.join(name), bytes).expect("there is room for a file");
        self.file(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
