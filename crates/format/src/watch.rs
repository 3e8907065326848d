//! Stopping while reading: at a limit of time or memory, or when somebody asks.
//!
//! Whoever reads a file for somebody passes on a question, "should I stop, and why?". It is asked before
//! every piece of the input, packed and unpacked, so a file that unpacks to a thousand times its size is no
//! different from a large one. Pipes need more (`waiting.rs`). Readers that take all of their input first ask it as they
//! go through it (`Pace`).
//!
//! The reason travels as an [`io::Error`] through readers that know nothing of it, and comes out as
//! [`ReadError::Stopped`](crate::ReadError::Stopped).

use std::fmt;
use std::io::{self, BufRead, Read};

use hobgoblin_core::StopReason;

/// The question; nobody asks where there is none.
pub(crate) type Watch<'a> = Option<&'a (dyn Fn() -> Option<StopReason> + 'a)>;

/// How much is read at once; the question is asked as often.
pub(crate) const PIECE: usize = 1 << 16;

/// A reason on its way through readers.
#[derive(Debug)]
struct Stopped(StopReason);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Stopped {}

/// Asks the question; an answer ends the reading.
pub(crate) fn ask(watch: Watch<'_>) -> io::Result<()> {
    match watch.and_then(|ask| ask()) {
        None => Ok(()),
        Some(reason) => Err(io::Error::other(Stopped(reason))),
    }
}

/// Why reading was stopped, if that is what an error says.
pub(crate) fn reason(error: &io::Error) -> Option<StopReason> {
    let stopped = error.get_ref()?.downcast_ref::<Stopped>()?;
    Some(stopped.0.clone())
}

/// An input that is watched.
pub(crate) struct Watched<'a, R> {
    input: R,
    watch: Watch<'a>,
}

impl<'a, R> Watched<'a, R> {
    pub(crate) fn new(input: R, watch: Watch<'a>) -> Watched<'a, R> {
        Watched { input, watch }
    }
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        ask(self.watch)?;
        let piece = out.len().min(PIECE);
        self.input.read(&mut out[..piece])
    }
}

impl<R: BufRead> BufRead for Watched<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        ask(self.watch)?;
        self.input.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.input.consume(count);
    }
}

/// Asks the question now and then, for readers that have taken all of their input and go through it.
#[cfg(feature = "foreign")]
pub(crate) struct Pace<'a> {
    /// A watched input asks also at its end.
    input: &'a mut dyn BufRead,
    left: u32,
}

#[cfg(feature = "foreign")]
impl<'a> Pace<'a> {
    const EVERY: u32 = 1 << 12;

    pub(crate) fn new(input: &'a mut dyn BufRead) -> Pace<'a> {
        Pace { input, left: Self::EVERY }
    }

    /// Counts a step.
    #[inline]
    pub(crate) fn step(&mut self) -> io::Result<()> {
        self.left -= 1;
        if self.left == 0 {
            self.left = Self::EVERY;
            self.input.fill_buf()?;
        }
        Ok(())
    }
}

#[cfg(feature = "foreign")]
impl std::fmt::Debug for Pace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pace").field("left", &self.left).finish()
    }
}
