//! Reports for people: an explanation for one history, a line a history and a summary for many.

use std::io::{self, IsTerminal, Write};

use clap::ColorChoice;
use hobgoblin_crdt::DataType;

use super::report::{Outcome, Report, Size, ViolationReport};
use super::rows::{Role, Row};
use crate::harmless::one_line;
use crate::style::{Ink, Style};
use crate::table::Table;
use crate::units::counted;

/// How many reads of a violation are named on a line, and how long that may be.
const NAMED: usize = 3;
const LONGEST: usize = 120;

/// Prints reports one after the other.
#[derive(Debug)]
pub(super) struct Printer {
    style: Style,
    timing: bool,
    /// Whether to explain all violations, or of each type the first.
    explain_all: bool,
    /// Whether there are several histories.
    pub(super) many: bool,
    /// The explanations to print at the end, with the names of the histories.
    explanations: Vec<(DataType, String, String)>,
    /// By type: how many are admitted, violations and unknown.
    tally: Vec<(DataType, [usize; 3])>,
    unread: usize,
}

impl Printer {
    pub(super) fn new(color: ColorChoice, timing: bool, explain_all: bool) -> Printer {
        Printer {
            style: Style::of_stdout(color),
            timing: timing || io::stdout().is_terminal(),
            explain_all,
            many: false,
            explanations: Vec::new(),
            tally: Vec::new(),
            unread: 0,
        }
    }

    /// Prints what is known about a history.
    pub(super) fn history(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let Some(verdict) = report.verdict else {
            self.unread += 1;
            return Ok(());
        };
        let Some(data_type) = report.data_type else {
            // It was not read to its end.
            self.unread += 1;
            let word = self.style.paint(Ink::Doubtful, "unknown");
            let reason = report.reason.as_deref().unwrap_or_default();
            return writeln!(out, "{}: {word}: {reason}", report.name());
        };
        self.count(data_type, verdict);
        if !self.many {
            return self.single(report, data_type, out);
        }
        self.line(report, data_type, out)?;
        let Some(violation) = &report.violation else { return Ok(()) };
        let is_first = !self.explanations.iter().any(|(known, ..)| *known == data_type);
        if self.explain_all {
            let text = self.explanation(data_type, violation)?;
            writeln!(out, "\n{text}")?;
        } else if is_first {
            let text = self.explanation(data_type, violation)?;
            self.explanations.push((data_type, report.name(), text));
        }
        Ok(())
    }

    fn count(&mut self, data_type: DataType, verdict: Outcome) {
        let at = match verdict {
            Outcome::Ok => 0,
            Outcome::Violation => 1,
            Outcome::Unknown => 2,
        };
        match self.tally.iter_mut().find(|(known, _)| *known == data_type) {
            Some((_, counts)) => counts[at] += 1,
            None => {
                let mut counts = [0; 3];
                counts[at] = 1;
                self.tally.push((data_type, counts));
            }
        }
    }

    fn single(&self, report: &Report, data_type: DataType, out: &mut dyn Write) -> io::Result<()> {
        let name = self.style.paint(Ink::Strong, report.name());
        write!(out, "{name}: {}", data_type.title())?;
        if let Some(Size { replicas, operations, .. }) = report.size {
            let (replicas, operations) =
                (counted(replicas, "replica"), counted(operations, "operation"));
            write!(out, ", {replicas}, {operations}")?;
        }
        writeln!(out, "{}\n", self.took(report))?;
        match (&report.violation, &report.reason) {
            (Some(violation), _) => {
                write!(out, "{}", self.explanation(data_type, violation)?)
            }
            (None, Some(reason)) => {
                writeln!(out, "{}: {reason}", self.style.paint(Ink::Doubtful, "unknown"))
            }
            (None, None) => {
                let word = self.style.paint(Ink::Good, "admitted");
                writeln!(out, "{word}: an execution explains every result")?;
                if report.verified == Some(true) {
                    writeln!(out, "\nThe execution was verified.")?;
                }
                match report.size {
                    Some(Size { replicas: 2.., has_deliveries: false, .. }) => writeln!(
                        out,
                        "\nnote: it was not recorded who had observed what (`sees`), so many wrong results would be \
                         admitted too"
                    ),
                    _ => Ok(()),
                }
            }
        }
    }

    fn took(&self, report: &Report) -> String {
        match report.stats {
            Some(stats) if self.timing => format!(", {:.3} s", stats.ms / 1e3),
            _ => String::new(),
        }
    }

