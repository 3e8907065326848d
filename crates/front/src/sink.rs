//! Where ended transactions and the log go as they happen, so that they survive a kill and memory stays
//! flat.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use hobgoblin_core::History;
use hobgoblin_format::{Format, Header, TxnRecord, TxnWriter, read_path};
use hobgoblin_store::{Entry, Log, LogWriter};

/// Takes what happens in a store, in order. A store forgets what its sink has taken.
pub trait Sink: Send {
    /// The store starts. `log` has its setup and no entries.
    fn start(&mut self, header: &Header, log: &Log) -> io::Result<()>;

    /// A transaction ended.
    fn txn(&mut self, txn: &TxnRecord) -> io::Result<()>;

    /// A request was served.
    fn entry(&mut self, entry: &Entry) -> io::Result<()>;

    /// Makes sure that all so far survives the end of the process. Called after every few requests.
    fn flush(&mut self) -> io::Result<()>;

    /// The history taken so far; `None` when it cannot be had back.
    fn history(&mut self) -> io::Result<Option<History>> {
        Ok(None)
    }

    /// The log taken so far; `None` when it cannot be had back.
    fn log(&mut self) -> io::Result<Option<Log>> {
        Ok(None)
    }
}

/// Writes a history file, a log file, or both. Whole lines reach the system before the request that
/// caused them is answered, so a killed process leaves readable files.
#[derive(Default)]
pub struct FileSink {
    history: Option<(PathBuf, Option<TxnWriter<File>>)>,
    log: Option<(PathBuf, Option<LogWriter<File>>)>,
}

impl FileSink {
    /// A sink that drops everything, until it is told files.
    pub fn new() -> FileSink {
        FileSink::default()
    }

    /// Writes the history to this file, as `jsonl`, or as `txn` if its name ends so. What the file had is
    /// overwritten when the store starts.
    pub fn history(mut self, path: impl Into<PathBuf>) -> FileSink {
        self.history = Some((path.into(), None));
        self
    }

    /// Writes the log to this file. What the file had is overwritten when the store starts.
    pub fn log(mut self, path: impl Into<PathBuf>) -> FileSink {
        self.log = Some((path.into(), None));
        self
    }
}

fn format(path: &Path) -> Format {
    match Format::for_extension(path) {
        Some(Format::Txn) => Format::Txn,
        _ => Format::Jsonl,
    }
}

impl Sink for FileSink {
    fn start(&mut self, header: &Header, log: &Log) -> io::Result<()> {
        if let Some((path, writer)) = &mut self.history {
            let open = TxnWriter::new(format(path), File::create(&*path)?);
            let mut open = open.map_err(io::Error::other)?;
            open.header(header).map_err(io::Error::other)?;
            open.flush().map_err(io::Error::other)?;
            *writer = Some(open);
        }
        if let Some((path, writer)) = &mut self.log {
            *writer = Some(LogWriter::new(File::create(&*path)?, log).map_err(io::Error::other)?);
        }
        Ok(())
    }

    fn txn(&mut self, txn: &TxnRecord) -> io::Result<()> {
        match &mut self.history {
            Some((_, Some(writer))) => writer.txn(txn).map_err(io::Error::other),
            _ => Ok(()),
        }
    }

    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        match &mut self.log {
            Some((_, Some(writer))) => writer.entry(entry).map_err(io::Error::other),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some((_, Some(writer))) = &mut self.history {
            writer.flush().map_err(io::Error::other)?;
        }
        if let Some((_, Some(writer))) = &mut self.log {
            writer.flush().map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn history(&mut self) -> io::Result<Option<History>> {
        let Some((path, _)) = &self.history else { return Ok(None) };
        read_path(path, Some(format(path))).map(Some).map_err(io::Error::other)
    }

    fn log(&mut self) -> io::Result<Option<Log>> {
        let Some((path, _)) = &self.log else { return Ok(None) };
        let file = Log::read(BufReader::new(File::open(path)?)).map_err(io::Error::other)?;
        Ok(Some(file.log))
    }
}
