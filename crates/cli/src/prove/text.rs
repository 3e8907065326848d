//! Reports for people: what goes wrong and where, as a compiler says it.

use std::io::{self, IsTerminal, Write};

use clap::ColorChoice;

use super::advice::RepairReport;
use super::report::{
    AnomalyReport, Answer, FailedProof, InstanceReport, OpenQuestion, Report, Undecided,
};
use super::shape::among;
use super::status::Status;
use super::value::Row;
use crate::diagnostic::shown;
use crate::harmless::one_line;
use crate::style::{Ink, Style};
use crate::units::counted;

/// How many of a long list are shown.
const LISTED: usize = 5;

/// Prints reports one after the other.
#[derive(Debug)]
pub(super) struct Printer {
    style: Style,
    timing: bool,
}

impl Printer {
    pub(super) fn new(color: ColorChoice, timing: bool) -> Printer {
        let timing = timing || io::stdout().is_terminal();
        Printer { style: Style::of_stdout(color), timing }
    }

    /// Prints what is known about a file.
    pub(super) fn report(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let Some(answer) = &report.answer else { return Ok(()) };
        let file = shown(&report.file);
        for anomaly in &answer.anomalies {
            self.anomaly(&file, anomaly, out)?;
            writeln!(out)?;
        }
        self.open(answer, out)?;
        self.advice(answer, out)?;
        self.summary(&file, answer, out)
    }

    fn anomaly(&self, file: &str, anomaly: &AnomalyReport, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<&str> = anomaly.transactions.iter().map(String::as_str).collect();
        let place = self.style.paint(Ink::Strong, format!("{file}:{}:", anomaly.line));
        let ink = if anomaly.confirmed { Ink::Bad } else { Ink::Doubtful };
        let name = self.style.paint(ink, &anomaly.name);
        if !anomaly.visible {
            return writeln!(
                out,
                "{place} a cycle {} that nobody can tell from a serial order, whatever the values: no anomaly",
                among(&names)
            );
        }
        writeln!(out, "{place} {name} {}", among(&names))?;
        writeln!(out, "  {}", self.confirmation(anomaly))?;
        if anomaly.confirmed
            && let Some(order) = &anomaly.left_by
        {
            let order = order.join(", then ");
            writeln!(
                out,
                "  harmless to the state here: {order} leaves the same rows, but observes others"
            )?;
        }
        writeln!(out)?;
        self.rows("before", &anomaly.initial_rows, out)?;
        self.instances(anomaly, out)?;
        self.schedule(anomaly, out)?;
        if let Some(rows) = &anomaly.final_rows {
            self.rows("after", rows, out)?;
        }
        let mut outcomes = anomaly.serial_outcomes.iter().peekable();
        while let Some(outcome) = outcomes.next() {
            let mut orders = vec![outcome.order.join(", then ")];
            while let Some(same) = outcomes.next_if(|next| next.rows == outcome.rows) {
                orders.push(same.order.join(", then "));
            }
            writeln!(out, "  but {} leaves:", orders.join(", or "))?;
            self.rows("", &outcome.rows, out)?;
        }
        writeln!(out)?;
        for edge in &anomaly.edges {
            let order = format!("{} must come before {}:", edge.from, edge.to);
            writeln!(
                out,
                "  {} {}",
                self.style.paint(Ink::Strong, order),
                one_line(&edge.reason())
            )?;
            for spot in &edge.spots {
                let place = self.style.paint(Ink::Faint, format!("{file}:{}:", spot.line));
                writeln!(out, "    {place} {}", one_line(&spot.text))?;
            }
        }
        if let Some(repairs) = &anomaly.repairs {
            writeln!(out)?;
            self.repairs(repairs, out)?;
        }
        Ok(())
    }

    fn repairs(&self, repairs: &[RepairReport], out: &mut dyn Write) -> io::Result<()> {
        if repairs.is_empty() {
            return writeln!(out, "  no repair that was tried undoes it");
        }
        writeln!(out, "  {}", self.style.paint(Ink::Good, "any of these undoes it:"))?;
        for repair in repairs {
            let texts: Vec<&str> =
                repair.changes.iter().map(|change| change.text.as_str()).collect();
            writeln!(out, "    - {}", one_line(&texts.join("; and ")))?;
        }
        Ok(())
    }

