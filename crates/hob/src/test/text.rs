//! Reports for people: a line a level, then the smallest failing run of each, explained.

use std::io::{self, Write};

use hobgoblin_core::Level;
use hobgoblin_runner::{
    Diagnosis, Ended, Ending, FailureReport, LevelReport, Output, Rate, ReplayReport, Report,
};

use crate::style::{Ink, Style};
use crate::table::Table;

/// How many lines of what a command printed are shown.
const LINES: usize = 20;

/// Prints what the runs came to.
pub(crate) fn report(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", style.paint(Ink::Strong, report.command.join(" ")))?;
    let baseline = &report.baseline;
    if let Some(failure) = &baseline.failure {
        let verdict = "The test fails without weak isolation";
        let verdict = style.paint(Ink::Bad, verdict);
        let (failures, runs) = (baseline.failures, counted(baseline.runs, "run"));
        writeln!(out, "\n{verdict}: {failures} of {runs} at SER failed, with {}.", failure.ending)?;
        printed(&failure.output, out)?;
        hint(failure, out)?;
        return writeln!(
            out,
            "\nNothing was run at weaker levels: what fails there may fail anyway."
        );
    }
    match baseline.runs {
        0 => writeln!(out, "baseline: no run at SER was made")?,
        runs => writeln!(out, "baseline: {} at SER, none failed", counted(runs, "run"))?,
    }
    if !report.levels.is_empty() {
        writeln!(out)?;
        table(&report.levels, style, out)?;
    }
    let mut told = Vec::new();
    for level in &report.levels {
        if let Some(failure) = &level.failure {
            failing_level(level, failure, &mut told, style, out)?;
        }
    }
    if let Some(weakest) = &report.weakest_passing {
        writeln!(out, "\n{}", weakest_passing(report, weakest))?;
    }
    if report.interrupted {
        writeln!(
            out,
            "\n{}",
            style.paint(Ink::Doubtful, "Interrupted; these are the runs until then.")
        )?;
    }
    Ok(())
}

fn table(levels: &[LevelReport], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let columns = [
        "level",
        "runs",
        "failed",
        "hangs",
        "rate (95 %)",
        "first seed",
        "behaviours",
        "next is new",
        "unseen",
        "refused",
    ];
    let mut table = Table::new(&columns);
    for level in levels {
        let failed = if level.failures > 0 { Ink::Bad } else { Ink::Good };
        let plain = |text: String| (text, Ink::Plain);
        let number = |n: u64| plain(if n == 0 { String::new() } else { n.to_string() });
        table.row(vec![
            plain(level.level.name().to_owned()),
            plain(level.runs.to_string()),
            (level.failures.to_string(), failed),
            number(level.hangs.into()),
            plain(if level.runs == 0 { String::new() } else { rate(level.rate) }),
            plain(level.first_failing_seed.map_or(String::new(), |seed| seed.to_string())),
            plain(level.behaviours.distinct.to_string()),
            plain(percent(level.behaviours.chance_of_new)),
            plain(format!("~{:.0}", level.behaviours.unseen.ceil())),
            number(level.refused),
        ]);
    }
    table.write(out, style)
}

/// `7.0 % (3.4 to 13.7 %)`, or `below 3.7 %` where nothing failed.
fn rate(rate: Rate) -> String {
    if rate.seen == 0.0 {
        return format!("below {}", percent(rate.high));
    }
    let low = percent(rate.low);
    format!("{} ({} to {})", percent(rate.seen), low.trim_end_matches(" %"), percent(rate.high))
}

fn percent(share: f64) -> String {
    let text = format!("{:.1}", 100.0 * share);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

fn failing_level<'a>(
    level: &LevelReport,
    failure: &'a FailureReport,
    told: &mut Vec<&'a str>,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = format!("{} ({})", level.level.info().title, level.level);
    let failed = format!("{} of {} failed", level.failures, counted(level.runs, "run"));
    let stopped = if level.ended == Ended::Failure { ", and no more were made" } else { "" };
    writeln!(out, "\n{}: {failed}{stopped}", style.paint(Ink::Strong, title))?;
    let mut anomalies = Table::new(&["", "runs", "what their histories show", "a seed"]);
    for count in &level.anomalies {
        let (runs, seed) = (count.runs.to_string(), count.seed.to_string());
        anomalies.plain(vec![" ".to_owned(), runs, count.title.to_owned(), seed]);
    }
    anomalies.write(out, style)?;
    let which = if level.failures > 1 { "The smallest failing run" } else { "The failing run" };
    writeln!(out, "\n{which} has seed {} and ended with {}.", failure.seed, failure.ending)?;
    failing_run(failure, told, out)
}

