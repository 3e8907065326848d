//! Crates of their own, outside the workspace, that depend on `hobgoblin` as a user's do.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) struct Outside {
    directory: PathBuf,
}

impl Outside {
    /// An empty library with these dependencies for its tests; `{hobgoblin}` is where that is.
    pub(crate) fn new(name: &str, dependencies: &str) -> Outside {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&directory);
        let dependencies = dependencies.replace("{hobgoblin}", &here.display().to_string());
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n\
             [dev-dependencies]\n{dependencies}\n\n[workspace]\n"
        );
        let outside = Outside { directory };
        outside.write("Cargo.toml", &manifest);
        outside.write("lib.rs", "");
        let lock = std::fs::read_to_string(here.join("../../Cargo.lock"));
        outside.write("Cargo.lock", &lock.expect("the versions are those of the workspace"));
        outside
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.directory.join(path);
        std::fs::create_dir_all(path.parent().expect("it is in the crate")).expect("a directory");
        std::fs::write(path, text).expect("it is written");
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.directory.join(path)).ok()
    }

    /// Runs cargo there, as a user does, without this test's environment.
    pub(crate) fn cargo(&self, environment: &[(&str, &str)], arguments: &[&str]) -> Output {
        let mut cargo = Command::new(env!("CARGO"));
        let own = |name: &str| {
            let cargos = name.starts_with("CARGO") && name != "CARGO_HOME";
            cargos
                || name.starts_with("HOB_")
                || name.starts_with("RUSTFLAGS")
                || name.starts_with("NEXTEST")
        };
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(own) {
                cargo.env_remove(name);
            }
        }
        // All of them are built into one directory, so that what they share is built once.
        let target = self.directory.parent().expect("it is in a directory").join("outside-target");
        cargo.current_dir(&self.directory).env("CARGO_TARGET_DIR", target);
        cargo.env("CARGO_NET_OFFLINE", "true").envs(environment.iter().copied());
        cargo.args(arguments).output().expect("cargo runs")
    }
}

pub(crate) fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}
