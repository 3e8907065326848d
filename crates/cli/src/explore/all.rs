//! `--all`: every history in the native format, as it is found.
//!
//! In one file, each history begins with its header, which has the token as `"meta": {"token": …}`; so a
//! line with `"hobgoblin"` is where the next history begins. In a directory each has a file of its own, by
//! number, and `hob check --recursive` reads them all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};

use hobgoblin_explore::End;
use hobgoblin_format::json::push_text;
use hobgoblin_format::{Format, WriteError};

use super::session::{Explored, Resumed, Session};
use crate::diagnostic::Failure;
use crate::output::{self, Replace};

/// How many histories may wait to be written.
const WAITING: usize = 256;

/// A history as lines.
type Lines = Result<Vec<u8>, WriteError>;

/// Explores, and writes every history.
pub(super) fn write(
    place: &Path,
    replace: Replace,
    session: &Session<'_>,
    from: Option<Resumed>,
    out: &mut dyn Write,
) -> Result<Explored, Failure> {
    let directory = place.as_os_str().as_encoded_bytes().ends_with(b"/") || place.is_dir();
    match directory {
        // The histories of two programs in one directory would be taken for those of one.
        true => replace.check(&numbered_file(place, 1))?,
        false => replace.check(place)?,
    }
    let (sender, histories) = mpsc::sync_channel(WAITING);
    std::thread::scope(|scope| {
        let explorer = scope.spawn(move || {
            let each = |end: &End<'_>| {
                // Nobody takes it if the disk is full; then there is no use in going on.
                if sender.send(lines(end)).is_err() {
                    session.stop();
                }
            };
            let explored = session.explore(from, Some(&each));
            if explored.is_err() {
                // So that what is there so far is not taken for all of it.
                let _ = sender.send(Err(io::Error::other("the exploration failed").into()));
            }
            explored
        });
        let written = match directory {
            true => numbered(place, replace, histories, out),
            false => output::write(place, out, replace, |sink| {
                histories.into_iter().try_for_each(|lines| Ok(sink.write_all(&lines?)?))
            }),
        };
        let explored = explorer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        written.map(|()| explored)
    })
}

/// The history of an end, with the token in its header.
fn lines(end: &End<'_>) -> Lines {
    const HEADER: &[u8] = b"{\"hobgoblin\":1";
    let mut history = Vec::new();
    hobgoblin_format::write(&end.history(), Format::Jsonl, &mut history)?;
    let mut meta = b",\"meta\":{\"token\":".to_vec();
    push_text(&mut meta, &end.token());
    meta.push(b'}');
    if history.starts_with(HEADER) {
        history.splice(HEADER.len()..HEADER.len(), meta);
    }
    Ok(history)
}

/// Writes each history to a file of its own.
fn numbered(
    directory: &Path,
    replace: Replace,
    histories: Receiver<Lines>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let failed = |error| Failure::writing(directory, error);
    std::fs::create_dir_all(directory).map_err(|error| failed(error.into()))?;
    for (number, lines) in (1..).zip(histories) {
        let lines = lines.map_err(failed)?;
        let fill = |sink: &mut dyn Write| Ok(sink.write_all(&lines)?);
        output::write(&numbered_file(directory, number), out, replace, fill)?;
    }
    Ok(())
}

fn numbered_file(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{number:06}.jsonl"))
}
