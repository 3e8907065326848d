//! Reports for people: a table for one file, a line a file and a summary for many.

use std::io::{self, Write};

use hobgoblin_check::report::ExecutionTable;
use hobgoblin_core::Level;

use super::report::{LevelReport, Outcome, Report, Size};
use crate::diagnostic::shown;
use crate::style::{Ink, Style};
use crate::table::Table;
use crate::units::counted;

/// Prints reports one after the other.
#[derive(Debug)]
pub(crate) struct Printer {
    style: Style,
    /// Whether there are several files.
    many: bool,
    /// Whether to explain the violations of all files, or only of the first that has any.
    explain_all: bool,
    /// The explanation to print at the end.
    explanation: Option<(String, String)>,
    tally: Tally,
}

/// How many histories violate each level but no weaker one, as in [Biswas 2021a, table 3.2].
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    weakest: [usize; Level::ALL.len()],
    mixed: usize,
    none: usize,
    unknown: usize,
    errors: usize,
}

impl Printer {
    pub(crate) fn new(style: Style, many: bool, explain_all: bool) -> Printer {
        let tally = Tally::default();
        Printer { style, many, explain_all, explanation: None, tally }
    }

    /// Prints what is known about a file.
    pub(crate) fn file(&mut self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        self.tally.add(report);
        if report.levels.is_empty() {
            return Ok(());
        }
        if !self.many {
            self.table(report, out)?;
        } else {
            self.line(report, out)?;
        }
        let explained = report.violations().filter_map(|v| v.text.as_ref());
        if self.explain_all || !self.many {
            for text in explained {
                writeln!(out, "\n{}", text.trim_end())?;
            }
            if self.many && report.violations().next().is_some() {
                writeln!(out)?;
            }
        } else if self.explanation.is_none() {
            let text = explained.into_iter().next();
            self.explanation = text.map(|text| (report.file.clone(), text.clone()));
        }
        Ok(())
    }

    fn table(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let file = self.style.paint(Ink::Strong, shown(&report.file));
        write!(out, "{file}: {}", report.format.unwrap_or("not read to its end"))?;
        if let Some(Size { sessions, transactions, events }) = report.size {
            let (sessions, events) = (counted(sessions, "session"), counted(events, "event"));
            write!(out, ", {sessions}, {}, {events}", counted(transactions, "transaction"))?;
        }
        let initial: Vec<String> =
            report.initial_transactions.iter().map(|name| named(name)).collect();
        match initial.as_slice() {
            [] => {}
            [one] => write!(out, ", {one} is the initial transaction")?,
            several => write!(out, ", {} are initial transactions", several.join(" and "))?,
        }
        if let Some(seconds) = report.read_seconds {
            write!(out, ", read in {seconds:.3} s")?;
        }
        writeln!(out, "\n")?;
        let mut table = Table::new(&["level", "title", "verdict", "why", "time"]);
        for answer in &report.levels {
            let (mut word, ink) = word(answer.verdict);
            if report.execution.is_some() {
                word = if answer.verdict == Outcome::Holds { "passes" } else { "fails" };
            }
            table.row(vec![
                (answer.name().into(), Ink::Plain),
                (answer.title().into(), Ink::Plain),
                (word.into(), ink),
                (why(answer), Ink::Plain),
                (answer.seconds.map_or(String::new(), |s| format!("{s:.3} s")), Ink::Faint),
            ]);
        }
        table.write(out, self.style)?;
        if let Some(execution) = &report.execution {
            writeln!(out)?;
            return self.execution(execution, out);
        }
        if report.levels.len() > 1 {
            writeln!(out, "\n{}", strongest(report))?;
        }
        for note in &report.notes {
            writeln!(out, "\nnote: {note}")?;
        }
        match report.verified {
            Some(true) => writeln!(out, "\nEvery answer's certificate was verified.")?,
            Some(false) => writeln!(out, "\nNot every answer's certificate was verified.")?,
            None => {}
        }
        Ok(())
    }

    /// The states of an execution: one row an operation, and one a transaction for what serves it whole.
    fn execution(&self, execution: &ExecutionTable, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new(&["transaction", "parent", "operation", "read states", "fails"]);
        for txn in &execution.transactions {
            let mut name = txn.transaction.clone();
            let mut parent = states(&[(txn.parent, txn.parent)]);
            for op in &txn.operations {
                table.plain(vec![
                    std::mem::take(&mut name),
                    std::mem::take(&mut parent),
                    format!("{}({})={}", op.operation, op.key, op.value),
                    states(&op.read_states),
                    String::new(),
                ]);
            }
            table.row(vec![
                (name, Ink::Plain),
                (parent, Ink::Plain),
                ("complete".into(), Ink::Faint),
                (states(&txn.complete), Ink::Plain),
                (txn.fails.join(" "), Ink::Bad),
            ]);
            let cells = [String::new(), String::new(), "no conflict".into()];
            let mut row: Vec<(String, Ink)> = cells.map(|cell| (cell, Ink::Faint)).into();
            row.extend([(states(&txn.no_conflict), Ink::Plain), (String::new(), Ink::Plain)]);
            table.row(row);
        }
        table.write(out, self.style)?;
        if !execution.left_out.is_empty() {
            let names = execution.left_out.join(", ");
            writeln!(out, "\nThe execution leaves out {names}.")?;
        }
        Ok(())
    }

