//! Command lines that cannot be understood, and those that ask for help.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::{BROKEN_PIPE, Exit};
use crate::harmless::{escape, tell};
use crate::style::Style;

/// Prints the help that is asked for, or what is wrong with a command line.
pub(crate) fn explain(error: &clap::Error, args: &[OsString]) -> ExitCode {
    if !error.use_stderr() {
        return match error.print().and_then(|()| io::stdout().flush()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(BROKEN_PIPE),
            Err(error) => {
                let style = Style::of_stderr(clap::ColorChoice::Auto);
                tell(&Failure::Output(error).diagnostic().render(style));
                Exit::Error.into()
            }
        };
    }
    let told = missing_dashes(error, args);
    if asks_for_json(args) {
        let told = told.clone().unwrap_or_else(|| diagnostic(error));
        // If standard output is full, standard error has it too.
        let _ = writeln!(io::stdout(), "{}", serde_json::json!({ "error": told }));
    }
    match told {
        Some(told) => tell(&told.render(Style::of_stderr(clap::ColorChoice::Auto))),
        // What was written on the command line is shown, and may be the name of a file of anybody's.
        None if args.iter().any(is_harmful) => tell(&error.render().to_string()),
        // If standard error is full, nobody can be told.
        None => _ = error.print(),
    }
    Exit::Error.into()
}

fn is_harmful(arg: &OsString) -> bool {
    arg.to_str().is_none_or(|arg| escape(arg) != arg)
}

/// Whether `--json` is among the flags; what comes after `--` is somebody else's.
fn asks_for_json(args: &[OsString]) -> bool {
    args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json")
}

/// What is wrong, in one sentence.
fn diagnostic(error: &clap::Error) -> Diagnostic {
    let text = error.render().to_string();
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let message = lines.next().unwrap_or_default();
    let tip = lines.find_map(|line| line.trim().strip_prefix("tip: "));
    let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
    Diagnostic::new(message, tip.unwrap_or("see --help"))
}

/// `hob test ./cart`: the command of a test comes after `--`.
fn missing_dashes(error: &clap::Error, args: &[OsString]) -> Option<Diagnostic> {
    let subcommand = args.iter().position(|arg| arg == "test")?;
    let Some(ContextValue::String(unexpected)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let fits = error.kind() == ErrorKind::UnknownArgument && !unexpected.starts_with('-');
    if !fits || args.iter().any(|arg| arg == "--") {
        return None;
    }
    let is_it = |arg: &OsString| arg.to_string_lossy() == *unexpected;
    let at = subcommand + 1 + args[subcommand + 1..].iter().position(is_it)?;
    let mut line: Vec<String> = args.iter().map(|arg| quoted(&arg.to_string_lossy())).collect();
    line[0] = "hob".to_owned();
    line.insert(at, "--".to_owned());
    let message = format!("the command to run comes after `--`, and {unexpected:?} comes before");
    Some(Diagnostic::new(message, line.join(" ")))
}

/// A word as the shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+~".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
