//! `hob levels`: the table of levels.

use std::io::Write;

use hobgoblin_core::{IMPLICATIONS, LEVELS, Level};
use serde::Serialize;

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::style::Style;
use crate::table::Table;

/// List the isolation levels, weakest first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object a line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A line of `--json`.
#[derive(Serialize)]
struct Line {
    level: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    implies: Vec<&'static str>,
    axiom: &'static str,
    citation: &'static str,
}

pub(crate) fn run(args: &Args, style: Style, out: &mut dyn Write) -> Result<Exit, Failure> {
    if args.json {
        for row in &LEVELS {
            let line = Line {
                level: row.name,
                title: row.title,
                aliases: row.aliases,
                implies: implied(row.level),
                axiom: row.axiom,
                citation: row.citation,
            };
            writeln!(out, "{}", serde_json::to_string(&line).expect("text is JSON"))?;
        }
        return Ok(Exit::Holds);
    }
    let mut table = Table::new(&["level", "title", "implies", "also called"]);
    for row in &LEVELS {
        let (implies, aliases) = (implied(row.level).join(" "), row.aliases.join(", "));
        table.plain(vec![row.name.into(), row.title.into(), implies, aliases]);
    }
    table.write(out, style)?;
    Ok(Exit::Holds)
}

/// The levels next below this one.
fn implied(level: Level) -> Vec<&'static str> {
    let below = IMPLICATIONS.iter().filter(|i| i.stronger == level);
    below.map(|i| i.weaker.name()).collect()
}
