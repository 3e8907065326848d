//! `hob serve` and other commands that serve until they are ended, in a process of their own.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A server that is ready, killed when dropped.
pub(crate) struct Serving {
    pub(crate) child: Child,
    out: BufReader<ChildStdout>,
    /// What it says with `--json` when it is ready: its addresses, level and seed.
    pub(crate) ready: serde_json::Value,
}

impl Serving {
    /// Starts `hob serve` with these flags and `--json`.
    pub(crate) fn start(flags: &[&str]) -> Serving {
        let mut hob = Command::new(env!("CARGO_BIN_EXE_hob"));
        hob.env_remove("HOB_TOKEN").env_remove("HOB_HTTP_URL");
        Serving::of(hob.args(["serve", "--json"]).args(flags))
    }

    /// Starts any command that says in a line of JSON where it serves.
    pub(crate) fn of(command: &mut Command) -> Serving {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("output is text");
        let ready = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        Serving { child, out, ready }
    }

    /// Where it listens, by the name of an address in what it said.
    #[allow(dead_code, reason = "some hand its whole address to a client")]
    pub(crate) fn listens(&self, name: &str) -> SocketAddr {
        let url = self.ready[name].as_str().expect("an address");
        let (_, rest) = url.split_once("://").expect("a scheme");
        let host = rest.split('/').next().and_then(|host| host.rsplit('@').next());
        host.and_then(|host| host.parse().ok()).unwrap_or_else(|| panic!("no host: {url}"))
    }

    /// Ends it by a signal; the exit code and what it printed since it was ready.
    #[allow(dead_code, reason = "others let it be killed")]
    pub(crate) fn end(mut self, signal: &str) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().expect("there is kill");
        assert!(sent.success());
        let status = self.child.wait().expect("it ends");
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("output is text");
        (status.code(), rest)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
