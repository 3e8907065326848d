//! Reports for people.

use std::io::{self, Write};

use hobgoblin_core::{Level, Value};
use hobgoblin_explore::{AssertionVerdict, Diagnosis, EndReport, TxnReport};

use super::compare::{Added, Comparison};
use super::doubt;
use super::find::{FoundLevel, LevelReport};
use super::replay::ReplayReport;
use super::report::{About, AssertionReport, Counts, Report, Violation};
use crate::diagnostic::shown;
use crate::exit::Exit;
use crate::style::{Ink, Style};
use crate::table::Table;
use crate::units::counted;

/// Longer results are cut.
const WIDTH: usize = 60;

/// Prints reports as text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Printer {
    pub(super) style: Style,
    /// Whether to tell how long it took.
    pub(super) timing: bool,
    /// Whether to give proofs, too.
    pub(super) proof: bool,
}

impl Printer {
    /// Prints what an exploration came to.
    pub(super) fn report(self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        self.about(&report.about, out)?;
        let base = report.base.map_or(String::new(), |base| format!(" over {base}"));
        writeln!(out, "{}{base}: {}", titled(report.level), self.counts(report))?;
        if !report.assertions.is_empty() {
            writeln!(out)?;
            self.assertions(report, out)?;
        }
        let mut told: Vec<&str> = Vec::new();
        for violation in &report.violations {
            writeln!(out)?;
            self.violation(report, violation, &mut told, out)?;
        }
        writeln!(out, "\n{}", self.conclusion(report))?;
        if !report.violations.is_empty() && !report.counts.complete {
            writeln!(out, "{}; there may be more.", stopped(&report.counts))?;
        }
        for unsure in report.assertions.iter().filter(|one| one.sure() == Some(0)) {
            self.unsure(report, unsure, out)?;
        }
        if let Some(sentence) = doubt::sentence(&report.doubts) {
            writeln!(out, "{sentence}")?;
        }
        if let Some(file) = &report.saved {
            let program = &report.about.file;
            writeln!(out, "What is left was saved: hob explore {program} --resume {file}")?;
        }
        Ok(())
    }

    /// `cart.hob: 3 sessions, 6 transactions`.
    fn about(self, about: &About, out: &mut dyn Write) -> io::Result<()> {
        let file = self.style.paint(Ink::Strong, shown(&about.file));
        let sessions = counted(about.sessions as u64, "session");
        writeln!(out, "{file}: {sessions}, {}", counted(about.transactions as u64, "transaction"))
    }

    fn counts(self, report: &Report) -> String {
        let Counts { histories, end_states, calls, .. } = report.counts;
        let what = counted(histories, report.mode.noun());
        let ends = counted(end_states, "end state");
        let mut text = format!("{what}, {ends} before filtering, {}", counted(calls, "call"));
        if self.timing {
            text.push_str(&format!(", {:.3} s", report.took));
        }
        text.push_str(match report.counts.complete {
            true => ", complete",
            false => ", not complete",
        });
        text
    }

    fn assertions(self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let all = counted(report.counts.histories, report.mode.noun());
        let mut table = Table::new(&["assertion", "", "verdict", "by"]);
        for assertion in &report.assertions {
            let (word, ink) = word(assertion);
            let histories = match assertion.histories {
                0 => String::new(),
                some if assertion.sure() == Some(0) => format!("{some} of {all}, all doubtful"),
                some => format!("{some} of {all}"),
            };
            table.row(vec![
                (assertion.name.clone(), Ink::Plain),
                (assertion.quantifier.to_owned(), Ink::Faint),
                (word.to_owned(), ink),
                (histories, Ink::Plain),
            ]);
        }
        table.write(out, self.style)
    }

    /// An assertion that only doubtful histories break, or show.
    fn unsure(
        self,
        report: &Report,
        unsure: &AssertionReport,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (does, file) =
            (if unsure.quantifier == "exists" { "show" } else { "break" }, &report.about.file);
        let token = unsure.token.as_deref().unwrap_or_default();
        writeln!(
            out,
            "{} is unknown: only histories {does} it that a database does not have which keeps rows apart; \
             see one: hob explore {file} --replay {token}",
            self.style.paint(Ink::Strong, &unsure.name)
        )
    }

