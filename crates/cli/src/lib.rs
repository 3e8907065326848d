//! The command line of Hobgoblin: flags, a library call, printing, an exit code.
//!
//! Each command is a module with its flags (`Args`) and `run`. The result goes to standard output,
//! everything else to standard error, and the exit code is one of `exit::Exit`. The binary `hob` is this with the
//! dialects of SQL, so that who works on those does not build the rest.

mod check;
mod completions;
mod convert;
#[cfg(feature = "crdt")]
mod crdt;
mod diagnostic;
mod exit;
mod explore;
mod formats;
mod generate;
mod harmless;
mod initial;
#[cfg(not(all(feature = "crdt", feature = "protocol", feature = "prove")))]
mod left_out;
mod levels;
mod memory;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(not(feature = "mysql"))]
#[path = "mysql_left_out.rs"]
mod mysql;
mod names;
mod output;
mod pages;
#[cfg(feature = "protocol")]
mod protocol;
#[cfg(feature = "prove")]
mod prove;
mod quoted;
mod serve;
mod signals;
mod store_flags;
mod style;
mod table;
mod test;
mod units;
mod usage;
mod view;

use std::ffi::OsString;
use std::io::{BufWriter, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ColorChoice, CommandFactory, Parser, Subcommand};
pub use hobgoblin_server::Dialects;

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::harmless::{Harmless, tell};
#[cfg(not(feature = "crdt"))]
use crate::left_out as crdt;
#[cfg(not(feature = "protocol"))]
use crate::left_out as protocol;
#[cfg(not(feature = "prove"))]
use crate::left_out as prove;
use crate::style::Style;

/// What weak transaction isolation can do to your data.
#[derive(Debug, Parser)]
#[command(name = "hob", version, after_help = EXAMPLES, arg_required_else_help = true)]
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
    Prove(Box<prove::Args>),
    Protocol(Box<protocol::Args>),
    Crdt(crdt::Args),
    View(view::Args),
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
  hob prove app.sql --level SI             what SQL transactions can do to each other, or a proof
  hob protocol 2pc --bug                   every state of a commit protocol, and the run that breaks it
  hob crdt check runs.jsonl                what replicas returned, by the specification of their type
  hob view history.jsonl                   in a browser, as it grows
  hob gen --anomaly write-skew -o ws.txn   a history with a write skew hidden in it
  hob convert history.edn history.txn      another format

Exit codes: 0 the level holds, 1 it is violated, 2 error, 3 unknown (a limit was reached).";

/// Does what the arguments of the process say; what it serves speaks one of these dialects.
pub fn main(dialects: Dialects) -> ExitCode {
    memory::give_back_what_is_large();
    // A file that may not grow is an error to tell, not a reason to die. Without the handler it is one.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    let args: Vec<OsString> = std::env::args_os().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return usage::explain(&error, &args),
    };
    let json = cli.command.json();
    let stdout = BufWriter::new(std::io::stdout().lock());
    let mut out = match cli.command.prints_data() && !std::io::stdout().is_terminal() {
        true => Harmless::raw(stdout),
        false => Harmless::new(stdout),
    };
    let result = run(cli.command, cli.color, dialects, &mut out).and_then(|exit| {
        out.flush()?;
        Ok(exit)
    });
    match result {
        Ok(exit) => exit.into(),
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::from(exit::BROKEN_PIPE)
        }
        Err(failure) => {
            let told = failure.diagnostic();
            if json && matches!(failure, Failure::Told(_)) {
                // Standard error has it too, if this fails.
                let _ = writeln!(out, "{}", serde_json::json!({ "error": told }));
            }
            // What was found out before is still worth showing; if that fails too, so be it.
            let _ = out.flush();
            tell(&told.render(Style::of_stderr(cli.color)));
            Exit::Error.into()
        }
    }
}

impl Command {
    /// Whether results are JSON, and errors too.
    fn json(&self) -> bool {
        match self {
            Command::Check(args) => args.json,
            Command::Test(args) => args.json,
            Command::Serve(args) => args.json,
            Command::Explore(args) => args.json,
            Command::Prove(args) => args.json(),
            Command::Protocol(args) => args.json(),
            Command::Crdt(args) => args.json(),
            Command::View(args) => args.json,
            Command::Levels(args) => args.json,
            Command::Formats(args) => args.json,
            Command::Convert(_) | Command::Gen(_) | Command::Completions(_) => false,
        }
    }

    /// Whether what is printed is for programs, to the byte.
    fn prints_data(&self) -> bool {
        match self {
            Command::Convert(_) | Command::Completions(_) => true,
            Command::Gen(args) => !args.list_anomalies,
            Command::Crdt(args) => args.prints_data(),
            _ => false,
        }
    }
}

fn run(
    command: Command,
    color: ColorChoice,
    dialects: Dialects,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let style = Style::of_stdout(color);
    match command {
        Command::Check(args) => check::run(&args, color, out),
        Command::Test(args) => test::run(&args, color, dialects, out),
        Command::Serve(args) => serve::run(&args, dialects, out),
        Command::Explore(args) => explore::run(&args, color, out),
        #[cfg(feature = "prove")]
        Command::Prove(args) => prove::run(&args, color, dialects, out),
        #[cfg(not(feature = "prove"))]
        Command::Prove(args) => prove::run(&args, color, out),
        Command::Protocol(args) => protocol::run(&args, color, out),
        Command::Crdt(args) => crdt::run(&args, color, out),
        Command::View(args) => view::run(&args, out),
        Command::Convert(args) => convert::run(&args, out),
        Command::Gen(args) => generate::run(&args, style, out),
        Command::Levels(args) => levels::run(&args, style, out),
        Command::Formats(args) => formats::run(&args, style, out),
        Command::Completions(args) => completions::run(&args, Cli::command(), out),
    }
}
