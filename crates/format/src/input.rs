//! From a path to bytes: standard input, decompression, lines.
//!
//! Where somebody wants to be able to stop ([`watch`](crate::watch)), what is opened here is watched, and
//! what is decompressed as well: a small file may unpack to a large one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use crate::find::find_byte;
#[cfg(feature = "watched")]
use crate::waiting::Waiting;
use crate::watch::{Watch, Watched};

/// How much is read at once.
const CHUNK: usize = 1 << 17;

/// Buffers longer than this grow by less than their length.
const LARGE: usize = 1 << 25;

/// Opens a file, or standard input for `-`. Whatever may keep its reader waiting, such as a pipe, is
/// read by a thread of its own if somebody may want to stop.
#[cfg_attr(not(feature = "watched"), expect(unused_variables, reason = "nobody watches"))]
pub(crate) fn open<'a>(path: &Path, watch: Watch<'a>) -> io::Result<Box<dyn Read + 'a>> {
    let standard = path == Path::new("-");
    #[cfg(feature = "watched")]
    if watch.is_some() && (standard || std::fs::metadata(path).is_ok_and(|found| !found.is_file()))
    {
        let path = path.to_owned();
        return Ok(Box::new(Waiting::new(watch, move || match standard {
            true => Ok(Box::new(io::stdin().lock()) as Box<dyn Read>),
            false => Ok(Box::new(File::open(path)?)),
        })?));
    }
    match standard {
        true => Ok(Box::new(io::stdin().lock())),
        false => Ok(Box::new(File::open(path)?)),
    }
}

/// As [`decompress`], watched before and after.
pub(crate) fn decompress_watched<'a>(
    input: Box<dyn Read + 'a>,
    watch: Watch<'a>,
) -> io::Result<Box<dyn BufRead + 'a>> {
    if watch.is_none() {
        return decompress(input);
    }
    let input = BufReader::with_capacity(CHUNK, input);
    let unpacked = decompress(Box::new(Watched::new(input, watch)))?;
    Ok(Box::new(Watched::new(unpacked, watch)))
}

/// Undoes gzip or Zstandard, told by the first bytes whatever the file is called.
pub(crate) fn decompress<'a>(mut input: Box<dyn Read + 'a>) -> io::Result<Box<dyn BufRead + 'a>> {
    let magic = read_up_to(&mut *input, 4)?;
    let gzip = magic.starts_with(&[0x1f, 0x8b]);
    let zstd = magic == [0x28, 0xb5, 0x2f, 0xfd];
    let whole = BufReader::with_capacity(CHUNK, Cursor::new(magic).chain(input));
    match (gzip, zstd) {
        (false, false) => Ok(Box::new(whole)),
        #[cfg(feature = "compressed")]
        (true, _) => Ok(Box::new(BufReader::with_capacity(CHUNK, crate::packed::gzip(whole)))),
        #[cfg(feature = "compressed")]
        (false, true) => Ok(Box::new(BufReader::with_capacity(CHUNK, crate::packed::zstd(whole)))),
        #[cfg(not(feature = "compressed"))]
        _ => {
            let why =
                "this build does not decompress; turn on the feature `formats` of `hobgoblin`";
            Err(io::Error::new(io::ErrorKind::Unsupported, why))
        }
    }
}

/// The first `limit` bytes, or all there are.
pub(crate) fn read_up_to(input: &mut dyn Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut head = vec![0; limit];
    let mut length = 0;
    while length < limit {
        match input.read(&mut head[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(length);
    Ok(head)
}

/// Lines of any length, one at a time, without their ends, through a buffer that is as long as the
/// longest line. Lines count from 1.
pub(crate) struct Lines<R> {
    input: R,
    chunk: Vec<u8>,
    start: usize,
    end: usize,
    number: u64,
    over: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R) -> Lines<R> {
        Lines { input, chunk: vec![0; CHUNK], start: 0, end: 0, number: 0, over: false }
    }

    /// The number of the next line, as histories store it.
    pub(crate) fn next_number(&self) -> u32 {
        u32::try_from(self.number + 1).unwrap_or(u32::MAX)
    }

    /// The next line. Where the input breaks off, what there is counts as a line.
    #[inline]
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let rest = &self.chunk[self.start..self.end];
        let (line, next) = match find_byte(b'\n', rest) {
            Some(length) => (self.start..self.start + length, self.start + length + 1),
            None => match self.refill()? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        self.start = next;
        self.number += 1;
        let mut line = &self.chunk[line];
        if let [before @ .., b'\r'] = line {
            line = before;
        }
        if self.number == 1
            && let Some(after) = line.strip_prefix(b"\xef\xbb\xbf")
        {
            line = after;
        }
        Ok(Some(line))
    }

    /// Reads until the buffer holds a whole line: where it is, and where the next one begins.
    fn refill(&mut self) -> io::Result<Option<(std::ops::Range<usize>, usize)>> {
        self.chunk.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while !self.over {
            if self.end == self.chunk.len() {
                // Twice as much is too much at once where memory is limited.
                let more = self.end.min(LARGE).max(self.end / 8);
                self.chunk.resize(self.end + more, 0);
            }
            let searched = self.end;
            match self.input.read(&mut self.chunk[self.end..]) {
                Ok(0) => self.over = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if let Some(length) = find_byte(b'\n', &self.chunk[searched..self.end]) {
                return Ok(Some((0..searched + length, searched + length + 1)));
            }
        }
        Ok((self.end > 0).then_some((0..self.end, self.end)))
    }
}

/// The first line of a text that is neither blank nor `skip`ped, without the blanks around it.
pub(crate) fn first_line(head: &[u8], skip: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let mut lines = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    lines.find(|line| !line.is_empty() && !skip(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(text);
        let mut all = Vec::new();
        while let Some(line) = lines.next().expect("memory cannot fail") {
            all.push(String::from_utf8_lossy(line).into_owned());
        }
        assert_eq!(lines.next_number() as usize, all.len() + 1);
        all
    }

    #[test]
    fn lines_end_as_people_end_them() {
        assert_eq!(lines(b""), [""; 0]);
        assert_eq!(lines(b"\n"), [""]);
        assert_eq!(lines(b"\xef\xbb\xbfa\r\nb\n\nc"), ["a", "b", "", "c"]);
    }

    #[test]
    fn lines_may_be_longer_than_the_buffer() {
        let long = "x".repeat(3 * CHUNK + 7);
        let text = format!("a\n{long}\nb\n{long}");
        assert_eq!(lines(text.as_bytes()), ["a", &long, "b", &long]);
    }
}