    /// `runs.jsonl:3: violation of the counter: B#2 read("x") → 7`.
    fn line(&self, report: &Report, data_type: DataType, out: &mut dyn Write) -> io::Result<()> {
        let name = report.name();
        let title = data_type.title();
        let took = self.took(report);
        match (&report.violation, &report.reason) {
            (Some(violation), _) => {
                let word = self.style.paint(Ink::Bad, "violation");
                writeln!(
                    out,
                    "{name}: {word} of the {title}: {}{took}",
                    one_line(&clash(violation))
                )
            }
            (None, Some(reason)) => {
                let word = self.style.paint(Ink::Doubtful, "unknown");
                writeln!(out, "{name}: {word}: {reason}{took}")
            }
            (None, None) => {
                let verified = if report.verified == Some(true) { ", verified" } else { "" };
                let word = self.style.paint(Ink::Good, "admitted");
                writeln!(out, "{name}: {word} by the {title}{verified}{took}")
            }
        }
    }

    /// What clashes, with the updates that matter, and why.
    fn explanation(&self, data_type: DataType, violation: &ViolationReport) -> io::Result<String> {
        let mut text = Vec::new();
        let (who, verb) = culprits(violation);
        let who = self.style.paint(Ink::Bad, one_line(&who));
        writeln!(text, "{who} {verb} the {}:\n", data_type.title())?;
        let mut table = Table::new(&["  operation", "", "sees"]);
        for Row { name, call, sees, role, .. } in &violation.rows {
            let ink = match role {
                Role::Read => Ink::Bad,
                Role::Relevant => Ink::Strong,
                Role::Context => Ink::Plain,
            };
            table.row(vec![
                (format!("  {name}"), Ink::Plain),
                (call.clone(), ink),
                (sees.clone(), Ink::Faint),
            ]);
        }
        if !violation.rows.is_empty() {
            table.write(&mut text, self.style)?;
            writeln!(text)?;
        }
        for why in &violation.why {
            writeln!(text, "{}", one_line(why))?;
        }
        if let Some(expected) = &violation.expected {
            writeln!(text, "It had to return {}.", one_line(expected))?;
        }
        if !violation.minimal {
            writeln!(text, "There was no time to find out which of these operations matter.")?;
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Prints the end, once there are no more histories.
    pub(super) fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.many {
            return Ok(());
        }
        for (_, name, text) in &self.explanations {
            let name = self.style.paint(Ink::Strong, name);
            write!(out, "\n{name}:\n{text}")?;
        }
        writeln!(out)?;
        let mut table = Table::new(&["type", "histories", "admitted", "violations", "unknown"]);
        let mut row = |name: &str, [admitted, violations, unknown]: [usize; 3]| {
            let cells = [admitted + violations + unknown, admitted, violations, unknown];
            let cell = |count: usize| if count > 0 { count.to_string() } else { String::new() };
            table.plain([name.to_owned()].into_iter().chain(cells.map(cell)).collect());
        };
        let mut total = [0; 3];
        for data_type in DataType::ALL {
            let Some((_, counts)) = self.tally.iter().find(|(known, _)| *known == data_type) else {
                continue;
            };
            row(data_type.name(), *counts);
            total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        }
        if self.tally.len() > 1 {
            row("total", total);
        }
        if !self.tally.is_empty() {
            table.write(out, self.style)?;
        }
        match self.unread {
            0 => Ok(()),
            1 => writeln!(out, "1 could not be read."),
            n => writeln!(out, "{n} could not be read."),
        }
    }
}

/// Who violates a specification, and the verb for so many.
pub(super) fn culprits(violation: &ViolationReport) -> (String, &'static str) {
    let named: Vec<&str> = match violation.reads.is_empty() {
        true => violation.rows.iter().map(|row| row.name.as_str()).collect(),
        false => violation.reads.iter().map(String::as_str).collect(),
    };
    match named.as_slice() {
        [] => ("what was recorded".to_owned(), "violates"),
        [one] => ((*one).to_owned(), "violates"),
        [all @ .., last] => (format!("{} and {last} together", all.join(", ")), "violate"),
    }
}

/// `A#1 read("x") → 1, B#2 read("x") → 2`.
pub(super) fn clash(violation: &ViolationReport) -> String {
    let mut ops: Vec<&Row> = violation.rows.iter().filter(|row| row.role == Role::Read).collect();
    if ops.is_empty() {
        ops = violation.rows.iter().collect();
    }
    let named: Vec<String> =
        ops.iter().take(NAMED).map(|row| format!("{} {}", row.name, row.call)).collect();
    let text = match ops.len().saturating_sub(NAMED) {
        _ if ops.is_empty() => "who is said to have observed what".to_owned(),
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