    /// The weakest levels that suffice.
    fn advice(&self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        let Some(advice) = &answer.advice else { return Ok(()) };
        let tried = counted(advice.assignments, "assignment");
        let offered = advice.offered.join(", ");
        match &advice.weakest {
            Some(weakest) => {
                let levels: Vec<String> = weakest
                    .levels
                    .iter()
                    .map(|(name, level)| format!("{name} at {level}"))
                    .collect();
                let how = match weakest.status {
                    Status::Proved => "proved serializable".to_owned(),
                    Status::Anomaly | Status::Unknown => {
                        format!("no anomaly of up to {} transactions, not proved", answer.k)
                    }
                };
                let word = self.style.paint(Ink::Good, "weakest levels");
                writeln!(out, "{word} of {offered}: {}", one_line(&levels.join(", ")))?;
                writeln!(out, "  {how}; {tried} looked at")?;
            }
            None => writeln!(
                out,
                "weakest levels of {offered}: none found among {tried}; more time may help (--timeout)"
            )?,
        }
        writeln!(out)
    }

    fn confirmation(&self, anomaly: &AnomalyReport) -> String {
        match &anomaly.reason {
            None => {
                let word = self.style.paint(Ink::Bad, "CONFIRMED");
                format!("{word}: it was run, and no serial order of the transactions explains it")
            }
            Some(why) => {
                let word = self.style.paint(Ink::Doubtful, "NOT CONFIRMED");
                format!("{word}: {}", one_line(why))
            }
        }
    }

    fn rows(&self, what: &str, rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
        let mut texts: Vec<String> = rows.iter().map(Row::text).collect();
        if texts.is_empty() {
            texts.push("no rows".to_owned());
        }
        let mut what = if what.is_empty() { String::new() } else { format!("{what}:") };
        for text in texts {
            let margin = self.style.paint(Ink::Faint, format!("{what:8}"));
            writeln!(out, "  {margin} {}", one_line(&text))?;
            what.clear();
        }
        Ok(())
    }

    fn instances(&self, anomaly: &AnomalyReport, out: &mut dyn Write) -> io::Result<()> {
        for (at, instance) in anomaly.instances.iter().enumerate() {
            let call = format!("{}({})", instance.transaction, instance.parameters.text());
            let sees = sees(&anomaly.instances, at);
            let id = self.style.paint(Ink::Strong, format!("{}:", instance.id));
            let pad = " ".repeat(8usize.saturating_sub(instance.id.len() + 1));
            writeln!(out, "  {id}{pad} {}, at {}{sees}", one_line(&call), instance.level)?;
        }
        Ok(())
    }

    fn schedule(&self, anomaly: &AnomalyReport, out: &mut dyn Write) -> io::Result<()> {
        if anomaly.schedule.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        if anomaly.instances.iter().any(|instance| instance.by_statement) {
            writeln!(
                out,
                "  in this order, each statement seeing what is committed when it begins:"
            )?;
        }
        let widths = anomaly.schedule.iter().filter(|event| event.observed.is_some());
        let width = widths.map(|event| event.action.chars().count()).max().unwrap_or(0);
        for event in &anomaly.schedule {
            let line = event.line.map_or(String::new(), |line| line.to_string());
            let margin = self.style.paint(Ink::Faint, format!("{line:>4} |"));
            let action = one_line(&event.action);
            let told = match &event.observed {
                Some(observed) => {
                    format!(
                        "{action:width$}  {}",
                        self.style.paint(Ink::Strong, one_line(observed))
                    )
                }
                None => action.into_owned(),
            };
            writeln!(out, "  {} {margin} {told}", event.instance)?;
        }
        writeln!(out)
    }

