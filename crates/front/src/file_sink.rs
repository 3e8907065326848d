//! The history and the log of a store in files.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use hobgoblin_core::{History, Schema};
use hobgoblin_format::{Format, Header, TxnRecord, TxnWriter, WriteError, read_path};
use hobgoblin_store::{Entry, Log, LogError, LogWriter};

use crate::sink::Sink;

/// Writes a history file, a log file, or both. Whole lines reach the system before the request that
/// caused them is answered, so a killed process leaves readable files, and so does a full disk: what does
/// not fit as a whole line is taken back.
///
/// A file is locked as long as it is written, so that two stores do not write over each other.
#[derive(Default)]
pub struct FileSink {
    history: Option<Target>,
    log: Option<Target>,
    history_writer: Option<TxnWriter<WholeLines>>,
    log_writer: Option<LogWriter<WholeLines>>,
}

/// A file to write to, open or not yet.
#[derive(Debug)]
struct Target {
    path: PathBuf,
    file: Option<File>,
    /// Whether it was not there before.
    created: bool,
}

/// Why a file cannot be written to.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// It cannot be opened, or exists ([`AlreadyExists`](io::ErrorKind::AlreadyExists)), or somebody
    /// else writes to it ([`ResourceBusy`](io::ErrorKind::ResourceBusy)).
    Open {
        /// The file that cannot be opened.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The history and the log have the same name, or are the same file under two.
    Same {
        /// The file that both would be written to.
        path: PathBuf,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Open { path, source } => {
                write!(f, "cannot write {}: {source}", path.display())
            }
            FileError::Same { path } => {
                write!(f, "the history and the log cannot both be {}", path.display())
            }
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FileError::Open { source: error, .. } => Some(error),
            _ => None,
        }
    }
}

impl FileSink {
    /// A sink that drops everything, until it is told files.
    pub fn new() -> FileSink {
        FileSink::default()
    }

    /// Writes the history to this file, as `jsonl`, or as `txn` if its name ends so. What the file had is
    /// overwritten when the store starts.
    pub fn history(mut self, path: impl Into<PathBuf>) -> FileSink {
        self.history = Some(Target::new(path.into()));
        self
    }

    /// Writes the log to this file. What the file had is overwritten when the store starts.
    pub fn log(mut self, path: impl Into<PathBuf>) -> FileSink {
        self.log = Some(Target::new(path.into()));
        self
    }

    /// Opens the files before the store starts; a file that has something in it is an error unless it may
    /// be overwritten. Nothing is lost by an error: what the files have is overwritten only by the start.
    pub fn open(&mut self, overwrite: bool) -> Result<(), FileError> {
        let opened = self.open_all(overwrite);
        if opened.is_err() {
            for target in [&mut self.history, &mut self.log].into_iter().flatten() {
                target.file = None;
                if std::mem::take(&mut target.created) {
                    // It is as empty as it was made.
                    let _ = std::fs::remove_file(&target.path);
                }
            }
        }
        opened
    }

    fn open_all(&mut self, overwrite: bool) -> Result<(), FileError> {
        if let Some(history) = &mut self.history {
            history.open(overwrite)?;
        }
        if let Some(log) = &mut self.log {
            // The history may just have made it.
            if let Some(history) = &self.history
                && history.is(&log.path)
            {
                return Err(FileError::Same { path: log.path.clone() });
            }
            log.open(overwrite)?;
        }
        let both = [&self.history, &self.log];
        both.into_iter().flatten().try_for_each(Target::lock)
    }
}

impl Target {
    fn new(path: PathBuf) -> Target {
        Target { path, file: None, created: false }
    }

    fn failed(&self, source: io::Error) -> FileError {
        FileError::Open { path: self.path.clone(), source }
    }

    fn open(&mut self, overwrite: bool) -> Result<(), FileError> {
        if self.file.is_some() {
            return Ok(());
        }
        // What is written to a pipe, a device or an empty file overwrites nothing.
        let found = self.path.metadata();
        let replaces = found.is_ok_and(|found| found.is_file() && found.len() > 0);
        let opened = match File::create_new(&self.path) {
            Err(error)
                if error.kind() == io::ErrorKind::AlreadyExists && (overwrite || !replaces) =>
            {
                OpenOptions::new().write(true).open(&self.path)
            }
            created => {
                self.created = created.is_ok();
                created
            }
        };
        self.file = Some(opened.map_err(|error| self.failed(error))?);
        Ok(())
    }