    fn violation<'a>(
        self,
        report: &'a Report,
        violation: &'a Violation,
        told: &mut Vec<&'a str>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let name = self.style.paint(Ink::Strong, &violation.assertion);
        let Some(end) = &violation.end else {
            return writeln!(out, "{name}: no history shows what is said to exist.");
        };
        if told.contains(&end.token.as_str()) {
            return writeln!(out, "{name} is broken by the history above, too.");
        }
        told.push(&end.token);
        match violation.histories {
            1 => writeln!(out, "{name} is broken by this history:\n")?,
            n => {
                let all = counted(n, report.mode.noun());
                writeln!(out, "{name} is broken; the smallest of the {all}:\n")?;
            }
        }
        self.end(end, out)?;
        let file = &report.about.file;
        writeln!(out, "\nSee it again: hob explore {file} --replay {}", end.token)
    }

    /// What the transactions of an end did, and what is wrong with it.
    fn end(self, end: &EndReport, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new(&["", "transaction", "level", "outcome", "events"]);
        for txn in &end.transactions {
            let ink = if txn.aborted { Ink::Doubtful } else { Ink::Plain };
            table.row(vec![
                (" ".to_owned(), Ink::Plain),
                (txn.id.clone(), Ink::Plain),
                (txn.level.unwrap_or_default().to_owned(), Ink::Plain),
                (outcome(txn), ink),
                (txn.events.clone(), Ink::Plain),
            ]);
        }
        table.write(out, self.style)?;
        writeln!(out)?;
        self.diagnosis(&end.diagnosis, out)?;
        if end.doubtful {
            writeln!(out, "\n{}", self.style.paint(Ink::Doubtful, doubt::DOUBTFUL))?;
        }
        Ok(())
    }

    fn diagnosis(self, diagnosis: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
        match &diagnosis.text {
            Some(text) => {
                writeln!(out, "{}", text.trim_end())?;
                if self.proof {
                    writeln!(out, "\n{}", diagnosis.explanation.join("\n"))?;
                }
                Ok(())
            }
            None if diagnosis.anomaly == "none" => {
                writeln!(out, "This history is serializable: it needs no anomaly of isolation.")
            }
            None => writeln!(out, "Whether it has an anomaly is unknown: {}.", diagnosis.title),
        }
    }

    /// What it comes to, in a sentence.
    pub(super) fn conclusion(self, report: &Report) -> String {
        let broken = report.violations.len() as u64;
        let (of, level) = (report.assertions.len() as u64, titled(report.level));
        match (broken, of, report.counts.complete) {
            (1.., 1, _) => {
                self.style.paint(Ink::Bad, format!("The assertion is broken at {level}."))
            }
            (1.., _, _) => {
                let verb = if broken == 1 { "is" } else { "are" };
                let text = format!("{broken} of {of} assertions {verb} broken at {level}.");
                self.style.paint(Ink::Bad, text)
            }
            (0, _, false) => {
                let text = format!("{}; nothing was broken until then.", stopped(&report.counts));
                self.style.paint(Ink::Doubtful, text)
            }
            (0, 0, true) => "The program has no assertions.".to_owned(),
            (0, _, true) if report.exit() == Exit::Unknown => {
                let text = format!("Nothing was broken at {level}, but this is no proof.");
                self.style.paint(Ink::Doubtful, text)
            }
            (0, _, true) => {
                let which = if of == 1 { "The assertion holds" } else { "All assertions hold" };
                let text = format!("{which} at {level}: this is a proof for this program.");
                self.style.paint(Ink::Good, text)
            }
        }
    }

    /// Prints one end.
    pub(super) fn replay(self, report: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
        self.about(&report.about, out)?;
        writeln!(out)?;
        self.end(&report.end, out)?;
        let strongest: Vec<String> =
            report.end.diagnosis.strongest.iter().map(|name| titled(name)).collect();
        if report.end.diagnosis.violates.is_some() && !strongest.is_empty() {
            writeln!(out, "\nThe strongest that allows it: {}.", strongest.join(" and "))?;
        }
        if report.assertions.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let mut table = Table::new(&["assertion", "", "here"]);
        for answer in &report.assertions {
            let (word, ink) = match (answer.broken, answer.holds) {
                (true, true) => ("true: broken", Ink::Bad),
                (true, false) => ("false: broken", Ink::Bad),
                (false, true) => ("true", Ink::Good),
                (false, false) => ("false", Ink::Plain),
            };
            table.row(vec![
                (answer.name.clone(), Ink::Plain),
                (answer.quantifier.to_owned(), Ink::Faint),
                (word.to_owned(), ink),
            ]);
        }
        table.write(out, self.style)
    }

    /// Prints what every level came to.
    pub(super) fn found_level(self, report: &FoundLevel, out: &mut dyn Write) -> io::Result<()> {
        self.about(&report.about, out)?;
        writeln!(out)?;
        let columns = ["level", "title", "assertions", "histories", "broken", "token"];
        let mut table = Table::new(&columns);
        for level in &report.levels {
            let (word, ink) = match level.verdict {
                AssertionVerdict::Holds => ("hold", Ink::Good),
                AssertionVerdict::Broken => ("broken", Ink::Bad),
                AssertionVerdict::Unknown => ("unknown", Ink::Doubtful),
            };
            let histories = match (&level.explored, level.implied_by) {
                (Some(counts), _) if counts.complete => counts.histories.to_string(),
                (Some(counts), _) => format!("the first {}", counts.histories),
                (None, implied) => format!("as {}", implied.unwrap_or_default()),
            };
            let names: Vec<&str> = level.broken.iter().map(|report| &*report.name).collect();
            let names = if level.verdict == AssertionVerdict::Broken {
                names.join(" ")
            } else {
                String::new()
            };
            let token = level.broken.iter().find_map(|report| report.token.clone());
            table.row(vec![
                (level.level.to_owned(), Ink::Plain),
                (level.known.info().title.to_owned(), Ink::Plain),
                (word.to_owned(), ink),
                (histories, Ink::Plain),
                (names, Ink::Plain),
                (token.unwrap_or_default(), Ink::Faint),
            ]);
        }
        table.write(out, self.style)?;
        let unknown = |level: &&LevelReport| level.verdict == AssertionVerdict::Unknown;
        let doubts = report.levels.iter().filter(unknown).map(|level| &level.doubts);
        if let Some(sentence) = doubts.filter_map(|doubts| doubt::sentence(doubts)).next() {
            writeln!(out, "\n{sentence}")?;
        }
        let weakest: Vec<String> = report.weakest.iter().map(|name| titled(name)).collect();
        let sure = if report.complete { "" } else { " known so far" };
        writeln!(
            out,
            "\n{}",
            match weakest.as_slice() {
                [] if report.complete =>
                    "There is no level at which all assertions hold.".to_owned(),
                [] =>
                    "It stopped before a level was found at which all assertions hold.".to_owned(),
                [one] => format!("The weakest level{sure} at which all assertions hold: {one}."),
                several => {
                    let levels = several.join(" and ");
                    format!("The weakest levels{sure} at which all assertions hold: {levels}.")
                }
            }
        )
    }

    /// Prints what levels add.
    pub(super) fn comparison(self, report: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        self.about(&report.about, out)?;
        for added in &report.compared {
            writeln!(out)?;
            self.added(added, out)?;
        }
        let tokens = report.compared.iter().flat_map(|added| &added.anomalies);
        if let Some(group) = tokens.min_by_key(|group| group.token.len()) {
            let file = &report.about.file;
            writeln!(out, "\nSee one: hob explore {file} --replay {}", group.token)?;
        }
        Ok(())
    }

    fn added(self, added: &Added, out: &mut dyn Write) -> io::Result<()> {
        let (level, against) = (titled(added.level), titled(added.against));
        let Counts { histories, complete, .. } = added.counts;
        let so_far = if complete { "" } else { " so far" };
        let all = counted(histories, "history");
        let complete = complete && added.doubts.is_empty();
        if added.added == 0 && added.undecided == 0 {
            let text =
                format!("{level} adds nothing to {against}: {all}{so_far}, all allowed by both.");
            let ink = if complete { Ink::Good } else { Ink::Doubtful };
            writeln!(out, "{}", self.style.paint(ink, text))?;
            return match doubt::sentence(&added.doubts) {
                Some(sentence) => writeln!(out, "{sentence}"),
                None => Ok(()),
            };
        }
        writeln!(
            out,
            "{level} has {all}{so_far}; {} of them {against} forbids.",
            self.style.paint(Ink::Bad, added.added)
        )?;
        writeln!(
            out,
            "They add {} to the {} there would be without.",
            counted(added.added_results as u64, "result"),
            added.results - added.added_results
        )?;
        if added.undecided > 0 {
            writeln!(out, "Of {}, that is unknown.", counted(added.undecided, "history"))?;
        }
        if let Some(sentence) = doubt::sentence(&added.doubts) {
            writeln!(out, "{sentence}")?;
        }
        if added.anomalies.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let mut table = Table::new(&["histories", "what they show", "the smallest"]);
        for group in &added.anomalies {
            table.plain(vec![
                group.histories.to_string(),
                group.title.to_owned(),
                group.token.clone(),
            ]);
        }
        table.write(out, self.style)
    }
}

