//! `hob crdt gen`: random histories of a data type.

use std::io::Write;
use std::path::PathBuf;

use hobgoblin_crdt::{DataType, Generate};

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::output::{self, Replace};
use crate::{names, units};

/// Generate random histories of a replicated data type, one a line.
///
/// Replicas are run, so what they return is right, unless --mistakes changes some results. A changed result
/// need not be a violation: without --sees, other deliveries may explain it. The same parameters and
/// seed give the same bytes on every machine.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(after_help = "\
Examples:
  hob crdt gen --type rga --keys 1 --operations 20 -o list.json
  hob crdt gen --type counter --sees --mistakes 1 --count 60 -o mutants.jsonl
  hob crdt gen --type lww --values 3 --count 100 | hob crdt check -")]
pub(crate) struct Args {
    /// The data type: aw-set, rw-set, ew-flag, dw-flag, mvr, lww, counter, rga or list.
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = names::data_type())]
    #[arg(hide_possible_values = true)]
    data_type: DataType,

    /// How many replicas there are.
    #[arg(long, value_name = "N", default_value = "3", value_parser = positive)]
    replicas: u32,

    /// How many operations there are in total.
    #[arg(long, value_name = "N", default_value = "100", value_parser = units::number32)]
    operations: u32,

    /// How many elements, flags, registers, counters or lists there are.
    #[arg(long, value_name = "N", default_value = "10", value_parser = positive)]
    keys: u32,

    /// How many different values registers get, or amounts counters; without it, registers get every
    /// value once, and counters amounts up to 1000.
    #[arg(long, value_name = "N", value_parser = positive)]
    values: Option<u32>,

    /// How many of a hundred operations read.
    #[arg(long, value_name = "PERCENT", default_value = "50", value_parser = percent)]
    reads: u32,

    /// Record who had observed what.
    #[arg(long)]
    sees: bool,

    /// How many results to change to others.
    #[arg(long, value_name = "N", default_value = "0", value_parser = units::number32)]
    mistakes: u32,

    /// How many histories to generate, with one seed after the other.
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::number)]
    count: u64,

    /// The seed of all choices.
    #[arg(long, value_name = "S", default_value = "0")]
    seed: u64,

    /// The file to write, or - for standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

/// A number of something there must be.
fn positive(text: &str) -> Result<u32, String> {
    match units::number32(text)? {
        0 => Err("expected a number from 1 up".to_owned()),
        number => Ok(number),
    }
}

fn percent(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse();
    number.ok().filter(|n| *n <= 100).ok_or_else(|| "expected a number from 0 to 100".to_owned())
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut wanted = Generate::new(args.data_type);
    wanted.replicas = args.replicas;
    wanted.operations = args.operations;
    wanted.keys = args.keys;
    wanted.values = args.values;
    wanted.reads = args.reads;
    wanted.sees = args.sees;
    wanted.mistakes = args.mistakes;
    output::write(&args.output, out, Replace::forced(args.force), |sink| {
        for number in 0..args.count {
            wanted.seed = args.seed.wrapping_add(number);
            writeln!(sink, "{}", hobgoblin_crdt::write(&wanted.run()))?;
        }
        Ok(())
    })?;
    Ok(Exit::Holds)
}