/// What a failing run printed, why it failed, and how to see it again. What was told of another level is
/// not told twice.
fn failing_run<'a>(
    failure: &'a FailureReport,
    told: &mut Vec<&'a str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    printed(&failure.output, out)?;
    writeln!(out)?;
    match &failure.diagnosis {
        Diagnosis::Anomaly(finding) if told.contains(&&*finding.text) => {
            writeln!(out, "It shows the {} that is explained above.", finding.title)?;
        }
        Diagnosis::Anomaly(finding) => {
            told.push(&finding.text);
            writeln!(out, "{}", finding.text.trim_end())?;
        }
        Diagnosis::Serializable => {
            writeln!(
                out,
                "Its history is serializable: the failure needs no anomaly of isolation."
            )?;
            hint(failure, out)?;
        }
        Diagnosis::Undecided(reason) => {
            let history = failure
                .history
                .as_ref()
                .map_or(String::new(), |file| format!("; try `hob check {}`", file.display()));
            writeln!(out, "Whether its history has an anomaly is unknown: {reason}{history}.")?;
        }
    }
    if let Some(log) = &failure.log {
        writeln!(out, "\nRun it again: hob test --replay {}", log.display())?;
    }
    Ok(())
}

/// Why a run may fail without an anomaly.
fn hint(failure: &FailureReport, out: &mut dyn Write) -> io::Result<()> {
    if failure.ending == Ending::Hang {
        writeln!(out, "It did not end in time: see `--timeout`.")?;
    }
    match failure.refused {
        0 => Ok(()),
        1 => writeln!(out, "The store refused a transaction of it; such must be run again."),
        n => writeln!(out, "The store refused {n} transactions of it; such must be run again."),
    }
}

fn printed(output: &Output, out: &mut dyn Write) -> io::Result<()> {
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

fn weakest_passing(report: &Report, weakest: &[Level]) -> String {
    let name = |level: &Level| format!("{} ({level})", level.info().title);
    match weakest {
        [] => "There is no level at which nothing failed.".to_owned(),
        [one] => {
            let level = report.levels.iter().find(|report| report.level == *one);
            let sure = level.map_or(String::new(), |level| {
                let runs = counted(level.runs, "run");
                format!(" With {runs}, its rate is below {} (95 %).", percent(level.rate.high))
            });
            format!("The weakest level at which nothing failed is {}.{sure}", name(one))
        }
        several => {
            let names: Vec<String> = several.iter().map(name).collect();
            format!("The weakest levels at which nothing failed are {}.", names.join(" and "))
        }
    }
}

/// Prints what a replay came to.
pub(crate) fn replay(report: &ReplayReport, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let command = style.paint(Ink::Strong, report.command.join(" "));
    let tries = match report.tries {
        1 => String::new(),
        tries => format!(", try {tries}"),
    };
    writeln!(out, "{command}\nreplay of {} (seed {}){tries}\n", report.level, report.seed)?;
    if let Some(divergence) = &report.divergence {
        let changed = style.paint(Ink::Doubtful, "The program changed");
        writeln!(out, "{changed}: {divergence}.\n")?;
    }
    if report.differences.count > 0 {
        let statements = counted(report.differences.count as u32, "statement");
        writeln!(
            out,
            "{statements} had other values than in the log, which was followed all the same:"
        )?;
        for difference in &report.differences.first {
            writeln!(out, "  {difference}")?;
        }
        writeln!(out)?;
    }
    match (&report.failure, &report.divergence) {
        (Some(failure), diverged) => {
            let again =
                if diverged.is_some() { "It failed all the same" } else { "It failed again" };
            writeln!(out, "{}, with {}.", style.paint(Ink::Bad, again), failure.ending)?;
            failing_run(failure, &mut Vec::new(), out)
        }
        (None, Some(_)) => writeln!(out, "It did not fail, which says little after a divergence."),
        (None, None) if report.ending == Ending::Stopped => writeln!(out, "Interrupted."),
        (None, None) => {
            let verdict = style.paint(Ink::Good, "It did not fail");
            writeln!(out, "{verdict}, though its reads returned what they did then.")
        }
    }
}

fn counted(count: u32, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_short() {
        for (failures, runs, text) in [
            (0, 100, "below 3.7 %"),
            (7, 100, "7 % (3.4 to 13.7 %)"),
            (1, 3, "33.3 % (6.1 to 79.2 %)"),
        ] {
            assert_eq!(rate(Rate::of(failures, runs)), text);
        }
    }

    #[test]
    fn long_output_is_cut_and_escapes_are_harmless() {
        let text: String = (0..30).map(|n| format!("line {n}\n")).collect();
        let shown = quoted(&Output { text: text + "\u{1b}[2J\n", cut: 0 });
        assert!(shown.starts_with("  | …\n  | line 11\n"), "{shown}");
        assert!(shown.ends_with("  | \u{fffd}[2J\n"), "{shown}");
    }
}
