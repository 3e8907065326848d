//! The signals that end a command as Ctrl-C does: with what is known so far, and nothing left running.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// SIGINT and SIGTERM; and SIGHUP, which a closed terminal sends, unless `nohup` has it ignored.
pub(crate) fn that_end() -> impl Iterator<Item = i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let hangup = (!is_ignored(&status, SIGHUP)).then_some(SIGHUP);
    [SIGINT, SIGTERM].into_iter().chain(hangup)
}

/// Whether a process ignores a signal, by what the system says of it. Where it says nothing, it does not.
fn is_ignored(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_the_system_is_read() {
        let status = "Name:\thob\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n";
        for (signal, ignored) in [(SIGHUP, true), (SIGINT, false), (13, true), (SIGTERM, false)] {
            assert_eq!(is_ignored(status, signal), ignored, "{signal}");
        }
        assert!(!is_ignored("", SIGHUP));
    }
}
