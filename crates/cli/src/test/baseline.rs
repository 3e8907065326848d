//! What the baseline came to, for people: the runs with one transaction at a time.

use std::io::{self, Write};

use hobgoblin_runner::{Baseline, Ending};

use super::words::{hint, printed};
use crate::style::{Ink, Style};
use crate::units::counted;

/// Says how it went where the levels are run too.
pub(super) fn passed(baseline: &Baseline, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Baseline { level, runs, failures, .. } = baseline;
    if *runs == 0 {
        return writeln!(out, "baseline: no run was made");
    }
    let made = counted(*runs, "run");
    if *failures == 0 {
        writeln!(out, "baseline: {made} at {level} with one transaction at a time, none failed")?;
    } else {
        let failed = style.paint(Ink::Doubtful, format!("{failures} failed"));
        let why = match baseline.refused {
            0 => "their transactions overlapped all the same, which may be why",
            _ => "only where transactions were refused, which must be run again",
        };
        writeln!(
            out,
            "baseline: {made} at {level} with one transaction at a time, {failed}: {why}"
        )?;
    }
    overlaps(baseline, out)
}

/// Says that the test fails without weak isolation, and what may help.
pub(super) fn failed(baseline: &Baseline, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let verdict = style.paint(Ink::Bad, "The test fails without weak isolation");
    let (failures, runs) = (baseline.own_failures, counted(baseline.runs, "run"));
    write!(
        out,
        "\n{verdict}: {failures} of {runs} at {} with one transaction at a time failed",
        baseline.level
    )?;
    let Some(failure) = &baseline.failure else { return writeln!(out, ".") };
    writeln!(out, ", with {}.", failure.ending)?;
    printed(&failure.output, out)?;
    hint(failure, out)?;
    overlaps(baseline, out)?;
    writeln!(
        out,
        "\nNothing was run at any level: what fails there may fail anyway. What may help:"
    )?;
    let mut flags = vec![
        ("--setup CMD", "prepares the data the test expects: tables, migrations, fixtures"),
        ("--baseline-runs 0", "runs the levels all the same"),
    ];
    if failure.ending == Ending::Hang {
        flags.insert(0, ("--timeout TIME", "lets a run take longer"));
    }
    if baseline.overlapped > 0 {
        flags.insert(0, ("--hold TIME", "waits longer before transactions overlap"));
    }
    for (flag, what) in flags {
        writeln!(out, "  {flag:<18} {what}")?;
    }
    Ok(())
}

/// Says in how many runs transactions overlapped all the same.
fn overlaps(baseline: &Baseline, out: &mut dyn Write) -> io::Result<()> {
    let Some(why) = &baseline.overlap else { return Ok(()) };
    let runs = counted(baseline.runs, "baseline run");
    writeln!(out, "{} of {runs} overlapped because {why} (see `--hold`)", baseline.overlapped)
}
