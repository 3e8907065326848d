//! Sessions on threads of their own, on either server, that speak alike: one statement in, one [`Answer`] out.

use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use hobgoblin_core::SessionId;
use hobgoblin_front::Store;
use hobgoblin_sql::mysql::session::{
    ColumnDescription, Database, Done, Session, SessionStatus, Startup, TakeResults,
};
use hobgoblin_sql_mysql_types::{MyType, text};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

/// What a statement was answered with, in words that both servers share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Rows, cell by cell.
    Rows(Vec<Vec<String>>),
    /// It changed so many rows, or did something else.
    Done(u64),
    /// It failed, with this number.
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
        self.impatient |= sql.contains("innodb_lock_wait_timeout");
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

/// Keeps the answer to one statement.
#[derive(Default)]
struct Kept {
    rows: Vec<Vec<String>>,
    done: Option<Done>,
}

impl TakeResults for Kept {
    fn columns(&mut self, _: &[ColumnDescription], _: &SessionStatus) -> Result<()> {
        Ok(())
    }

    fn row(
        &mut self,
        columns: &[ColumnDescription],
        row: &[Datum],
        env: &TypeEnv<'_>,
    ) -> Result<()> {
        let cells = row.iter().zip(columns).map(|(value, column)| match value.is_null() {
            true => "NULL".to_owned(),
            false => text::text(value, MyType::of(column.ty), env).into_owned(),
        });
        self.rows.push(cells.collect());
        Ok(())
    }

    fn end(&mut self, done: &Done) -> Result<()> {
        self.done = Some(done.clone());
        Ok(())
    }
}

/// Says a statement to a session.
pub(crate) fn ask(session: &mut Session, sql: &str) -> Answer {
    let mut kept = Kept::default();
    let asked = session.query(sql.as_bytes(), &mut kept);
    match (asked, kept.done) {
        (Err(error), _) => Answer::Error(session.worded(error).number.to_string()),
        (Ok(()), Some(done)) if done.rows => Answer::Rows(kept.rows),
        (Ok(()), done) => Answer::Done(done.map_or(0, |done| done.affected)),
    }
}

/// A session of the database `test`.
pub(crate) fn session(database: &Database, name: &str) -> Session {
    let startup = Startup {
        user: "root".to_owned(),
        host: "localhost".to_owned(),
        database: Some("test".to_owned()),
        attributes: vec![("hob.session".to_owned(), name.to_owned())],
        ..Startup::default()
    };
    database.connect(startup).expect("the server takes sessions")
}

/// A session of this server that says these things first, by the name that the store knows it by.
pub(crate) fn hob_lane(database: &Database, name: &str, first: &[String]) -> Lane {
    let mut session = session(database, name);
    for sql in first {
        assert_eq!(ask(&mut session, sql), Answer::Done(0), "{sql}");
    }
    let store = database.store().clone();
    let id = store.with_machine(|machine| machine.session_named(name)).expect("it is connected");
    Lane::new(move |sql| ask(&mut session, sql), move |_| waits(&store, id))
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
                error = code.split(' ').next().map(str::to_owned);
            } else if let Some(count) = line.strip_suffix(&mark) {
                let count = count.trim().parse::<i64>().unwrap_or(0);
                return match error {
                    Some(number) => Answer::Error(number),
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
