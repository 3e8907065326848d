//! `hob levels`: the table of levels.

use std::io::Write;

use clap::ColorChoice;
use hobgoblin_core::{IMPLICATIONS, LEVELS, Level};
use serde_json::json;

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::style::Style;
use crate::table::Table;

/// List the isolation levels, weakest first.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Exit, Failure> {
    if args.json {
        for row in &LEVELS {
            let line = json!({
                "level": row.name,
                "title": row.title,
                "aliases": row.aliases,
                "axiom": row.axiom,
                "citation": row.citation,
                "implies": implied(row.level),
            });
            writeln!(out, "{line}")?;
        }
        return Ok(Exit::Holds);
    }
    let mut table = Table::new(&["level", "title", "implies", "also called"]);
    for row in &LEVELS {
        let (implies, aliases) = (implied(row.level).join(" "), row.aliases.join(", "));
        table.plain(vec![row.name.into(), row.title.into(), implies, aliases]);
    }
    table.write(out, Style::of_stdout(ColorChoice::Auto))?;
    Ok(Exit::Holds)
}

/// The levels next below this one.
fn implied(level: Level) -> Vec<&'static str> {
    let below = IMPLICATIONS.iter().filter(|i| i.stronger == level);
    below.map(|i| i.weaker.name()).collect()
}
