//! Files that are written whole or not at all, and that replace nothing by accident.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use hobgoblin_format::{Format, WriteError};

use crate::diagnostic::{Diagnostic, EXISTS, Failure};

/// Which file that is there already may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replace {
    /// No file: where one is, nothing is written.
    Nothing,
    /// Whatever it is.
    Anything,
    /// One that begins so: a report of an earlier run gives way to that of the next.
    Earlier(&'static str),
}

impl Replace {
    /// Anything, if that is asked for.
    pub(crate) fn forced(force: bool) -> Replace {
        if force { Replace::Anything } else { Replace::Nothing }
    }

    /// Refuses to replace a file. Asked before the work whose result goes there.
    pub(crate) fn check(self, path: &Path) -> Result<(), Failure> {
        if path == Path::new("-") || self.allows(path) {
            return Ok(());
        }
        let help = match self {
            Replace::Earlier(_) => "it is no earlier one of these; choose another name",
            _ => EXISTS,
        };
        Err(Diagnostic::new("this exists already", help).in_path(path).into())
    }

    fn allows(self, path: &Path) -> bool {
        let Ok(found) = fs::metadata(path) else { return true };
        // What is written to a pipe or a device replaces nothing, and an empty file has nothing to lose.
        let takes = !found.is_dir() && (!found.is_file() || found.len() == 0);
        takes
            || match self {
                Replace::Anything => true,
                Replace::Nothing => false,
                Replace::Earlier(beginning) => {
                    let mut head = Vec::new();
                    let length = beginning.len() as u64;
                    let read =
                        File::open(path).and_then(|file| file.take(length).read_to_end(&mut head));
                    read.is_ok() && head == beginning.as_bytes()
                }
            }
    }
}

/// The format to write a file in: the one asked for, or its extension's.
pub(crate) fn format_of(file: &Path, asked: Option<Format>, flag: &str) -> Result<Format, Failure> {
    if file.extension().is_some_and(|extension| extension == "zst") {
        let help = "write the file without `.zst` and compress it with zstd";
        return Err(Diagnostic::new("cannot write Zstandard files", help).in_path(file).into());
    }
    asked.or_else(|| Format::for_extension(file)).ok_or_else(|| {
        let help = format!(
            "name the format with `{flag}`, or give the file an extension; see `hob formats`"
        );
        Diagnostic::new("cannot tell which format to write", help).in_path(file).into()
    })
}

/// Writes a file by `fill`, or to `out` for `-`. The file appears, or is replaced, only when all of it
/// was written. It is compressed if it is called `.gz`.
pub(crate) fn write(
    file: &Path,
    out: &mut dyn Write,
    replace: Replace,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
) -> Result<(), Failure> {
    if file == Path::new("-") {
        return fill(out).map_err(|error| Failure::writing(file, error));
    }
    replace.check(file)?;
    let write = || {
        let mut target = Target::create(file)?;
        let opened = target.file.take().expect("a new target has its file");
        let mut whole = io::BufWriter::with_capacity(1 << 16, opened);
        if file.extension().is_some_and(|extension| extension == "gz") {
            let mut encoder = GzEncoder::new(&mut whole, Compression::fast());
            fill(&mut encoder)?;
            encoder.finish()?;
        } else {
            fill(&mut whole)?;
        }
        whole.flush()?;
        Ok(target.keep(replace)?)
    };
    write().map_err(|error| Failure::writing(file, error))
}

/// Adds text to the end of a file, or prints it for `-`.
pub(crate) fn append(file: &Path, out: &mut dyn Write, text: &str) -> Result<(), Failure> {
    let mut write = || match file == Path::new("-") {
        true => out.write_all(text.as_bytes()),
        false => {
            let mut open = File::options().append(true).create(true).open(file)?;
            open.write_all(text.as_bytes())
        }
    };
    write().map_err(|error: io::Error| Failure::writing(file, error.into()))
}

/// A file under another name until it is complete; removed if it never is.
struct Target {
    file: Option<File>,
    /// Where it is written, if not in its place.
    temporary: Option<PathBuf>,
    place: PathBuf,
}

impl Target {
    fn create(path: &Path) -> io::Result<Target> {
        // A link stays a link, and what it points to is replaced.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // Pipes and devices cannot be replaced.
        if fs::metadata(&place).is_ok_and(|found| !found.is_file()) {
            let file = Some(File::create(&place)?);
            return Ok(Target { file, temporary: None, place });
        }
        let mut name = OsString::from(".");
        name.push(place.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = place.with_file_name(name);
        let file = Some(File::create(&temporary)?);
        Ok(Target { file, temporary: Some(temporary), place })
    }

    /// Puts the file in its place.
    fn keep(mut self, replace: Replace) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        if replace == Replace::Nothing {
            // A link is made only where nothing is, also if somebody was there a moment ago. The name it
            // was written under goes when this is dropped.
            match fs::hard_link(temporary, &self.place) {
                Ok(()) => return Ok(()),
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists
                        && !replace.allows(&self.place) =>
                {
                    return Err(error);
                }
                // An empty file, or a file system without links.
                Err(_) => {}
            }
        }
        fs::rename(temporary, &self.place)?;
        self.temporary = None;
        Ok(())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // There is nothing better to do if this fails too.
            let _ = fs::remove_file(temporary);
        }
    }
}
