//! Pipes that are watched: the system keeps whoever reads one waiting until somebody writes, so a thread of its own waits,
//! and the question whether to stop is asked meanwhile.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use crate::watch::{PIECE, Watch, ask};

/// How long to wait for a pipe before the question is asked again.
const PATIENCE: Duration = Duration::from_millis(50);

/// How many pieces of a pipe may wait to be looked at.
const PIECES: usize = 4;

/// An input that may come late or never, read by a thread of its own. The thread ends with its input, or
/// with the process.
pub(crate) struct Waiting<'a> {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    /// How much of the piece was read.
    used: usize,
    watch: Watch<'a>,
}

impl<'a> Waiting<'a> {
    /// Opening may take as long as reading: a pipe is open when its other end is.
    pub(crate) fn new(
        watch: Watch<'a>,
        open: impl FnOnce() -> io::Result<Box<dyn Read>> + Send + 'static,
    ) -> io::Result<Waiting<'a>> {
        let (sender, pieces) = sync_channel(PIECES);
        // Nobody is told of an error when nobody reads any more.
        let forward = move || match open() {
            Ok(mut input) => while forward_piece(&mut input, &sender) {},
            Err(error) => _ = sender.send(Err(error)),
        };
        std::thread::Builder::new().name("hobgoblin-input".to_owned()).spawn(forward)?;
        Ok(Waiting { pieces, piece: Vec::new(), used: 0, watch })
    }
}

/// Reads a piece and passes it on. Whether there may be another one.
fn forward_piece(input: &mut dyn Read, sender: &SyncSender<io::Result<Vec<u8>>>) -> bool {
    let mut piece = vec![0; PIECE];
    match input.read(&mut piece) {
        Ok(0) => false,
        Ok(count) => {
            piece.truncate(count);
            sender.send(Ok(piece)).is_ok()
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
        Err(error) => {
            let _ = sender.send(Err(error));
            false
        }
    }
}

impl Read for Waiting<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.used == self.piece.len() {
            ask(self.watch)?;
            match self.pieces.recv_timeout(PATIENCE) {
                Ok(piece) => (self.piece, self.used) = (piece?, 0),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let count = out.len().min(self.piece.len() - self.used);
        out[..count].copy_from_slice(&self.piece[self.used..self.used + count]);
        self.used += count;
        Ok(count)
    }
}
