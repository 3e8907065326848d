//! `hob view`: the report of a history, a log or a directory of failures, in a browser.
//!
//! The browser asks a server on this machine ([`SiteServer`]) for the page and for the transactions in view, so that
//! a history may be large, and for what is new, so that it may grow ([`run`]); of a directory there is a list of the
//! runs ([`folder`]).

mod folder;
mod run;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hobgoblin_core::Level;
use hobgoblin_format::Format;
use hobgoblin_server::{ServerError, SiteServer};
use serde_json::json;

use self::folder::Folder;
use self::run::{Origin, Run, Single};
use crate::check::Stop;
use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::Exit;
use crate::{names, units};

/// Look at a history, a log or the failures of a test in a browser.
///
/// The page is served to this machine only, at an address nobody can guess. It follows the file as it
/// grows, until Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A history, a log of `hob test` or `hob serve`, a directory such as hob-failures, or - for standard
    /// input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// A level to check; see `hob levels` for their names. Commas separate several.
    #[arg(short, long = "level", value_name = "LEVEL", value_delimiter = ',')]
    #[arg(value_parser = names::level(), hide_possible_values = true)]
    levels: Vec<Level>,

    /// The format of the history (see `hob formats`); without it, the content tells.
    #[arg(short, long, value_name = "FORMAT", value_parser = names::format())]
    #[arg(hide_possible_values = true)]
    format: Option<Format>,

    /// Stop a check after this time, such as 500ms, 10s or 5m.
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = units::duration)]
    time_limit: Duration,

    /// The port of this machine; any that is free by default.
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,

    /// Only print the address, and leave it to you to open it.
    #[arg(long)]
    no_open: bool,

    /// Print one JSON object with the address.
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,

    /// Print nothing but the address.
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  hob view history.jsonl                 as a page that follows the file
  hob view hob-failures                  every run that `hob test` kept
  hob view --level SI --no-open runs.edn

For a file to keep or to send, see `hob check --report`.";

/// How often to look whether somebody asked to stop.
const LOOK: Duration = Duration::from_millis(100);

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Exit, Failure> {
    let stop = Arc::new(Stop::new(Some(args.time_limit), None)?);
    let asked = run::Asked { levels: args.levels.clone(), format: args.format, stop: stop.clone() };
    let server = match Folder::of(&args.file, &asked)? {
        Some(folder) => SiteServer::start(args.port, Arc::new(folder)),
        None => {
            let origin = Origin::of(&args.file)?;
            let run = Run::open(origin, asked).map_err(|told| Failure::from(*told))?;
            SiteServer::start(args.port, Arc::new(Single(Arc::new(run))))
        }
    };
    let server = server.map_err(explain)?;
    let url = server.url();
    stop.gently();
    match args.json {
        true => writeln!(out, "{}", json!({"url": url, "pid": std::process::id()}))?,
        false => writeln!(out, "{url}")?,
    }
    out.flush()?;
    if !args.no_open && !args.json && std::io::stdout().is_terminal() {
        open(&url);
    }
    if !args.quiet && !args.json {
        crate::harmless::tell("Ctrl-C ends it.\n");
    }
    while !stop.asked() {
        std::thread::sleep(LOOK);
    }
    Ok(Exit::Holds)
}

/// Opens an address in the browser, where there is one; the address was printed in any case.
fn open(url: &str) {
    let is_mac = cfg!(target_os = "macos");
    let has_screen =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let opener = match std::env::var_os("BROWSER") {
        Some(browser) => browser,
        None if is_mac => "open".into(),
        None if has_screen => "xdg-open".into(),
        None => return,
    };
    let [input, output, errors] = [Stdio::null(), Stdio::null(), Stdio::null()];
    let _ = Command::new(opener).arg(url).stdin(input).stdout(output).stderr(errors).spawn();
}

fn explain(error: ServerError) -> Failure {
    let help = "leave out `--port`, or name another";
    Diagnostic::new(error.to_string(), help).into()
}
