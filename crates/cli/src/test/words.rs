//! What is said alike of every run.

use std::io::{self, Write};

use hobgoblin_runner::{Ending, FailureReport, Output};

/// How many lines of what a command printed are shown.
const LINES: usize = 20;

/// Why a run may fail without an anomaly.
pub(super) fn hint(failure: &FailureReport, out: &mut dyn Write) -> io::Result<()> {
    if failure.ending == Ending::Hang {
        writeln!(out, "It did not end in time: see `--timeout`.")?;
    }
    match failure.refused {
        0 => Ok(()),
        1 => writeln!(out, "The store refused a transaction of it; such must be run again."),
        n => writeln!(out, "The store refused {n} transactions of it; such must be run again."),
    }
}

pub(super) fn printed(output: &Output, out: &mut dyn Write) -> io::Result<()> {
    match output.text.trim().is_empty() {
        true => writeln!(out, "It printed nothing."),
        false => write!(out, "It printed:\n{}", quoted(output)),
    }
}

/// The last lines of what a command printed, with a bar before each. Escapes could undo what is above.
pub(crate) fn quoted(output: &Output) -> String {
    let clean = |c: char| if c.is_control() && c != '\t' { '\u{fffd}' } else { c };
    let lines: Vec<&str> = output.text.trim_end().lines().collect();
    let left_out = lines.len().saturating_sub(LINES);
    let mut text = String::new();
    if left_out > 0 || output.cut > 0 {
        text.push_str("  | …\n");
    }
    for line in &lines[left_out..] {
        let line: String = line.chars().map(clean).collect();
        text.push_str(&format!("  | {line}\n"));
    }
    text
}

/// What to do where no run used its store.
pub(super) const UNUSED: &str = "HOB_HTTP_URL, DATABASE_URL and PGHOST, PGPORT, … told the command where its \
                                 store was; does it read them?";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_is_cut_and_escapes_are_harmless() {
        let text: String = (0..30).map(|n| format!("line {n}\n")).collect();
        let shown = quoted(&Output { text: text + "\u{1b}[2J\n", cut: 0 });
        assert!(shown.starts_with("  | …\n  | line 11\n"), "{shown}");
        assert!(shown.ends_with("  | \u{fffd}[2J\n"), "{shown}");
    }
}
