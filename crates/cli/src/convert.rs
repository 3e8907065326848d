//! `hob convert`: from one format to another.

use std::io::Write;
use std::path::{Path, PathBuf};

use hobgoblin_core::History;
use hobgoblin_format::{Format, WriteError, read_path, write_path};

use crate::diagnostic::{Diagnostic, EXISTS, Failure};
use crate::exit::Exit;
use crate::initial::InitialTransaction;
use crate::names;
use crate::output::{self, Replace};

/// Convert a history to another format.
///
/// What the target cannot express is refused with a reason, and nothing is written.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  hob convert store/latest/history.edn history.jsonl
  hob convert --to plume history.txn - | less"
)]
pub(crate) struct Args {
    /// The history: a file, a directory of Cobra's logs, or - for standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// Where to write it: a file, a directory for cobra, or - for standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// The format of IN; without it, the content tells.
    #[arg(long, value_name = "FORMAT", value_parser = names::format(), hide_possible_values = true)]
    from: Option<Format>,

    /// The format of OUT; without it, the extension tells.
    #[arg(long, value_name = "FORMAT", value_parser = names::format(), hide_possible_values = true)]
    to: Option<Format>,

    /// Whether a transaction that writes the initial value of every key is the initial one. Only
    /// other tools' files have such.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    initial_transaction: InitialTransaction,

    /// Replace OUT if it exists.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Exit, Failure> {
    let format = output::format_of(&args.output, args.to, "--to")?;
    let replace = Replace::forced(args.force);
    if format != Format::Cobra {
        replace.check(&args.output)?;
    }
    let history = args.initial_transaction.apply(read_path(&args.input, args.from)?);
    write(&history, format, &args.output, replace, out)?;
    Ok(Exit::Holds)
}

/// Writes a history to a file, to `out` for `-`, or for Cobra to a directory.
pub(crate) fn write(
    history: &History,
    format: Format,
    path: &Path,
    replace: Replace,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if format != Format::Cobra || path == Path::new("-") {
        return output::write(path, out, replace, |sink| whole(history, format, sink));
    }
    let has_files = |path: &Path| path.read_dir().is_ok_and(|mut files| files.next().is_some());
    if replace == Replace::Nothing && (path.is_file() || has_files(path)) {
        let error = Diagnostic::new("this exists already, and is not empty", EXISTS);
        return Err(error.in_path(path).into());
    }
    write_path(history, format, path).map_err(|error| Failure::writing(path, error))
}

/// Writes a history whole or not at all, also where what was written cannot be taken back.
fn whole(history: &History, format: Format, sink: &mut dyn Write) -> Result<(), WriteError> {
    // These refuse nothing.
    if matches!(format, Format::Jsonl | Format::Txn) {
        return hobgoblin_format::write(history, format, sink);
    }
    let mut text = Vec::new();
    hobgoblin_format::write(history, format, &mut text)?;
    Ok(sink.write_all(&text)?)
}
