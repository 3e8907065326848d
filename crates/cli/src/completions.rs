//! `hob completions`: scripts that complete commands in shells.

use std::io::Write;

use clap_complete::Shell;

use crate::diagnostic::Failure;
use crate::exit::Exit;

/// Print a script that completes `hob` in a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hob completions bash > ~/.local/share/bash-completion/completions/hob
  hob completions fish > ~/.config/fish/completions/hob.fish")]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(
    args: &Args,
    mut command: clap::Command,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    // The generator panics when its output fails, so it writes to memory first.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "hob", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Holds)
}
