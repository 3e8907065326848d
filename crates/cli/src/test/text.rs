//! Reports for people: a line a level, then the smallest failing run of each, explained.

use std::io::{self, Write};

use hobgoblin_core::Level;
use hobgoblin_runner::{
    BehaviourReport, Diagnosis, Ended, Ending, FailureReport, LevelReport, Rate, ReplayReport,
    Report,
};
use hobgoblin_store::Schedule;

use super::baseline;
use super::words::{UNUSED, hint, printed};
use crate::style::{Ink, Style};
use crate::table::Table;
use crate::units::counted;

/// Prints what the runs came to.
pub(crate) fn report(
    report: &Report,
    proof: bool,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", style.paint(Ink::Strong, report.command.join(" ")))?;
    if let Some(setup) = &report.setup {
        let file = setup.file.display();
        match (setup.cached, &setup.why) {
            (true, _) => writeln!(out, "setup: taken from {file}")?,
            (false, None) => writeln!(out, "setup: kept in {file}")?,
            (false, Some(why)) => writeln!(out, "setup: made anew and kept in {file}: {why}")?,
        }
    }
    if report.baseline.stops() {
        return baseline::failed(&report.baseline, style, out);
    }
    baseline::passed(&report.baseline, style, out)?;
    if let Schedule::Pct { .. } = report.schedule {
        writeln!(out, "schedule: {}", report.schedule)?;
    }
    if !report.levels.is_empty() {
        writeln!(out)?;
        table(&report.levels, style, out)?;
    }
    let mut told = Vec::new();
    for level in &report.levels {
        if let Some(failure) = &level.failure {
            failing_level(level, failure, &mut told, proof, style, out)?;
        }
    }
    unused(report, style, out)?;
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
        "next is new (95 %)",
        "unseen",
        "refused",
    ];
    let mut table = Table::new(&columns);
    for level in levels {
        let failed = if level.failures > 0 { Ink::Bad } else { Ink::Good };
        let plain = |text: String| (text, Ink::Plain);
        let number = |n: u64| plain(if n == 0 { String::new() } else { n.to_string() });
        table.row(vec![
            plain(match level.checked_as {
                None => level.level.name().to_owned(),
                Some(checked) => format!("{} as {checked}", level.level),
            }),
            plain(level.runs.to_string()),
            (level.failures.to_string(), failed),
            number(level.hangs.into()),
            plain(if level.runs == 0 { String::new() } else { rate(level.rate) }),
            plain(level.first_failing_seed.map_or(String::new(), |seed| seed.to_string())),
            plain(level.behaviours.distinct.to_string()),
            plain(new_behaviour(level.behaviours)),
            plain(unseen(level.behaviours.unseen)),
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

/// `4 % (below 9.1 %)`: the estimate, and its bound.
fn new_behaviour(behaviours: BehaviourReport) -> String {
    let BehaviourReport { chance_of_new, chance_of_new_high, .. } = behaviours;
    if chance_of_new_high >= 1.0 {
        return percent(chance_of_new);
    }
    format!("{} (below {})", percent(chance_of_new), percent(chance_of_new_high))
}

/// `~6`, or a dash where nothing can be said.
fn unseen(unseen: Option<f64>) -> String {
    unseen.map_or("-".to_owned(), |unseen| format!("~{:.0}", unseen.ceil()))
}

fn percent(share: f64) -> String {
    let text = format!("{:.1}", 100.0 * share);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

fn failing_level<'a>(
    level: &LevelReport,
    failure: &'a FailureReport,
    told: &mut Vec<&'a str>,
    proof: bool,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = match level.checked_as {
        None => format!("{} ({})", level.level.info().title, level.level),
        Some(checked) => {
            format!("InnoDB's repeatable read ({}, checked as {checked})", level.level)
        }
    };
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
    let policy = failure.policy.map_or(String::new(), |policy| format!(", policy {policy},"));
    writeln!(
        out,
        "\n{which} has seed {}{policy} and ended with {}.",
        failure.seed, failure.ending
    )?;
    failing_run(failure, told, proof, out)
}

/// What a failing run printed, why it failed, and how to see it again. What was told of another level is
/// not told twice.
fn failing_run<'a>(
    failure: &'a FailureReport,
    told: &mut Vec<&'a str>,
    proof: bool,
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
            if proof {
                writeln!(out, "\n{}", finding.sentences.join("\n"))?;
            }
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
        writeln!(out, "\nRun it again: hob test --replay {} --yes", log.display())?;
    }
    Ok(())
}

/// Says where the runs show nothing: they did not use their stores, or nothing could go wrong in them.
fn unused(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (runs, used) = (report.runs(), report.used());
    if runs == 0 {
        return Ok(());
    }
    if used == 0 {
        let verdict = match runs {
            1 => "The run did not use its store: nothing was tested".to_owned(),
            runs => format!("None of the {runs} runs used its store: nothing was tested"),
        };
        return writeln!(out, "\n{}. {UNUSED}", style.paint(Ink::Doubtful, verdict));
    }
    if used < runs {
        let unused = counted(runs - used, "run");
        writeln!(out, "\n{unused} of {runs} never used the store: nothing was tested there.")?;
    }
    if !report.could_fail() && !report.failed() {
        let verdict = match runs {
            1 => "No two transactions overlapped in the run".to_owned(),
            runs => format!("No two transactions overlapped in any of the {runs} runs"),
        };
        let verdict = style.paint(Ink::Doubtful, verdict);
        writeln!(out, "\n{verdict}: nothing could go wrong. Does the test use two connections?")?;
    }
    Ok(())
}

fn weakest_passing(report: &Report, weakest: &[Level]) -> String {
    let name = |level: &Level| format!("{} ({level})", level.info().title);
    match weakest {
        [] if !report.failed() && !report.could_fail() => {
            "So no level is known to be enough.".to_owned()
        }
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
pub(crate) fn replay(
    report: &ReplayReport,
    proof: bool,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let command = style.paint(Ink::Strong, report.command.join(" "));
    let tries = match report.tries {
        1 => String::new(),
        tries => format!(", try {tries}"),
    };
    let policy = report.policy.map_or(String::new(), |policy| format!(", policy {policy}"));
    let seed = report.seed;
    writeln!(out, "{command}\nreplay of {} (seed {seed}{policy}){tries}\n", report.level)?;
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
            failing_run(failure, &mut Vec::new(), proof, out)
        }
        (None, Some(_)) => writeln!(out, "It did not fail, which says little after a divergence."),
        (None, None) if report.ending == Ending::Stopped => writeln!(out, "Interrupted."),
        (None, None) => {
            let verdict = style.paint(Ink::Good, "It did not fail");
            writeln!(out, "{verdict}, though its reads returned what they did then.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hobgoblin_runner::Stopping;

    #[test]
    fn rates_are_short() {
        for (failures, runs, text) in [
            (0, 100, "below 3.7 %"),
            (7, 100, "7 % (3.4 to 13.7 %)"),
            (1, 3, "33.3 % (6.1 to 79.2 %)"),
        ] {
            assert_eq!(rate(Rate::of(failures, runs, Stopping::Number)), text);
        }
        // A single failure, which ended the runs.
        let first = Rate::of(1, 29, Stopping::Failure { policies: 1 });
        assert_eq!(rate(first), "3.4 % (0.1 to 12.3 %)");
    }

    #[test]
    fn what_is_new_has_a_bound_and_what_is_unknown_a_dash() {
        let behaviours = |chance_of_new, chance_of_new_high| BehaviourReport {
            distinct: 3,
            chance_of_new,
            chance_of_new_high,
            unseen: None,
        };
        assert_eq!(new_behaviour(behaviours(0.0, 0.0581)), "0 % (below 5.8 %)");
        assert_eq!(new_behaviour(behaviours(1.0, 1.0)), "100 %");
        assert_eq!((unseen(None), unseen(Some(2.3))), ("-".to_owned(), "~3".to_owned()));
    }
}