fn stopped(counts: &Counts) -> &'static str {
    match counts.stopped {
        Some("max") => "It stopped at --max before the end",
        Some("time") => "It stopped at --time before the end",
        _ => "It was interrupted before the end",
    }
}

fn word(report: &AssertionReport) -> (&'static str, Ink) {
    match (report.verdict, report.quantifier) {
        (AssertionVerdict::Holds, "exists") => ("found", Ink::Good),
        (AssertionVerdict::Holds, _) => ("holds", Ink::Good),
        (AssertionVerdict::Broken, "exists") => ("not found", Ink::Bad),
        (AssertionVerdict::Broken, _) => ("broken", Ink::Bad),
        (AssertionVerdict::Unknown, _) => ("unknown", Ink::Doubtful),
    }
}

fn outcome(txn: &TxnReport) -> String {
    match (&txn.returned, txn.aborted) {
        (_, true) => "aborted".to_owned(),
        (None | Some(Value::Null), false) => String::new(),
        (Some(value), false) => format!("returned {}", cut(&value.to_string())),
    }
}

/// `causal consistency (CC)`.
fn titled(name: &str) -> String {
    let level: Option<Level> = name.parse().ok();
    level.map_or(name.to_owned(), |level| format!("{} ({level})", level.info().title))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(titled("CC"), "causal consistency (CC)");
        assert_eq!(cut("short"), "short");
        assert_eq!(cut(&"é".repeat(61)).chars().count(), 61);
    }
}
