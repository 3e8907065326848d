//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use hobgoblin_format::{Format, WriteError};

use crate::diagnostic::{Diagnostic, Failure};

/// The format to write a file in: the one asked for, or its extension's.
pub(crate) fn format_of(file: &str, asked: Option<Format>, flag: &str) -> Result<Format, Failure> {
    if file.ends_with(".zst") {
        let help = "write the file without `.zst` and compress it with zstd";
        return Err(Diagnostic::new("cannot write Zstandard files", help).in_file(file).into());
    }
    asked.or_else(|| Format::for_extension(file)).ok_or_else(|| {
        let help = format!(
            "name the format with `{flag}`, or give the file an extension; see `hob formats`"
        );
        Diagnostic::new("cannot tell which format to write", help).in_file(file).into()
    })
}

/// Writes a file by `fill`, or to `out` for `-`. The file appears, or is replaced, only when all of it
/// was written. It is compressed if it is called `.gz`.
pub(crate) fn write(
    file: &str,
    out: &mut dyn Write,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), WriteError>,
) -> Result<(), Failure> {
    if file == "-" {
        return fill(out).map_err(|error| Failure::writing(file, error));
    }
    let write = || {
        let mut target = Target::create(Path::new(file))?;
        let opened = target.file.take().expect("a new target has its file");
        let mut whole = io::BufWriter::with_capacity(1 << 16, opened);
        if file.ends_with(".gz") {
            let mut encoder = GzEncoder::new(&mut whole, Compression::fast());
            fill(&mut encoder)?;
            encoder.finish()?;
        } else {
            fill(&mut whole)?;
        }
        whole.flush()?;
        Ok(target.keep()?)
    };
    write().map_err(|error| Failure::writing(file, error))
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
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let temporary = place.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let file = Some(File::create(&temporary)?);
        Ok(Target { file, temporary: Some(temporary), place })
    }

    /// Puts the file in its place.
    fn keep(mut self) -> io::Result<()> {
        match self.temporary.take() {
            Some(temporary) => fs::rename(&temporary, &self.place).inspect_err(|_| {
                self.temporary = Some(temporary);
            }),
            None => Ok(()),
        }
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