    /// `history.txn: holds PC, violates PSI: lost update`.
    fn line(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut parts = Vec::new();
        let held: Vec<&str> = match report.levels.as_slice() {
            [only] if only.verdict == Outcome::Holds => vec![only.name()],
            _ => report.strongest.clone(),
        };
        if !held.is_empty() {
            parts.push(format!("{} {}", self.style.paint(Ink::Good, "holds"), held.join(" ")));
        }
        let weakest = weakest(report);
        let names: Vec<&str> = weakest.iter().map(|answer| answer.name()).collect();
        if let Some(first) = weakest.first() {
            let violates = self.style.paint(Ink::Bad, "violates");
            parts.push(format!("{violates} {}: {}", names.join(" "), why(first)));
        }
        let unknown: Vec<&LevelReport> =
            report.levels.iter().filter(|a| a.verdict == Outcome::Unknown).collect();
        if let Some(first) = unknown.first() {
            let names: Vec<&str> = unknown.iter().map(|answer| answer.name()).collect();
            let word = self.style.paint(Ink::Doubtful, "unknown");
            parts.push(format!("{word} {}: {}", names.join(" "), why(first)));
        }
        if report.verified == Some(true) {
            parts.push("verified".to_owned());
        }
        parts.extend(report.notes.iter().map(|note| format!("note: {note}")));
        writeln!(out, "{}: {}", shown(&report.file), parts.join(", "))
    }

    /// Prints the end, once there are no more files.
    pub(crate) fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.many {
            return Ok(());
        }
        if let Some((file, text)) = &self.explanation {
            let file = self.style.paint(Ink::Strong, shown(file));
            writeln!(out, "\n{file}:\n{}", text.trim_end())?;
        }
        writeln!(out)?;
        self.tally.write(out, self.style)
    }
}

impl Tally {
    fn add(&mut self, report: &Report) {
        self.files += 1;
        let weakest = weakest(report);
        for answer in &weakest {
            match answer.level {
                Some(level) => self.weakest[level as usize] += 1,
                None => self.mixed += 1,
            }
        }
        if report.error.is_some() {
            self.errors += 1;
        } else if !weakest.is_empty() {
        } else if report.levels.iter().any(|answer| answer.verdict == Outcome::Unknown) {
            self.unknown += 1;
        } else {
            self.none += 1;
        }
    }

    fn write(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        let mut table = Table::new(&["weakest level violated", "histories"]);
        let mut row = |what: &str, count: usize| table.plain(vec![what.into(), count.to_string()]);
        for level in Level::ALL {
            if self.weakest[level as usize] > 0 {
                let title = level.info().title;
                row(&format!("{:<4} {title}", level.name()), self.weakest[level as usize]);
            }
        }
        for (what, count) in [
            ("the transactions' own", self.mixed),
            ("none", self.none),
            ("unknown", self.unknown),
            ("errors", self.errors),
        ] {
            if count > 0 || what == "none" {
                row(what, count);
            }
        }
        row("total", self.files);
        table.write(out, style)?;
        let sum: usize = self.weakest.iter().sum::<usize>() + self.mixed;
        let counted = sum + self.none + self.unknown + self.errors;
        if counted > self.files {
            writeln!(
                out,
                "\nHistories that violate both PC and PSI, and no weaker level, count at both."
            )?;
        }
        Ok(())
    }
}

/// What to call a transaction: one whose id is a number is not called by the bare number.
fn named(name: &str) -> String {
    let number = name.bytes().all(|b| b.is_ascii_digit());
    if number { format!("txn {name}") } else { name.to_owned() }
}

/// `s0..s2 s5`, or `-` for none.
fn states(ranges: &[(usize, usize)]) -> String {
    let name = |&(first, last): &(usize, usize)| match last - first {
        0 => format!("s{first}"),
        1 => format!("s{first} s{last}"),
        _ => format!("s{first}..s{last}"),
    };
    if ranges.is_empty() {
        return "-".to_owned();
    }
    ranges.iter().map(name).collect::<Vec<_>>().join(" ")
}

fn word(verdict: Outcome) -> (&'static str, Ink) {
    match verdict {
        Outcome::Holds => ("holds", Ink::Good),
        Outcome::Violated => ("violated", Ink::Bad),
        Outcome::Unknown => ("unknown", Ink::Doubtful),
    }
}

fn why(answer: &LevelReport) -> String {
    let title = answer.witness.as_ref().map(|witness| witness.title.to_owned());
    title.or_else(|| answer.reason.clone()).unwrap_or_default()
}

fn strongest(report: &Report) -> String {
    let title = |name: &&str| {
        let answer = report.levels.iter().find(|answer| answer.name() == *name);
        format!("{} ({name})", answer.map_or("", |answer| answer.title()))
    };
    let titles: Vec<String> = report.strongest.iter().map(title).collect();
    let unknown = report.levels.iter().any(|answer| answer.verdict == Outcome::Unknown);
    let known = if unknown { " known to hold" } else { " that holds" };
    match titles.as_slice() {
        [] if unknown => "No level is known to hold.".to_owned(),
        [] => "None of these levels holds.".to_owned(),
        [one] => format!("The strongest level{known}: {one}."),
        several => {
            let known = if unknown { " known to hold" } else { " that hold" };
            format!("The strongest levels{known}: {}.", several.join(" and "))
        }
    }
}

/// The violated levels that imply no other violated level.
fn weakest(report: &Report) -> Vec<&LevelReport> {
    let violated: Vec<&LevelReport> = report.violations().collect();
    let implies = |a: &LevelReport, b: &LevelReport| match (a.level, b.level) {
        (Some(a), Some(b)) => a != b && a.implies(b),
        _ => false,
    };
    violated.iter().copied().filter(|a| !violated.iter().any(|b| implies(a, b))).collect()
}
