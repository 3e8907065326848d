//! `hob formats`: the formats that are read and written.

use std::io::Write;

use clap::ColorChoice;
use hobgoblin_format::Format;
use serde_json::json;

use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::style::Style;
use crate::table::Table;

/// List the formats of histories.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Exit, Failure> {
    if args.json {
        for format in Format::ALL {
            let line = json!({
                "format": format.name(),
                "title": format.title(),
                "aliases": format.aliases(),
                "extensions": format.extensions(),
            });
            writeln!(out, "{line}")?;
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
    table.write(out, Style::of_stdout(ColorChoice::Auto))?;
    writeln!(out, "\nFiles may be compressed with gzip or Zstandard. See docs/formats.md.")?;
    Ok(Exit::Holds)
}
