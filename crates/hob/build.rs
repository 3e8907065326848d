//! Lets the linker fold functions that became the same code, if it can.
//!
//! Copying a syntax tree, sorting, growing a list: each crate that does it has code of its own for it, much of it the same byte
//! for byte, a fiftieth of the binary. LLVM's linker, which Rust brings for Linux, folds them; GNU's refuses the switch. So a
//! program of one line is linked with it first. What is compared by address here are values, never functions.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

const SWITCH: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") && links() {
        println!("cargo::rustc-link-arg-bins={SWITCH}");
    }
}

/// Whether a program links with the switch, by the compiler and linker that the binary is built with.
fn links() -> bool {
    let [Ok(rustc), Ok(target), Ok(out)] = ["RUSTC", "TARGET", "OUT_DIR"].map(env::var) else {
        return false;
    };
    let source = Path::new(&out).join("probe.rs");
    if std::fs::write(&source, "fn main() {}").is_err() {
        return false;
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let mut command = Command::new(rustc);
    command.arg(&source).args(["--target", &target, "--out-dir", &out]);
    command.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        command.arg(format!("-Clinker={linker}"));
    }
    command.arg(format!("-Clink-arg={SWITCH}")).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
