//! Processes that a command started and that left its group, as daemons do.
//!
//! They are known by what they keep from the command: the pipe it printed into, or a variable of its
//! environment that no other command has. A process that has closed the one and cleared the other is not
//! found. Where the system does not tell what processes have (there is no `/proc`), none is.

use std::io::PipeReader;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The variable by which processes of a command are known.
const VARIABLE: &str = "HOB_COMMAND_ID";

/// How often is looked: one that is found may have started another meanwhile.
const ROUNDS: u32 = 5;

/// How to know the processes of a command.
#[derive(Debug)]
pub(crate) struct Leftovers {
    /// The variable as an environment has it.
    mark: String,
    /// The pipe as the system shows it, `pipe:[4711]`.
    pipe: Option<String>,
}

impl Leftovers {
    /// Marks a command that is about to be started and prints into this pipe.
    pub(crate) fn of(command: &mut Command, pipe: &PipeReader) -> Leftovers {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let id = format!("{}-{number}", std::process::id());
        command.env(VARIABLE, &id);
        Leftovers { mark: format!("{VARIABLE}={id}"), pipe: name_of(pipe) }
    }

    /// Ends all processes that are found, in several rounds.
    pub(crate) fn end(&self) {
        for _ in 0..ROUNDS {
            if self.end_once() == 0 {
                return;
            }
        }
    }
}

#[cfg(target_os = "linux")]
impl Leftovers {
    /// Looks through all processes and ends those of the command; how many there were.
    fn end_once(&self) -> usize {
        use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
        let Ok(all) = std::fs::read_dir("/proc") else { return 0 };
        let numbers = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let own = std::process::id() as i32;
        let mut ended = 0;
        for number in numbers.filter(|&number: &i32| number != own) {
            let Some(pid) = Pid::from_raw(number) else { continue };
            // What is opened first is the process that is looked at, even if its number is given anew.
            let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
            if self.is_ours(number) && pidfd_send_signal(&process, Signal::KILL).is_ok() {
                ended += 1;
            }
        }
        ended
    }

    /// Whether a process has the mark or the pipe. One that has ended has neither.
    fn is_ours(&self, number: i32) -> bool {
        let environment = std::fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        let mut variables = environment.split(|&byte| byte == 0);
        if variables.any(|variable| variable == self.mark.as_bytes()) {
            return true;
        }
        let (Some(pipe), Ok(files)) = (&self.pipe, std::fs::read_dir(format!("/proc/{number}/fd")))
        else {
            return false;
        };
        let targets = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
        targets.into_iter().any(|target| target.to_str() == Some(pipe))
    }
}

#[cfg(not(target_os = "linux"))]
impl Leftovers {
    fn end_once(&self) -> usize {
        0
    }
}

#[cfg(target_os = "linux")]
fn name_of(pipe: &PipeReader) -> Option<String> {
    use std::os::fd::AsRawFd;
    let link = std::fs::read_link(format!("/proc/self/fd/{}", pipe.as_raw_fd())).ok()?;
    link.to_str().map(str::to_owned)
}

#[cfg(not(target_os = "linux"))]
fn name_of(_pipe: &PipeReader) -> Option<String> {
    None
}