    /// Whether a path leads to this file, which is open.
    fn is(&self, path: &Path) -> bool {
        let own = self.file.as_ref().and_then(|file| file.metadata().ok());
        let (Some(own), Ok(other)) = (own, path.metadata()) else { return false };
        // Both the history and the log may well go to /dev/null.
        if !own.is_file() || !other.is_file() {
            return false;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            (own.dev(), own.ino()) == (other.dev(), other.ino())
        }
        #[cfg(not(unix))]
        {
            self.path.canonicalize().ok() == path.canonicalize().ok()
        }
    }

    /// Locks the file against other stores, where the file system knows locks.
    fn lock(&self) -> Result<(), FileError> {
        let Some(file) = self.file.as_ref().filter(|f| f.metadata().is_ok_and(|f| f.is_file()))
        else {
            return Ok(());
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(self.failed(io::ErrorKind::ResourceBusy.into())),
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }
}

/// A file that ends with a whole line, also where one cannot be written. Whoever uses it writes whole lines
/// at a time.
#[derive(Debug)]
struct WholeLines {
    file: File,
    /// How long it is; `None` for a pipe or a device, of which nothing can be taken back.
    length: Option<u64>,
}

impl WholeLines {
    /// The file, emptied.
    fn new(target: &Target) -> io::Result<WholeLines> {
        let file = target.file.as_ref().expect("it was opened before").try_clone()?;
        let mut lines = WholeLines { length: file.metadata()?.is_file().then_some(0), file };
        lines.cut()?;
        Ok(lines)
    }

    /// Takes back what comes after the last whole line.
    fn cut(&mut self) -> io::Result<()> {
        if let Some(length) = self.length {
            self.file.set_len(length)?;
            self.file.seek(SeekFrom::Start(length))?;
        }
        Ok(())
    }
}

impl Write for WholeLines {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.file.write_all(lines) {
            // A file that cannot be cut is no worse than it was.
            let _ = self.cut();
            return Err(error);
        }
        if let Some(length) = &mut self.length {
            *length += lines.len() as u64;
        }
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// What the system said of the history.
fn written(error: WriteError) -> io::Error {
    match error {
        WriteError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// What the system said of the log.
fn logged(error: LogError) -> io::Error {
    match error {
        LogError::Io(error) => io::Error::new(error.kind(), error),
        other => io::Error::other(other),
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
        self.open(true).map_err(|error| match error {
            FileError::Open { source, .. } => source,
            same => io::Error::other(same),
        })?;
        if let Some(target) = &self.history {
            let mut open =
                TxnWriter::new(format(&target.path), WholeLines::new(target)?).map_err(written)?;
            open.header(header).map_err(written)?;
            open.flush().map_err(written)?;
            self.history_writer = Some(open);
        }
        if let Some(target) = &self.log {
            let open = LogWriter::new(WholeLines::new(target)?, log).map_err(logged)?;
            self.log_writer = Some(open);
        }
        Ok(())
    }

    fn schema(&mut self, schema: &Schema) -> io::Result<()> {
        match &mut self.history_writer {
            Some(writer) => writer.schema(schema).map_err(written),
            None => Ok(()),
        }
    }

    fn txn(&mut self, txn: &TxnRecord) -> io::Result<()> {
        match &mut self.history_writer {
            Some(writer) => writer.txn(txn).map_err(written),
            None => Ok(()),
        }
    }

    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        match &mut self.log_writer {
            Some(writer) => writer.entry(entry).map_err(logged),
            None => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(writer) = &mut self.history_writer {
            writer.flush().map_err(written)?;
        }
        if let Some(writer) = &mut self.log_writer {
            writer.flush().map_err(logged)?;
        }
        Ok(())
    }

    fn history(&mut self) -> io::Result<Option<History>> {
        let Some(Target { path, .. }) = &self.history else { return Ok(None) };
        read_path(path, Some(format(path))).map(Some).map_err(io::Error::other)
    }

    fn log(&mut self) -> io::Result<Option<Log>> {
        let Some(Target { path, .. }) = &self.log else { return Ok(None) };
        let file = Log::read(BufReader::new(File::open(path)?)).map_err(io::Error::other)?;
        Ok(Some(file.log))
    }
}
