//! When a check stops: at a limit of time or memory, or when somebody asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hobgoblin_check::Limits;
use hobgoblin_core::StopReason;
use signal_hook::flag;

use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::INTERRUPTED;
use crate::signals;

/// The limits of a run.
#[derive(Debug)]
pub(crate) struct Stop {
    time: Option<Duration>,
    memory: Option<u64>,
    /// Somebody pressed Ctrl-C, or sent SIGTERM or SIGHUP.
    asked: Arc<AtomicBool>,
    /// Whether Ctrl-C ends the process at once: nothing is known yet, or it was pressed before.
    abrupt: Arc<AtomicBool>,
}

impl Stop {
    /// Installs the handler of Ctrl-C too.
    pub(crate) fn new(time: Option<Duration>, memory: Option<u64>) -> Result<Stop, Failure> {
        if memory.is_some() && resident().is_none() {
            let message = "--memory-limit is not supported on this system";
            let help = "limit the process from outside, for example with `ulimit -v`";
            return Err(Diagnostic::new(message, help).into());
        }
        let asked = Arc::new(AtomicBool::new(false));
        let abrupt = Arc::new(AtomicBool::new(true));
        for signal in signals::that_end() {
            // In the order in which they run; without a handler, it ends the process as ever.
            let _ = flag::register_conditional_shutdown(signal, INTERRUPTED, abrupt.clone())
                .and_then(|_| flag::register(signal, asked.clone()))
                .and_then(|_| flag::register(signal, abrupt.clone()));
        }
        Ok(Stop { time, memory, asked, abrupt })
    }

    /// Whether somebody asked to stop.
    pub(crate) fn asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// From now on there is something to tell when Ctrl-C is pressed.
    pub(crate) fn gently(&self) {
        if !self.asked() {
            self.abrupt.store(false, Ordering::Relaxed);
        }
    }

    /// The limits of a file whose reading began at `start`.
    pub(crate) fn limits(&self, start: Instant) -> Limits {
        self.limits_to(start, self.memory)
    }

    /// The limits of what may take any amount of memory, such as reading a file. Without a limit of memory, what the machine has is one: whoever takes
    /// more is killed, and nobody hears why.
    pub(crate) fn bounded_limits(&self, start: Instant) -> Limits {
        self.limits_to(start, self.memory.or_else(most_memory))
    }

    fn limits_to(&self, start: Instant, memory: Option<u64>) -> Limits {
        let deadline = self.time.map(|time| start + time);
        let asked = self.asked.clone();
        let looked = AtomicU64::new(0);
        Limits::new(move || {
            if asked.load(Ordering::Relaxed) {
                return Some(StopReason::Interrupted);
            }
            if deadline.is_none() && memory.is_none() {
                return None;
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| now >= deadline) {
                return Some(StopReason::Time);
            }
            // Asking the system takes many times longer than asking the clock.
            const EVERY: u64 = 5;
            let millis = now.duration_since(start).as_millis() as u64 + EVERY;
            if memory.is_some() && millis >= looked.load(Ordering::Relaxed) + EVERY {
                looked.store(millis, Ordering::Relaxed);
                return (resident() > memory).then_some(StopReason::Memory);
            }
            None
        })
    }
}

/// Nine tenths of the memory that the machine or the container has, where the system tells.
fn most_memory() -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let machine = read("/proc/meminfo").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.to_owned();
        let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    })?;
    let container = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .into_iter()
        .find_map(|file| read(file)?.trim().parse::<u64>().ok());
    Some(machine.min(container.unwrap_or(u64::MAX)) / 10 * 9)
}

/// How many bytes of memory this process uses, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
