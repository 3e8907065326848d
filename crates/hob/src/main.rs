//! `hob`, the command line of Hobgoblin: flags, a library call, printing, an exit code.
//!
//! Each command is a module with its flags (`Args`) and `run`. The result goes to standard output,
//! everything else to standard error, and the exit code is one of [`exit::Exit`].

mod check;
mod completions;
mod convert;
mod diagnostic;
mod exit;
mod explore;
mod formats;
mod generate;
mod initial;
mod levels;
mod names;
mod output;
mod serve;
mod signals;
mod store_flags;
mod style;
mod table;
mod test;
mod units;

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::{ColorChoice, Parser, Subcommand};

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::style::Style;

/// What weak transaction isolation can do to your data.
#[derive(Debug, Parser)]
#[command(name = "hob", version, after_help = EXAMPLES, arg_required_else_help = true)]
#[command(disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to use colors.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 900)]
    color: ColorChoice,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Test(Box<test::Args>),
    Serve(Box<serve::Args>),
    Explore(Box<explore::Args>),
    Convert(convert::Args),
    Gen(generate::Args),
    Levels(levels::Args),
    Formats(formats::Args),
    Completions(completions::Args),
}

const EXAMPLES: &str = "\
Examples:
  hob check history.jsonl                  every level, and why the first one fails
  hob check --level si,ser runs/*.edn      two levels of many histories, with a summary
  hob test --level RC -- ./my-test         run a test until weak isolation breaks it
  hob serve --level causal                 a store that shows what causal consistency allows
  hob explore cart.hob --level causal      every behaviour of a small program
  hob gen --anomaly write-skew -o ws.txn   a history with a write skew hidden in it
  hob convert history.edn history.txn      another format

Exit codes: 0 the level holds, 1 it is violated, 2 error, 3 unknown (a limit was reached).";

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = BufWriter::new(std::io::stdout().lock());
    let result = run(cli.command, cli.color, &mut out).and_then(|exit| {
        out.flush()?;
        Ok(exit)
    });
    match result {
        Ok(exit) => exit.into(),
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::from(exit::BROKEN_PIPE)
        }
        Err(failure) => {
            // What was found out before is still worth showing; if that fails too, so be it.
            let _ = out.flush();
            eprint!("{}", failure.diagnostic().render(Style::of_stderr(cli.color)));
            Exit::Error.into()
        }
    }
}

fn run(command: Command, color: ColorChoice, out: &mut dyn Write) -> Result<Exit, Failure> {
    let style = Style::of_stdout(color);
    match command {
        Command::Check(args) => check::run(&args, color, out),
        Command::Test(args) => test::run(&args, color, out),
        Command::Serve(args) => serve::run(&args, out),
        Command::Explore(args) => explore::run(&args, color, out),
        Command::Convert(args) => convert::run(&args, out),
        Command::Gen(args) => generate::run(&args, style, out),
        Command::Levels(args) => levels::run(&args, style, out),
        Command::Formats(args) => formats::run(&args, style, out),
        Command::Completions(args) => completions::run(&args, out),
    }
}
