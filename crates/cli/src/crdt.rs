//! `hob crdt`: what replicas of a data type returned, against the specification of the type.
//!
//! `check` takes histories from files ([`input`]), decides each into a report that needs the history no more
//! ([`examine`], [`report`]) and prints those ([`text`], or as JSON). `gen` makes random histories ([`generate`]).

mod check;
mod examine;
mod generate;
mod input;
mod page;
mod report;
mod returned;
mod rows;
mod text;

use std::io::Write;

use clap::{ColorChoice, Subcommand};

use crate::diagnostic::Failure;
use crate::exit::Exit;

/// Check what replicas of a data type (CRDT) returned, or generate such histories.
///
/// A history is what each replica did and returned, in order, with as much as is known of who had
/// observed what. It is admitted if some execution that its type allows explains every result.
/// docs/crdt.md says what each type allows, how histories are written, and how to test a library.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Gen(generate::Args),
}

const EXAMPLES: &str = "\
Types: aw-set rw-set ew-flag dw-flag mvr lww counter rga list.

Examples:
  hob crdt check examples/crdt/counter.json
  hob crdt check --time-limit 10s --json runs.jsonl | jq -r 'select(.verdict == \"violation\") | .line'
  hob crdt gen --type aw-set --sees --mistakes 1 --count 100 | hob crdt check -";

impl Args {
    /// Whether results are JSON, and errors too.
    pub(crate) fn json(&self) -> bool {
        match &self.command {
            Command::Check(args) => args.json,
            Command::Gen(_) => false,
        }
    }

    /// Whether what is printed is for programs, to the byte.
    pub(crate) fn prints_data(&self) -> bool {
        matches!(self.command, Command::Gen(_))
    }
}

pub(crate) fn run(args: &Args, color: ColorChoice, out: &mut dyn Write) -> Result<Exit, Failure> {
    match &args.command {
        Command::Check(args) => check::run(args, color, out),
        Command::Gen(args) => generate::run(args, out),
    }
}
