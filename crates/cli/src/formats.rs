//! `hob formats`: the formats that are read and written.

use std::io::Write;

use hobgoblin_format::Format;
use serde::Serialize;

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::style::Style;
use crate::table::Table;

/// List the formats of histories.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object a line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A line of `--json`.
#[derive(Serialize)]
struct Line {
    format: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    extensions: &'static [&'static str],
}

pub(crate) fn run(args: &Args, style: Style, out: &mut dyn Write) -> Result<Exit, Failure> {
    if args.json {
        for format in Format::ALL {
            let line = Line {
                format: format.name(),
                title: format.title(),
                aliases: format.aliases(),
                extensions: format.extensions(),
            };
            writeln!(out, "{}", serde_json::to_string(&line).expect("text is JSON"))?;
        }
        return Ok(Exit::Holds);
    }
    let mut table = Table::new(&["format", "what it is", "extensions", "also called"]);
    for format in Format::ALL {
        let extensions: Vec<String> =
            format.extensions().iter().map(|extension| format!(".{extension}")).collect();
        table.plain(vec![
            format.name().into(),
            format.title().into(),
            extensions.join(" "),
            format.aliases().join(", "),
        ]);
    }
    table.write(out, style)?;
    writeln!(out, "\nFiles may be compressed with gzip or Zstandard. See docs/formats.md.")?;
    Ok(Exit::Holds)
}
