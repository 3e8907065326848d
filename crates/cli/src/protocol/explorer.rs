//! `--explore`: the states of a protocol in a browser, by the explorer of stateright.

use std::io::{IsTerminal, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Command, Stdio};

use hobgoblin_protocol::Options;
use hobgoblin_protocol::models::Model;

use crate::diagnostic::{Diagnostic, Failure};
use crate::exit::Exit;

/// Serves the explorer until somebody ends it.
pub(super) fn serve(
    model: Model,
    options: &Options<'_>,
    port: u16,
    quiet: bool,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    if cfg!(not(feature = "explorer")) {
        let help = "build it with all it has: cargo install --path crates/hob";
        return Err(Diagnostic::new("this program was built without the explorer", help).into());
    }
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|bound| bound.local_addr());
    let address: SocketAddr = free.map_err(|error| {
        let message = format!("cannot listen on 127.0.0.1:{port}: {error}");
        Diagnostic::new(message, "choose another port, such as `--explore=3001`")
    })?;
    if !quiet {
        writeln!(out, "Explore it at http://{address}; Ctrl-C ends it.")?;
        out.flush()?;
    }
    if std::io::stdout().is_terminal() && std::env::var_os("DISPLAY").is_some() {
        // Where there is no such program, the address is there to be clicked on.
        let mut browser = Command::new("xdg-open");
        let _ = browser.arg(format!("http://{address}")).stderr(Stdio::null()).spawn();
    }
    #[cfg(feature = "explorer")]
    model.explore(options, address);
    #[cfg(not(feature = "explorer"))]
    let _ = (model, options);
    Ok(Exit::Holds)
}
