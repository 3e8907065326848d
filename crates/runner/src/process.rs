//! The command under test as a process: started, watched, ended with all it started.
//!
//! The command gets a process group of its own, so that a hang is ended with its children, and so that
//! Ctrl-C reaches only us. What it prints goes through one pipe, standard output and error in the
//! order written, of which the end is kept.
//!
//! A daemon leaves its group, and may keep the pipe open for ever. So the end of the pipe is not waited for:
//! when it does not come soon after the command's, whoever has it open is looked for and ended; and if it
//! still does not come, what was printed until then has to do.

use std::io::{self, PipeReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::leftovers::Leftovers;

/// How much of what a command prints is kept.
pub const KEPT: usize = 64 << 10;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It exited with this code; 0 is a success.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It did not end within its time, and was ended.
    Hang,
    /// It was ended because the user asked to stop.
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

/// How long the end of the pipe may take after the command's, before somebody is looked for who has it open.
const LATE: Duration = Duration::from_millis(100);

/// How long it may take after those were ended.
const TOO_LATE: Duration = Duration::from_secs(2);

/// Runs a command until it ends, `deadline` from now, or `stop` is set. Fails if it cannot be started.
pub fn run(
    mut command: Command,
    deadline: Duration,
    stop: &AtomicBool,
) -> io::Result<(Ending, Output)> {
    let (reader, writer) = io::pipe()?;
    let leftovers = Leftovers::of(&mut command, &reader);
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let started = Instant::now();
    let mut child = command.spawn()?;
    // The command holds the pipe's other end; the reader below would wait for us.
    drop(command);
    let tail = Arc::new(Mutex::new(Tail::default()));
    let whole = read(reader, &tail)?;
    let ending = watch(&mut child, started, deadline, stop)?;
    let late = whole.recv_timeout(LATE).is_err();
    if late || matches!(ending, Ending::Hang | Ending::Stopped) {
        leftovers.end();
    }
    if late {
        // A process that cannot be ended keeps its thread; there is nothing to wait for.
        let _ = whole.recv_timeout(TOO_LATE);
    }
    let output = tail.lock().unwrap_or_else(PoisonError::into_inner).output();
    Ok((ending, output))
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

/// The last of what was read.
#[derive(Debug, Default)]
struct Tail {
    kept: Vec<u8>,
    cut: u64,
}

impl Tail {
    fn add(&mut self, bytes: &[u8]) {
        self.kept.extend_from_slice(bytes);
        if self.kept.len() > 2 * KEPT {
            self.trim();
        }
    }

    /// Drops all but the last [`KEPT`] bytes.
    fn trim(&mut self) {
        let excess = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..excess);
        self.cut += excess as u64;
    }

    fn output(&mut self) -> Output {
        self.trim();
        Output { text: String::from_utf8_lossy(&self.kept).into_owned(), cut: self.cut }
    }
}

/// Reads in a thread of its own; hears of the end.
fn read(mut reader: PipeReader, tail: &Arc<Mutex<Tail>>) -> io::Result<Receiver<()>> {
    let (done, whole) = mpsc::channel();
    let tail = Arc::clone(tail);
    let work = move || {
        let mut buffer = [0; 16 << 10];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                    tail.add(&buffer[..count]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A pipe that breaks has no more to say.
                Err(_) => break,
            }
        }
        // Nobody hears of it who does not wait any more.
        let _ = done.send(());
    };
    std::thread::Builder::new().name("hobgoblin-output".to_owned()).spawn(work)?;
    Ok(whole)
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

    /// A process that has left the group, as a daemon does, and keeps the pipe; its number is in a file.
    fn daemon(then: &str) -> (Ending, Output, Duration, std::path::PathBuf) {
        use std::sync::atomic::AtomicU32;
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("hob-daemon-{}-{number}", std::process::id());
        let file = std::env::temp_dir().join(name);
        let path = file.display();
        let script = format!(
            "(setsid sh -c 'echo $$ > {path}.new; mv {path}.new {path}; exec sleep 60' &); \
             while ! test -e {path}; do sleep 0.01; done; echo on; {then}"
        );
        let started = Instant::now();
        let (ending, output) = shell(&script, Duration::from_secs(2));
        (ending, output, started.elapsed(), file)
    }

    /// Whether the daemon is there still after a while: one that is being ended closes its pipe first, and its
    /// state changes later.
    fn lives_on(file: &std::path::Path) -> bool {
        let pid = std::fs::read_to_string(file).expect("the daemon wrote it");
        let _ = std::fs::remove_file(file);
        let deadline = Instant::now() + Duration::from_secs(5);
        while Instant::now() < deadline {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
            // Nobody may have collected it yet.
            if stat.is_ok_and(|stat| !stat.contains(") Z ")) {
                std::thread::sleep(Duration::from_millis(5));
            } else {
                return false;
            }
        }
        true
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_daemon_that_keeps_the_pipe_does_not_outlive_the_command() {
        for (then, ending) in [("exit 5", Ending::Exit(5)), ("sleep 60", Ending::Hang)] {
            let (got, output, took, file) = daemon(then);
            assert_eq!((got, output.text.as_str()), (ending, "on\n"));
            assert!(took < Duration::from_secs(10), "{took:?}");
            assert!(!lives_on(&file), "the daemon lives on after {then}");
        }
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
