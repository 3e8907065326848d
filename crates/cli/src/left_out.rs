//! Commands that this build does not have: `make demo` builds what it shows.

use std::ffi::OsString;
use std::io::Write;

use clap::ColorChoice;

use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::Exit;

/// Not in this build; `cargo build --release` builds every command.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

impl Args {
    pub(crate) fn json(&self) -> bool {
        self.rest.iter().any(|argument| argument == "--json")
    }

    #[cfg_attr(feature = "crdt", allow(dead_code, reason = "only `crdt` prints data"))]
    pub(crate) fn prints_data(&self) -> bool {
        false
    }
}

pub(crate) fn run(_: &Args, _: ColorChoice, _: &mut dyn Write) -> Result<Exit, Failure> {
    let help = "build all of `hob` with `cargo build --release --package hob`";
    Err(Diagnostic::new("this `hob` was built without that command", help).into())
}