    /// What is left open, and what stood against proofs.
    fn open(&self, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        if !answer.undecided.is_empty() {
            writeln!(out, "Not decided by the search:")?;
            list(&undecided(answer), out)?;
            writeln!(out)?;
        }
        for failed in &answer.failed_proofs {
            writeln!(
                out,
                "No proof by {}, which needs that nothing satisfies these questions:",
                failed.method
            )?;
            list(&open_questions(failed), out)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// The last line: the status, at which levels, and what it took.
    fn summary(&self, file: &str, answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
        let name = self.style.paint(Ink::Strong, file);
        let (word, text) = conclusion(answer);
        let ink = match answer.status {
            Status::Proved => Ink::Good,
            Status::Anomaly => Ink::Bad,
            Status::Unknown => Ink::Doubtful,
        };
        let word = self.style.paint(ink, word);
        let took = match self.timing {
            true => format!(" to {}, {:.1} s", answer.solver, answer.seconds),
            false => String::new(),
        };
        let questions = counted(answer.questions, "question");
        writeln!(out, "{name}: {word}: {text}; {questions}{took}")?;
        if let (Some(method), Some(claim)) = (&answer.method, &answer.claim) {
            writeln!(out, "  method: {}\n  claim: {}", one_line(method), one_line(claim))?;
            match &answer.certificate {
                Some(directory) => writeln!(
                    out,
                    "  the questions are in {0}; `hob prove --recheck {0}` asks them again",
                    one_line(directory)
                )?,
                None => writeln!(
                    out,
                    "  `--certificate DIR` keeps the questions, for any solver to answer again"
                )?,
            }
        }
        Ok(())
    }
}

/// What an instance sees of those before it, where the order of statements does not tell.
pub(super) fn sees(instances: &[InstanceReport], at: usize) -> String {
    let instance = &instances[at];
    let earlier = instances[..at].iter().map(|earlier| &earlier.id);
    let unseen: Vec<&str> =
        earlier.filter(|id| !instance.sees.contains(id)).map(String::as_str).collect();
    match (instance.by_statement, unseen.as_slice()) {
        (true, _) => String::new(),
        (false, []) if at == 0 => String::new(),
        (false, []) => format!(", sees {}", instance.sees.join(", ")),
        (false, unseen) if instance.sees.is_empty() => {
            format!(", does not see {}", unseen.join(", "))
        }
        (false, unseen) => {
            format!(", sees {} but not {}", instance.sees.join(", "), unseen.join(", "))
        }
    }
}

/// What the search did not decide, a line each.
pub(super) fn undecided(answer: &Answer) -> Vec<String> {
    let told = |open: &Undecided| format!("{}: {}", open.transactions, open.reason);
    answer.undecided.iter().map(told).collect()
}

/// What stood against a proof, a line each.
pub(super) fn open_questions(failed: &FailedProof) -> Vec<String> {
    let told = |open: &OpenQuestion| {
        format!("{}: {}", open.question, open.reason.as_deref().unwrap_or("it can be satisfied"))
    };
    failed.questions.iter().map(told).collect()
}

/// Whether it was run, and what came of that.
pub(super) fn confirmation(anomaly: &AnomalyReport) -> String {
    match &anomaly.reason {
        None => "It was run, and no serial order of the transactions explains it".to_owned(),
        Some(why) => format!("Not confirmed: {why}"),
    }
}

/// The status, and at which levels.
pub(super) fn conclusion(answer: &Answer) -> (&'static str, String) {
    let at = levels(answer);
    let confirmed = answer.anomalies.iter().filter(|anomaly| anomaly.confirmed).count();
    let shown = answer.anomalies.iter().filter(|anomaly| anomaly.visible).count();
    let open = shown.saturating_sub(confirmed);
    match answer.status {
        Status::Proved => {
            let all = "is serializable, of any number of transactions";
            ("PROVED", format!("every execution {at} {all}"))
        }
        Status::Anomaly => {
            let mut text = format!("{} {at}", counts(confirmed));
            if open > 0 {
                text.push_str(&format!(", and {open} not confirmed"));
            }
            ("ANOMALY", text)
        }
        Status::Unknown => ("UNKNOWN", unknown(answer, open, &at)),
    }
}

/// `1 anomaly`, `2 anomalies`.
fn counts(count: usize) -> String {
    if count == 1 { "1 anomaly".to_owned() } else { format!("{count} anomalies") }
}

/// Why neither an anomaly nor a proof was found.
fn unknown(answer: &Answer, open: usize, at: &str) -> String {
    let mut reasons = Vec::new();
    if answer.interrupted {
        reasons.push("it was interrupted".to_owned());
    }
    if open > 0 {
        let cycles = if open == 1 { "1 cycle is".to_owned() } else { format!("{open} cycles are") };
        reasons.push(format!("{cycles} not confirmed"));
    }
    if !answer.undecided.is_empty() {
        reasons.push(format!("{} not decided", counted(answer.undecided.len(), "combination")));
    }
    if !answer.anomalies.iter().any(|anomaly| anomaly.visible) && answer.undecided.is_empty() {
        reasons.push(format!("no anomaly of up to {} transactions was found", answer.k));
    }
    if !answer.proofs {
        reasons.push("no proof was tried".to_owned());
    } else if !answer.failed_proofs.is_empty() {
        reasons.push("no proof succeeded".to_owned());
    }
    format!("{at}, {}", reasons.join(", "))
}

/// `at SI`, or `at MVRC (Enroll at SI)`.
fn levels(answer: &Answer) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, level) in &answer.levels {
        match groups.iter_mut().find(|(known, _)| known == level) {
            Some((_, names)) => names.push(name),
            None => groups.push((level, vec![name])),
        }
    }
    // The level of most is that of all, but for those that are named.
    groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let others = groups.iter().skip(1);
    let others = others.map(|(level, names)| format!("{} at {level}", names.join(" and ")));
    let serial = answer.serial.iter().map(|[one, other]| format!("{one} and {other} serial"));
    let but: Vec<String> = others.chain(serial).collect();
    match but.is_empty() {
        true => format!("at {}", groups[0].0),
        false => format!("at {} ({})", groups[0].0, but.join(", ")),
    }
}

/// The first of a list, a line each.
fn list(lines: &[String], out: &mut dyn Write) -> io::Result<()> {
    for line in lines.iter().take(LISTED) {
        writeln!(out, "  {}", one_line(line))?;
    }
    match lines.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}
