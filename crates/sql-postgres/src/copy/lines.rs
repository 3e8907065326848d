//! Data cut into lines. A newline within quotes (CSV), or after a backslash (text), ends none.

use super::field::with_place;
use super::options::{CopyFormat, CopyOptions};
use crate::error::{Result, SqlError, SqlState};

/// How lines end; the first one decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Newline,
    Return,
    Both,
}

/// Where we are in the data.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The number of the line given last, from 1.
    pub(super) number: u64,
    ending: Option<Ending>,
    /// Whether the end-of-data marker was seen; what follows is ignored.
    ended: bool,
    /// How much of the data that is left was searched in vain, so that long lines are searched once.
    searched: Search,
}

/// A search for the end of a line, as far as it has come.
#[derive(Clone, Copy, Debug, Default)]
struct Search {
    at: usize,
    quoted: bool,
    /// The last byte was one that takes away the next one's meaning.
    escaped: bool,
}

impl Lines {
    /// The next line without its end, which is taken from `data`; `None` if there is no whole one. The
    /// last line of all needs no end.
    pub(super) fn next<'a>(
        &mut self,
        data: &mut &'a [u8],
        last: bool,
        options: &CopyOptions,
        relation: &str,
    ) -> Result<Option<&'a [u8]>> {
        if self.ended {
            *data = &[];
            return Ok(None);
        }
        let all = *data;
        let (line, rest) = match self.search(all, last, options).map_err(|error| {
            let place = format!("COPY {relation}, line {}", self.number + 1);
            with_place(error, place)
        })? {
            Some((end, length)) => (all.get(..end), all.get(end + length..)),
            None if last && !all.is_empty() => {
                if self.searched.quoted {
                    let place = format!("COPY {relation}, line {}", self.number + 1);
                    return Err(with_place(wrong("unterminated CSV quoted field"), place));
                }
                (Some(all), Some(&[][..]))
            }
            None => return Ok(None),
        };
        self.searched = Search::default();
        *data = rest.unwrap_or_default();
        let line = line.unwrap_or_default();
        if line == b"\\." {
            self.ended = true;
            *data = &[];
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(line))
    }

    /// Where the line ends and how many bytes that takes.
    fn search(
        &mut self,
        data: &[u8],
        last: bool,
        options: &CopyOptions,
    ) -> Result<Option<(usize, usize)>> {
        let csv = options.format == CopyFormat::Csv;
        let mut search = self.searched;
        while let Some(&byte) = data.get(search.at) {
            let at = search.at;
            search.at += 1;
            if csv {
                // An escape that is the quote itself needs no care: two quotes close and open again.
                if search.quoted
                    && !search.escaped
                    && byte == options.escape
                    && options.escape != options.quote
                {
                    search.escaped = true;
                    continue;
                }
                if byte == options.quote && !search.escaped {
                    search.quoted = !search.quoted;
                }
                search.escaped = false;
                if search.quoted {
                    continue;
                }
            } else {
                if search.escaped {
                    search.escaped = false;
                    continue;
                }
                if byte == b'\\' {
                    search.escaped = true;
                    continue;
                }
            }
            let (ending, length) = match (byte, data.get(at + 1)) {
                (b'\n', _) => (Ending::Newline, 1),
                (b'\r', Some(b'\n')) => (Ending::Both, 2),
                // Whether a newline follows is not known yet.
                (b'\r', None) if !last => {
                    search.at = at;
                    self.searched = search;
                    return Ok(None);
                }
                (b'\r', _) => (Ending::Return, 1),
                _ => continue,
            };
            return match (*self.ending.get_or_insert(ending), ending) {
                (first, this) if first == this => Ok(Some((at, length))),
                (Ending::Newline, _) if csv => Err(wrong("unquoted carriage return found in data")
                    .hint("Use quoted CSV field to represent carriage return.")),
                (Ending::Newline, _) => Err(wrong("literal carriage return found in data")
                    .hint("Use \"\\r\" to represent carriage return.")),
                (_, _) if csv => Err(wrong("unquoted newline found in data")
                    .hint("Use quoted CSV field to represent newline.")),
                (_, _) => Err(wrong("literal newline found in data")
                    .hint("Use \"\\n\" to represent newline.")),
            };
        }
        self.searched = search;
        Ok(None)
    }
}

fn wrong(message: &str) -> SqlError {
    SqlError::new(SqlState::BAD_COPY_FILE_FORMAT, message)
}
