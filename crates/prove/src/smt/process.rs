//! A child process that is talked to, and killed when nobody listens any more.
//!
//! Three threads serve its three pipes, so that neither side waits for the other with a full pipe: a script may have
//! megabytes, and so may what is printed. The threads end when the pipes do and are not waited for, since a process that
//! the child started may hold its pipes for longer than the child lives.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// More than this a solver does not print in answer to anything we ask.
const MOST_PRINTED: usize = 64 << 20;

/// How often it is looked whether to stop.
const LOOK: Duration = Duration::from_millis(20);

/// A process, its output so far, and when it is to end.
pub(super) struct Process {
    child: Child,
    input: Sender<String>,
    output: Receiver<Vec<u8>>,
    errors: Receiver<Vec<u8>>,
    /// What it printed and was not taken; bytes that are no text yet wait in `rest`.
    text: String,
    rest: Vec<u8>,
    limit: Duration,
    end: Instant,
}

/// What came of waiting.
pub(super) enum Wait {
    /// More was printed.
    Printed,
    /// The time is over.
    Limit,
    /// The caller wants no answer any more.
    Stopped,
    /// More was printed than any answer has.
    TooMuch,
    /// The process ended, with this code or signal.
    Ended(String),
}

impl Process {
    pub(super) fn start(mut command: Command, limit: Duration) -> std::io::Result<Process> {
        let end = Instant::now().checked_add(limit);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut stdin = child.stdin.take().expect("the input is a pipe");
        let stdout = child.stdout.take().expect("the output is a pipe");
        let stderr = child.stderr.take().expect("the errors are a pipe");
        let (input, texts) = channel::<String>();
        std::thread::spawn(move || {
            for text in texts {
                // A process that ended reads nothing; that it ended is seen at its output.
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let (output, errors) = (listen(stdout), listen(stderr));
        let end = end.unwrap_or_else(|| Instant::now() + Duration::from_secs(1 << 30));
        Ok(Process {
            child,
            input,
            output,
            errors,
            text: String::new(),
            rest: Vec::new(),
            limit,
            end,
        })
    }

    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    /// Writes to the process, whenever it reads.
    pub(super) fn send(&self, text: String) {
        // Fails when the writer has found the process gone.
        let _ = self.input.send(text);
    }

    /// What was printed and not taken.
    pub(super) fn printed(&self) -> &str {
        &self.text
    }

    /// Forgets the beginning of what was printed.
    pub(super) fn take(&mut self, length: usize) {
        self.text.drain(..length);
    }

    /// What was printed and not taken, and what was said on the other pipe.
    pub(super) fn all_printed(&mut self) -> String {
        let mut text = self.text.clone();
        // The pipe of a process that ended has its end; a grandchild may keep it open, for which nobody waits long.
        while let Ok(bytes) = self.errors.recv_timeout(LOOK) {
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
        text
    }

    /// Waits until more is printed, or nothing more will be.
    pub(super) fn wait(&mut self, stop: &dyn Fn() -> bool) -> std::io::Result<Wait> {
        loop {
            if stop() {
                return Ok(Wait::Stopped);
            }
            let now = Instant::now();
            if now >= self.end {
                return Ok(Wait::Limit);
            }
            match self.output.recv_timeout(LOOK.min(self.end - now)) {
                Ok(bytes) => {
                    self.append(&bytes);
                    // All there is, since what is printed is read from its start each time: while a long text is read,
                    // more of it comes, so the length grows by a factor and not by a piece.
                    while let Ok(bytes) = self.output.try_recv() {
                        self.append(&bytes);
                        if self.text.len() > MOST_PRINTED {
                            break;
                        }
                    }
                    let much = self.text.len() > MOST_PRINTED;
                    return Ok(if much { Wait::TooMuch } else { Wait::Printed });
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.ended(stop),
            }
        }
    }

    /// The output has ended; the process does so soon, or at the limit.
    fn ended(&mut self, stop: &dyn Fn() -> bool) -> std::io::Result<Wait> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Wait::Ended(status.to_string()));
            }
            if Instant::now() >= self.end {
                return Ok(Wait::Limit);
            }
            if stop() {
                return Ok(Wait::Stopped);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            // A character that is cut waits for its end; what is no text at all is shown as such.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.rest.len(),
        };
        let rest = self.rest.split_off(whole);
        self.text.push_str(&String::from_utf8_lossy(&self.rest));
        self.rest = rest;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Fails only if it ended before. The wait leaves no zombie.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What comes through a pipe, piece by piece.
fn listen(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = pipe.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}
