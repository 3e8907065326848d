//! The command under test as a process: started, watched, ended with all it started.
//!
//! The command gets a process group of its own, so that a hang is ended with its children, and so that
//! Ctrl-C reaches only us. What it prints goes through one pipe, standard output and error in the
//! order written, of which the end is kept.

use std::io::{self, PipeReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much of what a command prints is kept.
pub const KEPT: usize = 64 << 10;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It exited with this code; 0 is a success.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It did not end in time.
    Hang,
    /// Somebody asked to stop.
    Stopped,
}

impl Ending {
    /// Whether it counts as a failing run.
    pub fn is_failure(self) -> bool {
        !matches!(self, Ending::Exit(0) | Ending::Stopped)
    }

    fn of(status: ExitStatus) -> Ending {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Ending::Signal(signal);
        }
        Ending::Exit(status.code().unwrap_or(-1))
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Exit(code) => write!(f, "exit code {code}"),
            Ending::Signal(signal) => write!(f, "signal {signal}"),
            Ending::Hang => f.write_str("hang"),
            Ending::Stopped => f.write_str("stopped"),
        }
    }
}

/// The end of what a command printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// At most [`KEPT`] bytes; what is no UTF-8 is replaced.
    pub text: String,
    /// How many bytes came before them.
    pub cut: u64,
}

/// Runs a command until it ends, `deadline` from now, or `stop` is set. Fails if it cannot be started.
pub fn run(
    mut command: Command,
    deadline: Duration,
    stop: &AtomicBool,
) -> io::Result<(Ending, Output)> {
    let (reader, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let started = Instant::now();
    let mut child = command.spawn()?;
    // The command holds the pipe's other end; the reader below would wait for us.
    drop(command);
    std::thread::scope(|scope| {
        let output = scope.spawn(move || tail(reader));
        let ending = watch(&mut child, started, deadline, stop);
        let output = output.join().expect("the reader does not panic");
        Ok((ending?, output))
    })
}

fn watch(
    child: &mut Child,
    started: Instant,
    deadline: Duration,
    stop: &AtomicBool,
) -> io::Result<Ending> {
    let cut_short = loop {
        if has_ended(child)? {
            break None;
        }
        let elapsed = started.elapsed();
        if stop.load(Ordering::Relaxed) {
            break Some(Ending::Stopped);
        }
        if elapsed >= deadline {
            break Some(Ending::Hang);
        }
        // Looking more often than this gains less than an eighth of the command's time.
        let pause = (elapsed / 8).clamp(Duration::from_micros(50), Duration::from_millis(5));
        std::thread::sleep(pause);
    };
    // What the command leaves behind is ended too; it would keep the pipe open, and the port busy.
    end_group(child);
    let status = child.wait()?;
    Ok(cut_short.unwrap_or_else(|| Ending::of(status)))
}

/// Whether a process has ended. It is not collected yet, so that its number, which is its group's, stays
/// its own.
#[cfg(unix)]
fn has_ended(child: &Child) -> io::Result<bool> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(rustix::process::Pid::from_child(child)), look) {
        Ok(ended) => Ok(ended.is_some()),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(unix)]
fn end_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Nobody is left to end if this fails.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    child.try_wait().map(|status| status.is_some())
}

#[cfg(not(unix))]
fn end_group(child: &mut Child) {
    // It has ended by itself if this fails.
    let _ = child.kill();
}

/// Reads to the end and keeps the last of it.
fn tail(mut reader: PipeReader) -> Output {
    let mut kept: Vec<u8> = Vec::new();
    let mut buffer = [0; 16 << 10];
    let mut cut = 0;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => kept.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A pipe that breaks has no more to say.
            Err(_) => break,
        }
        if kept.len() > 2 * KEPT {
            cut += trim(&mut kept);
        }
    }
    cut += trim(&mut kept);
    Output { text: String::from_utf8_lossy(&kept).into_owned(), cut }
}

/// Drops all but the last [`KEPT`] bytes; how many those were.
fn trim(kept: &mut Vec<u8>) -> u64 {
    let excess = kept.len().saturating_sub(KEPT);
    kept.drain(..excess);
    excess as u64
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, deadline: Duration) -> (Ending, Output) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, deadline, &AtomicBool::new(false)).expect("there is a shell")
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn endings_are_told_apart() {
        for (script, ending, failure) in [
            ("true", Ending::Exit(0), false),
            ("exit 7", Ending::Exit(7), true),
            ("kill -9 $$", Ending::Signal(9), true),
        ] {
            let (got, _) = shell(script, LONG);
            assert_eq!((got, got.is_failure()), (ending, failure), "{script}");
        }
    }

    #[test]
    fn output_and_errors_come_in_the_order_written() {
        let (_, output) = shell("echo a; echo b >&2; echo c", LONG);
        assert_eq!(output, Output { text: "a\nb\nc\n".into(), cut: 0 });
    }

    #[test]
    fn only_the_end_of_a_long_output_is_kept() {
        let (_, output) = shell("yes | head -c 1000000; echo end", LONG);
        assert_eq!(output.text.len(), KEPT);
        assert!(output.text.ends_with("y\nend\n"));
        assert_eq!(output.cut, 1_000_004 - KEPT as u64);
    }

    #[test]
    fn a_hang_is_ended_with_its_children() {
        let started = Instant::now();
        // The child of the shell holds the pipe: if it lived on, reading would take its 30 seconds.
        let (ending, output) = shell("echo on; sleep 30 & sleep 30", Duration::from_millis(200));
        assert_eq!((ending, output.text.as_str()), (Ending::Hang, "on\n"));
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn what_a_command_leaves_behind_is_ended() {
        let started = Instant::now();
        let (ending, _) = shell("sleep 30 & exit 3", LONG);
        assert_eq!(ending, Ending::Exit(3));
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn stopping_ends_it() {
        let mut command = Command::new("sleep");
        command.arg("30");
        let ended = run(command, LONG, &AtomicBool::new(true)).expect("there is sleep");
        assert_eq!(ended.0, Ending::Stopped);
        assert!(!ended.0.is_failure());
    }

    #[test]
    fn a_command_that_is_not_there_is_an_error() {
        let missing = Command::new("/no/such/command");
        let error = run(missing, LONG, &AtomicBool::new(false)).expect_err("nothing starts");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
