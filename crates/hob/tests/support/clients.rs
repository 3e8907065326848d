//! Clients that somebody else wrote, and where to find them.
//!
//! scripts/setup.sh installs what it may. A client that is not installed is named and skipped; HOB_CLIENTS=require makes a
//! missing one an error.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Where setup.sh put a file.
pub(crate) fn installed(path: &str) -> Option<PathBuf> {
    Some(root().join("target/clients").join(path)).filter(|path| path.exists())
}

pub(crate) fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// Python, if modules are there for it.
pub(crate) fn python_with(modules: &str) -> Option<PathBuf> {
    installed("venv/bin/python").filter(|python| {
        let import = format!("import {modules}");
        Command::new(python).args(["-c", &import]).output().is_ok_and(|done| done.status.success())
    })
}

/// Says that a client is not there.
pub(crate) fn skip(what: &str) {
    let required = std::env::var("HOB_CLIENTS").is_ok_and(|value| value == "require");
    assert!(!required, "{what} is not installed, and HOB_CLIENTS=require");
    eprintln!("skipped: {what} is not installed; scripts/setup.sh installs it where it may");
}

/// Makes a certificate for localhost, and its key.
pub(crate) fn certificate(openssl: &Path, cert: &str, key: &str) {
    let made = Command::new(openssl)
        .args(["req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-keyout", key, "-out", cert])
        .output()
        .expect("openssl starts");
    assert!(made.status.success(), "{made:?}");
}

/// `hob test` of an example that loses an update finds it, the failing run can be had again, and with `--fixed` the example
/// never fails. Gives the failure.
pub(crate) fn loses_an_update(program: &Path, path: &Path, flags: &[&str]) -> serde_json::Value {
    let name = path.file_name().expect("a file").to_string_lossy();
    let dir = std::env::temp_dir().join(format!("hob-{name}-{}", std::process::id()));
    let report = |args: &[&str], example: Option<&[&str]>, code: i32| {
        let mut hob = Command::new(env!("CARGO_BIN_EXE_hob"));
        hob.arg("test").args(args).arg("--json").arg("--out").arg(&dir);
        hob.current_dir(installed("node").unwrap_or_else(root));
        if let Some(words) = example {
            hob.arg("--").arg(program).arg(path).args(words);
        }
        let done = hob.output().expect("hob starts");
        assert_eq!(done.status.code(), Some(code), "{hob:?}: {done:?}");
        serde_json::from_slice::<serde_json::Value>(&done.stdout).expect("a report")
    };
    let found = report(&[flags, &["--until-fail", "--runs", "50"]].concat(), Some(&[]), 1);
    assert_eq!(found["baseline"]["own_failures"], 0, "{found}");
    let failure = found["levels"][0]["failure"].clone();
    let log = failure["log"].as_str().expect("a log");
    let again = report(&["--replay", log, "--yes"], None, 1);
    assert_eq!(again["divergence"], serde_json::Value::Null, "{again}");
    report(&[flags, &["--runs", "5"]].concat(), Some(&["--fixed"]), 0);
    let _ = std::fs::remove_dir_all(dir);
    failure
}
