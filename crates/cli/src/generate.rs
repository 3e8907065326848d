//! `hob gen`: histories by parameters.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hobgoblin_core::{Anomaly, History, HistoryBuilder, Level, Value};
use hobgoblin_format::{EventRecord, Format, Header, TxnRecord, TxnWriter, WriteError};
use hobgoblin_gen::{Distribution, GenTxn, Generator, Order, Params, REPEATED, weakest_violated};

use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::Exit;
use crate::output::{self, Replace};
use crate::style::Style;
use crate::table::Table;
use crate::{convert, names, units};

/// Generate a history that satisfies a level, with an anomaly hidden in it if you like.
///
/// The same parameters and seed give the same bytes on every machine. As jsonl, txn and plume,
/// histories are written as they are generated and may be larger than memory.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(after_help = "\
Examples:
  hob gen --level causal --sessions 5 -o causal.jsonl
  hob gen --anomaly lost-update --transactions 100 -o lost.txn
  hob gen --values 100 --value-distribution zipf --order session -o repeated.jsonl
  hob gen --events 10M --sessions 50 --format plume > large.plume")]
pub(crate) struct Args {
    /// The file to write, or - for standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,

    /// The format; without it, the extension's, or jsonl on standard output.
    #[arg(long, value_name = "FORMAT", value_parser = names::format(), hide_possible_values = true)]
    format: Option<Format>,

    /// The level that the history satisfies.
    #[arg(long, value_parser = names::level(), default_value = "SER", hide_possible_values = true)]
    level: Level,

    /// An anomaly to hide in the middle; see --list-anomalies.
    #[arg(long, value_parser = names::anomaly(), hide_possible_values = true)]
    anomaly: Option<Anomaly>,

    /// How many sessions there are.
    #[arg(long, value_name = "N", default_value = "10", value_parser = units::number32)]
    sessions: u32,

    /// How many transactions there are in total.
    #[arg(long, value_name = "N", default_value = "1000", value_parser = units::number32)]
    transactions: u32,

    /// About how many events there are in total, instead of --transactions.
    #[arg(long, value_name = "N", conflicts_with = "transactions", value_parser = units::number)]
    events: Option<u64>,

    /// How many events a transaction has.
    #[arg(long, value_name = "N|LO..HI", default_value = "10", value_parser = units::range)]
    events_per_transaction: (u32, u32),

    /// How many keys there are.
    #[arg(long, value_name = "N", default_value = "1000", value_parser = units::number32)]
    keys: u32,

    /// Which keys events use: all alike, or few more often than others.
    #[arg(long, value_name = "uniform|zipf[:THETA]", default_value = "uniform")]
    #[arg(value_parser = names::words(&["uniform", "zipf", "zipf:"], distribution))]
    #[arg(hide_possible_values = true)]
    distribution: Distribution,

    /// The share of events that read.
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = units::share)]
    read_share: f64,

    /// The share of writes whose value is one of a few, so that reads have several writers; 0, or 1
    /// where --values is given.
    #[arg(long, value_name = "SHARE", value_parser = units::share)]
    repeated_values: Option<f64>,

    /// From how many values of each key repeated values are drawn, the initial one included; 16 if only
    /// --repeated-values is given.
    #[arg(long, value_name = "N", value_parser = units::number32)]
    values: Option<u32>,

    /// Which of these values are written: all alike, or few more often than others.
    #[arg(long, value_name = "uniform|zipf[:THETA]", default_value = "uniform")]
    #[arg(value_parser = distribution)]
    value_distribution: Distribution,

    /// The share of transactions that abort.
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = units::share)]
    aborted: f64,

    /// The share of transactions of unknown status.
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = units::share)]
    unknown: f64,

    /// Give transactions begin and end times; at SSER they always have them.
    #[arg(long)]
    timestamps: bool,

    /// How many commits a reader may lag behind, at levels where it may.
    #[arg(long, value_name = "N", default_value = "32", value_parser = units::number32)]
    window: u32,

    /// In which order transactions are written: as they commit, or session after session.
    #[arg(long, default_value = "arrival")]
    order: OrderArg,

    /// The seed of all choices.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,

    /// List the anomalies and the weakest levels that forbid them.
    #[arg(long)]
    pub(crate) list_anomalies: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OrderArg {
    Arrival,
    Session,
}

/// YCSB's exponent.
const THETA: f64 = 0.99;

fn distribution(text: &str) -> Result<Distribution, String> {
    let expected = "expected uniform, zipf, or zipf with an exponent such as zipf:0.99";
    match text.split_once(':') {
        None if text == "uniform" => Ok(Distribution::Uniform),
        None if text == "zipf" => Ok(Distribution::Zipf(THETA)),
        Some(("zipf", theta)) => {
            theta.parse().map(Distribution::Zipf).map_err(|_| expected.to_owned())
        }
        _ => Err(expected.to_owned()),
    }
}

