//! Sessions on threads of their own, on either server, that speak alike: one statement in, one [`Answer`] out.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use hobgoblin_core::SessionId;
use hobgoblin_front::Store;
use hobgoblin_sql::session::{Database, Outcome, Session, Startup};
use hobgoblin_sql::types::text;

/// What a statement was answered with, in words that both servers share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Rows, cell by cell.
    Rows(Vec<Vec<String>>),
    /// It changed so many rows, or did something else.
    Done(u64),
    /// It failed.
    Error(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Rows(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
                write!(f, "[{}]", rows.join(" "))
            }
            Answer::Done(count) => write!(f, "{count}"),
            Answer::Error(kind) => write!(f, "{kind}"),
        }
    }
}

/// What kind of error a number of MariaDB's or a state of PostgreSQL's is.
pub(crate) fn kind(code: &str) -> String {
    let kind = match code {
        "1062" | "23505" => "duplicate",
        "1213" | "40P01" => "deadlock",
        "1205" | "55P03" => "timeout",
        "1020" | "40001" => "changed",
        "1451" | "1452" | "23503" => "reference",
        other => other,
    };
    kind.to_owned()
}

/// A session on a thread of its own.
pub(crate) struct Lane {
    ask: Sender<String>,
    answers: Receiver<Answer>,
    /// Whether it was asked something that it has not answered.
    pub(crate) busy: bool,
    /// Whether it gives up soon when it waits.
    impatient: bool,
    /// Whether its session waits for a lock, as the server says.
    is_blocked: Box<dyn Fn(Instant) -> bool>,
}

impl Lane {
    pub(crate) fn new(
        mut run: impl FnMut(&str) -> Answer + Send + 'static,
        is_blocked: impl Fn(Instant) -> bool + 'static,
    ) -> Lane {
        let (ask, asked) = channel::<String>();
        let (tell, answers) = channel();
        std::thread::spawn(move || {
            for sql in asked {
                if tell.send(run(&sql)).is_err() {
                    return;
                }
            }
        });
        Lane { ask, answers, busy: false, impatient: false, is_blocked: Box::new(is_blocked) }
    }

    pub(crate) fn send(&mut self, sql: &str) {
        self.ask.send(sql.to_owned()).expect("the session's thread is there");
        self.impatient |= sql.starts_with("SET lock_timeout");
        self.busy = true;
    }

    /// Whether it waits for a lock, and will until others do something; `since` is when anything was done last.
    pub(crate) fn waits(&self, since: Instant) -> bool {
        !self.impatient && (self.is_blocked)(since)
    }

    /// The answer, if there is one.
    pub(crate) fn poll(&mut self) -> Option<Answer> {
        let answer = self.answers.try_recv().ok()?;
        self.busy = false;
        Some(answer)
    }
}

/// A session of the PostgreSQL dialect that is spoken to as MySQL is: a statement that fails undoes itself and no more,
/// a deadlock ends the transaction, and BEGIN commits what is open.
struct Speaker {
    session: Session,
    open: bool,
}

impl Speaker {
    fn message(&mut self, sql: &str) -> Answer {
        let ran = self.session.statements(sql).and_then(|all| {
            let mut last = Answer::Done(0);
            for statement in &all {
                last = match self.session.simple(statement)? {
                    (Some(columns), Outcome::Rows { rows, .. }) => {
                        let env = self.session.types();
                        let print = |row: &Vec<hobgoblin_sql::types::Datum>| {
                            let cells = row.iter().zip(&columns).map(|(value, column)| match value
                                .is_null()
                            {
                                true => "NULL".to_owned(),
                                false => text::print(value, column.ty, column.typmod, &env),
                            });
                            cells.collect()
                        };
                        Answer::Rows(rows.iter().map(print).collect())
                    }
                    (_, Outcome::Done(done)) => Answer::Done(done.affected.unwrap_or(0)),
                    _ => Answer::Done(0),
                };
            }
            Ok(last)
        });
        let answer = ran.unwrap_or_else(|error| {
            self.session.fail();
            Answer::Error(kind(error.state().0))
        });
        match self.session.sync() {
            Ok(()) => answer,
            Err(error) => Answer::Error(kind(error.state().0)),
        }
    }

