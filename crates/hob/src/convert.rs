//! `hob convert`: from one format to another.

use std::io::Write;

use hobgoblin_core::History;
use hobgoblin_format::{Format, WriteError, read_path, write_path};

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::initial::InitialTransaction;
use crate::{names, output};

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
    input: String,

    /// Where to write it: a file, a directory for cobra, or - for standard output.
    #[arg(value_name = "OUT")]
    output: String,

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
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Exit, Failure> {
    let format = output::format_of(&args.output, args.to, "--to")?;
    let history = args.initial_transaction.apply(read_path(&args.input, args.from)?);
    if format == Format::Cobra && args.output != "-" {
        write_path(&history, format, &args.output)
            .map_err(|error| Failure::writing(&args.output, error))?;
    } else {
        output::write(&args.output, out, |sink| whole(&history, format, sink))?;
    }
    Ok(Exit::Holds)
}

/// Writes a history whole or not at all, also where what was written cannot be taken back.
pub(crate) fn whole(
    history: &History,
    format: Format,
    sink: &mut dyn Write,
) -> Result<(), WriteError> {
    // These refuse nothing.
    if matches!(format, Format::Jsonl | Format::Txn) {
        return hobgoblin_format::write(history, format, sink);
    }
    let mut text = Vec::new();
    hobgoblin_format::write(history, format, &mut text)?;
    Ok(sink.write_all(&text)?)
}
