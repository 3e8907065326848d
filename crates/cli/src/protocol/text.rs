//! What a search came to, for people.

use std::io::{self, IsTerminal, Write};

use clap::ColorChoice;
use hobgoblin_core::Level;
use hobgoblin_protocol::Answer;

use super::report::{Report, Violation};
use crate::style::{Ink, Style};
use crate::table::Table;
use crate::units::counted;

/// Prints reports as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Printer {
    style: Style,
    timing: bool,
}

impl Printer {
    pub(super) fn new(color: ColorChoice, timing: bool) -> Printer {
        let timing = timing || io::stdout().is_terminal();
        Printer { style: Style::of_stdout(color), timing }
    }

    pub(super) fn report(self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let Report { protocol, title, transactions, resources, .. } = report;
        let name = self.style.paint(Ink::Strong, protocol);
        let bug = if report.bug { ", with its bug" } else { "" };
        writeln!(
            out,
            "{name}: {title}{bug}; {}, {}",
            counted(*transactions, "transaction"),
            counted(*resources, "resource")
        )?;
        let names = if report.symmetry { " up to names" } else { "" };
        let so_far = if report.complete { "" } else { " so far" };
        let took = match self.timing {
            true => format!(", {}", seconds(report.seconds)),
            false => String::new(),
        };
        writeln!(
            out,
            "{} states{names}{so_far}, depth {}{took}\n",
            grouped(report.states),
            report.depth
        )?;
        self.answers(report, out)?;
        for violation in &report.violations {
            writeln!(out)?;
            self.violation(violation, out)?;
        }
        writeln!(out, "\n{}", self.conclusion(report))
    }

    fn answers(self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new(&["", "", "in every state"]);
        let mut row = |name: &str, title: &str, answer: Answer| {
            let (word, ink) = match answer {
                Answer::Holds => ("holds", Ink::Good),
                Answer::Violated => ("violated", Ink::Bad),
                Answer::Unknown => ("unknown", Ink::Doubtful),
            };
            table.row(vec![
                (name.to_owned(), Ink::Plain),
                (title.to_owned(), Ink::Faint),
                (word.to_owned(), ink),
            ]);
        };
        for (level, answer) in &report.levels {
            row(level.name(), level.info().title, *answer);
        }
        for (name, answer) in &report.invariants {
            row(name, "", *answer);
        }
        row("termination", "every transaction ends", report.termination);
        table.write(out, self.style)
    }

    fn violation(self, violation: &Violation, out: &mut dyn Write) -> io::Result<()> {
        let says = self.style.paint(Ink::Bad, said(violation));
        match violation.steps.len() {
            0 if violation.states == 0 => {
                return writeln!(out, "{says}, before there is a state.");
            }
            0 => writeln!(out, "{says} in the initial state.")?,
            steps => {
                let round = match violation.from {
                    Some(from) => format!(" and goes round after step {from}"),
                    None => String::new(),
                };
                let steps = counted(steps, "step");
                writeln!(out, "{says}, by a run of {steps}{round}:\n\n{}", violation.chart)?;
            }
        }
        if !violation.transactions.is_empty() {
            writeln!(out, "What was observed:")?;
            for (name, events) in &violation.transactions {
                writeln!(out, "  {name} {{ {events} }}")?;
            }
        }
        match &violation.explanation {
            Some(text) => writeln!(out, "\n{}", text.trim_end()),
            None => Ok(()),
        }
    }

    fn conclusion(self, report: &Report) -> String {
        let (ink, text) = conclusion(report);
        if ink != Ink::Bad || !report.levels.iter().any(|(_, answer)| *answer == Answer::Violated) {
            return self.style.paint(ink, text);
        }
        let check = match report.violations.iter().any(|violation| violation.history.is_some()) {
            true => " Add `--history FILE` to look at it with `hob check --semantics state FILE`.",
            false => "",
        };
        format!("{}{check}", self.style.paint(ink, text))
    }
}

/// What a search came to, in a sentence.
pub(super) fn conclusion(report: &Report) -> (Ink, String) {
    if let Some(reason) = &report.stopped {
        return (Ink::Doubtful, format!("It stopped before every state was seen: {reason}."));
    }
    if report.answers().all(|answer| answer == Answer::Holds) {
        let text = "Everything holds in every state: this is a proof for this size.";
        return (Ink::Good, text.to_owned());
    }
    let violated = report.levels.iter().filter(|(_, answer)| *answer == Answer::Violated);
    let names: Vec<&str> = violated.map(|(level, _)| level.name()).collect();
    match names.is_empty() {
        true => (Ink::Bad, "The levels hold, and something else does not.".to_owned()),
        false => (Ink::Bad, format!("Violated: {}.", names.join(", "))),
    }
}

/// `RC, SI and SER are violated`, and what else is wrong in the same state.
pub(super) fn said(violation: &Violation) -> String {
    let levels = Level::ALL.into_iter().filter(|level| violation.violates_level(*level));
    let names: Vec<&str> = levels.map(Level::name).collect();
    let levels = match &names[..] {
        [] => None,
        [one] => Some(format!("{one} is violated")),
        [all @ .., last] => Some(format!("{} and {last} are violated", all.join(", "))),
    };
    let others = violation.violates.iter().zip(&violation.says);
    let others = others.filter(|(name, _)| name.parse::<Level>().is_err());
    let parts: Vec<String> =
        levels.into_iter().chain(others.map(|(_, says)| says.clone())).collect();
    parts.join("; ")
}

/// `1,938,910`.
pub(super) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn seconds(seconds: f64) -> String {
    match seconds < 10.0 {
        true => format!("{seconds:.2} s"),
        false => format!("{seconds:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (count, text) in [(7, "7"), (177, "177"), (3_364, "3,364"), (1_938_910, "1,938,910")] {
            assert_eq!(grouped(count), text);
        }
    }
}