impl Args {
    fn params(&self) -> Result<Params, Failure> {
        let (min_events, max_events) = self.events_per_transaction;
        let transactions = match self.events {
            None => self.transactions,
            Some(events) => {
                let twice = (u64::from(min_events) + u64::from(max_events)).max(1);
                u32::try_from((2 * events).div_ceil(twice)).map_err(|_| {
                    Diagnostic::new(format!("{events} events are too many"), "ask for fewer")
                })?
            }
        };
        Ok(Params {
            sessions: self.sessions,
            transactions,
            min_events,
            max_events,
            keys: self.keys,
            read_share: self.read_share,
            distribution: self.distribution,
            repeated_values: self.repeated_values.unwrap_or(match self.values {
                Some(_) => 1.0,
                None => 0.0,
            }),
            values: self.values.unwrap_or(REPEATED),
            value_distribution: self.value_distribution,
            aborted_share: self.aborted,
            unknown_share: self.unknown,
            timestamps: self.timestamps,
            window: self.window,
            level: self.level,
            anomaly: self.anomaly,
            order: match self.order {
                OrderArg::Arrival => Order::Arrival,
                OrderArg::Session => Order::Session,
            },
            seed: self.seed,
        })
    }
}

pub(crate) fn run(args: &Args, style: Style, out: &mut dyn Write) -> Result<Exit, Failure> {
    if args.list_anomalies {
        return list_anomalies(style, out);
    }
    let format = match args.format {
        None if args.output == Path::new("-") => Format::Jsonl,
        asked => output::format_of(&args.output, asked, "--format")?,
    };
    let replace = Replace::forced(args.force);
    let mut generator = Generator::new(&args.params()?)?;
    match format {
        Format::Jsonl | Format::Txn | Format::Plume | Format::Awdit => {
            let fill = |sink: &mut dyn Write| stream(&mut generator, format, sink);
            output::write(&args.output, out, replace, fill)?;
        }
        _ => {
            if format != Format::Cobra {
                replace.check(&args.output)?;
            }
            let history = build(&mut generator, format)?;
            convert::write(&history, format, &args.output, replace, out)?;
        }
    }
    Ok(Exit::Holds)
}

/// Writes transactions as they are generated.
fn stream(
    generator: &mut Generator,
    format: Format,
    sink: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut writer = TxnWriter::new(format, sink)?;
    writer.header(&Header::default())?;
    let mut record = TxnRecord::new(0.into());
    while let Some(txn) = generator.next_txn() {
        fill(&mut record, txn, &Value::Null);
        writer.txn(&record)?;
    }
    writer.finish()
}

/// Builds the whole history, for formats that are not written a transaction at a time.
fn build(generator: &mut Generator, format: Format) -> Result<History, Failure> {
    // DBCop's old files have no null: their keys start as 0.
    let initial = if format == Format::DbcopBincode { Value::Int(0) } else { Value::Null };
    let mut builder = HistoryBuilder::new();
    let mut keys = BTreeSet::new();
    let mut record = TxnRecord::new(0.into());
    let told = |error| Failure::from(hobgoblin_gen::GenError::History(error));
    while let Some(txn) = generator.next_txn() {
        fill(&mut record, txn, &initial);
        keys.extend(txn.ops.iter().map(|op| op.key));
        record.clone().add_to(&mut builder).map_err(told)?;
    }
    for key in keys {
        let key = builder.key_int(key.into());
        builder.initial(key, &initial).map_err(told)?;
    }
    builder.finish().map_err(told)
}

/// Makes a record of a transaction. The generator's initial value is 0; `initial` takes its place, mostly
/// null, as which keys start in every format where nothing else is said.
fn fill(record: &mut TxnRecord, txn: &GenTxn, initial: &Value) {
    record.session = i64::from(txn.session).into();
    record.status = txn.status;
    (record.begin, record.end) = txn.times.unzip();
    record.events.clear();
    record.events.extend(txn.ops.iter().map(|op| {
        let value = if op.value == 0 { initial.clone() } else { Value::Int(op.value) };
        EventRecord::new(op.kind, i64::from(op.key).into(), value)
    }));
}

fn list_anomalies(style: Style, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut table = Table::new(&["anomaly", "title", "forbidden from"]);
    for anomaly in hobgoblin_gen::injectable() {
        let weakest: Vec<&str> = weakest_violated(anomaly).iter().map(|l| l.name()).collect();
        table.plain(vec![anomaly.code().into(), anomaly.title().into(), weakest.join(" ")]);
    }
    table.write(out, style)?;
    Ok(Exit::Holds)
}