    fn ask(&mut self, sql: &str) -> Answer {
        let words = sql.to_ascii_lowercase();
        if words.starts_with("begin") {
            if std::mem::replace(&mut self.open, true) {
                self.message("commit");
            }
            return self.message(sql);
        }
        // Savepoints outside of transactions are forgotten at once.
        if !self.open && words.starts_with("savepoint ") {
            return Answer::Done(0);
        }
        if !self.open && words.starts_with("rollback to ") {
            return Answer::Error("1305".to_owned());
        }
        let ends = ["commit", "rollback"].contains(&words.as_str());
        let controls = ["set ", "savepoint ", "rollback to "];
        if ends || !self.open || controls.iter().any(|word| words.starts_with(word)) {
            self.open &= !ends;
            return self.message(sql);
        }
        self.message("savepoint statement");
        let answer = self.message(sql);
        match &answer {
            Answer::Error(kind) if ["deadlock", "changed"].contains(&kind.as_str()) => {
                self.message("rollback");
                self.open = false;
            }
            Answer::Error(_) => {
                self.message("rollback to statement");
                self.message("release statement");
            }
            _ => {
                self.message("release statement");
            }
        }
        answer
    }
}

/// A session of this database, by the name that the store knows it by.
pub(crate) fn hob_lane(database: &Database, name: &str, level: &str) -> Lane {
    let settings = [("hob.session", name), ("default_transaction_isolation", level)];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let session = database.connect(Startup { settings, ..Startup::default() });
    let mut speaker = Speaker { session: session.expect("a session"), open: false };
    let store = database.store().clone();
    let id = store.with_machine(|machine| machine.session_named(name)).expect("it is connected");
    Lane::new(move |sql| speaker.ask(sql), move |_| waits(&store, id))
}

fn waits(store: &Store, id: SessionId) -> bool {
    store.with_machine(|machine| !machine.blockers(id).is_empty() && !machine.ready().contains(&id))
}

/// A client of MariaDB's: the command line, which is told one statement at a time.
pub(crate) struct Client {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
    /// How many statements it was told.
    told: u64,
}

impl Client {
    pub(crate) fn start(socket: &str) -> Client {
        let client = format!(
            "exec mariadb --no-defaults --socket={socket} --user=root --batch --skip-column-names \
             --unbuffered --force --verbose test 2>&1"
        );
        let mut child = Command::new("sh")
            .args(["-c", &client])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let lines = BufReader::new(child.stdout.take().expect("it is piped"));
        Client { child, lines, told: 0 }
    }

    /// Tells a statement, and reads until a mark of our own comes back.
    pub(crate) fn ask(&mut self, sql: &str) -> Answer {
        self.told += 1;
        let mark = format!("mark {}", self.told);
        let input = self.child.stdin.as_mut().expect("it is piped");
        let text = format!("{sql};\nselect row_count(), '{mark}';\n");
        input.write_all(text.as_bytes()).expect("the client reads");
        input.flush().expect("the client reads");
        let (mut rows, mut error, mut echoes) = (Vec::new(), None, false);
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("the client writes text");
            assert!(read > 0, "the client ended at {sql}");
            let line = line.trim_end_matches('\n');
            // `--verbose` repeats each statement between lines of dashes.
            if line == "--------------" {
                echoes = !echoes;
            } else if echoes || line.is_empty() {
            } else if let Some(code) = line.strip_prefix("ERROR ") {
                error = Some(kind(code.split(' ').next().unwrap_or_default()));
            } else if let Some(count) = line.strip_suffix(&mark) {
                let count = count.trim().parse::<i64>().unwrap_or(0);
                return match error {
                    Some(kind) => Answer::Error(kind),
                    None if count == -1 => Answer::Rows(rows),
                    None => Answer::Done(count.unsigned_abs()),
                };
            } else {
                rows.push(line.split('\t').map(str::to_owned).collect());
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
