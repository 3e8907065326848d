//! The real server: a throwaway MariaDB, spoken to through its command line.

#[path = "../../../../tests/servers/mariadb.rs"]
mod mariadb;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mariadb::MariaDb;

/// A server with a database `d`, gone when dropped.
pub(crate) struct Server(MariaDb);

/// An error of the server: its number and its words.
pub(crate) type ServerError = (u16, String);

impl Server {
    /// The server that all tests share, or nothing where MariaDB is not installed, which is told; at full size it has to
    /// be there. It is gone with the last who has it.
    pub(crate) fn shared() -> Option<Arc<Server>> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let found = shared.upgrade().or_else(|| Server::start().map(Arc::new))?;
        *shared = Arc::downgrade(&found);
        Some(found)
    }

    fn start() -> Option<Server> {
        let options = ["--max-statement-time=10", "--default-time-zone=SYSTEM"];
        let mariadb = MariaDb::start(&options, "CREATE DATABASE d;\n")?;
        Some(Server(mariadb))
    }

    /// What a script prints, and its errors.
    fn run(&self, script: &str) -> (String, String) {
        let socket = format!("--socket={}", self.0.socket.display());
        let mut client = Command::new("mariadb")
            .args(["--no-defaults", "-uroot", &socket, "--force", "--batch", "-N"])
            .args(["--default-character-set=utf8mb4", "--max-allowed-packet=64M"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the client starts");
        let mut stdin = client.stdin.take().expect("it is piped");
        let script = script.to_owned();
        let writer = std::thread::spawn(move || drop(stdin.write_all(script.as_bytes())));
        let output = client.wait_with_output().expect("the client ends");
        writer.join().expect("the script is written");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    /// The lines that a script prints.
    pub(crate) fn lines(&self, script: &str) -> Vec<String> {
        self.run(script).0.lines().map(str::to_owned).collect()
    }

    /// What each line of a script prints, all in one session, and the first error of it.
    pub(crate) fn steps(&self, lines: &[String]) -> Vec<(Option<ServerError>, Vec<String>)> {
        let marked = |(at, line): (usize, &String)| format!("SELECT '@{at}'; {line}\n");
        let script: String = lines.iter().enumerate().map(marked).collect();
        let (printed, errors) = self.run(&script);
        let mut errors = errors_by_line(&errors);
        let mut all: Vec<_> =
            (0..lines.len()).map(|at| (errors.remove(&(at + 1)), Vec::new())).collect();
        let mut now = 0;
        for line in printed.lines() {
            match line.strip_prefix('@').and_then(|at| at.parse().ok()) {
                Some(at) => now = at,
                None => all[now].1.push(line.to_owned()),
            }
        }
        all
    }

    /// What the server answers to each statement: rows as the client prints them, or its error.
    pub(crate) fn answers(&self, statements: &[String]) -> Vec<Result<String, ServerError>> {
        let line = |statement: &String| {
            let quoted = statement.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
            match statement.split_whitespace().next() {
                // These cannot be prepared.
                Some("USE" | "use") => format!("{statement}; SELECT '@end';\n"),
                _ => format!("EXECUTE IMMEDIATE '{quoted}'; SELECT '@end';\n"),
            }
        };
        let script: String = statements.iter().map(line).collect();
        let (printed, errors) = self.run(&script);
        let mut errors = errors_by_line(&errors);
        let mut parts = printed.split("@end\n");
        let unescaped = |text: &str| {
            let parts = text
                .split("\\\\")
                .map(|part| part.replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\0"));
            parts.collect::<Vec<_>>().join("\\")
        };
        (0..statements.len())
            .map(|at| {
                let rows = parts.next().unwrap_or_default();
                match errors.remove(&(at + 1)) {
                    Some(error) => Err(error),
                    None => Ok(unescaped(rows)),
                }
            })
            .collect()
    }

    /// What the server says to each text as that of a prepared statement; nothing where it takes it.
    pub(crate) fn prepare(&self, texts: &[String], sql_mode: &str) -> Vec<Option<ServerError>> {
        let script: String = texts.iter().map(|text| prepared(text, sql_mode) + "\n").collect();
        let (_, errors) = self.run(&format!("USE d;\n{script}"));
        let mut errors = errors_by_line(&errors);
        (0..texts.len()).map(|at| errors.remove(&(at + 2))).collect()
    }

    /// The one value that each text of an expression has, or its error.
    pub(crate) fn values(&self, texts: &[String], sql_mode: &str) -> Vec<Result<String, u16>> {
        let mut script = "USE d;\n".to_owned();
        for (at, text) in texts.iter().enumerate() {
            let query = format!("SELECT {at}, HEX({text})");
            // Where it cannot be prepared, the statement before is not run again.
            script.push_str(&format!(
                "{} EXECUTE s; DEALLOCATE PREPARE s;\n",
                prepared(&query, sql_mode)
            ));
        }
        let (printed, errors) = self.run(&script);
        let errors = errors_by_line(&errors);
        let split = |line| str::split_once(line, '\t');
        let numbered =
            |(at, value): (&str, &str)| Some((at.parse::<usize>().ok()?, value.to_owned()));
        let printed: BTreeMap<usize, String> =
            printed.lines().filter_map(split).filter_map(numbered).collect();
        let value = |at: usize| match (errors.get(&(at + 2)), printed.get(&at)) {
            (Some((number, _)), _) => Err(*number),
            (None, Some(value)) => Ok(value.clone()),
            (None, None) => panic!("no value of {}", texts[at]),
        };
        (0..texts.len()).map(value).collect()
    }
}

/// A line of a script that prepares a text under a mode, whatever stands in the text.
fn prepared(text: &str, sql_mode: &str) -> String {
    let quoted = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
    format!(
        "SET sql_mode = ''; SET @q = '{quoted}'; SET sql_mode = '{sql_mode}'; PREPARE s FROM @q;"
    )
}

/// Errors as the client prints them, by the line of the script.
fn errors_by_line(printed: &str) -> BTreeMap<usize, ServerError> {
    let mut errors = BTreeMap::new();
    for part in format!("\n{printed}").split("\nERROR ").skip(1) {
        let Some((number, rest)) = part.split_once(" (") else { continue };
        let Some((_, rest)) = rest.split_once(") at line ") else { continue };
        let Some((line, message)) = rest.split_once(": ") else { continue };
        if let (Ok(number), Ok(line)) = (number.parse(), line.parse()) {
            // The client quotes the statement that failed, between lines of dashes.
            let message = message.split("\n--------------\n").next().unwrap_or(message);
            // What fails after it on the same line fails because of it.
            errors
                .entry(line)
                .or_insert_with(|| (number, message.trim_end_matches('\n').to_owned()));
        }
    }
    errors
}
